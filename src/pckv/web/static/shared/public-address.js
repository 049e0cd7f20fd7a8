// The address that links of participants begin with, and what is to be done where there is none yet.
import { language, t } from "./language.js";
import { make } from "./page.js";
import { ask } from "./request.js";

let known = null;

// Resolves to the `url`, null with a `reason` where links could not work; without one, the next call asks again.
export async function publicAddress() {
  if (known) return known;
  const address = await ask("GET", "/address");
  if (address.url) known = address;
  return address;
}

export const isThisComputer = ({ reason }) => reason === "loopback";

// What stands where links and QR codes would.
export function addressNeeded(address) {
  return make(
    "div",
    { class: "note", id: "no-address" },
    make(
      "p",
      {},
      isThisComputer(address)
        ? t("Other people cannot reach this address: it works on this computer only, so there is no link to share yet.")
        : t(
            "Browsers let people answer only at an address that begins with “https”, and this one does not: there is no link to share yet.",
          ),
    ),
    make(
      "p",
      {},
      t("Ask those who look after the server to make it reachable by https, and to set its address as public_url."),
      " ",
      make("a", { href: `/help/share?lang=${language}` }, t("How to do that")),
    ),
  );
}
