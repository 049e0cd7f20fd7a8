// Sealed reports, which a mixer cannot read: HPKE (RFC 9180), base mode, with DHKEM(X25519, HKDF-SHA256), HKDF-SHA256
// and AES-128-GCM. Sealed bytes are enc (32) ‖ ciphertext (as long as the body) ‖ tag (16); info is
// "pckv sealed report" ‖ 0x01 ‖ the task's digest, aad is empty.
import { encodeText, fromBase64url } from "./bytes.js";
import { check, checkTask, PckvError } from "./errors.js";

const FIELD = 2n ** 255n - 19n;
// Points of small order, whose secrets are 0 whatever the private key.
const SMALL_ORDER = [
  0n,
  1n,
  FIELD - 1n,
  325606250916557431795983626356110631294008115727848805560023387167927233504n,
  39382357235489614581723060781553021112529911719440698176882885853963445705823n,
];

export function readPublicKey(text) {
  const refuseUnless = (condition, what) => checkTask(condition, `the recipient's key is ${what}`);
  const isEncoded = typeof text === "string" && /^[\w-]{42}[AEIMQUYcgkosw048]$/.test(text);
  refuseUnless(isEncoded, "not 32 bytes in base64url without padding");
  const key = fromBase64url(text);
  const point = key.reduceRight((number, byte) => (number << 8n) | BigInt(byte), 0n);
  refuseUnless(point >> 255n === 0n, "not canonical: its top bit is set");
  refuseUnless(point < FIELD, "not canonical: it is not below 2^255 - 19");
  refuseUnless(!SMALL_ORDER.includes(point), "of small order: anyone could open what is sealed for it");
  return key;
}

// Other bytes in every call; `key` is the text in the task.
export async function seal(body, key, digest) {
  const info = join(encodeText("pckv sealed report"), [1], digest);
  const secrets = await exchange(readPublicKey(key), info);
  const aes = await crypto.subtle.importKey("raw", secrets.key, "AES-GCM", false, ["encrypt"]);
  const sealed = await crypto.subtle.encrypt({ name: "AES-GCM", iv: secrets.nonce }, aes, body);
  return join(secrets.enc, new Uint8Array(sealed));
}

// For a browser that cannot seal to be told before anything is perturbed.
export async function trySeal(bodyBytes, key, digest) {
  try {
    await seal(new Uint8Array(bodyBytes), key, digest);
  } catch (error) {
    if (error instanceof PckvError) throw error;
    check(false, "cannot_seal", "this browser cannot seal reports; nothing was perturbed");
  }
}

// A key and a nonce for one message, and the bytes from which the recipient makes the same ones.
export async function exchange(publicKey, info) {
  const pair = await crypto.subtle.generateKey("X25519", false, ["deriveBits"]);
  const enc = new Uint8Array(await crypto.subtle.exportKey("raw", pair.publicKey));
  const recipient = await crypto.subtle.importKey("raw", publicKey, "X25519", false, []);
  const shared = await crypto.subtle.deriveBits({ name: "X25519", public: recipient }, pair.privateKey, 256);
  const kem = scheduleOf("KEM", [0, 0x20]);
  const extracted = await kem.extract([], "eae_prk", new Uint8Array(shared));
  const secret = await kem.expand(extracted, "shared_secret", join(enc, publicKey), 32);
  return { enc, ...(await keyAndNonce(secret, info)) };
}

// In base mode no key was shared before: the key and its id are empty.
async function keyAndNonce(shared, info) {
  const hpke = scheduleOf("HPKE", [0, 0x20, 0, 1, 0, 1]);
  const hashes = [await hpke.extract([], "psk_id_hash", []), await hpke.extract([], "info_hash", info)];
  const context = join([0], ...hashes);
  const secret = await hpke.extract(shared, "secret", []);
  const key = await hpke.expand(secret, "key", context, 16);
  return { key, nonce: await hpke.expand(secret, "base_nonce", context, 12) };
}

// LabeledExtract and LabeledExpand, the latter for at most 32 bytes.
function scheduleOf(name, ids) {
  const labeled = (label) => join(encodeText("HPKE-v1"), encodeText(name), ids, encodeText(label));
  const extract = (salt, label, secret) => hmac(salt, join(labeled(label), secret));
  const expand = async (secret, label, info, length) =>
    (await hmac(secret, join([0, length], labeled(label), info, [1]))).slice(0, length);
  return { extract, expand };
}

async function hmac(key, data) {
  // Browsers refuse empty keys; HMAC fills keys up with zeros, so 32 of them are the same.
  const bytes = join(key.length ? key : new Uint8Array(32));
  const imported = await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", imported, data));
}

function join(...parts) {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}
