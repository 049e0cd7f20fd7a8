"""The recipient's X25519 public key: one text per key, and no key that all know the secret of.

A key is the u-coordinate of a point of Curve25519 as 32 bytes, little-endian (RFC 7748). X25519 itself takes any 32
bytes: it ignores the top bit and reduces the rest modulo 2^255 - 19, so that a key has several encodings. The product
takes one, so that a task's text says whether two tasks have the same key.

Points of small order are refused, because the secret that X25519 makes of them is 0 whatever the private key: anyone
could open what is sealed for them. X25519 multiplies by multiples of 8, so these are the u-coordinates of the points
whose order divides 8, on the curve (0 of order 2, 1 of order 4, two of order 8) and on its twist (0 of order 2,
2^255 - 20 of order 4). Both groups of such points are cyclic, so there are no others.
"""

from __future__ import annotations

from pckv.base.canonical import base64url, from_base64url
from pckv.base.errors import ParameterError, ReportError

KEY_BYTES = 32
_FIELD = 2**255 - 19
_TOP_BIT = 1 << 255
_SMALL_ORDER = frozenset(
    {
        0,
        1,
        _FIELD - 1,
        325606250916557431795983626356110631294008115727848805560023387167927233504,
        39382357235489614581723060781553021112529911719440698176882885853963445705823,
    }
)


def read_public_key(text: object) -> bytes:
    """Return the bytes of a key from its text, as a task has it; a `ParameterError` says what is wrong."""
    try:
        key = from_base64url(text) if isinstance(text, str) else b""
    except ReportError:
        key = b""
    return check_public_key(key)


def write_public_key(key: bytes) -> str:
    """Return the text of a key, as a task has it."""
    return base64url(check_public_key(key))


def check_public_key(key: bytes) -> bytes:
    """Return a key that reports can be sealed for, or raise a `ParameterError` that says what is wrong."""
    if len(key) != KEY_BYTES:
        raise ParameterError(f"the recipient's key is not {KEY_BYTES} bytes in base64url without padding")
    point = int.from_bytes(key, "little")
    if point >= _TOP_BIT:
        raise ParameterError("the recipient's key is not canonical: its top bit is set")
    if point >= _FIELD:
        raise ParameterError("the recipient's key is not canonical: it is not below 2^255 - 19")
    if point in _SMALL_ORDER:
        raise ParameterError("the recipient's key is of small order: anyone could open what is sealed for it")
    return key
