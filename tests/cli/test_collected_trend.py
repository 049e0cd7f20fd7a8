"""`pckv trend --url`: the trend of a series that a collector has."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import IO, Any

import pytest

from pckv import Tally
from pckv.base.days import utc_today
from pckv.base.wire import Report
from pckv.collector.contracts.contracts import due_rounds
from pckv.estimators.trends.trend import trend
from pckv.store.base import Upload
from support.cli import put, read_json, run, run_ok, run_refused
from support.collectors import Running, running
from support.rounds import collect_rounds, make_series

SERIES = make_series()
TOKEN = "analyst-token-of-the-tests"  # noqa: S105
FILES = "trend series.json round1.tally round2.tally round3.tally"
WORDS = {1: [5, 5, 5, 2, 2, 0], 2: [5, 2, 2, 2, 0], 3: [0, 0, 0, 1, 1]}


@pytest.fixture(scope="module")
def collector() -> Iterator[Running]:
    """Run a collector that has the reports of the tallies."""
    patched = pytest.MonkeyPatch()
    patched.setattr("support.collectors.ANALYST", TOKEN)
    with running(clock=lambda: SERIES.opens(3)) as started:
        patched.undo()
        started.store.add_series(SERIES, utc_today())
        for number, words in WORDS.items():
            task = SERIES.task_of(number)
            started.store.add_round(task, utc_today())
            reports = [
                Report(bytes([place]) * 16, task.message_format.encode(word)) for place, word in enumerate(words)
            ]
            started.store.add_reports([Upload(task.id, reports)], utc_today())
        # A round that the collector adds is logged, perhaps while a command's output is read.
        for number in due_rounds(SERIES, SERIES.opens(3)):
            started.store.add_round(SERIES.task_of(number), utc_today())
        yield started


@pytest.fixture
def access(collector: Running) -> str:
    put({"analyst.token": TOKEN.encode(), "series.json": SERIES.to_json().encode()})
    for number, words in WORDS.items():
        tally = Tally(SERIES.task_of(number))
        tally.add_many(tally.task.message_format.to_array(b"".join(map(tally.task.message_format.encode, words))))
        put({f"round{number}.tally": bytes(tally)})
    return f"--url http://127.0.0.1:{collector.port} --token-file analyst.token"


@pytest.mark.parametrize(
    "options", ["", "--json", "--key up --key alien --key up --since 1 --false-discovery-rate .2 --level .9"]
)
def test_a_collector_computes_what_files_give(access: str, options: str) -> None:
    of_files = run_ok(f"{FILES} {options}")
    assert run_ok(f"trend series.json {access} {options}") == of_files
    assert run_ok(f"trend {access} {options} {SERIES.id}") == of_files


@pytest.mark.parametrize("suffix", ["csv", "json", "parquet"])
def test_a_collectors_trend_is_written_as_that_of_files(access: str, suffix: str) -> None:
    run_ok(f"{FILES} --out files.{suffix}")
    run_ok(f"trend series.json {access} --out collected.{suffix} --plot collected.svg")
    assert Path(f"collected.{suffix}").read_bytes() == Path(f"files.{suffix}").read_bytes()
    assert b"<svg" in Path("collected.svg").read_bytes()


def test_what_a_collector_refuses_is_one_line(access: str) -> None:
    assert "key 'jaws' is not a key" in run_refused(f"trend series.json {access} --key jaws")
    assert "round 9 is not before round 3" in run_refused(f"trend series.json {access} --since 9")
    assert "no series has this id" in run_refused(f"trend {43 * 'A'} {access}")


@pytest.mark.parametrize(
    "command",
    ["trend series.json", "trend series.json x.tally --url http://127.0.0.1:9", "trend s x --token-file t"],
)
def test_files_and_a_collector_are_not_mixed(command: str) -> None:
    result = run(command)
    assert (result.exit_code, result.stdout) == (2, "")


def known() -> dict[str, Any]:
    document: dict[str, Any] = trend(SERIES, collect_rounds(SERIES, 2, people=50)).to_dict()
    return document


STRANGE: dict[str, Callable[[dict[str, Any]], object]] = {
    "nothing": lambda _: [],
    "other keys": lambda told: told["keys"].reverse(),
    "fewer rounds": lambda told: told["rounds"].pop(),
    "too few numbers": lambda told: told["keys"][0]["smoothed"].pop(),
    "words": lambda told: told["keys"][0].update(frequency=["x", "y"]),
    "not finite": lambda told: told["keys"][0].update(frequency=[0.5, float("inf")]),
    "no changes": lambda told: told.pop("changes"),
    "changes of others": lambda told: told["changes"]["keys"].pop(),
    "changes of no key": lambda told: told["changes"]["rows"][0].update(key="none"),
}


@pytest.mark.parametrize("kind", STRANGE)
def test_a_strange_answer_is_refused_in_one_line(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    put({"analyst.token": TOKEN.encode(), "series.json": SERIES.to_json().encode()})
    told = known()
    changed = STRANGE[kind](told)
    content = json.dumps([] if changed == [] else told).encode()

    @contextmanager
    def answered(*_: object) -> Iterator[IO[bytes]]:
        yield BytesIO(content)

    monkeypatch.setattr("pckv.cli.remote.RemoteCollector._answer", answered)
    line = run_refused("trend series.json --url https://collect.example --token-file analyst.token")
    assert line == "pckv: https://collect.example: this is not the answer of a collector\n"


def test_another_series_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    put({"analyst.token": TOKEN.encode()})

    @contextmanager
    def answered(*_: object) -> Iterator[IO[bytes]]:
        yield BytesIO(json.dumps(known()).encode())

    monkeypatch.setattr("pckv.cli.remote.RemoteCollector._answer", answered)
    options = "--url https://collect.example --token-file analyst.token"
    assert "another series" in run_refused(f"trend {43 * 'A'} {options}")
    assert read_json(run_ok(f"trend {options} --json {SERIES.id}")) == known()
