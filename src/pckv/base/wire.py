"""Report bytes: one valid encoding per message, and anything else is refused.

A message is what a report says, as one integer. Its format is either one word or two bit planes; a format
knows the shape of a body, not the probabilities behind it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from pckv.base.errors import ReportError
from pckv.base.limits import REPORT_ID_BYTES

if TYPE_CHECKING:
    from pckv.base.arrays import Bytes, Integers, Messages

WORD_BYTES = 8


class Report(NamedTuple):
    """What leaves the device.

    Attributes:
        id: 16 random bytes, which say nothing about the participant.
        body: The perturbed message.
    """

    id: bytes
    body: bytes


@dataclass(frozen=True, slots=True)
class Words:
    """Messages that are one word: 8 bytes, little-endian, below a limit."""

    limit: int

    # The column of report files that holds these messages.
    column: ClassVar[str] = "word"
    body_bytes: ClassVar[int] = WORD_BYTES

    def encode(self, message: int) -> bytes:
        """Return the one body of a message."""
        return message.to_bytes(WORD_BYTES, "little")

    def decode(self, body: bytes) -> int:
        """Return the message of a body, or raise a `ReportError`."""
        _check_length(body, WORD_BYTES)
        word = int.from_bytes(body, "little")
        if word >= self.limit:
            raise ReportError("out_of_range", f"word {word} is not below {self.limit}")
        return word

    def to_array(self, bodies: bytes) -> Integers:
        """Return the messages of many bodies, joined; they are not checked."""
        import numpy as np  # noqa: PLC0415

        return np.frombuffer(bodies, "<i8").astype(np.int64, copy=False)

    def to_bodies(self, messages: Integers) -> list[bytes]:
        """Return the bodies of many messages."""
        data = messages.astype("<i8", copy=False).tobytes()
        return [data[start : start + WORD_BYTES] for start in range(0, len(data), WORD_BYTES)]

    def check_shape(self, messages: Messages) -> Integers:
        """Return an array of messages, or raise a `ReportError` if it cannot be one of this format."""
        if messages.dtype != "int64" or messages.ndim != 1:
            raise ReportError("wrong_length", "words are one row of signed 64-bit integers")
        return messages.astype("int64", copy=False)


@dataclass(frozen=True, slots=True)
class BitPlanes:
    """Messages that are bit planes: presence, then sign (1 = +) unless keys have no values.

    Key k is in bit k mod 8, least significant first, of byte ⌊k/8⌋ of either plane. Sign bits and unused bits
    are zero where nothing is present.
    """

    keys: int
    planes: int = 2

    column: ClassVar[str] = "body"

    @property
    def plane_bytes(self) -> int:
        """The bytes of one plane."""
        return (self.keys + 7) // 8

    @property
    def body_bytes(self) -> int:
        """The bytes of a body."""
        return self.planes * self.plane_bytes

    def encode(self, message: int) -> bytes:
        """Return the one body of a message."""
        return message.to_bytes(self.body_bytes, "little")

    def decode(self, body: bytes) -> int:
        """Return the message of a body, or raise a `ReportError`."""
        _check_length(body, self.body_bytes)
        message = int.from_bytes(body, "little")
        sign, presence = divmod(message, 1 << 8 * self.plane_bytes)
        if presence >> self.keys:
            raise ReportError("bad_encoding", f"a bit beyond the last of {self.keys} keys is set")
        if sign & ~presence:
            raise ReportError("bad_encoding", "a sign is set where nothing is present")
        return message

    def to_array(self, bodies: bytes) -> Bytes:
        """Return the messages of many bodies, joined, as rows of plane bytes; they are not checked."""
        import numpy as np  # noqa: PLC0415

        return np.frombuffer(bodies, np.uint8).reshape(-1, self.body_bytes)

    def to_bodies(self, messages: Bytes) -> list[bytes]:
        """Return the bodies of many messages."""
        return [row.tobytes() for row in messages]

    def check_shape(self, messages: Messages) -> Bytes:
        """Return an array of messages, or raise a `ReportError` if it cannot be one of this format."""
        if messages.dtype != "uint8" or messages.shape[1:] != (self.body_bytes,):
            raise ReportError("wrong_length", f"planes are rows of {self.body_bytes} unsigned bytes")
        return messages.astype("uint8", copy=False)


MessageFormat = Words | BitPlanes


def check_id(report_id: bytes) -> None:
    """Refuse an id that is not 16 bytes."""
    if len(report_id) != REPORT_ID_BYTES:
        raise ReportError("bad_id", f"a report id has {REPORT_ID_BYTES} bytes, not {len(report_id)}")


def _check_length(body: bytes, size: int) -> None:
    if len(body) != size:
        raise ReportError("wrong_length", f"a body has {size} bytes, not {len(body)}")
