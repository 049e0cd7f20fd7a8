// Sentences of the server in the language of the page, and in everyday words. A catalog, `german/server.js` or
// `english/server.js`, has them by what the server says: a hole {} stands where it fills in, and the text of the page
// says by {1}, {2} where what fills which hole stands. What fills a hole
// is told itself, and its numbers and days are written as in the language, unless its place says what it is:
// {1:raw} for texts of people, which stay as they are, {1:list} for numbers with semicolons between them, {1:languages}
// for tags of languages, {1:number} where only a number may stand, and {1:dative} for a number of things after "von",
// "nach", "mit".

import english from "../english/server.js";
import { day, language } from "./language.js";
import { shownText } from "./direction.js";

const catalog = language === "de" ? (await import("../german/server.js")).default : english,
  SPECIAL = /[.*+?^$|()[\]{}\\]/g,
  HOLE = "{}",
  PLACE = /\{(\d+)(?::(\w+))?\}/g,
  NUMBER = /(?<![\w.,])\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\d,]*\w)|(?<![\w.,])\d+\.\d+(?![\w]|\.\d)/g,
  MINUS = /(?<![\w-])-(?=\d)/g,
  DAY = /(?<![\w-])\d{4}-\d\d-\d\d(?![\w-])/g,
  TAG = /^[a-z]{2,3}(-[A-Z][a-z]{3})?(-[A-Z]{2})?$/,
  WORD = /\p{L}{2}/u,
  // What is left in English counts by its letters, texts of people much less: the least decides between patterns.
  COST_OF_RAW = 0.001,
  MAX_REMEMBERED = 5000;

const languageNames = new Intl.DisplayNames([language], { type: "language" }),
  swapped = { ",": ".", ".": "," },
  inGerman = (text) =>
    text.replace(MINUS, "−").replace(NUMBER, (number) => number.replace(/[.,]/g, (mark) => swapped[mark])),
  // What looks like a day need not be one.
  numbers = (text) => {
    const inWords = text.replace(DAY, (each) => (Number.isNaN(Date.parse(each)) ? each : day(each)));
    return language === "de" ? inGerman(inWords) : inWords;
  },
  KINDS = {
    // A text of people that the server quotes as Python does.
    raw: (text) => (language === "de" ? text.replace(/^'([^']*)'$/u, "„$1“") : text),
    number: (text) => text,
    list: (text) => text.split(", ").map(numbers).join("; "),
    languages: (text) =>
      text
        .split(", ")
        .map((tag) => (TAG.test(tag) ? languageNames.of(tag) : tag))
        .join(", "),
    dative: (text) => (text.startsWith("1 ") ? text : text.replace(/(?<=[elr])$/, "n")),
  };

// Of two holes that touch, the first is filled by a number where there is one.
const holeBefore = (text, isNumber) => (isNumber ? "([\\d.,]*\\d)" : text ? "(.*?)" : "([\\d.,]*\\d(?: %)?|.*?)");

function compiled([english, german]) {
  const texts = english.split(HOLE),
    kinds = [...german.matchAll(PLACE)].map(([, number, kind]) => [number - 1, kind]),
    ofKinds = (...wanted) => new Set(kinds.filter(([, kind]) => wanted.includes(kind)).map(([number]) => number)),
    raw = ofKinds("raw", "list", "languages"),
    numbered = ofKinds("number"),
    [begin, ...rest] = texts.map((text) => text.replace(SPECIAL, "\\$&")),
    source =
      begin +
      rest.map((text, place) => holeBefore(text || place === rest.length - 1, numbered.has(place)) + text).join("");
  return {
    expression: new RegExp(`^${source}$`, "su"),
    longest: texts.reduce((a, b) => (b.length > a.length ? b : a)),
    letters: english.length - HOLE.length * rest.length,
    german,
    raw,
  };
}

// Of patterns that tell a text alike, the one with more words of its own decides.
const patterns = Object.entries(catalog)
    .filter(([english]) => english.includes(HOLE))
    .map(compiled)
    .sort((a, b) => b.letters - a.letters),
  remembered = new Map();

const costOf = (text) => text.match(/\p{L}/gu)?.length ?? 0;

// What fills holes: nothing but numbers and marks is known, unless it has words.
function filling(text) {
  return WORD.test(text) || /^\p{L}$/u.test(text) ? translated(text) : { text: numbers(text), cost: 0 };
}

function byPattern({ expression, german, raw }, sentence) {
  const match = expression.exec(sentence);
  if (!match) return null;
  const fillings = match
    .slice(1)
    .map((text, number) => (raw.has(number) ? { text, cost: COST_OF_RAW * text.length } : filling(text)));
  return {
    text: german.replace(PLACE, (_, number, kind) => {
      const { text } = fillings[number - 1];
      return kind ? KINDS[kind](text) : text;
    }),
    cost: fillings.reduce((sum, { cost }) => sum + cost, 0),
  };
}

