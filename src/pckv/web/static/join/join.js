// The participant's page starts here: it asks whether a report would be taken while it makes the form.
import { Client, Task } from "/client/index.js";
import { start } from "./join-page.js";
import { told } from "./join-strings.js";

const RETRY_POLICY = { tries: 2, seconds: 15, firstPause: 0.3, timeout: 8 };
const id = location.pathname.split("/").at(-1),
  invitationOf = ({ hash }) => new URLSearchParams(hash.slice(1)).get("invitation") ?? undefined,
  invitation = invitationOf(location);
// A task that is not too large comes with the page.
const text = told("task");
// The page of a mixed task asks and tells the mixer alone: its policy allows no request to the collector.
const url = told("mixer") ?? location.origin,
  repeated = told("series") === undefined ? undefined : await import("./repeated.js");

async function newClient() {
  if (id === "preview") return new (await import("./preview.js")).PreviewClient();
  return new (repeated?.RoundClient ?? Client)(url, { retryPolicy: RETRY_POLICY });
}

const client = await newClient();

async function find() {
  const [task, receipt] = await Promise.all([client.task(id, text), client.receipt(id)]);
  const checked = receipt ? undefined : client.check(id, { invitation });
  // The page says what is wrong, once it is loaded.
  checked?.catch(() => {});
  return { task, receipt, checked };
}

// What is wrong is told together with what the survey asks, where that is known: its mixer may not have accepted it.
async function failed(error) {
  const task = text && (await Task.fromJson(text).catch(() => undefined));
  return { error, task: task?.id === id ? task : undefined };
}

// Opened where the same link was with another invitation, or without one, a link loads nothing by itself.
addEventListener("hashchange", () => invitationOf(location) !== invitation && location.reload());

const found = repeated ? repeated.findRound(client, id) : find().catch(failed);
await start(client, id, invitation, found);
