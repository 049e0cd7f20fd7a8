// A report that waits is sent again after growing pauses, as long as the page is open; the page shows when.
import { make } from "../shared/page.js";
import { lasting, say } from "./join-strings.js";

const FIRST_PAUSE = 5,
  MAX_PAUSE = 600,
  SECOND = 1000;

export class Waiting {
  #pause = FIRST_PAUSE;
  #timer;
  // It changes every second, which is not announced.
  element = make("p", { id: "next-try" });

  constructor(send) {
    this.send = send;
    this.#wait();
  }

  // By the clock: timers rest while a device sleeps.
  #wait() {
    const due = Date.now() + SECOND * this.#pause;
    this.#timer = setInterval(() => this.#show(due), SECOND);
    this.#show(due);
  }

  #show(due) {
    const left = Math.ceil((due - Date.now()) / SECOND);
    if (left <= 0) return this.attempt();
    const time = left < 60 ? lasting(left, "second") : lasting(Math.ceil(left / 60), "minute");
    this.element.textContent = say("next_try", { time });
  }

  stop() {
    clearInterval(this.#timer);
    this.element.textContent = "";
  }

  // Now, and later again if the report waits even then: `send` returns whether it does.
  async attempt() {
    this.stop();
    if (!(await this.send())) return;
    this.#pause = Math.min(MAX_PAUSE, 2 * this.#pause);
    this.stop();
    this.#wait();
  }
}
