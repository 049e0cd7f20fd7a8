// What to hand out: the link to take part with its QR code, the results, invitations, and the lines for an app or a page.
import { t } from "../shared/language.js";
import { invitationSection } from "../shared/invitations.js";
import { count, fileNameOf, make, query, replace } from "../shared/page.js";
import { ask } from "../shared/request.js";
import { addressNeeded, isThisComputer, publicAddress } from "../shared/public-address.js";
import { retryBox } from "../shared/retry.js";
import { copyButton, snippet } from "../shared/snippet.js";
import { hasValues, isDiscovery } from "../shared/task-words.js";
import { isMixed, mixedLink } from "./batch.js";
import { handoutSection } from "./handout.js";
import { publicationSection } from "./publication.js";

const quoted = (text) => JSON.stringify(text);

// A part of what is passed to a call, where there is one.
const further = (part) => (part ? `, ${part}` : "");

// With an invitation of the person where the task needs one.
export const pythonLines = (origin, id, held, invited) => `import pckv.client
client = pckv.client.Client(${quoted(origin)}, state="pckv-state")
client.submit(${quoted(id)}, ${held}${further(invited && "invitation=invitation")})
`;

// A key could close the script element that these lines stand in; in plain quotes, __proto__ would be no key.
const listedInScript = (key) => quoted(key).replaceAll("<", "\\u003c");
const inScript = (key) => (key === "__proto__" ? '["__proto__"]' : listedInScript(key));

// `scripts` is where the client is loaded from, and `origin` where reports go.
export const javascriptLines = (scripts, origin, id, held, options) => `<script type="module">
  import { Client } from ${quoted(`${scripts}/client/index.js`)};
  const client = new Client(${quoted(origin)});
  await client.submit(${quoted(id)}, ${held}${further(options.length && `{ ${options.join(", ")} }`)});
</script>
`;

const section = (label, ...content) =>
  make("section", { "aria-label": label, class: "share" }, make("h2", {}, label), ...content);

export class ShareTab {
  // `changed` is called when invitations were made, or results became public or private.
  constructor({ administers, changed }) {
    Object.assign(this, { administers, changed, built: "" });
    this.place = make("div");
    this.invited = make("div");
    this.results = publicationSection({ administers, changed });
    this.apps = make("div");
    this.element = make("div", {}, this.place, this.results.element, this.invited, this.apps);
  }

  async show(task) {
    this.task = task;
    this.invitations?.show(task);
    this.results.show(task);
    // Each part is rebuilt only when what it depends on changed, so that no input is lost.
    const state = JSON.stringify([task.phase, task.by_invitation, task.invitations.made > 0]);
    if (state === this.built) return;
    this.built = state;
    try {
      const [address, { name }] = await Promise.all([publicAddress(), ask("GET", "/organisation")]),
        share = await shareSection(task, address, name, this.administers);
      // What was begun for an earlier state may end later.
      if (state !== this.built) return;
      this.build(task, address, share);
    } catch (error) {
      this.built = "";
      replace(
        this.place,
        retryBox(error, () => this.show(this.task)),
      );
    }
  }

  build(task, address, share) {
    const { phase, series } = task;
    replace(this.place, share);
    replace(this.apps, phase === "closed" || series ? null : appsSection(task, address));
    const { made } = task.invitations,
      isInviting = this.administers && (phase !== "closed" || made > 0) && !series && !isMixed(task);
    if (isInviting && !this.invitations) {
      this.invitations = invitationSection(task, address, this.changed);
      replace(this.invited, this.invitations.element);
    }
    // Links that were made before the end may not be saved yet, and how many were used stays of interest.
    this.invited.hidden = phase === "closed" && !made;
    this.invitations?.show(this.task);
  }
}

export const hasEnded = () =>
  section(
    t("Take part"),
    make("p", {}, t("Taking part has ended. The link says so to those who open it and have not answered.")),
  );

