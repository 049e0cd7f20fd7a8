// Templates of surveys: what kind of question, with values of the form to begin with, and examples that stand in its
// empty fields.
import { t } from "../shared/language.js";
import { CHOOSE, RATE } from "./ask-fields.js";

const OPTIONS = {
  problems: t("Mould\nLoud neighbours\nLift out of order\nHeating too cold"),
  activities: t("Running\nYoga\nSwimming\nFootball"),
  days: t("Monday\nWednesday\nSaturday"),
  symptoms: t("Headache\nNausea\nTiredness\nFever"),
};

export const TEMPLATES = {
  choose: {
    title: t("Choose several"),
    text: t("People tick what applies to them. You learn how many that is, for each answer."),
    example: t("Which of these problems do you have at home?"),
    name: t("Problems at home, autumn"),
    options: OPTIONS.problems,
    values: { asks: CHOOSE, holding: "all", pairs: "2" },
  },
  rate: {
    title: t("Choose and rate"),
    text: t(
      "People also rate what they ticked, from 1 to 5. You learn average ratings, too. It takes a thousand people or more.",
    ),
    example: t("Which of our courses do you know, and how do you like them?"),
    name: t("Courses, this year"),
    options: OPTIONS.activities,
    values: {
      asks: RATE,
      holding: "all",
      pairs: "2",
      scale: "stars",
      unit: t("stars"),
      low_label: t("poor"),
      high_label: t("great"),
    },
  },
  one: {
    title: t("One choice"),
    text: t("Everybody picks one answer, as in a vote. You learn the share of each."),
    example: t("Which day suits you best for our meeting?"),
    name: t("Day of the meeting"),
    options: OPTIONS.days,
    values: { asks: CHOOSE, holding: "one" },
  },
  symptoms: {
    title: t("Symptoms with severity"),
    text: t(
      "People tick their symptoms and say how severe each is, from 1 (mild) to 3 (severe). It takes ten thousand people or more.",
    ),
    example: t("Which of these symptoms did you have this week, and how severe were they?"),
    name: t("Symptoms, this week"),
    options: OPTIONS.symptoms,
    values: {
      asks: RATE,
      // Health.
      epsilon: "1",
      holding: "all",
      pairs: "1.5",
      scale: "severity",
      low_label: t("mild"),
      middle_label: t("moderate"),
      high_label: t("severe"),
    },
  },
  text: {
    title: t("Free text: find unknown answers"),
    text: t(
      "People write short answers. You learn which ones are frequent, and how frequent. It takes ten thousand people or more.",
    ),
    example: t("What do you miss most in your town?"),
    name: t("What is missing"),
    options: "",
    values: { keys: { as: "discovery" } },
  },
};

// What every survey that begins here has, unless its template says otherwise.
export const valuesOfTemplate = (name) => TEMPLATES[name]?.values ?? {};
