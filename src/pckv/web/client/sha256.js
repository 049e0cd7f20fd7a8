// SHA-256 that answers at once (FIPS 180-4). Reports are made inside a transaction of the database, which
// would end while `crypto.subtle` is awaited; callers that can wait use `digest` in `bytes.js`.

// The first 32 bits of the fractions of the square roots of the first 8 primes.
const START = [0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19];

// The first 32 bits of the fractions of the cube roots of the first 64 primes.
const ROUND_CONSTANTS = [
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98,
  0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
  0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8,
  0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
  0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819,
  0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
  0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
  0xc67178f2,
];

const BLOCK_BYTES = 64;
// The bit that ends the data, and the number of its bits.
const END_BYTES = 9;

// The hash of an array of bytes, as a view of 32 bytes.
export function sha256(data) {
  const blocks = paddedBlocks(data);
  let state = START;
  for (let start = 0; start < blocks.byteLength; start += BLOCK_BYTES) {
    state = compress(state, scheduleOf(blocks, start));
  }
  const hash = new DataView(new ArrayBuffer(32));
  state.forEach((word, place) => hash.setInt32(4 * place, word));
  return hash;
}

function paddedBlocks(data) {
  const count = Math.ceil((data.length + END_BYTES) / BLOCK_BYTES);
  const blocks = new DataView(new ArrayBuffer(BLOCK_BYTES * count));
  [...data, 0x80].forEach((byte, place) => blocks.setUint8(place, byte));
  blocks.setUint32(blocks.byteLength - 4, 8 * data.length);
  return blocks;
}

// The 16 words of a block, and 48 that are mixed from them.
function scheduleOf(blocks, start) {
  const words = [];
  for (let place = 0; place < 16; place++) words.push(blocks.getUint32(start + 4 * place));
  for (let place = 16; place < 64; place++) {
    const early = words[place - 15];
    const late = words[place - 2];
    const earlyMixed = rotated(early, 7) ^ rotated(early, 18) ^ (early >>> 3);
    const lateMixed = rotated(late, 17) ^ rotated(late, 19) ^ (late >>> 10);
    words.push((words[place - 16] + earlyMixed + words[place - 7] + lateMixed) | 0);
  }
  return words;
}

// The letters are those of the standard.
function compress(state, words) {
  let [a, b, c, d, e, f, g, h] = state;
  for (let round = 0; round < 64; round++) {
    const sumOfE = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25);
    // The bits of f where e has ones, and those of g where it has zeros.
    const choice = g ^ (e & (f ^ g));
    const first = h + sumOfE + choice + ROUND_CONSTANTS[round] + words[round];
    const sumOfA = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const second = sumOfA + majority;
    [a, b, c, d, e, f, g, h] = [(first + second) | 0, a, b, c, (d + first) | 0, e, f, g];
  }
  return [a, b, c, d, e, f, g, h].map((word, place) => (state[place] + word) | 0);
}

function rotated(word, places) {
  return (word >>> places) | (word << (32 - places));
}