// The link to take part and its QR code. It says where the link no longer works or needs an invitation.
async function shareSection(task, address, organisation, administers) {
  const { id, name, by_invitation: byInvitation, phase, series, mixer } = task,
    part = (...content) => section(t("Take part"), ...content);
  if (phase === "closed") return hasEnded();
  if (series) {
    const link = make("a", { href: `#/series/${series.id}` }, t("To the repeated survey and its link"));
    return part(make("p", {}, t("People take part in all rounds by one link."), " ", link));
  }
  if (!address.url) return part(addressNeeded(address), tryButton(address, id));
  const link = `${address.url}/join/${id}`;
  if (mixer) return part(mixedLink(mixer, link));
  if (byInvitation) {
    return part(
      make(
        "p",
        {},
        [t("Every person takes part by a link of their own."), administers ? nextLinks(task) : ""].join(" ").trim(),
      ),
      make(
        "p",
        {},
        t("Without an invitation the link only tells that one is needed:"),
        " ",
        make("a", { href: link }, link),
      ),
      await handoutSection(task, organisation),
    );
  }
  const code = codeOf("tasks", id, address);
  return part(...linkWithCode(link, code, name), await handoutSection(task, organisation, link, code("svg")));
}

const nextLinks = ({ invitations: { made } }) =>
  made
    ? t("Those that were created cannot be shown again; you can create more below.")
    : t("Create these links below.");

// The participant's page, where other people cannot open it.
const tryButton = (address, id) =>
  isThisComputer(address)
    ? make("p", {}, make("a", { class: "button", href: `/join/${id}`, target: "_blank" }, t("Try it on this computer")))
    : null;

// Where the picture of a QR code is, by its form.
const codeOf =
  (kind, id, { url }) =>
  (form) =>
    `/${kind}/${id}/qr.${form}?${query({ origin: url })}`;

const linkWithCode = (link, code, name) => [
  make("img", { class: "qr", src: code("svg"), alt: t("QR code of the link to take part") }),
  make(
    "div",
    {},
    make("p", {}, t("Everybody with this link can take part:")),
    make("p", {}, make("a", { href: link }, link)),
    make(
      "div",
      { class: "buttons" },
      copyButton(t("Copy the link"), link),
      ...["png", "svg"].map((form) =>
        make(
          "a",
          { class: "button", href: code(form), download: fileNameOf(name, `.${form}`) },
          t("QR code ({form})", { form: form.toUpperCase() }),
        ),
      ),
    ),
  ),
];

// The link by which people take part in all rounds of a repeated survey.
export async function seriesShare(series, address) {
  const part = (...content) => section(t("Take part"), ...content),
    { id, name, phase, first, period, panels, rounds, reports, task } = series;
  if (!address.url) return part(addressNeeded(address), tryButton(address, id));
  const link = `${address.url}/join/${id}`;
  if (task.mixer) return part(mixedLink(task.mixer, link));
  const code = codeOf("series", id, address),
    repeated = { period, panels, rounds },
    { name: organisation } = await ask("GET", "/organisation"),
    // In one of several panels, a person's first turn may come later.
    handedOut = { about: task.about, name, phase: panels === 1 ? phase : "open", opens: first, reports, repeated };
  return part(...linkWithCode(link, code, name), await handoutSection(handedOut, organisation, link, code("svg")));
}

// The lines for an app or a page, behind a disclosure.
function appsSection(task, address) {
  const { id, first_key: key, by_invitation, more, padding, mixer } = task,
    { inPython, inJavascript, label } = heldLines(task, key),
    // Devices ask and tell the mixer alone, which may want invitations.
    scripts = address.url ?? location.origin,
    asked = mixer?.url ?? scripts,
    invited = by_invitation || Boolean(mixer),
    options = [...(invited ? ["invitation"] : []), ...label];
  return make(
    "details",
    { class: "card" },
    make("summary", {}, make("h2", {}, t("Ask from an app or a page"))),
    address.url ? null : make("p", { class: "note" }, FOR_TRIALS),
    snippet(t("In an app, with Python"), pythonLines(asked, id, inPython, invited)),
    snippet(t("In a page, with JavaScript"), javascriptLines(scripts, asked, id, inJavascript, options)),
    mixer ? make("p", {}, SEALED) : null,
    label.length ? make("p", {}, LABELLED) : null,
    invited ? make("p", {}, t("The invitation is the text after #invitation= in a person's link.")) : null,
    make("p", {}, isDiscovery(task) ? ALL_TEXTS : more === "refuse" ? refusing(padding) : sampling(task)),
  );
}

