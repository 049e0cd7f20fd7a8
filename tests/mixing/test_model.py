"""Schedules of uploads, closings, clock jumps, failures and restarts, against what a mixer promises.

No schedule serves a batch that is too small, or before its closing day, or a second one, or a set that changes; and what
was acknowledged is in the batch once, or was deleted, with a state that says so.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from pckv.base.days import utc_day
from pckv.base.errors import StoreError
from pckv.collector.workers import ONLY_WORKER
from pckv.mixing.open_store import open_mixer_store
from pckv.mixing.service import MixerService
from pckv.mixing.store import MixerStore
from pckv.mixing.transactions import BatchState
from pckv.store.base import ReportOutcome
from support.faults import Fault, in_place
from support.mixer_checks import TAKEN_AFTERWARDS
from support.mixers import (
    CLOSES,
    DAY,
    SETTINGS,
    Clock,
    accept,
    add,
    batch_bytes,
    entries_of,
    mixed_task,
    opened,
    sealed,
)
from support.stores import store_url, together

BATCH = 3
TAKEN = {ReportOutcome.STORED, ReportOutcome.KNOWN}
NUMBERS = st.lists(st.integers(0, 9), min_size=1, max_size=4)


class Schedule(RuleBasedStateMachine):
    """One task at a mixer, whose processes end without warning, and whose clock jumps for less than an hour."""

    kind = "sqlite"

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.url = store_url(self.kind, Path(self.folder.name))
        self.clock = Clock()
        # True time; the clock of the mixer may differ from it.
        self.truth = Clock()
        self.task = mixed_task(BATCH)
        self.taken: set[int] = set()
        self.served: bytes | None = None
        self.states = [BatchState.COLLECTING]
        self.stores: list[MixerStore] = []
        self.failing: str | None = None
        self.start()
        accept(self.store, self.task)

    def start(self) -> None:
        """Start a process on the same files; the one before did not end in an orderly way."""
        self.store = open_mixer_store(self.url)
        self.store.prepare()
        self.stores.append(self.store)
        write = self.store._write

        def fail(work: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
            failing, self.failing = self.failing, None
            if failing == "before":
                raise StoreError("planned: before the commit")
            result = write(work, *args, **kwargs)
            if failing == "after":
                raise StoreError("planned: after the commit")
            return result

        self.store._write = fail  # type: ignore[method-assign]
        self.service = MixerService(self.store, SETTINGS, ONLY_WORKER, self.clock.now, self.clock.monotonic)

    def tick(self) -> None:
        with suppress(StoreError):
            self.service.maintenance.do_due()

    def teardown(self) -> None:
        self.service.threads.close()
        for store in self.stores:
            store.close()
        self.folder.cleanup()

    @rule(numbers=NUMBERS, failing=st.sampled_from([None, None, "before", "after"]))
    def upload(self, numbers: list[int], failing: str | None) -> None:
        self.failing = failing
        try:
            outcomes = add(self.store, self.task, *numbers, day=utc_day(self.clock.now()))
        except StoreError:
            # Whether it was taken is not known: the device sends the same bytes again, or gives up.
            return
        finally:
            self.failing = None
        taken = {number for number, outcome in zip(numbers, outcomes, strict=True) if outcome in TAKEN}
        assert not taken or self.states == [BatchState.COLLECTING], "bytes were taken after the release"
        self.taken |= taken

    @rule(numbers=st.lists(st.integers(0, 9), min_size=2, max_size=3, unique=True))
    def upload_at_once(self, numbers: list[int]) -> None:
        """Requests and maintenance at the same time."""
        day = utc_day(self.clock.now())

        def work(place: int) -> list[ReportOutcome]:
            if place == len(numbers):
                self.tick()
                return []
            return add(self.store, self.task, numbers[place], day=day)

        for number, outcomes in zip(numbers, together(len(numbers) + 1, work)[:-1], strict=True):
            if outcomes[0] in TAKEN:
                self.taken.add(number)

    @rule(
        hours=st.sampled_from([0.5, 1, 23, 24, 121, 30 * 24]), failing=st.sampled_from([None, None, "before", "after"])
    )
    def pass_time(self, hours: float, failing: str | None) -> None:
        for clock in (self.clock, self.truth):
            clock.pass_time(hours * 3600)
        self.failing = failing
        self.tick()
        self.failing = None
        self.tick()

    @rule(days=st.sampled_from([-400, -5, -1, 1, 5, 400]), seconds=st.integers(0, 3599), restarts=st.booleans())
    def jump_for_a_while(self, days: int, seconds: int, restarts: bool) -> None:
        """The clock jumps, and is set right within the hour."""
        self.clock.jump_days(days)
        if restarts:
            self.restart()
        self.tick()
        for clock in (self.clock, self.truth):
            clock.pass_time(seconds)
        self.tick()
        self.upload([0, 1], None)
        self.clock.jump_days(-days)
        self.tick()

    @rule()
    def restart(self) -> None:
        self.service.threads.close()
        self.start()

    @precondition(lambda self: self.served is not None)
    @rule(right=st.booleans())
    def acknowledge(self, right: bool) -> None:
        batch = self.store.find_batch(self.task.id)
        assert batch is not None
        assert batch.sha256 is not None
        self.store.acknowledge(self.task.id, batch.sha256 if right else "0" * 64)

    @invariant()
    def promises_are_kept(self) -> None:
        batch = self.store.find_batch(self.task.id)
        assert batch is not None
        content = batch_bytes(self.store, self.task)
        if batch.state is not self.states[-1]:
            self.states.append(batch.state)
        assert self.states[1:] in ([], ["released"], ["too few"], ["released", "done"], ["done"]), self.states
        assert bool(content) == (batch.state is BatchState.RELEASED)
        if batch.state is not BatchState.COLLECTING:
            assert utc_day(self.truth.now()) >= CLOSES, "before the closing day"
        if content:
            self._check_served(content)

    def _check_served(self, content: bytes) -> None:
        entries = entries_of(self.task, content)
        assert len(entries) == len(set(entries)) >= BATCH, "too small"
        if self.served is None:
            self.served = content
        assert content == self.served, "a set that changes"
        # Bytes whose answer was lost may be in it as well.
        assert {sealed(self.task, number) for number in self.taken} <= set(entries)
        assert set(entries) <= {sealed(self.task, number) for number in range(10)}


class PostgresSchedule(Schedule):
    """The same in PostgreSQL."""

    kind = "postgres"


def run(machine: type[Schedule], examples: int) -> None:
    # A schedule that fails is shown as it is: shrinking it takes minutes.
    chosen = settings(max_examples=examples, stateful_step_count=25, phases=[Phase.generate])
    run_state_machine_as_test(machine, settings=chosen)


def test_schedules_keep_the_promises() -> None:
    run(Schedule, 3)


@pytest.mark.verify
@pytest.mark.parametrize(("machine", "examples"), [(Schedule, 30), (PostgresSchedule, 10)])
def test_many_schedules_keep_the_promises(machine: type[Schedule], examples: int) -> None:
    run(machine, examples)


TRANSACTIONS = "mixing/transactions.py"
FAULTS = (
    in_place(
        "a clock that jumped is believed",
        "mixing/upkeep.py",
        {"        if is_steady:": "        if True:"},
        lambda: run(Schedule, 40),
    ),
    in_place(
        "bytes are taken after the release",
        TRANSACTIONS,
        TAKEN_AFTERWARDS,
        lambda: run(Schedule, 40),
    ),
)


@pytest.mark.verify
@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_a_fault_is_caught_by_some_schedule(fault: Fault, tmp_path: Path) -> None:
    fault.check_caught(tmp_path, raises=(AssertionError, StoreError))


KILLED = """
import sys
from pckv.mixing.open_store import open_mixer_store
store = open_mixer_store(sys.argv[1])
store.prepare()
print("ready", flush=True)
print(store.release(sys.argv[2], sys.argv[3]), flush=True)
"""


@pytest.mark.verify
@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_a_release_that_is_killed_changes_no_set(kind: str, tmp_path: Path) -> None:
    """Processes are killed at moments that spread over a release; the last one is left alone."""
    url = store_url(kind, tmp_path)
    task = mixed_task(1000)
    with opened(url) as store:
        accept(store, task)
        add(store, task, *range(3000))
    command = [sys.executable, "-c", KILLED, url, task.id, CLOSES]
    for delay in (0.0, 0.01, 0.03, 0.08):
        with subprocess.Popen(command, stdout=subprocess.PIPE, env=os.environ) as process:
            assert process.stdout is not None
            process.stdout.readline()
            time.sleep(delay)
            process.send_signal(signal.SIGKILL)
        with opened(url) as store:
            batch = store.find_batch(task.id)
            assert batch is not None
            content = batch_bytes(store, task)
            assert len(entries_of(task, content)) == (3000 if batch.state is BatchState.RELEASED else 0)
    with opened(url) as store:
        store.release(task.id, CLOSES)
        first = batch_bytes(store, task)
        assert sorted(entries_of(task, first)) == sorted(sealed(task, number) for number in range(3000))
        assert add(store, task, 5000, day=DAY) == [ReportOutcome.TASK_CLOSED]
