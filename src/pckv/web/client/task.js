// Tasks: what is collected, at which ε and how. `Task.fromJson` takes only the one canonical text of a task.
import { digest, encodeText, toId } from "./bytes.js";
import { powerLower, unitsOfRatio, unitsToNumber } from "./epsilon.js";
import { checkTask } from "./errors.js";
import { parseDecimal } from "./fraction.js";
import { levelValuesOf } from "./levels.js";
import { ListedKeys } from "./listed-keys.js";
import { MECHANISMS, RULES } from "./task-rules.js";

// What reports are made with, by task. It is not in the task, so that pages cannot pass their own draws.
const internals = new WeakMap();

// The mechanism, the domain of keys or texts, and how many draws a report is expected to take.
export function internalsOf(task) {
  return internals.get(task);
}

export class Task {
  static async fromJson(text) {
    const members = parseMembers(text);
    checkMembers(members);
    const levelValues = levelValuesOf(members);
    const [low, high] = [members.low, members.high].map((end) => end && Number(end));
    checkDays(members);
    await checkRareMembers(members);
    checkTask(canonicalText(members) === text, "it is not canonical");

    // From here on, the text is the only one with these members, and its hash binds them.
    const taskDigest = await digest(encodeText(text));
    const id = toId(taskDigest);
    const { name, ...parameters } = members.mechanism;
    const { Mechanism } = await MECHANISMS[name]();
    checkOptions(Mechanism, name, parameters);
    const domain = await domainOf(members, levelValues, taskDigest);
    checkTask(members.padding <= domain.count, "padding");
    const epsilon = parseDecimal(members.epsilon);
    const pairs = await mechanismOf(Mechanism, members, domain, epsilon, parameters);
    checkMechanism(members, pairs, domain);
    const mechanism = await withSizeQuestion(pairs, epsilon, parseDecimal(members.size_share));
    checkTask(!powerLower(epsilon).below(mechanism.realised), "it realises more than its epsilon");

    const cost = unitsOfRatio(mechanism.realised);
    const task = Object.assign(new Task(), members, {
      id,
      text,
      low,
      high,
      levelValues,
      mechanism: name,
      parameters,
      keyCount: domain.count,
      otherIndex: domain.otherIndex,
      cost,
      realisedEpsilon: unitsToNumber(cost),
      odds: mechanism.odds,
      sizeQuestion: mechanism.summary,
    });
    if (members.kind === "discovery") addDiscovery(task, domain, mechanism);
    internals.set(task, { domain, mechanism, draws: domain.draws + mechanism.draws });
    return task;
  }

  phase(day = new Date().toJSON().slice(0, 10)) {
    if (this.closes !== null && day >= this.closes) return "closed";
    if (this.opens !== null && day < this.opens) return "waiting";
    return "open";
  }

  async inLanguage(languages) {
    const { shownIn } = await import("./translations.js");
    return shownIn(this.about, languages);
  }

  // The number of a key. Where an index is given for other keys, the key may be any that a participant holds.
  keyIndex(key, otherIndex) {
    return internalsOf(this).domain.indexOf(key, otherIndex !== undefined);
  }

  answer(body) {
    return internalsOf(this).mechanism.answer?.(body);
  }

  // An answer to the size question claims no label.
  saysLabel(body, label) {
    const { mechanism } = internalsOf(this);
    const isOfPairs = this.answer(body) === undefined;
    return isOfPairs && (mechanism.pairs ?? mechanism).saysLabel(body, label);
  }

  says(body, key) {
    const { domain, mechanism } = internalsOf(this);
    const index = domain.indexOf(key);
    return index === undefined ? [] : mechanism.says(body, index);
  }
}

function parseMembers(text) {
  try {
    return Object(JSON.parse(text));
  } catch (error) {
    checkTask(false, error.message);
  }
}

// All members that a task has, each by its own rule, and no others.
function checkMembers(members) {
  for (const name of Object.keys(members)) checkTask(Object.hasOwn(RULES, name), name);
  for (const [name, isSound] of Object.entries(RULES)) {
    checkTask(Object.hasOwn(members, name) && isSound(members[name], members), name);
  }
}

// Most tasks have neither, and load neither file.
async function checkRareMembers(members) {
  if (Object.keys(members.about.translations).length) {
    const { checkTranslations } = await import("./translations.js");
    checkTranslations(members);
  }
  if (members.mixer) {
    const { checkMixer } = await import("./mixed.js");
    checkMixer(members);
  }
}

function checkDays({ name, opens, closes, series }) {
  const hasBoth = opens !== null && closes !== null;
  checkTask(!hasBoth || opens < closes, "it closes before it opens");
  const isSound = series === null || (hasBoth && name.endsWith(`, round ${series.round}`));
  checkTask(isSound, "a round has days and its name");
}

// JSON without spaces, and with the members of every object in order.
function canonicalText(members) {
  const inOrder = ([first], [second]) => (first < second ? -1 : 1);
  const sorted = (_, part) =>
    part?.constructor === Object ? Object.fromEntries(Object.entries(part).sort(inOrder)) : part;
  return JSON.stringify(members, sorted);
}

function checkOptions(Mechanism, name, parameters) {
  for (const given of Object.keys(parameters)) {
    checkTask(Mechanism.options.includes(given), `${name} has no ${given}`);
  }
}

// The keys that pairs may have, or the texts of a discovery. Files for keys that are not listed are loaded
// when a task needs them.
async function domainOf(members, levelValues, taskDigest) {
  if (members.kind === "discovery") {
    const { TextDomain } = await import("./discovery.js");
    return new TextDomain(members, taskDigest);
  }
  if (members.keys !== "hashed" && members.other === null) return new ListedKeys(members, levelValues);
  const { HashedKeys, KeysWithOther } = await import("./unlisted.js");
  return members.keys === "hashed"
    ? new HashedKeys(members, levelValues, taskDigest)
    : new KeysWithOther(members, levelValues);
}

async function mechanismOf(Mechanism, members, domain, epsilon, parameters) {
  const { padding, segment, together } = members;
  if (segment === null && !together) return domain.makeMechanism(Mechanism, padding, epsilon, parameters);
  const { DerivedMechanism } = await import("./derived.js");
  return new DerivedMechanism(Mechanism, members, domain, epsilon, parameters);
}

function checkMechanism({ coin, more, padding, size_share: sizeShare }, pairs, domain) {
  const hasWords = pairs.wordLimit !== null;
  checkTask(hasWords || pairs.levels * domain.count <= 2 ** 19, "a report is over 64 KiB");
  const mayAskSizes = hasWords && more === "sample" && padding < domain.count;
  checkTask(mayAskSizes || sizeShare === "0", "size_share");
  checkTask(coin === "device" || pairs.functions !== undefined, "coin");
}

async function withSizeQuestion(pairs, epsilon, share) {
  if (share.numerator === 0n) return pairs;
  const { SizeQuestion } = await import("./size-question.js");
  return new SizeQuestion(pairs, epsilon, share);
}

// Pages ask these of a discovery only.
function addDiscovery(task, domain, mechanism) {
  task.read = (texts) => domain.read(texts);
  task.prefixLength = (body) => mechanism.prefixLength(body);
}
