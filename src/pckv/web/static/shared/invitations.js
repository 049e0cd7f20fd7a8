// Invitations of a task: made here, and shown once.
import { announce, ask, confirmButton, count, field, make, plural, replace, save } from "./page.js";
import { snippet } from "./snippet.js";

const MAX_INVITATIONS = 100_000,
  MAX_LINKS_SHOWN = 1000;

// `changed` is called when invitations were made: the task takes reports by invitation only from then on.
export function invitationSection({ id, name, by_invitation, coin }, changed = () => {}) {
  const number = make("input", {
      type: "number",
      min: 1,
      max: MAX_INVITATIONS,
      step: 1,
      value: 10,
      required: true,
    }),
    made = make("div");
  const now = by_invitation
    ? "This task takes reports by invitation only, one report per invitation."
    : "Everyone with the link can take part now. Once there is an invitation, only people who have one can, and this cannot be undone.";
  const drawn =
    coin === "server"
      ? " The collector draws a number for each invitation, which fixes the random function of its report: participants cannot choose one that suits them."
      : "";
  return make(
    "section",
    { "aria-label": "Invitations" },
    make("h2", {}, "Invitations"),
    make("p", {}, now, drawn),
    make(
      "div",
      { class: "row" },
      field("How many", number),
      make(
        "div",
        { class: "buttons" },
        confirmButton({
          label: "Create invitations",
          title: "Create invitations?",
          text: `“${name}”: from then on, reports are taken by invitation only. The invitations are shown this once.`,
          work: create,
        }),
      ),
    ),
    made,
  );

  async function create() {
    if (!number.validity.valid) throw new Error(`How many: ${number.validationMessage}`);
    const { invitations } = await ask("POST", `/tasks/${id}/invitations?count=${number.value}`);
    replace(made, ...invitationLinks(id, invitations));
    announce(`${plural(invitations.length, "invitation")} created.`);
    changed();
  }
}

// The links of new invitations, to be handed out.
export function invitationLinks(id, invitations) {
  const links = invitations.map((invitation) => `${location.origin}/join/${id}#invitation=${invitation}`),
    text = links.map((link) => `${link}\n`).join(""),
    shown = links.slice(0, MAX_LINKS_SHOWN).join("\n");
  const rest = links.length > MAX_LINKS_SHOWN ? ` Here are the first ${count(MAX_LINKS_SHOWN)}.` : "";
  const download = () => save(new Blob([text], { type: "text/plain" }), `${id}-invitations.txt`);
  return [
    make(
      "p",
      { class: "note" },
      `${plural(links.length, "link")}, one per person, shown this once: the collector keeps only what it needs to recognise them.${rest} Do not write down who got which link: such a list tells whose report came with which link.`,
    ),
    snippet("Links to hand out", shown),
    make("button", { type: "button", onclick: download }, "Download all links"),
  ];
}
