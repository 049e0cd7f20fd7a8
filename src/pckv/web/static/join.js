// The participant's page starts here: the task is fetched while the rest of the page loads.
import { Client } from "/client/index.js";

const RETRY_POLICY = { tries: 2, seconds: 15, firstPause: 0.3, timeout: 8 };
const id = location.pathname.split("/").at(-1);
const client =
  id === "preview"
    ? new (await import("./preview.js")).PreviewClient()
    : new Client(location.origin, { retryPolicy: RETRY_POLICY });
// The page says what is wrong, once it is loaded.
const fetched = Promise.all([client.task(id), client.receipt(id)]).then(
  ([task, receipt]) => ({ task, receipt }),
  (error) => ({ error }),
);
const { start } = await import("./join-page.js");
await start(client, id, fetched);
