// A text for the letter or the message that goes out with a link.
import { day, dayBefore, language, t } from "../shared/language.js";
import { make } from "../shared/page.js";
import { snippet } from "../shared/snippet.js";

// Operators write in the language of their page.
const questionOf = ({ name, about }) => about.translations[language]?.question || about.question || name;

const until = (closes) => t("You can answer until the end of {day} (UTC).", { day: day(dayBefore(closes)) });

function letter(task, link) {
  const { closes, opens, phase } = task;
  const lines = [
    t("Hello,"),
    "",
    t("we would like to ask you:"),
    questionOf(task),
    "",
    t("This is the link to take part:"),
    link ?? t("[link]"),
    link ? null : t("It is for you alone and works once. Please do not pass it on."),
    phase === "waiting" ? t("You can answer from {day} on (UTC).", { day: day(opens) }) : null,
    closes ? until(closes) : null,
    "",
    t(
      "Taking part is voluntary. What you enter stays on your device: it sends only a report with random noise in it, from which nobody can tell for certain what you entered.",
    ),
    "",
    t("Thank you!"),
  ];
  return lines.filter((line) => line !== null).join("\n");
}

// Without a `link`, each person has their own.
export const letterSection = (task, link = null) =>
  make(
    "details",
    { class: "letter" },
    make("summary", {}, t("Text for a letter or a message")),
    make(
      "p",
      {},
      link
        ? t("Say also who you are, why you ask, and what happens with the results.")
        : t(
            "In place of [link] put a link for each person; in a mail merge, the column “link” of the table. Say also who you are, why you ask, and what happens with the results.",
          ),
    ),
    snippet(t("Text"), letter(task, link), { isCode: false }),
  );
