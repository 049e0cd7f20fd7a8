"""Vectors of sealed reports: what is sealed with a given key pair, and keys and entries that must be refused.

They are written with another implementation of HPKE than the product's, which takes no key pair.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator
from typing import Any

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from pyhpke import AEADId, CipherSuite, KDFId, KEMId, KEMKeyPair
from pyhpke.keys.x25519_key import X25519Key

from pckv.base.canonical import base64url

SUITE = CipherSuite.new(KEMId.DHKEM_X25519_HKDF_SHA256, KDFId.HKDF_SHA256, AEADId.AES128_GCM)
INFO = b"pckv sealed report\x01"
BODY_LENGTHS = (1, 8, 8, 8, 16, 250)
FIELD = 2**255 - 19
# The u-coordinates of the points whose order divides 8, on Curve25519 and its twist (RFC 7748 leaves them to users).
SMALL_ORDER = (
    0,
    1,
    FIELD - 1,
    325606250916557431795983626356110631294008115727848805560023387167927233504,
    39382357235489614581723060781553021112529911719440698176882885853963445705823,
)


def sealed_vectors() -> Iterator[dict[str, Any]]:
    """Yield sealed reports, entries that do not open, and keys of recipients."""
    for number, length in enumerate(BODY_LENGTHS):
        private, ephemeral = (X25519PrivateKey.from_private_bytes(_bytes(f"{name} {number}")) for name in ("r", "e"))
        case = _sealed(private, ephemeral, _bytes(f"task {number}"), _bytes(f"body {number}", length))
        yield case | {"sealed": base64url(case["sealed"]), "id": base64url(_id(private, case["sealed"]))}
        yield from _unreadable(case)
    for number in range(8):
        public_key = X25519PrivateKey.from_private_bytes(_bytes(f"key {number}")).public_key().public_bytes_raw()
        yield {"public_key": base64url(public_key)}
    yield from _refused_keys()


def _sealed(private: X25519PrivateKey, ephemeral: X25519PrivateKey, digest: bytes, body: bytes) -> dict[str, Any]:
    pair = KEMKeyPair(X25519Key(ephemeral), X25519Key(ephemeral.public_key()))
    enc, context = SUITE.create_sender_context(X25519Key(private.public_key()), INFO + digest, eks=pair)
    return {
        "digest": digest.hex(),
        "private_key": private.private_bytes_raw().hex(),
        "public_key": base64url(private.public_key().public_bytes_raw()),
        "ephemeral_key": ephemeral.private_bytes_raw().hex(),
        "body": base64url(body),
        "sealed": enc + context.seal(body),
    }


def _unreadable(case: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield entries that differ from a sealed report in one place, and the report for another task or key."""
    sealed, last = case["sealed"], len(case["sealed"]) - 1
    for place in (0, 31, 32, last - 16, last):
        changed = bytearray(sealed)
        # Of byte 31 this is the bit that X25519 ignores.
        changed[place] ^= 0x80
        yield _refused_entry(case, sealed=base64url(bytes(changed)))
    yield _refused_entry(case, sealed=base64url(bytes(32) + sealed[32:]))
    yield _refused_entry(case, sealed=base64url(sealed[:-1]))
    yield _refused_entry(case, sealed=base64url(sealed + b"\0"))
    yield _refused_entry(case, digest=_bytes("another task").hex())
    yield _refused_entry(case, private_key=_bytes("another key").hex())


def _refused_entry(case: dict[str, Any], **changed: str) -> dict[str, Any]:
    names = ("digest", "private_key", "body", "sealed")
    parts = {name: case[name] for name in names} | {"sealed": base64url(case["sealed"])} | changed
    return parts | {"fails_at": "open", "reason": "unreadable"}


def _refused_keys() -> Iterator[dict[str, Any]]:
    """Yield texts that are no keys, by what is wrong with them."""
    public_key = X25519PrivateKey.from_private_bytes(_bytes("key")).public_key().public_bytes_raw()
    text = base64url(public_key)
    encoding = "not 32 bytes in base64url without padding"
    # The last letter has two bits that must be 0.
    alias = text[:-1] + chr(ord(text[-1]) + 1)
    wrong = ["", text + "=", f"{text} ", f"\n{text}", text[:-1], f"{text}A", alias, "+" * 43, "/" * 43, "é" * 43]
    wrong += [base64url(public_key[:-1]), base64url(public_key + b"\0"), public_key.hex()]
    yield from (_refused_key(each, encoding) for each in wrong)
    yield from (_refused_key(each, encoding) for each in (None, 0, [text]))
    for point in (*SMALL_ORDER, int.from_bytes(public_key, "little"), FIELD, 2**255 - 1):
        key = (point | 1 << 255).to_bytes(32, "little")
        yield _refused_key(base64url(key), "not canonical: its top bit is set")
    for point in range(FIELD, 2**255):
        yield _refused_key(base64url(point.to_bytes(32, "little")), "not canonical: it is not below 2^255 - 19")
    for point in SMALL_ORDER:
        reason = "of small order: anyone could open what is sealed for it"
        yield _refused_key(base64url(point.to_bytes(32, "little")), reason)


def _refused_key(text: object, reason: str) -> dict[str, Any]:
    return {"public_key": text, "fails_at": "key", "reason": f"the recipient's key is {reason}"}


def _id(private: X25519PrivateKey, sealed: bytes) -> bytes:
    """Return the id of an opened report: RFC 5869 with an empty salt, and the first half of an HMAC."""
    extracted = hmac.digest(bytes(32), private.private_bytes_raw(), "sha256")
    secret = hmac.digest(extracted, b"pckv report id\x01" + b"\x01", "sha256")
    return hmac.digest(secret, sealed, "sha256")[:16]


def _bytes(name: str, length: int = 32) -> bytes:
    return hashlib.shake_256(f"sealed vectors: {name}".encode()).digest(length)
