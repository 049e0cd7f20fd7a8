// QR codes (ISO/IEC 18004): bytes, error correction M, versions 1 to 10, and the mask with the least penalty.
import { drawn } from "../shared/svg.js";

// Per version: all codewords, those for error correction in each block, blocks, and the centres of alignment patterns.
const VERSIONS = [
  [26, 10, 1, []],
  [44, 16, 1, [6, 18]],
  [70, 26, 1, [6, 22]],
  [100, 18, 2, [6, 26]],
  [134, 24, 2, [6, 30]],
  [172, 16, 4, [6, 34]],
  [196, 18, 4, [6, 22, 38]],
  [242, 22, 4, [6, 24, 42]],
  [292, 22, 5, [6, 26, 46]],
  [346, 26, 5, [6, 28, 50]],
];
const QUIET = 4;
const MASKS = [
  (x, y) => (x + y) % 2,
  (x, y) => y % 2,
  (x, y) => x % 3,
  (x, y) => (x + y) % 3,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2,
  (x, y) => ((x * y) % 2) + ((x * y) % 3),
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2,
];

// The rows of the code of a text, true where it is dark; null if the text is too long.
export function encode(text) {
  const bytes = new TextEncoder().encode(text);
  const version = 1 + VERSIONS.findIndex((_, index) => bytes.length <= room(index + 1));
  if (version === 0) return null;
  const grid = new Grid(version);
  grid.place(codewords(bytes, version));
  return grid.masked();
}

const dataCodewords = ([all, correcting, blocks]) => all - correcting * blocks;

const lengthBits = (version) => (version < 10 ? 8 : 16);

const room = (version) => dataCodewords(VERSIONS[version - 1]) - Math.ceil((4 + lengthBits(version)) / 8);

// The data of all blocks and their error correction, interleaved.
function codewords(bytes, version) {
  const facts = VERSIONS[version - 1],
    [, correcting, blocks] = facts,
    size = dataCodewords(facts);
  const bits = [...binary(4, 4), ...binary(bytes.length, lengthBits(version))];
  for (const byte of bytes) bits.push(...binary(byte, 8));
  bits.push(...Array(Math.min(4, 8 * size - bits.length)).fill(0));
  while (bits.length % 8) bits.push(0);
  const data = [];
  for (let start = 0; start < bits.length; start += 8) data.push(parseInt(bits.slice(start, start + 8).join(""), 2));
  for (let filler = 0xec; data.length < size; filler ^= 0xec ^ 0x11) data.push(filler);
  const parts = [];
  for (let block = 0, start = 0; block < blocks; block++) {
    // The last blocks have one more if the data cannot be divided evenly.
    const length = Math.floor(size / blocks) + (block >= blocks - (size % blocks) ? 1 : 0);
    parts.push(data.slice(start, start + length));
    start += length;
  }
  return [...interleave(parts), ...interleave(parts.map((part) => remainder(part, correcting)))];
}

const binary = (number, length) => Array.from({ length }, (_, place) => (number >> (length - 1 - place)) & 1);

function* interleave(parts) {
  const longest = Math.max(...parts.map((part) => part.length));
  for (let place = 0; place < longest; place++) {
    for (const part of parts) if (place < part.length) yield part[place];
  }
}

// The product in the field of 256 elements that Reed-Solomon codes of QR codes use.
function times(left, right) {
  let product = 0;
  for (let bit = 7; bit >= 0; bit--) {
    product = (product << 1) ^ (product >> 7 ? 0x11d : 0);
    if ((right >> bit) & 1) product ^= left;
  }
  return product;
}

// The remainder of some data, divided by the generator with this number of roots.
function remainder(data, roots) {
  let generator = [1],
    root = 1;
  for (let count = 0; count < roots; count++) {
    generator = [...generator, 0].map((term, place) => term ^ (place ? times(generator[place - 1], root) : 0));
    root = times(root, 2);
  }
  const rest = Array(roots).fill(0);
  for (const byte of data) {
    const factor = byte ^ rest.shift();
    rest.push(0);
    rest.forEach((_, place) => (rest[place] ^= times(generator[place + 1], factor)));
  }
  return rest;
}

// Bits with the remainder of their division by a polynomial appended.
function protect(bits, polynomial, length) {
  let rest = bits << length;
  for (let place = 31 - Math.clz32(rest); rest >> length; place = 31 - Math.clz32(rest)) {
    rest ^= polynomial << (place - length);
  }
  return (bits << length) | rest;
}

class Grid {
  constructor(version) {
    this.size = 17 + 4 * version;
    this.dark = Array.from({ length: this.size }, () => Array(this.size).fill(false));
    // Patterns are never masked.
    this.fixed = this.dark.map((row) => [...row]);
    this.drawPatterns(VERSIONS[version - 1][3]);
    this.drawFormat(0);
    if (version >= 7) this.drawVersion(version);
  }

