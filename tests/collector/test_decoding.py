"""Decoding uploads: one report is read fast and like any other, and hostile bodies are refused before parsing."""

from __future__ import annotations

import io
import json
import string
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pckv import Task
from pckv.base.canonical import base64url
from pckv.base.wire import Report
from pckv.collector.http.problem_details import ProblemDetails, ProblemKind
from pckv.collector.ingest import decoding
from pckv.collector.ingest.decoding import (
    MAX_BATCHES_PER_REQUEST,
    MAX_REPORTS_PER_REQUEST,
    decode_arrow,
    decode_json,
    max_arrow_bytes,
    max_json_bytes,
)
from pckv.contract.coins import coin_choice, follows_coin
from pckv.files.reports.columns import report_schema
from support.collectors import as_items, new_task, report, some_reports
from support.uploads import arrow_body, items

ALPHABET = string.ascii_letters + string.digits + "-_"
TASKS = [new_task(), new_task(mechanism="ue", keys=32), new_task(mechanism="collision", keys=100_000)]
# Nested lists as in an attack, as many as there may be reports, lists after one another, and so on.
HOSTILE_JSON: dict[str, bytes] = {
    "lists": b'{"reports":[' + b"[]," * 900_000 + b"[]]}",
    "nested": b'{"reports":' + b"[" * 900_000 + b"]" * 900_000 + b"}",
    "objects": b'{"reports":[' + b"{}," * 900_000 + b"{}]}",
    "members": b'{"reports":[{' + b",".join(b'"%d":""' % n for n in range(100_000)) + b"}]}",
    "texts": b'{"reports":[' + b'"",' * 900_000 + b'""]}',
    "numbers": b'{"reports":[' + b"1," * 900_000 + b"1]}",
}


def result(task: Task, body: bytes) -> object:
    """Return what decoding gives or raises, in a form that can be compared."""
    try:
        return decode_json(task, body)
    except ProblemDetails as problem:
        return problem.kind, problem.detail


def same_both_ways(task: Task, body: bytes) -> bool:
    """Return whether a body that starts like one report says the same when it is parsed: a blank prevents the fast way."""
    assert decoding._ONE_WORD.fullmatch(b" " + body) is None
    assert result(task, body) == result(task, b" " + body)
    return decoding._ONE_WORD.fullmatch(body) is not None


def written(report_id: str, body: str, invitation: str | None = None, **options: Any) -> bytes:
    members = {"id": report_id, "body": body} | ({} if invitation is None else {"invitation": invitation})
    return json.dumps({"reports": [members]}, ensure_ascii=False, **options).encode(errors="surrogatepass")


@pytest.mark.parametrize("task", TASKS)
def test_every_last_character_is_read_alike_both_ways(task: Task) -> None:
    """The characters that end canonical base64url, and those that do not."""
    fast = sum(same_both_ways(task, written("A" * 21 + last, "A" * 10)) for last in ALPHABET) + sum(
        same_both_ways(task, written("A" * 22, "A" * 10 + last)) for last in ALPHABET
    )
    assert fast == 16
    fast = sum(same_both_ways(task, written("A" * 21 + last, "A" * 11)) for last in ALPHABET)
    assert fast == 4


TEXTS = st.text(st.sampled_from(ALPHABET), max_size=50) | st.text(max_size=20)
IDS = st.text(st.sampled_from(ALPHABET), min_size=21, max_size=21).map(lambda text: text + "A") | TEXTS
WORDS = st.text(st.sampled_from(ALPHABET), min_size=10, max_size=10).map(lambda text: text + "A") | TEXTS
SEPARATORS = st.sampled_from([(",", ":"), (", ", ": "), (" ,", " : ")])


@given(st.sampled_from(TASKS), IDS, WORDS, st.none() | TEXTS, SEPARATORS)
def test_one_report_is_read_alike_both_ways(
    task: Task, report_id: str, body: str, invitation: str | None, separators: tuple[str, str]
) -> None:
    same_both_ways(task, written(report_id, body, invitation, separators=separators))


@given(st.data())
def test_a_damaged_report_is_read_alike_both_ways(data: st.DataObject) -> None:
    task = data.draw(st.sampled_from(TASKS))
    body = bytearray(written("A" * 22, "A" * 11, data.draw(st.sampled_from([None, "", "abc"]))))
    place = data.draw(st.integers(0, len(body) - 1))
    body[place : place + data.draw(st.integers(0, 2))] = data.draw(st.binary(max_size=3))
    same_both_ways(task, bytes(body))


def test_the_largest_words_are_read_alike_both_ways() -> None:
    for task in TASKS[::2]:
        limit = task.word_limit or 0
        for word in (0, limit - 1, limit, 2**63 - 1, 2**63, 2**64 - 1):
            (item,) = as_items(report(1, task=task))
            body = written(item["id"], base64url(word.to_bytes(8, "little")))
            assert same_both_ways(task, body)
            assert bool(decode_json(task, body).reports) == (word < limit)


