// The only error that the client throws on purpose, and the checks that throw it.

export class PckvError extends Error {
  constructor(code, message) {
    super(message);
    this.name = "PckvError";
    this.code = code;
  }
}

export function check(condition, code, message) {
  if (!condition) throw new PckvError(code, message);
}

export function checkTask(condition, what) {
  check(condition, "bad_task", `not a task: ${what}`);
}
