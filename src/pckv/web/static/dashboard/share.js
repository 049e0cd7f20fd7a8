// What to hand out: the link to take part with its QR code, and the lines for an app or a page.
import { count, make, query } from "../shared/page.js";
import { copyButton, snippet } from "../shared/snippet.js";
import { hasValues, isDiscovery } from "../shared/task-words.js";
import { mixedLink } from "./batch.js";

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

export const javascriptLines = (origin, id, held, options) => `<script type="module">
  import { Client } from ${quoted(`${location.origin}/client/index.js`)};
  const client = new Client(${quoted(origin)});
  await client.submit(${quoted(id)}, ${held}${further(options.length && `{ ${options.join(", ")} }`)});
</script>
`;

// The link to take part and its QR code. It says where the link no longer works or needs an invitation.
export function shareSection({ id, by_invitation, phase, series, mixer }) {
  const link = `${location.origin}/join/${id}`,
    code = `/tasks/${id}/qr.svg?${query({ origin: location.origin })}`;
  const part = (...children) =>
    make("section", { "aria-label": "Take part", class: "share" }, make("h2", {}, "Take part"), ...children);
  if (phase === "closed") return part(make("p", {}, "Taking part has ended. The page behind the link says so."));
  if (series) {
    return part(
      make(
        "p",
        {},
        "Devices take part by an app, which reports in the rounds of the device's panel: see ",
        make("a", { href: `#/series/${series.id}` }, "the series"),
        ".",
      ),
    );
  }
  if (mixer) return part(mixedLink(mixer, link));
  if (by_invitation) {
    return part(
      make(
        "p",
        {},
        "Every person takes part by a link of their own, which ends with their invitation: create invitations below.",
      ),
      make("p", {}, "Without an invitation the link only tells that one is needed: ", make("a", { href: link }, link)),
    );
  }
  return part(
    make("img", { class: "qr", src: code, alt: "QR code of the link to take part" }),
    make(
      "div",
      {},
      make("p", {}, "Everyone with this link can take part:"),
      make("p", {}, make("a", { href: link }, link)),
      make(
        "div",
        { class: "buttons" },
        copyButton("Copy the link", link),
        make("a", { class: "button", href: code, download: `${id}.svg` }, "Download the QR code"),
      ),
    ),
  );
}

// The lines for an app or a page, behind a disclosure.
export function appsSection(task) {
  const { id, first_key: key, by_invitation, more, padding, mixer } = task,
    { inPython, inJavascript, label } = heldLines(task, key),
    // Devices ask and tell the mixer alone, which may want invitations.
    asked = mixer?.url ?? location.origin,
    invited = by_invitation || Boolean(mixer),
    options = [...(invited ? ["invitation"] : []), ...label];
  return make(
    "details",
    { class: "card" },
    make("summary", {}, make("h2", {}, "Ask from an app or a page")),
    snippet("In an app, with Python", pythonLines(asked, id, inPython, invited)),
    snippet("In a page, with JavaScript", javascriptLines(asked, id, inJavascript, options)),
    mixer ? make("p", {}, SEALED) : null,
    label.length ? make("p", {}, LABELLED) : null,
    invited ? make("p", {}, "The invitation is the text after #invitation= in a person's link.") : null,
    make("p", {}, isDiscovery(task) ? ALL_TEXTS : more === "refuse" ? refusing(padding) : sampling(task)),
  );
}

// What one participant holds, in both languages: a key with a value, or a list where there are none. In JavaScript the
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

const seriesJavascript = (origin, id, held, options) => `<script type="module">
  import { SeriesClient } from ${quoted(`${location.origin}/client/series.js`)};
  const client = new SeriesClient(${quoted(origin)});
  await client.report(${quoted(id)}, ${held}, { ${options.join(", ")} });
</script>
`;

// The same for a series, which only apps and pages that people use again can take part in.
export function seriesApps(id, task) {
  const { keys, more, padding, mixer } = task,
    key = Array.isArray(keys) ? keys[0] : keys === "hashed" ? "any text" : "0",
    { inPython, inJavascript, label } = heldLines(task, key),
    asked = mixer?.url ?? location.origin;
  return make(
    "section",
    { "aria-label": "Take part" },
    make("h2", {}, "Take part, from an app or a page"),
    make(
      "p",
      {},
      "Call this at every start: the client decides whether a report is due, makes it once, and sends it. With a spread of 0.5, it falls due at a random moment in the first half of the round.",
    ),
    snippet("In an app, with Python", seriesPython(asked, id, inPython)),
    snippet("In a page, with JavaScript", seriesJavascript(asked, id, inJavascript, ["spread: 0.5", ...label])),
    mixer ? make("p", {}, SEALED) : null,
    label.length ? make("p", {}, LABELLED) : null,
    make("p", {}, more === "refuse" ? refusing(padding) : sampling(task)),
  );
}

const SEALED =
  "Everything is asked of and sent to the mixer. With Python, install pckv[sealed], which seals reports. Leave the invitation out if the mixer asks for none.";

const LABELLED =
  "The segment is the participant's own answer to the question about groups. It is perturbed on the device, together with all else.";

const ALL_TEXTS =
  "Pass all texts that a participant holds, however many. What cannot be found is left out on the device.";

const sampling = (task) => `Pass all ${hasValues(task) ? "pairs" : "keys"} that a participant holds, however many.`;

const refusing = (padding) =>
  `Let people choose at most ${count(padding)} where they enter their answers: the client refuses more. Do not leave out those who hold more, since a missing report would then tell what they hold.`;
