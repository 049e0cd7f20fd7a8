"""What a sealed report is: the format that devices write and the recipient reads.

A report is sealed with HPKE (RFC 9180) in base mode, one message per key exchange:

    DHKEM(X25519, HKDF-SHA256) 0x0020, HKDF-SHA256 0x0001, AES-128-GCM 0x0001
    info       = "pckv sealed report" (18 bytes of ASCII) ‖ 0x01 ‖ the task's digest (32 bytes)
    aad        = empty
    plaintext  = the body of the report, without an id

    sealed     = enc (32) ‖ ciphertext (as long as the body) ‖ tag (16)

`enc` is the public half of an X25519 key pair that is made for this report alone. The byte 0x01 is the version of this
format. The digest is the SHA-256 of the task's canonical JSON, so that a report that was sealed for one task does not
open as one of another, even under the same key. A word of 8 bytes is sealed in 56, the same for every participant.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from pckv.base.errors import ParameterError, require

EXTRA = "sealed"
ENC_BYTES, TAG_BYTES = 32, 16
DIGEST_BYTES = 32
_INFO_PREFIX = b"pckv sealed report"
_VERSION = b"\x01"


def sealed_length(body_bytes: int) -> int:
    """Return how many bytes a sealed report has, which depends on the length of its body alone."""
    return ENC_BYTES + body_bytes + TAG_BYTES


def info_of(digest: bytes) -> bytes:
    """Return what binds a sealed report to its format and to the task with this digest."""
    if len(digest) != DIGEST_BYTES:
        raise ParameterError(f"the digest of a task has {DIGEST_BYTES} bytes, not {len(digest)}")
    return _INFO_PREFIX + _VERSION + digest


@cache
def suite() -> Any:
    """Return the algorithms; without the package that has them a `MissingExtra` says what to install."""
    hpke = require("cryptography.hazmat.primitives.hpke", extra=EXTRA)
    return hpke.Suite(hpke.KEM.X25519, hpke.KDF.HKDF_SHA256, hpke.AEAD.AES_128_GCM)


def x25519() -> Any:
    """Return the module of X25519 keys; without its package a `MissingExtra` says what to install."""
    return require("cryptography.hazmat.primitives.asymmetric.x25519", extra=EXTRA)
