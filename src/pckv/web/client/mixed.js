// Mixed tasks: their mixer, which holds sealed reports until there are enough and is asked and sent to in place of the
// collector, and how reports are sealed for the recipient. `ask` is what sends requests.
import { digestOfId, encodeText, fromBase64url } from "./bytes.js";
import { requireAnswer } from "./collector.js";
import { check, checkTask } from "./errors.js";
import { isName, isWithin } from "./formats.js";
import { isDecimalBetween } from "./fraction.js";

const LABEL = "[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?";
const HOST = `https://(${LABEL}[.])*(?=[a-z])${LABEL}|http://(localhost|127[.]0[.]0[.]1|[[]::1])`;
const ORIGIN = RegExp(`^(?=.{1,256}$)(${HOST})(:[1-9][0-9]*)?$`);
const FIELD = 2n ** 255n - 19n;

// Whether the central claim holds is not computed here: the mixer does that before it accepts a task.
export function checkMixer({ mixer, coin, epsilon: local }) {
  const { batch, delta, epsilon, honest, key, operator, url } = mixer;
  const rules = {
    coin: coin === "device",
    batch: isWithin(batch, 1, 1e9 + 1),
    honest: isWithin(honest, 1, batch + 1),
    epsilon: isDecimalBetween(epsilon, "0.000001", local),
    delta: delta !== "0" && isDecimalBetween(delta, "0", "0.00001"),
    operator: isName(operator),
    // The usual port is not written.
    url: ORIGIN.test(url) && URL.canParse(url) && new URL(url).origin === url,
    key: isPublicKey(key),
    members: Object.keys(mixer).length === 7,
  };
  for (const name in rules) checkTask(rules[name], `mixer: ${name}`);
}

// Whether a text is a canonical public key of X25519 with a secret that only the owner has.
export function isPublicKey(text) {
  if (!isName(text) || !/^[\w-]{42}[AEIMQUYcgkosw048]$/.test(text)) return false;
  const point = fromBase64url(text).reduceRight((number, byte) => (number << 8n) | BigInt(byte), 0n);
  return point < FIELD && !isOfSmallOrder(point);
}

// Secrets of these points are 0, whatever the private key: 0, 1, -1, and those of order 8, whose double has order 4.
function isOfSmallOrder(point) {
  const rest = point * point - 1n;
  return (point * rest * (rest ** 2n - 4n * point * (rest + 486662n * point + 2n))) % FIELD === 0n;
}

// What is mixed is stored only once its mixer has accepted it: the central claim rests on the mixer, which checks it.
export async function checkAccepted(ask, place, text) {
  const answer = await ask(place, {});
  const said = `${place}: the mixer has not accepted this; nothing was perturbed`;
  check(answer.status !== 404 || !answer.kind, "not_accepted", said);
  await requireAnswer(answer, answer.status === 200, place);
  check(answer.text === text, "wrong_task", `${place}: the mixer has another text; nothing was perturbed`);
}

// For a browser that cannot seal to be told before anything is perturbed. That does not depend on the body.
export async function checkSealing(task) {
  const isSealed = await seal(task, new Uint8Array(8)).catch(() => false);
  check(isSealed, "cannot_seal", "this browser cannot seal reports; nothing was perturbed");
}

// The answer of a mixer as that of a collector: taken whole, or not at all.
export async function sendSealed(ask, { url, task, report, invitation }) {
  const headers = { "Content-Type": "application/octet-stream" };
  if (invitation !== undefined) headers["PCKV-Invitation"] = invitation;
  const answer = await ask(`${url}/tasks/${task}/sealed`, { method: "POST", headers, body: report.sealed });
  // Another service may say in JSON that it did not understand.
  const isTaken = answer.status === 200 && answer.mediaType === "application/json" && answer.text === '{"held":true}';
  return isTaken ? { ...answer, said: { refused: [] } } : answer;
}

// HPKE (RFC 9180), base mode, with DHKEM(X25519, HKDF-SHA256), HKDF-SHA256 and AES-128-GCM. Sealed bytes are enc (32) ‖
// ciphertext (as long as the body) ‖ tag (16); info is "pckv sealed report" ‖ 0x01 ‖ the task's digest, aad is empty.
// Other bytes in every call.
export async function seal({ id, mixer }, body) {
  const made = await exchange(fromBase64url(mixer.key), join("pckv sealed report\x01", digestOfId(id)));
  const aes = await crypto.subtle.importKey("raw", made.key, "AES-GCM", false, ["encrypt"]);
  return join(made.enc, await crypto.subtle.encrypt({ name: "AES-GCM", iv: made.nonce }, aes, body));
}

// What precedes every label: the RFC's version, and the numbers of the algorithms.
const KEM = "HPKE-v1KEM\0\x20";
const HPKE = "HPKE-v1HPKE\0\x20\0\x01\0\x01";
// HMAC fills keys up with zeros: this is the empty one, which browsers refuse.
const NO_SALT = new Uint8Array(32);

// A key and a nonce for one message, and the bytes from which the recipient makes the same ones.
export async function exchange(publicKey, info) {
  const pair = await crypto.subtle.generateKey("X25519", false, ["deriveBits"]);
  const enc = await crypto.subtle.exportKey("raw", pair.publicKey);
  const recipient = await crypto.subtle.importKey("raw", publicKey, "X25519", false, []);
  const shared = await crypto.subtle.deriveBits({ name: "X25519", public: recipient }, pair.privateKey, 256);
  const secret = await derive(NO_SALT, [`${KEM}eae_prk`, shared], [`${KEM}shared_secret`, enc, publicKey], 32);
  // In base mode no key was shared before: the key and its id are empty.
  const context = ["\0", await extract(`${HPKE}psk_id_hash`), await extract(`${HPKE}info_hash`, info)];
  const part = (label, length) => derive(secret, [`${HPKE}secret`], [HPKE + label, ...context], length);
  return { enc: join(enc), key: await part("key", 16), nonce: await part("base_nonce", 12) };
}

// LabeledExtract and LabeledExpand, one after the other, are HKDF.
async function derive(salt, secret, info, length) {
  const key = await crypto.subtle.importKey("raw", join(...secret), "HKDF", false, ["deriveBits"]);
  const hkdf = { name: "HKDF", hash: "SHA-256", salt, info: join([0, length], ...info) };
  return join(await crypto.subtle.deriveBits(hkdf, key, 8 * length));
}

// LabeledExtract alone, without a salt.
async function extract(...secret) {
  const key = await crypto.subtle.importKey("raw", NO_SALT, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return crypto.subtle.sign("HMAC", key, join(...secret));
}

// The bytes of texts, buffers and lists of numbers, one after the other.
function join(...parts) {
  const bytesOf = (part) => [...(typeof part === "string" ? encodeText(part) : new Uint8Array(part))];
  return Uint8Array.from(parts.flatMap(bytesOf));
}
