"""Report bytes: one valid encoding each, and anything else is refused.

A word is 8 bytes, little-endian, below the task's limit. Planes are the presence plane, then
the sign plane (1 = +), key k in bit k mod 8, least significant first, of byte ⌊k/8⌋. This
room knows the shape of a body, not the probabilities behind it.
"""

from __future__ import annotations

from typing import NamedTuple

from pckv.errors import ReportError
from pckv.limits import REPORT_ID_BYTES

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
    if len(report_id) != REPORT_ID_BYTES:
        raise ReportError("bad_id", f"a report id has {REPORT_ID_BYTES} bytes, not {len(report_id)}")
