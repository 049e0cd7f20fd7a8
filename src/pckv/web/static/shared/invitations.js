// Invitations of a survey: made here, and shown once.
import { t } from "./language.js";
import { announce, confirmButton, count, field, fileNameOf, make, plural, replace, save } from "./page.js";
import { ask } from "./request.js";
import { qrSheet } from "./qr-sheet.js";
import { snippet } from "./snippet.js";
import { hold, isHeld, release } from "./unsaved.js";

const MAX_INVITATIONS = 100_000,
  MAX_LINKS_SHOWN = 1000;
const DRAWN = t(
  "The collector draws a number for each invitation, which fixes the random function of its response: participants cannot choose one that suits them.",
);

// `changed` is called when invitations were made: the survey takes responses by invitation only from then on. `address`
// is the public one.
export function invitationSection({ id, name, coin }, address, changed = () => {}) {
  const limits = { min: 1, max: MAX_INVITATIONS, step: 1 },
    number = make("input", { type: "number", ...limits, value: 10, required: true }),
    now = make("p"),
    used = make("p", { id: "invitations-used" }),
    made = make("div"),
    asked = make("div", { class: "buttons" }),
    form = make("div", { class: "row" }, field(t("How many"), number), asked);
  const creating = make(
    "div",
    {},
    now,
    coin === "server" ? make("p", { class: "soft" }, DRAWN) : null,
    address.url ? form : make("p", {}, t("Invitations can be created once there is an address to share.")),
  );
  let wasNeeded;
  const element = make(
    "section",
    { "aria-label": t("Invitations") },
    make("h2", {}, t("Invitations")),
    used,
    creating,
    made,
  );

  async function create() {
    if (!number.validity.valid) {
      throw new Error(t("How many: {problem}", { problem: number.validationMessage }));
    }
    // Others take their place on the page.
    if (isHeld()) throw new Error(t("Save the links that are shown first: they would be lost."));
    const { invitations } = await ask("POST", `/tasks/${id}/invitations?count=${number.value}`);
    replace(made, ...invitationLinks(id, invitations, name, address));
    show({ by_invitation: true });
    announce(t("The invitations are created."));
    changed();
  }

  // Once the survey is closed, only the numbers are left.
  function show({ phase, by_invitation: isNeeded, invitations = null }) {
    creating.hidden = phase === "closed";
    if (isNeeded !== wasNeeded) replace(asked, creation(name, isNeeded, create));
    wasNeeded = isNeeded;
    now.textContent = isNeeded
      ? t("Only people with an invitation can take part. Each invitation is a link for one response.")
      : t(
          "Everybody with the link can take part now. Once there is an invitation, only people who have one can, and this cannot be undone.",
        );
    used.hidden = !invitations?.made;
    if (!invitations?.made) return;
    used.textContent = t("{made} made, {used} used.", {
      made: plural(invitations.made, "invitation"),
      used: count(invitations.used),
    });
  }

  return { element, show };
}

const creation = (name, isNeeded, work) =>
  confirmButton({
    label: t("Create invitations"),
    title: t("Create invitations?"),
    text: isNeeded
      ? t("“{name}”: the new links are shown only once. Those that were created before stay valid.", { name })
      : t(
          "“{name}”: from then on, only people with an invitation can take part, and this cannot be undone. The links are shown only once.",
          { name },
        ),
    work,
  });

// The links of new invitations, to be handed out, at the public address. Until they are saved, leaving the page is asked
// about.
export function invitationLinks(id, invitations, name, { url }) {
  hold();
  const links = invitations.map((invitation) => `${url}/join/${id}#invitation=${invitation}`),
    shown = links.slice(0, MAX_LINKS_SHOWN),
    isAll = shown.length === links.length,
    text = links.map((link) => `${link}\n`).join("");
  return [
    make(
      "p",
      { class: "note" },
      links.length === 1
        ? t(
            "One link, for one person, shown only now: the collector keeps only what it needs to recognise it. Save it before you leave this page.",
          )
        : t(
            "{number} links, one per person, shown only now: the collector keeps only what it needs to recognise them. Save them before you leave this page.",
            { number: count(links.length) },
          ),
      " ",
      isAll
        ? ""
        : t("The first {number} are shown here; the files and “Copy” have all of them.", {
            number: count(MAX_LINKS_SHOWN),
          }),
    ),
    make(
      "div",
      { class: "buttons" },
      download(t("Download the table (CSV)"), fileNameOf(name, `-${t("invitations")}.csv`), "text/csv", csv(links)),
      download(t("Download all links"), fileNameOf(name, `-${t("invitations")}.txt`), "text/plain", text),
    ),
    qrSheet(id, name, links),
    snippet(t("Links to hand out"), text, { oncopied: release, shown: shown.join("\n") }),
    howTo(),
  ];
}

// A list of people and links would undo a part of the protection; how to do without one.
const howTo = () =>
  make(
    "div",
    { class: "hand-out" },
    make("h3", {}, t("How to hand them out")),
    make(
      "p",
      {},
      t(
        "Keep no list of who got which link: it could help to find out which response is whose. The random noise still hides what each person answered.",
      ),
    ),
    make(
      "ul",
      {},
      make(
        "li",
        {},
        t("On paper: mix the printed codes, put one into each envelope, and write the addresses only after that."),
      ),
      make(
        "li",
        {},
        t(
          "By mail merge or e-mail: each message joins an address and a link. Once all are sent, delete the merged messages, the table and the copies among the sent ones.",
        ),
      ),
    ),
  );

function download(words, file, type, text) {
  function work() {
    save(new Blob([text], { type }), file);
    release();
    announce(t("The links are saved."));
  }
  return make("button", { type: "button", onclick: work }, words);
}

// For mail merge: a number and a link per row, and no names.
const csv = (links) => ["number,link", ...links.map((link, place) => `${place + 1},${link}`), ""].join("\r\n");
