"""All schedules of a device in a series: as many rounds in a row as there are panels hold at most one report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pckv.client.ledger
import pckv.client.panel
import pckv.client.reports
import pckv.client.rounds
from pckv.client import RoundReceipt
from pckv.client.ledger import Ledger
from pckv.client.outbox import Outbox, Status, StoredReport
from pckv.client.reports import Reports
from pckv.client.transport import Admission
from support.client_schedules import ACTIONS, Walk, check_window, interleave
from support.client_series import DiskDevice, SeriesDevice, a_series, during
from support.faults import Plant, in_source, replaced

ROUNDS = 8
# Every round may be reported in if there is one panel: there are more states than in all other series together.
ROUNDS_WITH_ONE_PANEL = 4


def walk(
    patch: pytest.MonkeyPatch, panels: int, panel: int, rounds: int, faults: int, *, trusting: bool = False
) -> Walk:
    """Walk through all schedules of a device."""
    device = SeriesDevice(a_series(panels, rounds), rounds, panel, patch)
    device.collector.trusting = trusting
    made = Walk(device, rounds, faults)
    made.run()
    return made


@pytest.mark.parametrize(("panels", "panel"), [(panels, panel) for panels in (2, 3, 4) for panel in range(panels)])
def test_every_window_of_rounds_holds_one_report(
    monkeypatch: pytest.MonkeyPatch, panels: int, panel: int, request: pytest.FixtureRequest
) -> None:
    faults = 2 if request.config.getoption("--all") else 1
    assert walk(monkeypatch, panels, panel, ROUNDS, faults).calls > 900


@pytest.mark.parametrize(("rounds", "faults"), [(ROUNDS, 0), (ROUNDS_WITH_ONE_PANEL, 1)])
def test_with_one_panel_every_round_holds_one_report(monkeypatch: pytest.MonkeyPatch, rounds: int, faults: int) -> None:
    assert walk(monkeypatch, 1, 0, rounds, faults).states > 250


def test_two_faults_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    assert walk(monkeypatch, 2, 1, 4, 2).calls > 2000


@pytest.mark.parametrize("panels", [2, 3])
def test_rounds_only_go_up_even_if_the_collector_takes_any(monkeypatch: pytest.MonkeyPatch, panels: int) -> None:
    assert walk(monkeypatch, panels, 1, 4, 2, trusting=True).calls > 1000


@pytest.mark.parametrize("clocks", [(3, 3), (3, 1), (1, 3)])
@pytest.mark.parametrize("known", [False, True])
def test_two_processes_make_one_report_however_they_interleave(
    monkeypatch: pytest.MonkeyPatch, known: bool, clocks: tuple[int, int]
) -> None:
    """The collector takes any round: clocks that show different rounds are the hardest case."""
    device = SeriesDevice(a_series(2, 4), 4, 1, monkeypatch)
    device.collector.trusting, device.collector.now = True, during(3)
    if known:
        device.report(during(2))
    start, places = device.state(), range(8 if known else 12)
    perturbed = set()
    for pauses in product(places, places):
        device.return_to(start)
        answers = interleave(device, clocks, pauses)
        check_window(device)
        made = sorted(device.rounds_with(".report"))
        perturbed.add(tuple(made))
        assert all(isinstance(answer, RoundReceipt) or answer == "not_due" for answer in answers)
        assert made
        assert sum(isinstance(answer, RoundReceipt) and answer.perturbed for answer in answers) == len(made)
    assert (3,) in perturbed


@settings(max_examples=15)
@given(
    panels=st.integers(1, 4),
    panel=st.integers(0, 3),
    rounds=st.lists(st.lists(st.tuples(st.sampled_from(ACTIONS), st.integers(0, 15)), max_size=4), max_size=10),
)
def test_any_schedule_with_files_on_disk(panels: int, panel: int, rounds: list[list[tuple[str, int]]]) -> None:
    with pytest.MonkeyPatch.context() as patch, TemporaryDirectory() as place:
        device = DiskDevice(a_series(panels, ROUNDS), ROUNDS, panel % panels, patch, Path(place))
        made = Walk(device, ROUNDS, faults=0)
        for now, actions in enumerate(rounds):
            device.collector.now = during(now)
            for action, number in actions:
                made.act(now, action, number)


ROUNDS_FILE, CURRENT = "client/rounds.py", "    current = series.round_on(day)\n"
# Report in the next round if the device was off in its own.
LATE = """    missed = series.next_round(panel.number, last_round + series.panels - 1 if last_round else 0)
    if current is not None and missed is not None and missed < current:
        return current
"""
FREE = """    if current is not None and (not last_round or current >= last_round + series.panels):
        return current
"""
# No round is remembered, neither where it is chosen nor where it is spent.
LAST = "return max((entry.round or 0 for entry in entries if entry.series == series_id), default=0)"
without_window = in_source("client/ledger.py", {LAST: "return 0"})


def made_again_while_it_waits(patch: pytest.MonkeyPatch) -> None:
    find, outcome = Outbox.find, Outbox.outcome

    def found(self: Outbox, task_id: str) -> StoredReport | None:
        waits = outcome(self, task_id).status is Status.WAITING
        return None if waits and self.folder.get(task_id + ".spent") is None else find(self, task_id)

    patch.setattr(Outbox, "find", found)
    patch.setattr(
        Outbox,
        "add",
        lambda self, *args: self.folder.put(args[0] + ".report", args[1].to_json(), replace=True),
    )
    patch.setattr(Ledger, "record", lambda *_: None)


def sent_before_it_is_stored(patch: pytest.MonkeyPatch) -> None:
    make = Reports.make

    def hasty(self: Reports, task: Any, pairs: Mapping[str, float], *others: Any) -> bool:
        self._transport.send(task.id, vars(pckv.client.reports)["perturb"](task, pairs, None), None)
        return make(self, task, pairs, *others)

    patch.setattr(Reports, "make", hasty)


@dataclass(frozen=True)
class ScheduleMutant:
    """A fault of a client, and whether it takes a collector with a wrong clock to see it."""

    fault: str
    plant: Plant
    trusting: bool = False


MUTANTS = (
    ScheduleMutant("a panel drawn anew", in_source("client/panel.py", {"    name = series.id + PANEL_SUFFIX\n": "    return _draw(series.panels)\n"})),
    ScheduleMutant("a report after a missed round", in_source(ROUNDS_FILE, {CURRENT: CURRENT + LATE})),
    ScheduleMutant("panels ignored", in_source(ROUNDS_FILE, {CURRENT: CURRENT + FREE})),
    ScheduleMutant("no window, and the panel is removed", without_window),
    ScheduleMutant("no window, and the clock is set back", without_window, trusting=True),
    ScheduleMutant("made offline", in_source(ROUNDS_FILE, {"if admission.undecided:": "if not admission:"})),
    ScheduleMutant("the collector is not asked", replaced(pckv.client.rounds, "ask_admission", lambda _: lambda *_: Admission())),
    ScheduleMutant("made again while it waits", made_again_while_it_waits),
    ScheduleMutant("sent before it is stored", sent_before_it_is_stored),
    ScheduleMutant("no record", replaced(Ledger, "record", lambda _: lambda *_: None)),
)  # fmt: skip


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.fault)
def test_mutant_is_caught(monkeypatch: pytest.MonkeyPatch, mutant: ScheduleMutant) -> None:
    mutant.plant(monkeypatch)
    with pytest.raises(AssertionError):
        walk(monkeypatch, 2, 1, 5, 2, trusting=mutant.trusting)