  set(x, y, dark) {
    if (x < 0 || y < 0 || x >= this.size || y >= this.size) return;
    this.dark[y][x] = Boolean(dark);
    this.fixed[y][x] = true;
  }

  drawPatterns(centres) {
    for (let place = 0; place < this.size; place++) {
      this.set(6, place, place % 2 === 0);
      this.set(place, 6, place % 2 === 0);
    }
    const last = this.size - 4;
    for (const [x, y] of [
      [3, 3],
      [last, 3],
      [3, last],
    ]) {
      this.drawRings(x, y, 4, [0, 1, 3]);
    }
    for (const x of centres) {
      for (const y of centres) {
        // Where finder patterns are there is none.
        const atEdges = [x, y].map((place) => (place === 6 ? 0 : place === this.size - 7 ? 1 : 0.5));
        if (!["0,0", "0,1", "1,0"].includes(atEdges.join())) this.drawRings(x, y, 2, [0, 2]);
      }
    }
  }

  drawRings(x, y, radius, dark) {
    for (let dy = -radius; dy <= radius; dy++) {
      for (let dx = -radius; dx <= radius; dx++) {
        this.set(x + dx, y + dy, dark.includes(Math.max(Math.abs(dx), Math.abs(dy))));
      }
    }
  }

  // Error correction M has the bits 00.
  drawFormat(mask) {
    const bits = protect(mask, 0x537, 10) ^ 0x5412,
      bit = (place) => (bits >> place) & 1;
    for (let place = 0; place < 15; place++) {
      const first = [
        [8, place + (place > 5)],
        [7, 8],
        [14 - place, 8],
      ][place < 8 ? 0 : place === 8 ? 1 : 2];
      this.set(...first, bit(place));
      this.set(...(place < 8 ? [this.size - 1 - place, 8] : [8, this.size - 15 + place]), bit(place));
    }
    this.set(8, this.size - 8, true);
  }

  drawVersion(version) {
    const bits = protect(version, 0x1f25, 12);
    for (let place = 0; place < 18; place++) {
      const along = Math.floor(place / 3),
        across = this.size - 11 + (place % 3);
      this.set(along, across, (bits >> place) & 1);
      this.set(across, along, (bits >> place) & 1);
    }
  }

  // In pairs of columns from the right, upwards and downwards in turn, around the patterns.
  place(codewords) {
    const bits = codewords.flatMap((codeword) => binary(codeword, 8));
    let next = 0,
      upwards = true;
    for (let right = this.size - 1; right > 0; right -= 2) {
      if (right === 6) right = 5;
      for (let step = 0; step < this.size; step++) {
        const y = upwards ? this.size - 1 - step : step;
        for (const x of [right, right - 1]) {
          if (!this.fixed[y][x]) this.dark[y][x] = Boolean(bits[next++]);
        }
      }
      upwards = !upwards;
    }
  }

  // The rows with the mask that leaves the fewest shapes that mislead a reader.
  masked() {
    const all = MASKS.map((mask, number) => {
      this.drawFormat(number);
      return this.dark.map((row, y) => row.map((dark, x) => dark !== (!this.fixed[y][x] && mask(x, y) === 0)));
    });
    const penalties = all.map(penalty);
    return all[penalties.indexOf(Math.min(...penalties))];
  }
}

const LIKE_A_FINDER = ["10111010000", "00001011101"];

function penalty(rows) {
  const size = rows.length,
    columns = rows.map((_, x) => rows.map((row) => row[x]));
  let sum = 0,
    dark = 0;
  for (const line of [...rows, ...columns]) {
    const text = line.map(Number).join("");
    for (const run of text.match(/0+|1+/g)) if (run.length >= 5) sum += run.length - 2;
    for (let start = 0; start + 11 <= size; start++) {
      if (LIKE_A_FINDER.includes(text.slice(start, start + 11))) sum += 40;
    }
  }
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      dark += rows[y][x];
      const square = [rows[y][x], rows[y][x + 1], rows[y + 1]?.[x], rows[y + 1]?.[x + 1]];
      if (new Set(square).size === 1) sum += 3;
    }
  }
  return sum + 10 * Math.floor(Math.abs(20 * dark - 10 * size * size) / (size * size));
}

// The code as a picture, dark on light whatever the colours of the page; null if the text is too long.
export function qrCode(text, label) {
  const rows = encode(text);
  if (rows === null) return null;
  const size = rows.length + 2 * QUIET;
  const runs = rows.flatMap((row, y) =>
    [...row.map(Number).join("").matchAll(/1+/g)].map(
      ({ index, 0: run }) => `M${index + QUIET} ${y + QUIET}h${run.length}v1h-${run.length}z`,
    ),
  );
  return drawn(
    "svg",
    { class: "qr", viewBox: `0 0 ${size} ${size}`, role: "img", "aria-label": label, "shape-rendering": "crispEdges" },
    drawn("rect", { width: size, height: size, fill: "#ffffff" }),
    drawn("path", { d: runs.join(""), fill: "#000000" }),
  );
}
