// Requests to the collector. What it refuses is told in the language of the page where the error is made, so that
// every place shows it as it is. The participant's page, which has sentences of its own, does not load this.
import { t } from "./language.js";
import { capitalised } from "./page.js";
import { told } from "./told.js";

export class Refusal extends Error {
  constructor(status, problem) {
    const { title, detail, field } = problem;
    super(detail ? `${told(title)} ${capitalised(told(detail))}` : told(title));
    Object.assign(this, { status, detail: told(detail), field });
  }
}

export async function request(method, path, { body, accept = "application/json", signal } = {}) {
  const headers = { Accept: accept, "X-Pckv": "1" };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  let answer;
  try {
    answer = await fetch(path, {
      method,
      headers,
      signal,
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refusal(0, { title: t("The collector cannot be reached.") });
  }
  if (!answer.ok) {
    const problem = await answer.json().catch(() => ({
      title: t("The collector answered {status}.", { status: answer.status }),
    }));
    if (answer.status === 401) document.dispatchEvent(new Event("signed-out"));
    throw new Refusal(answer.status, problem);
  }
  return answer;
}

export const ask = async (method, path, options) => (await request(method, path, options)).json();
