"""Records as JSON: what is wrong is named."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from pckv.base.errors import DataError
from pckv.base.records import Record


@dataclass(frozen=True)
class Inner:
    """A part of a record."""

    share: float
    name: str | None = None


@dataclass(frozen=True)
class Outer(Record):
    """A record with parts."""

    ends: tuple[float, float]
    parts: tuple[Inner, ...]
    size: int | str


def test_a_record_is_read_back() -> None:
    record = Outer((0.0, 1.5), (Inner(0.5), Inner(1.0, "b")), "any")
    assert record.to_dict()["parts"] == [{"share": 0.5}, {"share": 1.0, "name": "b"}]
    assert Outer.from_json(record.to_json()) == Outer.from_dict(record.to_dict()) == record


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "^not JSON$"),
        ("[]", "^not a JSON object$"),
        ('{"ends": [0, 1], "parts": []}', "^no member 'size'$"),
        ('{"ends": [0, 1], "parts": [], "size": 1, "x": 2}', "^unknown member 'x'$"),
        ('{"ends": [0], "parts": [], "size": 1}', "^ends: not 2 values$"),
        ('{"ends": [0, "1"], "parts": [], "size": 1}', r"^ends\[1\]: not a finite number$"),
        (
            '{"ends": [0, 1], "parts": [{"share": true}], "size": 1}',
            r"^parts\[0\].share: not a finite number$",
        ),
        ('{"ends": [0, NaN], "parts": [], "size": 1}', r"^ends\[1\]: not a finite number$"),
        ('{"ends": [0, 1], "parts": [{"share": 1, "y": 1}], "size": 1}', r"^parts\[0\]: unknown member 'y'$"),
        ('{"ends": [0, 1], "parts": [3], "size": 1}', r"^parts\[0\]: not a JSON object$"),
        ('{"ends": [0, 1], "parts": [], "size": null}', "^size: not a whole number$"),
    ],
)
def test_what_is_no_such_record_is_refused(text: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        Outer.from_json(text)