// What one participant holds, in both programming languages: a key with a value, or a list where there are none. In JavaScript the
// `label` of their group is an option of the call.
function heldLines(task, key) {
  const isRated = hasValues(task),
    [label] = task.segment?.labels ?? [],
    held = isRated ? `{${quoted(key)}: ${task.high}}` : `[${quoted(key)}]`;
  return {
    inPython: label === undefined ? held : `${held}, segment=${quoted(label)}`,
    inJavascript: isRated ? `{ ${inScript(key)}: ${task.high} }` : `[${listedInScript(key)}]`,
    label: label === undefined ? [] : [`segment: ${listedInScript(label)}`],
  };
}

const seriesPython = (origin, id, held) => `import pckv.client
client = pckv.client.Client(${quoted(origin)}, state="pckv-state")
client.report(${quoted(id)}, ${held}, spread=0.5)
`;

const seriesJavascript = (scripts, origin, id, held, options) => `<script type="module">
  import { SeriesClient } from ${quoted(`${scripts}/client/series.js`)};
  const client = new SeriesClient(${quoted(origin)});
  await client.report(${quoted(id)}, ${held}, { ${options.join(", ")} });
</script>
`;

// The same for a repeated survey.
export function seriesApps({ id, task }, address) {
  const { keys, more, padding, mixer } = task,
    key = Array.isArray(keys) ? keys[0] : keys === "hashed" ? "any text" : "0",
    { inPython, inJavascript, label } = heldLines(task, key),
    scripts = address.url ?? location.origin,
    asked = mixer?.url ?? scripts;
  return make(
    "details",
    { class: "card" },
    make("summary", {}, make("h2", {}, t("Ask from an app or a page"))),
    make(
      "p",
      {},
      t(
        "Call this at every start: the client decides whether a response is due, makes it once, and sends it. With a spread of 0.5, it falls due at a random moment in the first half of the round.",
      ),
    ),
    address.url ? null : make("p", { class: "note" }, FOR_TRIALS),
    snippet(t("In an app, with Python"), seriesPython(asked, id, inPython)),
    snippet(
      t("In a page, with JavaScript"),
      seriesJavascript(scripts, asked, id, inJavascript, ["spread: 0.5", ...label]),
    ),
    mixer ? make("p", {}, SEALED) : null,
    label.length ? make("p", {}, LABELLED) : null,
    make("p", {}, more === "refuse" ? refusing(padding) : sampling(task)),
  );
}

const FOR_TRIALS = t(
  "There is no public address yet. These lines name the address of this page: use them for trials alone, on this computer.",
);

const SEALED = t(
  "Everything is asked of and sent to the mixer. With Python, install pckv[sealed], which seals responses. Leave the invitation out if the mixer asks for none.",
);

const LABELLED = t(
  "The group is the participant's own answer to the question about groups. It is made noisy on the device, together with all else.",
);

const ALL_TEXTS = t("Pass all texts of a participant, however many. What cannot be found is left out on the device.");

const sampling = (task) =>
  hasValues(task)
    ? t("Pass all answers of a participant with their values, however many.")
    : t("Pass all answers of a participant, however many.");

const refusing = (padding) =>
  t(
    "Let people choose at most {padding} where they enter their answers: the client refuses more. Do not leave out those who chose more, since a missing response would then tell what they chose.",
    { padding: count(padding) },
  );