def test_hostile_json_is_refused_before_it_is_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[bytes] = []
    monkeypatch.setattr(decoding, "_parse", parsed.append)
    task = TASKS[0]
    # The control: as many reports as a request may have are parsed.
    full = items(*some_reports(range(MAX_REPORTS_PER_REQUEST), task))
    for body in [*HOSTILE_JSON.values(), full]:
        with pytest.raises(ProblemDetails) as caught:
            decode_json(task, body)
        assert caught.value.kind in {ProblemKind.MALFORMED, ProblemKind.TOO_LARGE}
    assert parsed == [full]


def stream(task: Task, rows_per_batch: list[int]) -> bytes:
    sink = io.BytesIO()
    schema = report_schema(task)
    with pa.ipc.new_stream(sink, schema) as writer:
        start = 0
        for rows in rows_per_batch:
            ids = [number.to_bytes(16) for number in range(start, start + rows)]
            writer.write_batch(
                pa.record_batch([pa.array(ids, pa.binary(16)), pa.array([1] * rows, pa.int64())], schema=schema)
            )
            start += rows
    return sink.getvalue()


def test_an_answer_repeats_ids_and_not_what_is_far_too_long_for_one() -> None:
    """An upload of 16 MiB was answered with 48 MiB, which held the loop for a quarter of a second."""
    sent = "\N{GRINNING FACE}" * 1000
    valid = base64url(bytes(16))
    body = json.dumps({"reports": [{"id": text, "body": ""} for text in (sent, valid)]}).encode()
    assert [refusal.id for refusal in decode_json(new_task(), body).refused] == [sent[:32], valid]


def test_a_stream_of_many_batches_is_refused_after_a_few_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    checked: list[bytes] = []
    check = decoding._check_message

    def counted(metadata: bytes, expected: int) -> int:
        checked.append(metadata)
        return check(metadata, expected)

    monkeypatch.setattr(decoding, "_check_message", counted)
    monkeypatch.setattr(decoding, "_check_schema", pytest.fail)
    task = TASKS[0]
    for rows, kind in ((0, ProblemKind.MALFORMED), (1, ProblemKind.TOO_LARGE)):
        checked.clear()
        with pytest.raises(ProblemDetails) as caught:
            decode_arrow(task, stream(task, [rows] * 1000))
        assert caught.value.kind is kind
        assert len(checked) <= MAX_BATCHES_PER_REQUEST + 1


def test_one_empty_batch_is_refused_and_the_most_batches_are_taken() -> None:
    task = TASKS[0]
    assert len(decode_arrow(task, stream(task, [1] * MAX_BATCHES_PER_REQUEST)).reports) == MAX_BATCHES_PER_REQUEST
    assert decode_arrow(task, stream(task, [])).reports == []
    with pytest.raises(ProblemDetails, match="is empty"):
        decode_arrow(task, stream(task, [1, 0, 1]))


@pytest.mark.parametrize("task", TASKS)
def test_the_largest_honest_bodies_are_within_the_limits_of_their_task(task: Task) -> None:
    reports = some_reports(range(MAX_REPORTS_PER_REQUEST), task)
    members = [item | {"invitation": "x" * 43} for item in as_items(*reports)]
    assert len(json.dumps({"reports": members}, indent=4)) < max_json_bytes(task)
    assert len(arrow_body(task, *reports)) < max_arrow_bytes(task)
    one_by_one = stream(task, [157] * MAX_BATCHES_PER_REQUEST) if task.word_limit else b""
    assert len(one_by_one) < max_arrow_bytes(task)
    # And not far below: what is larger cannot be honest.
    assert max_json_bytes(task) < 1.6 * len(json.dumps({"reports": members}, indent=4))


@pytest.mark.parametrize("members", [{"mechanism": "ue-compact"}, {"mechanism": "ue-compact", "size_share": 0.5}])
def test_a_report_follows_the_coin_that_is_its_id(members: dict[str, Any]) -> None:
    """For every coin of some, all words of the task: those of its function, or all answers, and no others."""
    task = new_task(name="coins", keys=3, coin="server", **members)
    assert task.word_limit is not None
    asked = set()
    for number in range(6):
        coin = report(number, task=task).id
        asked.add(coin_choice(task, coin).asks_size)
        sent = [Report(coin, word.to_bytes(8, "little")) for word in range(task.word_limit)]
        expected = {each.body for each in sent if follows_coin(task, coin, int.from_bytes(each.body, "little"))}
        assert 0 < len(expected) < len(sent)
        for each in sent:
            for decoded in (decode_json(task, items(each)), decode_arrow(task, arrow_body(task, each))):
                accepted = each.body in expected
                assert decoded.reports == ([each] if accepted else [])
                assert [refusal.reason for refusal in decoded.refused] == ([] if accepted else ["wrong_coin"])
    # With half of all reports, both questions.
    assert len(asked) == 2 or "size_share" not in members
