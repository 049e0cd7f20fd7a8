"""One text per value: plain decimals, canonical JSON (RFC 8785 without floats), unpadded base64url."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import re
import unicodedata
from collections.abc import Collection, Iterable
from decimal import Decimal, InvalidOperation
from typing import Any

from pckv.base.errors import ParameterError, PckvError, ReportError

MAX_DECIMAL_DIGITS = 40
MAX_NAME_BYTES = 256
# An id of a task or a series is a SHA-256.
_ID = re.compile(r"[A-P][A-Za-z0-9_-]{42}", re.ASCII)
# A number as people type it. Python reads more: underscores, blanks, a plus, digits of other scripts.
_TYPED_DECIMAL = re.compile(r"-?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?", re.ASCII)
_PLAIN_DECIMAL = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]*[1-9])?", re.ASCII)


def decimal_text(number: object, what: str) -> str:
    """The plain decimal text of a number: no exponent, no trailing zeros, no -0.

    A text is read if it is ASCII digits with at most a minus, a point and an exponent; a float is the
    shortest decimal that stands for it.

    >>> decimal_text(1.0, "epsilon"), decimal_text("0.50", "low"), decimal_text(1e-3, "low")
    ('1', '0.5', '0.001')
    """
    if isinstance(number, bool) or not isinstance(number, int | float | str | Decimal):
        raise ParameterError(f"{what} must be a number, not {number!r}")
    try:
        # Subclasses of float, such as numpy's, have another `repr`.
        value = Decimal(float.__repr__(number) if isinstance(number, float) else number)
    except InvalidOperation:
        raise ParameterError(f"{what} must be a number, not {number!r}") from None
    if not value.is_finite():
        raise ParameterError(f"{what} must be a finite number, not {number}")
    if isinstance(number, str) and not is_typed_decimal(number):
        raise ParameterError(f"{what} must be a number in plain digits, such as 0.5, not {number!r}")
    if abs(value.adjusted()) > MAX_DECIMAL_DIGITS:
        raise ParameterError(f"{what} needs more than {MAX_DECIMAL_DIGITS} digits")
    text = f"{value:f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    text = "0" if text in ("-0", "") else text
    if len(text) > MAX_DECIMAL_DIGITS:
        raise ParameterError(f"{what} needs more than {MAX_DECIMAL_DIGITS} digits")
    return text


def is_typed_decimal(text: str) -> bool:
    """Whether a text is a number as people type it: ASCII digits, perhaps a minus, a point, an exponent."""
    return bool(_TYPED_DECIMAL.fullmatch(text))


def is_decimal_text(text: object) -> bool:
    """Whether a text is a plain decimal, as `decimal_text` would write it."""
    return (
        isinstance(text, str)
        and len(text) <= MAX_DECIMAL_DIGITS
        and bool(_PLAIN_DECIMAL.fullmatch(text))
        and text != "-0"
    )


def check_name(name: object, what: str) -> str:
    """A name people read: NFC, no control characters, 1 to 256 bytes."""
    if not isinstance(name, str):
        raise ParameterError(f"{what} must be text, not {name!r}")
    if not name:
        raise ParameterError(f"{what} is empty")
    # ASCII without controls is NFC; the test is cheap where there are a million keys.
    if len(name) <= MAX_NAME_BYTES and name.isascii() and name.isprintable():
        return name
    if fault := text_fault(name, MAX_NAME_BYTES):
        shown = repr(name) if len(name) <= MAX_NAME_BYTES else f"{name[:20]!r}…"
        raise ParameterError(f"{what} {shown} {fault}")
    return name


def is_name(text: str) -> bool:
    """Whether a text may be a name, as `check_name` takes it."""
    return bool(text) and not text_fault(text, MAX_NAME_BYTES)


def check_names(names: Iterable[str], what: str) -> tuple[str, ...]:
    """Return names that may each be given once; messages count them: `what` 3 is the same as 1."""
    places: dict[str, int] = {}
    for number, name in enumerate(names, 1):
        check_name(name, f"{what} {number:,}")
        first = places.setdefault(name, number)
        if first != number:
            raise ParameterError(f"{what} {number:,} {name!r} is the same as {what} {first:,}")
    return tuple(places)


def distinct_names(names: Iterable[object], what: str = "key") -> tuple[str, ...]:
    """Return names of which none comes twice, or raise a `ParameterError` that names the first that does."""
    checked = tuple(check_name(name, f"{what} {number}") for number, name in enumerate(names, 1))
    seen: set[str] = set()
    for name in checked:
        if name in seen:
            raise ParameterError(f"{what} {name!r} appears twice")
        seen.add(name)
    return checked


def text_fault(text: str, max_bytes: int, *, lines: bool = False) -> str:
    """Return what is wrong with a text for people, if anything; with `lines` it may have several lines."""
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        return "is not valid Unicode"
    if size > max_bytes:
        return f"is longer than {max_bytes:,} bytes"
    controls = {character for character in text if unicodedata.category(character) == "Cc"}
    if controls - ({"\n"} if lines else set()):
        return "holds a control character" if lines else "holds a control character or a line break"
    return "" if unicodedata.is_normalized("NFC", text) else "is not in Unicode normal form C"


def dump(value: Any) -> str:
    """The canonical JSON text of a value without floats."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def base64url(data: bytes) -> str:
    """Unpadded base64url, as ids and bodies travel in JSON."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def from_base64url(text: str) -> bytes:
    """Undo `base64url`; any text that it would not have written is refused with a `ReportError`."""
    padded = text.replace("-", "+").replace("_", "/") + "=" * (-len(text) % 4)
    try:
        data = binascii.a2b_base64(padded, strict_mode=True)
    except ValueError:
        raise ReportError("bad_encoding", "not base64url") from None
    if base64url(data) != text:
        raise ReportError("bad_encoding", "not canonical base64url")
    return data


class RepeatedMember(ValueError):
    """A member that a JSON object has twice; its name."""


def refuse_repeated_members(members: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object with these members, none of them twice; an `object_pairs_hook` of `json.loads`."""
    unique: dict[str, Any] = {}
    for name, value in members:
        if name in unique:
            raise RepeatedMember(name)
        unique[name] = value
    return unique


