// Numbers that notice how the client uses them: the JavaScript twin of `pckv.auditing.traced`, by the same rules.
//
// The rewritten client calls `$` for every operator, test, call and index. A draw is a `Variable`: a value, and the box
// of values around it for which every step so far would have been the same. What cannot be followed pins the draw to
// its value, or throws.

export class TracingError extends Error {}

const refuse = (what) => {
  throw new TracingError(what);
};

export class Variable {
  fixed = false;

  constructor(first, last, value) {
    Object.assign(this, { first, last, value, low: first, high: last });
  }

  isBelow(bound) {
    const below = this.value < bound;
    const low = below || this.low > bound ? this.low : bound;
    const high = below && this.high >= bound ? bound - 1n : this.high;
    if (this.fixed && (low !== this.low || high !== this.high)) {
      refuse("a draw is used both as it is and by its remainder");
    }
    Object.assign(this, { low, high });
    return below;
  }

  pin() {
    this.isBelow(this.value);
    this.isBelow(this.value + 1n);
    return this.value;
  }
}

// Uniform once the draw is known to be in a complete run of `count` numbers.
class Remainder extends Variable {
  constructor(draw, count) {
    super(0n, count - 1n, draw.value % count);
    Object.assign(this, { draw, count });
    draw.remainder = this;
  }

  isBelow(bound) {
    const { low, high } = this.draw;
    if (!this.draw.fixed && (low % this.count || (high + 1n) % this.count)) {
      refuse("the remainder of a draw that may be in an incomplete run is used");
    }
    this.draw.fixed = true;
    return super.isBelow(bound);
  }
}

// Anything that plain JavaScript would not treat as the number it stands for.
class Special {
  [Symbol.toPrimitive]() {
    refuse("a draw is used where it cannot be followed");
  }
}

// scale · variable + offset, with a positive scale; `big` tells a BigInt from a number.
export class Traced extends Special {
  constructor(variable, big = true, scale = 1n, offset = 0n) {
    super();
    Object.assign(this, { variable, big, scale, offset });
  }

  get value() {
    return native(this.scale * this.variable.value + this.offset, this.big);
  }

  pin() {
    this.variable.pin();
    return this.value;
  }

  isBelow(bound) {
    return this.variable.isBelow(ceilOver(bound - this.offset, this.scale));
  }

  plus(number) {
    return new Traced(this.variable, this.big, this.scale, this.offset + number);
  }

  times(factor) {
    return new Traced(this.variable, this.big, this.scale * factor, this.offset * factor);
  }
}

// A draw less its remainder: where its run starts. It is only ever compared.
export class RunStart extends Special {
  big = true;

  constructor({ draw, count }) {
    super();
    Object.assign(this, { draw, count });
  }

  isBelow(bound) {
    return this.draw.isBelow(ceilOver(bound, this.count) * this.count);
  }

  pin() {
    refuse("the start of a run is used for more than a comparison");
  }
}

// The number of a public hash function, or what was computed from it: no decision may depend on it alone.
export class Seed extends Special {
  constructor(value) {
    super();
    this.value = value;
  }

  get big() {
    return typeof this.value === "bigint";
  }
}

const native = (number, big) => (big ? number : Number(number));

const ceilOver = (number, count) => -floorOver(-number, count);

const floorOver = (number, count) => number / count - (number % count < 0n ? 1n : 0n);

const isSpecial = (x) => x instanceof Special;

const isFollowed = (x) => x instanceof Traced || x instanceof RunStart;

/** The BigInt of what stands beside a traced number; a traced one is pinned. */
function plain(x, big) {
  const value = x instanceof Seed ? x.value : isFollowed(x) ? x.pin() : x;
  const isBig = typeof value === "bigint";
  if (!isBig && !Number.isSafeInteger(value)) refuse("a draw meets what is not an integer");
  // JavaScript compares the two kinds with each other, and refuses to add them.
  if (big !== undefined && isBig !== big) throw new TypeError("Cannot mix BigInt and other types");
  return BigInt(value);
}

const NATIVE = {
  "+": (x, y) => x + y,
  "-": (x, y) => x - y,
  "*": (x, y) => x * y,
  "/": (x, y) => x / y,
  "%": (x, y) => x % y,
  "**": (x, y) => x ** y,
  "&": (x, y) => x & y,
  "|": (x, y) => x | y,
  "^": (x, y) => x ^ y,
  "<<": (x, y) => x << y,
  ">>": (x, y) => x >> y,
  ">>>": (x, y) => x >>> y,
};

const COMPARED = {
  "<": (x, y) => x < y,
  "<=": (x, y) => x <= y,
  ">": (x, y) => x > y,
  ">=": (x, y) => x >= y,
  "===": (x, y) => x === y,
  "!==": (x, y) => x !== y,
};

const MIRRORED = { "<": ">", "<=": ">=", ">": "<", ">=": "<=", "===": "===", "!==": "!==" };

// --- arithmetic ---

