// What goes out with a link, in the languages of the survey: a text for a letter or a message, and a poster to print.
import { shownText } from "../shared/direction.js";
import { dayBefore, inLanguage, LANGUAGES, language } from "../shared/language.js";
import { alertBox, choice, field, make, replace } from "../shared/page.js";
import { printAlone } from "../shared/print-alone.js";
import { snippet } from "../shared/snippet.js";

// What a survey says of itself, in a language that it has or else in its own.
const written = ({ about }, name, tag) => about.translations[tag]?.[name] || about[name];

const until = ({ closes }, { t, day }) =>
  closes ? t("You can answer until the end of {day} (world time, UTC).", { day: day(dayBefore(closes)) }) : null;

// Of a repeated survey: how often a person is asked, and whether it asks others on other days.
function asked({ repeated }, { t }) {
  if (!repeated) return [];
  const { panels, period, rounds } = repeated,
    days = panels * period,
    isOnce = rounds !== null && rounds <= panels;
  return [
    panels > 1 ? t("Not everybody is asked on the same days: the page tells you when it is your turn.") : null,
    isOnce
      ? null
      : days === 1
        ? t("You are asked again every day, at the same link.")
        : t("You are asked again every {days} days, at the same link.", { days }),
  ];
}

const protection = ({ t }) =>
  t(
    "Taking part is voluntary. Your answers themselves stay on your device: it sends only a report with random noise in it, which does not show for certain what you answered.",
  );

// Without a `link`, each person has their own.
function letter(task, link, organisation, words) {
  const { opens, phase, name } = task,
    { t, day, tag } = words,
    [description, eligibility, contact] = ["description", "eligibility", "contact"].map((part) =>
      written(task, part, tag),
    );
  const lines = [
    t("Hello,"),
    "",
    organisation ? t("{organisation} would like to ask you:", { organisation }) : t("we would like to ask you:"),
    written(task, "question", tag) || name,
    "",
    ...(description ? [description, ""] : []),
    t("This is the link to take part:"),
    link ?? t("[link]"),
    link ? null : t("It is for you alone and works once. Please do not pass it on."),
    phase === "waiting" ? t("You can answer from {day} on (world time, UTC).", { day: day(opens) }) : null,
    until(task, words),
    ...asked(task, words),
    eligibility ? t("Who may take part: {text}", { text: eligibility }) : null,
    "",
    protection(words),
    contact ? t("Questions? Write to {contact}.", { contact }) : null,
    "",
    t("Thank you!"),
  ];
  return shownText(lines.filter((line) => line !== null).join("\n"));
}

function poster(task, link, code, organisation, words) {
  const { t, tag } = words,
    end = until(task, words);
  return make(
    "article",
    { class: "poster", lang: tag },
    organisation ? make("p", { dir: "auto" }, shownText(organisation)) : null,
    make("h1", { dir: "auto" }, shownText(written(task, "question", tag) || task.name)),
    make("p", { class: "call" }, t("Take part: scan this code with your phone.")),
    make("img", { class: "qr", src: code, alt: t("QR code of the link to take part") }),
    make("p", {}, t("Or open this address:")),
    make("p", { class: "address" }, link),
    ...[end, ...asked(task, words)].filter(Boolean).map((line) => make("p", {}, line)),
    make("p", {}, protection(words)),
  );
}

// Those of the survey that these pages have, and that of the page.
function languagesOf({ about }) {
  const known = [about.language, ...Object.keys(about.translations), language].filter((tag) =>
    Object.hasOwn(LANGUAGES, tag),
  );
  return [...new Set(known)];
}

// Of a survey by one link, `code` is where the picture of its QR code is.
export async function handoutSection(task, organisation, link = null, code = null) {
  const { t } = await inLanguage(language),
    tags = languagesOf(task),
    place = make("div"),
    said = make("div");
  let words;
  async function show(tag) {
    words = await inLanguage(tag);
    replace(place, snippet(t("Text"), letter(task, link, organisation, words), { isCode: false, lang: tag }));
  }
  await show(language);
  const tongue = choice(
    tags.map((tag) => [tag, LANGUAGES[tag]]),
    words.tag,
    show,
  );
  async function print() {
    const element = poster(task, link, code, organisation, words);
    replace(said);
    try {
      await element.querySelector("img").decode();
    } catch {
      return replace(said, alertBox(t("The QR code cannot be loaded now. Try again in a moment.")));
    }
    printAlone(element);
  }
  const hint = link
    ? t("Say also why you ask, and what happens with the results.")
    : t(
        "In place of [link] put a link for each person; in a mail merge, the column “link” of the table. Say also why you ask, and what happens with the results.",
      );
  return make(
    "details",
    { class: "letter", open: task.reports === 0 },
    make("summary", {}, link ? t("Text for a letter or a message, and a poster") : t("Text for a letter or a message")),
    tags.length > 1 ? field(t("Language of the text"), tongue) : null,
    make("p", {}, hint),
    place,
    link
      ? make("div", { class: "buttons" }, make("button", { type: "button", onclick: print }, t("Print a poster")))
      : null,
    said,
  );
}