def load(text: str) -> Any:
    """Parse JSON strictly: no floats, no constants, no member twice; a `ValueError` says what is wrong."""

    def refuse(token: str) -> Any:
        raise ValueError(f"the number {token} is not an integer")

    try:
        return json.loads(text, parse_float=refuse, parse_constant=refuse, object_pairs_hook=refuse_repeated_members)
    except RepeatedMember as error:
        raise ValueError(f"member {str(error)!r} appears twice") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"{error.msg} at line {error.lineno}, column {error.colno}") from None
    except RecursionError:
        raise ValueError("the JSON cannot be read") from None


def read_object(
    text: str | bytes, what: str, names: Collection[str], version: int, error: type[PckvError]
) -> tuple[str, dict[str, Any]]:
    """Return the text of a contract's JSON and its members: those of these names, and of this version.

    Anything else is an `error` that says what it should be: `what`, such as "a task".
    """
    try:
        text = text.decode() if isinstance(text, bytes) else text
        members = load(text)
    except UnicodeDecodeError:
        raise error(f"not {what}: the text is not UTF-8") from None
    except ValueError as fault:
        raise error(f"not {what}: {fault}") from None
    if not isinstance(members, dict):
        raise error(f"not {what}: the JSON is not an object")
    for member in sorted(members.keys() ^ set(names)):
        raise error(f"not {what}: member {member!r} is {'unknown' if member in members else 'missing'}")
    if members["version"] != version or isinstance(members["version"], bool):
        raise error(f"not {what} this release reads: version {members['version']!r}")
    return text, members


def contract_id(text: str) -> str:
    """The id of a task or series: the SHA-256 of its canonical JSON as a number, in 43 digits of base64url.

    The first digit has four bits only and so is a letter from A to P: no id looks like an option of a command.
    """
    return id_of_digest(hashlib.sha256(text.encode()).digest())


def id_of_digest(digest: bytes) -> str:
    """The id that has this digest."""
    # With a leading byte of zeros there are 44 digits, the first of which is always A.
    return base64url(b"\0" + digest)[1:]


def is_id(text: object) -> bool:
    """Whether something is the id of a task or series."""
    return isinstance(text, str) and _ID.fullmatch(text) is not None