// Sentences that follow each other: the first that is known, however many stops it has, and the rest.
function bySentences(text) {
  const ends = [...text.matchAll(/[.!?:;] (?=\S)/g)].map(({ index }) => index + 1);
  let best = null;
  for (const end of ends) {
    const first = asSentence(text.slice(0, end), false);
    if (best && first.cost >= best.cost) continue;
    const rest = asSentence(text.slice(end + 1)),
      cost = first.cost + rest.cost;
    if (!best || cost < best.cost) best = { text: `${first.text} ${rest.text}`, cost };
    if (cost < 1) break;
  }
  return best;
}

function found(text, split) {
  if (Object.hasOwn(catalog, text)) return { text: catalog[text], cost: 0 };
  let best = { text, cost: costOf(text) };
  for (const pattern of patterns) {
    if (!text.includes(pattern.longest)) continue;
    const told = byPattern(pattern, text);
    if (told && told.cost < best.cost) best = told;
    if (!best.cost) break;
  }
  const parts = split && best.cost ? bySentences(text) : null;
  return parts && parts.cost < best.cost ? parts : best;
}

function translated(text, split = true) {
  const name = `${split}${text}`;
  if (!remembered.has(name)) {
    if (remembered.size > MAX_REMEMBERED) remembered.clear();
    remembered.set(name, found(text, split));
  }
  return remembered.get(name);
}

const first = (text, change) => change(text.charAt(0)) + text.slice(1);

// A clause that stands as a sentence of its own, with a capital letter and a stop that its template does not have.
function asClause(sentence, known) {
  let best = known;
  for (const stop of ["", "."]) {
    if (!sentence.endsWith(stop)) continue;
    for (const change of [(letter) => letter, (letter) => letter.toLowerCase()]) {
      const clause = first(sentence.slice(0, sentence.length - stop.length), change),
        { text, cost } = translated(clause);
      if (cost < best.cost) best = { text: first(text, (letter) => letter.toUpperCase()) + stop, cost };
    }
  }
  return best;
}

function asSentence(text, split = true) {
  const known = translated(text, split);
  return known.cost ? asClause(text, known) : known;
}

// A sentence of the server in the language of the page; what the catalog does not have stays as it is.
export function told(sentence) {
  if (!sentence) return sentence;
  const known = filling(sentence);
  return shownText((known.cost ? asClause(sentence, known) : known).text);
}

// What the server advises where nothing stands out.
const ADVICE = "More people or a larger ε would help.";

// What the server says of results. A closed survey gets no more responses: advice to wait for them, the last sentence
// of its text, is left out.
export const toldVerdict = (sentences, { phase }) =>
  sentences.map((sentence) =>
    phase === "closed" && sentence.endsWith(ADVICE) ? told(sentence).replace(/ [^.]*\.$/, "") : told(sentence),
  );

// Names and texts of people in the data of charts, which stay as they are.
const OWN = new Set(["key", "partner", "segment", "label", "level"]),
  CHANNEL = new Set(["field", "type"]),
  ofTitle = (title) => (Array.isArray(title) ? title.map(told) : typeof title === "string" ? told(title) : title),
  // What a mixer promises comes last below a title, in lines; pages say it under "Details".
  PROMISE = "one batch of a mixer",
  withoutPromise = (lines) => (Array.isArray(lines) ? lines.join("\n").split(`\n${PROMISE}`)[0].split("\n") : lines);

function toldPart(part, isTop = false) {
  if (Array.isArray(part)) return part.map((each) => toldPart(each));
  if (typeof part !== "object" || part === null) return part;
  const isRow = !Object.keys(part).some((member) => CHANNEL.has(member)) && ("key" in part || "series" in part),
    result = {};
  for (const [member, value] of Object.entries(part)) {
    if (isRow) result[member] = typeof value === "string" && !OWN.has(member) ? told(value) : value;
    // Below the top, a title with a text is that of a panel: the name of a group.
    else if (member === "title" && value?.text !== undefined)
      result.title = isTop
        ? { ...value, text: ofTitle(value.text), subtitle: ofTitle(withoutPromise(value.subtitle)) }
        : value;
    else if (member === "title") result.title = ofTitle(value);
    else if (member === "text" && typeof value?.value === "string")
      result.text = { ...value, value: told(value.value) };
    else if (member === "tooltip" && Array.isArray(value)) result.tooltip = value.map(toldTooltip);
    else result[member] = toldPart(value);
  }
  if (part.field === "series") {
    const domain = part.scale?.domain?.map(told);
    Object.assign(result, domain && { scale: { ...part.scale, domain } }, part.sort && { sort: part.sort.map(told) });
  }
  return result;
}

// A line of a tooltip that has no title shows the name of its field. The axes of layers share theirs instead.
const toldTooltip = (line) => ({ ...toldPart(line), title: told(line.title ?? line.field) });

// The specification of a chart of the server with its titles, legends and tooltips in the language of the page.
export const toldChart = (specification) => toldPart(JSON.parse(shownText(JSON.stringify(specification))), true);

// How numbers are written in charts, an option of the embedding of Vega.
export const chartLocale =
  language === "de" ? { decimal: ",", thousands: ".", grouping: [3], currency: ["", " €"], percent: " %" } : undefined;
