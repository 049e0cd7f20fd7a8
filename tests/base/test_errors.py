"""Errors: their codes, their places, and their one line."""

from __future__ import annotations

import pickle

import pytest

from pckv.base.errors import DataError, MissingExtra, OutputExists, ParameterError, PckvError, first_line


def test_a_code_is_that_of_the_class_or_its_own() -> None:
    assert (ParameterError("no").code, OutputExists("no").code) == ("bad_parameter", "output_exists")
    error = ParameterError("no", code="dedupe_without_ids")
    assert (str(error), error.code) == ("no", "dedupe_without_ids")
    assert ParameterError("no").code == "bad_parameter"


@pytest.mark.parametrize(
    ("error", "message", "place", "reason", "code"),
    [
        (DataError("no rows"), "no rows", None, "no rows", "bad_data"),
        (DataError("no: rows", place="a: b.csv"), "a: b.csv: no: rows", "a: b.csv", "no: rows", "bad_data"),
        (DataError("twice", place="a", code="repeated_key"), "a: twice", "a", "twice", "repeated_key"),
    ],
)
def test_place_and_reason_make_the_message(
    error: DataError, message: str, place: str | None, reason: str, code: str
) -> None:
    for same in (error, pickle.loads(pickle.dumps(error))):  # noqa: S301
        assert (str(same), same.place, same.reason, same.code) == (message, place, reason, code)


def test_every_error_is_also_a_standard_exception() -> None:
    assert issubclass(DataError, ValueError)
    assert issubclass(MissingExtra, ImportError)
    assert issubclass(MissingExtra, PckvError)


def test_a_first_line_is_never_empty() -> None:
    assert first_line(ValueError("one\ntwo")) == "one"
    assert first_line(KeyError()) == "KeyError"
    assert first_line(OSError("")) == "OSError"