const pinned = (operator, x, y) => {
  const value = (z) => (isFollowed(z) ? z.pin() : z);
  const [left, right] = [value(x), value(y)];
  return isSpecial(left) || isSpecial(right) ? $[operator](left, right) : NATIVE[operator](left, right);
};

function quotient(x, count) {
  const whole = BigInt(x.value) / count;
  x.isBelow(whole * count);
  x.isBelow((whole + 1n) * count);
  return whole;
}

const divisible = (x, y) => x instanceof Traced && !isFollowed(y) && x.value >= 0 && plain(y) > 0n;

const FOLLOWED = {
  "+": (x, y) => (isFollowed(x) ? x.plus(plain(y, x.big)) : y.plus(plain(x, y.big))),
  "-"(x, y) {
    if (y instanceof Traced && y.variable.draw === x.variable && y.variable.draw) return new RunStart(y.variable);
    return isFollowed(x) ? x.plus(-plain(y, x.big)) : pinned("-", x, y);
  },
  "*"(x, y) {
    const [traced, other] = isFollowed(x) ? [x, y] : [y, x],
      factor = plain(other, traced.big);
    return factor > 0n ? traced.times(factor) : pinned("*", x, y);
  },
  "/": (x, y) => (x.big && divisible(x, y) ? quotient(x, plain(y, true)) : pinned("/", x, y)),
  "%"(x, y) {
    if (!divisible(x, y)) return pinned("%", x, y);
    const { variable, scale, offset, big } = x,
      count = plain(y, big);
    const whole = variable.low === variable.first && variable.high === variable.last && !variable.count;
    if (whole && scale === 1n && offset === 0n) return new Traced(new Remainder(variable, count), big);
    return x.plus(-quotient(x, count) * count);
  },
  ">>": (x, y) => (x.big && divisible(x, 1n << plain(y)) ? quotient(x, 1n << plain(y)) : pinned(">>", x, y)),
};

function arithmetic(operator, x, y) {
  if (!isSpecial(x) && !isSpecial(y)) return NATIVE[operator](x, y);
  if (isFollowed(x) || isFollowed(y)) return (FOLLOWED[operator] ?? pinned.bind(null, operator))(x, y);
  const value = (z) => (z instanceof Seed ? z.value : z);
  return new Seed(NATIVE[operator](value(x), value(y)));
}

// --- decisions ---

let sorting = 0;

function compared(operator, x, y) {
  if (!isSpecial(x) && !isSpecial(y)) return COMPARED[operator](x, y);
  if (!isFollowed(x)) {
    if (isFollowed(y)) return compared(MIRRORED[operator], y, x);
    // The values of a function may be sorted, and each taken once: no other decision is between two of them.
    const ordered = sorting && x instanceof Seed && y instanceof Seed;
    return ordered
      ? COMPARED[operator](x.value, y.value)
      : refuse("a decision depends on the number of a hash function");
  }
  const equality = operator === "===" || operator === "!==";
  if (equality && typeof (y instanceof Seed ? y.value : y) !== (x.big ? "bigint" : "number") && !isFollowed(y)) {
    return operator === "!==";
  }
  const bound = plain(y);
  if (equality) return (operator === "===") === (!x.isBelow(bound) && x.isBelow(bound + 1n));
  const below = x.isBelow(operator === "<" || operator === ">=" ? bound : bound + 1n);
  return below === operator.startsWith("<");
}

const isZero = (x) => compared("===", x, native(0n, x.big));

const truth = (x) => (isSpecial(x) ? !isZero(x) : Boolean(x));

// --- calls ---

const natives = new WeakMap();

function isNative(f) {
  if (!natives.has(f)) natives.set(f, /\{\s*\[native code\]\s*\}$/.test(Function.prototype.toString.call(f)));
  return natives.get(f);
}

function asBig(x) {
  if (x instanceof Seed) return new Seed(BigInt(x.value));
  return new Traced(x.variable, true, x.scale, x.offset);
}

function asNumber(x) {
  if (x instanceof Seed) return new Seed(Number(x.value));
  const {
    variable: { first, last },
    scale,
    offset,
  } = x;
  for (const end of [first, last]) plain(Number(scale * end + offset));
  return new Traced(x.variable, false, scale, offset);
}

// What these functions of the language do with draws; any other refuses them.
const HANDLED = new Map([
  [BigInt, (_, [x]) => asBig(x)],
  [Number, (_, [x]) => asNumber(x)],
  [
    BigInt.asUintN,
    (_, [bits, x]) => {
      const kept = BigInt.asUintN(bits, x instanceof Seed ? x.value : x.pin());
      return x instanceof Seed ? new Seed(kept) : kept;
    },
  ],
  [Math.max, (_, numbers) => numbers.reduce((x, y) => (compared("<", x, y) ? y : x))],
  [Math.min, (_, numbers) => numbers.reduce((x, y) => (compared(">", x, y) ? y : x))],
  [DataView.prototype.setBigUint64, (view, [at, x, little]) => view.setBigUint64(at, x.value, little)],
  [Array.prototype.push, (array, values) => array.push(...values)],
]);

