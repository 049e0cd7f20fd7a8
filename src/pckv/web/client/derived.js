// proofs/derived-items.md: items that are made of what a participant holds, before anything is perturbed.
import { check, checkTask } from "./errors.js";
import { isName, isWithin } from "./formats.js";
import { MechanismBase } from "./mechanisms/base.js";

// Parents are labels; their children are the keys within each of them.
class ByGroup {
  constructor(keys, { labels, name, ...more }) {
    checkTask(isName(name) && Array.isArray(labels) && Object.keys(more).length === 0, "segment");
    const areSound = labels.every(isName) && new Set(labels).size === labels.length;
    checkTask(areSound && isWithin(labels.length, 2, 17), "a segment takes 2 to 16 labels");
    this.name = name;
    this.names = labels;
    this.keys = keys;
    this.labels = labels.length;
    this.items = this.labels * (keys + 1);
    // A key is claimed within any of the labels.
    this.places = this.labels;
  }

  // The number of a participant's label.
  labelIndex(label) {
    const asked = `the segment '${this.name}'`;
    const choices = this.names.join(", ");
    check((label ?? null) !== null, "bad_pairs", `${asked} needs a label: ${choices}`);
    const number = this.names.indexOf(label);
    check(number >= 0, "bad_pairs", `label '${label}' is not one of ${asked}: ${choices}`);
    return number;
  }

  padding(kept) {
    return kept + 1;
  }

  // The label itself at the first level, whatever is held, and every key within it.
  derive(kept, label) {
    const children = kept.map((pair) => ({ ...pair, key: this.child(label, pair.key) }));
    return [{ key: label, lower: 0, threshold: 0n }, ...children];
  }

  child(label, key) {
    return this.labels + label * this.keys + key;
  }

  numbersOf(key) {
    return [...Array(this.labels).keys()].map((label) => this.child(label, key));
  }
}

// Parents are the keys; their children are every two of them.
class Together {
  places = 1;

  constructor(keys, { low, other, padding, segment }) {
    checkTask(segment === null, "together must be false where there is a segment");
    checkTask(low === null, "together is for keys without values");
    checkTask(other === null, "together takes no key for all that are not listed");
    checkTask(isWithin(keys, 2, 501), "together takes 2 to 500 keys");
    checkTask(padding > 1, "padding must be at least 2 for together");
    this.keys = keys;
    this.items = this.padding(keys);
  }

  padding(kept) {
    return (kept * (kept + 1)) / 2;
  }

  // Numbers in order: which of two keys was entered or drawn first does not show.
  derive(kept) {
    const keys = kept.map(({ key }) => key).sort((first, second) => first - second);
    const crossed = keys.flatMap((first, place) => keys.slice(place + 1).map((second) => this.child(first, second)));
    return [...kept, ...crossed.map((key) => ({ key, lower: 0 }))];
  }

  child(first, second) {
    return this.keys + (first * (2 * this.keys - first - 1)) / 2 + second - first - 1;
  }

  numbersOf(key) {
    return [key];
  }
}

// A mechanism on items: participants keep as many pairs as the padding of the task, and items are made of these.
export class DerivedMechanism extends MechanismBase {
  constructor(Mechanism, members, domain, epsilon, parameters) {
    const { keys, kind, mechanism, padding, segment, together } = members;
    const isListed = kind === "pairs" && keys !== "hashed";
    checkTask(isListed, "a segment and together need a list of keys");
    const levels = domain.levelValues.length;
    const isAble = levels <= Mechanism.maxLevelsOfItems;
    checkTask(isAble, `a segment and together do not go with ${mechanism.name}`);
    super(domain.count, padding, levels);
    this.derivation = together ? new Together(domain.count, members) : new ByGroup(domain.count, segment);
    const { items, places } = this.derivation;
    checkTask(levels * items < 2 ** 30 - 1, "keys");
    // Of two keys, both must be kept, which decides how sizes are rounded.
    this.together = together;
    this.items = new Mechanism(items, this.derivation.padding(padding), epsilon, parameters, levels);
    this.items.setKeyOdds(levels * places);
    const { draws, functions, odds, realised, wordLimit } = this.items;
    Object.assign(this, { functions, odds, realised, wordLimit });
    // Where one item is sampled, choosing pairs takes draws of its own.
    this.draws = draws + (functions === undefined && domain.count > padding ? padding : 0);
  }

  perturb(pairs, tape, coin, label) {
    return this.items.perturb(this.itemsOf(this.chosen(pairs, tape), label), tape, coin);
  }

  itemsOf(kept, label) {
    return this.derivation.derive(kept, label);
  }

  supports(body, key, level) {
    return this.derivation.numbersOf(key).some((number) => this.items.supports(body, number, level));
  }

  // Whether a body claims a label: by itself, which is reported at the first level, or with a key within it.
  saysLabel(body, label) {
    const number = this.derivation.labelIndex(label);
    if (this.items.supports(body, number, 0)) return true;
    for (let key = 0; key < this.keys; key++) {
      const child = this.derivation.child(number, key);
      for (let level = 0; level < this.levels; level++) if (this.items.supports(body, child, level)) return true;
    }
    return false;
  }
}
