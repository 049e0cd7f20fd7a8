// The participant's page starts here: it asks whether a report would be taken while the rest loads.
import { Client } from "/client/index.js";

const RETRY_POLICY = { tries: 2, seconds: 15, firstPause: 0.3, timeout: 8 };
const id = location.pathname.split("/").at(-1),
  invitation = new URLSearchParams(location.hash.slice(1)).get("invitation") ?? undefined;
const client =
  id === "preview"
    ? new (await import("./preview.js")).PreviewClient()
    : new Client(location.origin, { retryPolicy: RETRY_POLICY });

async function find() {
  // A task that is not too large comes with the page.
  const text = document.querySelector("meta[name=task]")?.content,
    [task, receipt] = await Promise.all([client.task(id, text), client.receipt(id)]);
  const checked = receipt ? undefined : client.check(id, { invitation });
  // The page says what is wrong, once it is loaded.
  checked?.catch(() => {});
  return { task, receipt, checked };
}

const found = find().catch((error) => ({ error }));
const { start } = await import("./join-page.js");
await start(client, id, invitation, found);
