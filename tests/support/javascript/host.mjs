// Clients behind a pipe: every line names a client's folder and lists requests, and is answered by one line with a list of
// answers. The script that answers is loaded anew for every client, and so is the client: a process takes longer to start.
import { createInterface } from "node:readline";

const script = process.argv[2];
let client, answer;

for await (const line of createInterface({ input: process.stdin })) {
  const asked = JSON.parse(line),
    answers = [];
  if (asked.client !== client) {
    client = asked.client;
    ({ answer } = await import(`${script}?client=${encodeURIComponent(client)}`));
  }
  for (const request of asked.requests) answers.push(await answer(request));
  process.stdout.write(`${JSON.stringify(answers)}\n`);
}
