"""Report bytes: every message has one encoding, everything else is refused with its reason."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pckv.base.canonical import base64url, from_base64url
from pckv.base.errors import ReportError
from pckv.base.wire import BitPlanes, MessageFormat, Words, check_id
from pckv.mechanisms.ue.law import UeLaw


@given(st.integers(0, 2**63 - 2))
def test_words_round_trip(word: int) -> None:
    words = Words(2**63 - 1)
    body = words.encode(word)
    assert words.decode(body) == word
    assert words.to_array(body + body).tolist() == [word, word]
    assert body == word.to_bytes(8, "little")


@given(st.integers(1, 40).flatmap(lambda d: st.lists(st.sampled_from([1, -1, 0]), min_size=d, max_size=d)))
def test_planes_round_trip_and_have_the_stated_layout(states: list[int]) -> None:
    keys = len(states)
    message = UeLaw(keys, 1, Fraction(1)).message(tuple(states))
    planes = BitPlanes(keys)
    body = planes.encode(message)
    assert planes.decode(body) == message
    assert planes.to_array(body + body).tobytes() == body + body
    for key, state in enumerate(states):
        index, bit = key // 8, key % 8
        assert body[index] >> bit & 1 == (state != 0)
        assert body[planes.plane_bytes + index] >> bit & 1 == (state > 0)


@pytest.mark.parametrize(
    ("body", "message_format", "code"),
    [
        (b"", Words(10), "wrong_length"),
        (bytes(7), Words(10), "wrong_length"),
        (bytes(9), Words(10), "wrong_length"),
        ((10).to_bytes(8, "little"), Words(10), "out_of_range"),
        (b"\xff" * 8, Words(10), "out_of_range"),
        (bytes(1), BitPlanes(4), "wrong_length"),
        (bytes(3), BitPlanes(4), "wrong_length"),
        (b"\x10\x00", BitPlanes(4), "bad_encoding"),
        (b"\x00\x01", BitPlanes(4), "bad_encoding"),
        (b"\x02\x03", BitPlanes(4), "bad_encoding"),
        (b"\x00\x10", BitPlanes(4), "bad_encoding"),
    ],
)
def test_bad_bodies(body: bytes, message_format: MessageFormat, code: str) -> None:
    with pytest.raises(ReportError) as caught:
        message_format.decode(body)
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
