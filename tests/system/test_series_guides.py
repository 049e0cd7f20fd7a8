"""The guides to series: commands and code run as they stand, in an empty folder, in the weeks that they name."""

from __future__ import annotations

import datetime as dt
import re
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import pytest

import pckv.client
from pckv.client import Client, RoundReceipt, RoundStatus
from pckv.collector.http.auth import token_hash
from pckv.contract.series import Series
from pckv.store.base import Role
from support.cli import run
from support.collectors import Running, running
from support.parts import ROOT

BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
ADDRESS, TOKEN = "http://127.0.0.1:8000", "a-token-of-an-administrator"
ROUNDS = 8


def blocks(page: str, language: str) -> list[str]:
    """Return the blocks of a guide in one language, none for commands."""
    text = (ROOT / "docs" / "how-to" / f"{page}.md").read_text(encoding="utf-8")
    return [block.replace("\\\n", " ") for found, block in BLOCK.findall(text) if found == language]


def commands(page: str) -> list[str]:
    lines = [line for block in blocks(page, "") for line in block.splitlines()]
    return [line for line in lines if line.startswith(("pckv ", "grep "))]


def printed_by(command: str) -> str:
    """Run a command; the collector logs to the same stream of errors."""
    result = run(command.removeprefix("pckv "))
    assert result.exit_code == 0, result.output
    return result.stdout


@dataclass
class Week:
    """The time of the collector and of the device: the last hours of a round."""

    time: dt.datetime = field(default_factory=lambda: dt.datetime(2031, 1, 6, tzinfo=dt.UTC))

    def end_round(self, series: Series, number: int) -> None:
        closes = dt.datetime.fromisoformat(series.closes(number)).replace(tzinfo=dt.UTC)
        self.time = closes - dt.timedelta(hours=3)


@pytest.fixture
def week(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Week:
    monkeypatch.chdir(tmp_path)
    return Week()


@pytest.fixture
def collector(week: Week) -> Iterator[Running]:
    with running(clock=lambda: str(week.time.date())) as started:
        started.store.set_token(Role.ADMINISTRATOR, token_hash(TOKEN))
        Path("admin.token").write_text(TOKEN, encoding="utf-8")
        yield started


def reporter(series: Series, week: Week, url: str, patch: pytest.MonkeyPatch) -> Callable[[], RoundReceipt]:
    """Return what starts the app of the guide once."""
    (code,) = blocks("repeat", "python")
    patch.setattr(pckv.client, "Client", partial(Client, clock=lambda: week.time))

    def start() -> RoundReceipt:
        names = {"series_id": series.id}
        exec(compile(code.replace(ADDRESS, url), "repeat.md", "exec"), names)  # noqa: S102
        receipt = names["receipt"]
        assert isinstance(receipt, RoundReceipt)
        return receipt

    return start


def test_a_collection_is_repeated(week: Week, collector: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    """One device, started twice in each of eight weeks, reports twice, four weeks apart."""
    url = f"http://127.0.0.1:{collector.port}"
    lines = [line.replace(ADDRESS, url) for line in commands("repeat")]
    ends = next(number for number, line in enumerate(lines) if line.startswith(("pckv trend ", "pckv series close ")))
    push = next(line for line in lines if line.startswith("pckv series push "))
    printed_by("sample")
    printed = "".join(map(printed_by, lines[:ends]))
    assert all(block in printed for block in blocks("repeat", "text"))
    series = Series.from_json(Path("series.json").read_text(encoding="utf-8"))
    start = reporter(series, week, url, monkeypatch)
    sent: list[int] = []
    for number in range(1, ROUNDS + 1):
        week.end_round(series, number)
        # The collector's maintenance does this every minute.
        assert printed_by(push).startswith(series.id)
        receipts = [start(), start()]
        assert receipts[0].status in {RoundStatus.SENT, RoundStatus.NOT_DUE}
        assert receipts[0].status is receipts[1].status
        if receipts[0].status is RoundStatus.SENT:
            sent.append(number)
    first, second = sent
    assert second == first + series.panels
    assert len(printed_by("ledger --state state-folder").splitlines()) == 4
    for line in lines[ends:]:
        printed_by(line)
    for number in range(ROUNDS + 1, ROUNDS + 1 + series.panels):
        week.end_round(series, number)
        assert start().status in {RoundStatus.NOT_DUE, RoundStatus.REFUSED}


def test_a_trend_is_read(week: Week) -> None:
    """What disappears in the last round comes first, and is flagged: by 31 points, with an error below 2."""
    assert week.time
    printed = {}
    for line in commands("read-trends"):
        if line.startswith("grep "):
            subprocess.run(["/bin/sh", "-c", line], check=True)
        else:
            printed[line] = printed_by(line)
    table = next(text for line, text in printed.items() if line.startswith("pckv trend")).splitlines()
    assert table[2].startswith("movie 001 ")
    assert " 2 and 3 " in table[2]
    assert {"trend.svg", "trend.csv"} <= {path.name for path in Path().iterdir()}
