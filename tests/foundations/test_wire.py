"""Report bytes: one encoding each, everything else refused with its reason."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pckv.canonical import base64url, from_base64url
from pckv.channels.ue import UeChannel
from pckv.errors import ReportError
from pckv.wire import check_id, plane_bytes, read_body, write_body


@given(st.integers(0, 2**63 - 2))
def test_words_round_trip(word: int) -> None:
    body = write_body(word, 8)
    assert read_body(body, 2**63 - 1, 5) == word
    assert body == word.to_bytes(8, "little")


@given(st.integers(1, 40).flatmap(lambda d: st.lists(st.sampled_from([1, -1, 0]), min_size=d, max_size=d)))
def test_planes_round_trip_and_have_the_stated_layout(states: list[int]) -> None:
    keys = len(states)
    message = UeChannel(keys, 1, Fraction(1)).message(tuple(states))
    body = write_body(message, 2 * plane_bytes(keys))
    assert read_body(body, None, keys) == message
    for key, state in enumerate(states):
        place, bit = key // 8, key % 8
        assert body[place] >> bit & 1 == (state != 0)
        assert body[plane_bytes(keys) + place] >> bit & 1 == (state > 0)


@pytest.mark.parametrize(
    ("body", "limit", "keys", "code"),
    [
        (b"", 10, 4, "wrong_length"),
        (bytes(7), 10, 4, "wrong_length"),
        (bytes(9), 10, 4, "wrong_length"),
        ((10).to_bytes(8, "little"), 10, 4, "out_of_range"),
        (b"\xff" * 8, 10, 4, "out_of_range"),
        (bytes(1), None, 4, "wrong_length"),
        (bytes(3), None, 4, "wrong_length"),
        (b"\x10\x00", None, 4, "bad_encoding"),
        (b"\x00\x01", None, 4, "bad_encoding"),
        (b"\x02\x03", None, 4, "bad_encoding"),
        (b"\x00\x10", None, 4, "bad_encoding"),
    ],
)
def test_bad_bodies(body: bytes, limit: int | None, keys: int, code: str) -> None:
    with pytest.raises(ReportError) as caught:
        read_body(body, limit, keys)
    assert caught.value.code == code


@given(st.binary(max_size=40))
def test_text_round_trips(data: bytes) -> None:
    assert from_base64url(base64url(data)) == data


@pytest.mark.parametrize("text", ["A", "AB==", "AB=", "A B", "AB\n", "A+B/", "AB", "é", "====", "AAAAA"])
def test_lenient_base64_is_refused(text: str) -> None:
    with pytest.raises(ReportError, match="base64url"):
        from_base64url(text)


def test_bad_id() -> None:
    with pytest.raises(ReportError) as caught:
        check_id(bytes(15))
    assert caught.value.code == "bad_id"