// They move elements without looking at them; these callbacks may return draws.
const { map, slice, sort, push, entries, concat, reduce } = Array.prototype;
const MOVES = new Set([map, slice, sort, push, entries, concat, reduce, Array.from]);

function guarded(f, argument) {
  if (typeof argument !== "function" || (MOVES.has(f) && f !== sort)) return argument;
  return (...given) => {
    const result = argument(...given);
    return isSpecial(result) ? refuse(`${f.name} decides by a draw`) : result;
  };
}

function apply(f, object, given) {
  if (!isNative(f)) return Reflect.apply(f, object, given);
  if (given.some(isSpecial) || isSpecial(object)) {
    return HANDLED.has(f) ? HANDLED.get(f)(object, given) : refuse(`${f.name} is given a draw`);
  }
  if (Array.isArray(object) && object.some(isSpecial) && !MOVES.has(f)) refuse(`${f.name} looks at draws`);
  sorting += f === sort;
  try {
    return Reflect.apply(
      f,
      object,
      given.map((argument) => guarded(f, argument)),
    );
  } finally {
    sorting -= f === sort;
  }
}

function create(type, given) {
  if (type === DataView && buffers.has(given[0])) return buffers.get(given[0]);
  if (type === Set && Array.isArray(given[0]) && given[0].some(isSpecial)) {
    if (!given[0].every((x) => x instanceof Seed)) refuse("a set of draws is made");
    return new Set(new Map(given[0].map((seed) => [seed.value, seed])).values());
  }
  if (isNative(type) && given.some(isSpecial)) refuse(`new ${type.name} is given a draw`);
  return Reflect.construct(type, given);
}

// --- randomness ---

// An object with these members, where any other use is refused.
const sealed = (members) =>
  new Proxy(members, {
    get(_, name) {
      return Object.hasOwn(members, name) ? members[name] : refuse(`randomness is read by ${String(name)}`);
    },
  });

const buffers = new WeakMap();

/** Bytes that can only be read as draws, each once, or passed on whole; `drawn` is given every draw. */
export function sealedBytes(bytes, drawn) {
  const buffer = sealed({}),
    view = new DataView(bytes.buffer),
    read = new Set();
  const getBigUint64 = (at, little) => {
    if (at % 8 || little !== true) refuse("a draw is read at another place, or in another order of bytes");
    if (read.has(at)) refuse("a draw is read twice");
    read.add(at);
    const variable = new Variable(0n, 2n ** 64n - 1n, view.getBigUint64(at, true));
    drawn(variable);
    return new Traced(variable);
  };
  buffers.set(buffer, sealed({ getBigUint64 }));
  return sealed({ bytes, buffer });
}

// --- what the rewritten client calls ---

export const $ = {
  truth,
  apply: (f, given) => apply(f, undefined, given),
  invoke: (object, name, given) => apply(object[name], object, given),
  create,
  and: (left, right) => ($.truth(left) ? right() : left),
  or: (left, right) => ($.truth(left) ? left : right()),
  not: (x) => !truth(x),
  minus: (x) => (isFollowed(x) ? -x.pin() : x instanceof Seed ? new Seed(-x.value) : -x),
  type: (x) => (isSpecial(x) ? (x.big ? "bigint" : "number") : typeof x),
  plain: (x) => (isSpecial(x) ? refuse("a draw is used where it cannot be followed") : x),
  step: (x, by) => $["+"](x, native(by, isSpecial(x) ? x.big : typeof x === "bigint")),
  // All numbers beyond the end of an array find nothing.
  index(object, key) {
    if (key instanceof Seed) refuse("a decision depends on the number of a hash function");
    if (!isFollowed(key)) return key;
    return Array.isArray(object) && !compared("<", key, object.length) ? object.length : key.pin();
  },
  get: (object, key) => object[$.index(object, key)],
};

for (const operator of Object.keys(NATIVE)) $[operator] = (x, y) => arithmetic(operator, x, y);
for (const operator of Object.keys(COMPARED)) $[operator] = (x, y) => compared(operator, x, y);

// Steps whose time depends on what they find, or on how far they go.
const SHOWN = new Set(["truth", "index"]),
  FAR = new Set(["**", "<<", ">>", ">>>"]);

/** What the rewritten client does, step by step: operators and calls, outcomes of tests, and places in arrays. */
export function stepsOf(work) {
  const steps = [],
    own = { ...$ };
  for (const [name, step] of Object.entries(own)) {
    $[name] = (...given) => {
      const result = step(...given),
        seen = SHOWN.has(name) ? result : FAR.has(name) ? given[1] : "";
      steps.push(`${name} ${String(seen)}`);
      return result;
    };
  }
  try {
    work();
  } finally {
    Object.assign($, own);
  }
  return steps;
}
