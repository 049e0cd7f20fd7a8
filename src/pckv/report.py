"""Report bytes: one valid encoding each, and anything else is refused.

A word is 8 bytes, little-endian, below the task's limit. Planes are the presence plane, then
the sign plane (1 = +), key k in bit k mod 8, least significant first, of byte ⌊k/8⌋. This
room knows the shape of a body, not the probabilities behind it.
"""

from __future__ import annotations

import base64
import binascii
from typing import NamedTuple

from pckv.errors import ReportError

ID_BYTES = 16
WORD_BYTES = 8


class Report(NamedTuple):
    """What leaves the device: a random id and the perturbed body."""

    id: bytes
    body: bytes


def write_body(message: int, size: int) -> bytes:
    """The one body of a message: little-endian, whether it is a word or two bit planes."""
    return message.to_bytes(size, "little")


def read_body(body: bytes, word_limit: int | None, keys: int) -> int:
    """The message of a body, or a `ReportError`; bodies are planes where there is no word limit."""
    size = WORD_BYTES if word_limit is not None else 2 * plane_bytes(keys)
    if len(body) != size:
        raise ReportError("wrong_length", f"a body has {size} bytes, not {len(body)}")
    message = int.from_bytes(body, "little")
    if word_limit is None:
        _check_planes(message, keys)
    elif message >= word_limit:
        raise ReportError("out_of_range", f"word {message} is not below {word_limit}")
    return message


def plane_bytes(keys: int) -> int:
    """The bytes of one bit plane."""
    return (keys + 7) // 8


def _check_planes(message: int, keys: int) -> None:
    sign, presence = divmod(message, 1 << 8 * plane_bytes(keys))
    if presence >> keys:
        raise ReportError("bad_encoding", f"a bit beyond the last of {keys} keys is set")
    if sign & ~presence:
        raise ReportError("bad_encoding", "a sign is set where nothing is present")


def check_id(report_id: bytes) -> None:
    """Refuse an id that is not 16 bytes."""
    if len(report_id) != ID_BYTES:
        raise ReportError("bad_id", f"a report id has {ID_BYTES} bytes, not {len(report_id)}")


def to_text(data: bytes) -> str:
    """Unpadded base64url, as ids and bodies travel in JSON."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def from_text(text: str) -> bytes:
    """Undo `to_text`; any text that it would not have written is refused."""
    try:
        data = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        raise ReportError("bad_encoding", "not base64url") from None
    if to_text(data) != text:
        raise ReportError("bad_encoding", "not canonical base64url")
    return data
