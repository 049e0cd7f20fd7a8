"""A collector's fetching of batches without its service: a store, a folder of keys, a clock, and checks of the outcome."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from pckv import Task
from pckv.base.errors import AuditFailure
from pckv.collector.recipient import batches
from pckv.collector.recipient.batches import BatchFetcher
from pckv.collector.recipient.keys import MixerKeys
from pckv.collector.recipient.mixer_client import MixerClient
from pckv.sealing.recipient_key import RecipientKey
from pckv.store.base import FetchedBatch, FetchState
from pckv.store.store import Store
from support.fake_mixer import (
    AFTER,
    OPENS,
    FakeMixer,
    garbage,
    mixed_task,
    opened_reports,
    put_key,
    running_mixer,
    sealed_reports,
)
from support.stores import opened, store_url, stored_reports, tally, total


class Killed(BaseException):
    """The process ends here."""


@dataclass
class Recipient:
    """A collector that fetches: what it has, and what a test changes."""

    store: Store
    mixer: FakeMixer
    folder: Path
    key: RecipientKey
    day: str = AFTER
    seconds: int = 1_900_000_000
    entries: dict[str, list[bytes]] = field(default_factory=dict)

    def fetch(self, passed: int = batches.MAX_PAUSE_SECONDS) -> None:
        """Let time pass and do what is due, as a process that has just started."""
        self.seconds += passed
        BatchFetcher(self.store, MixerKeys(str(self.folder)), lambda: self.day, lambda: self.seconds).fetch_due()

    def batch(self, task: Task) -> FetchedBatch:
        found = self.store.find_batch(task.id)
        assert found is not None
        return found

    @property
    def left(self) -> list[str]:
        """The names of the files of keys, tokens and batches."""
        return sorted(path.name for path in self.folder.iterdir())

    def add(self, unreadable: int = 0, **members: Any) -> Task:
        """Add a task whose mixer has released a batch, some entries of which do not open."""
        task = mixed_task(self.mixer, self.key, **members)
        self.mixer.accept(task)
        self.store.add_task(task, OPENS)
        sealed = sealed_reports(task, self.key)
        self.entries[task.id] = sealed
        self.mixer.release(task, [*(garbage(task, number) for number in range(unreadable)), *sealed])
        return task

    def check(self, task: Task, unreadable: int = 0) -> None:
        """Raise an `AuditFailure` unless every report is counted once, and nothing that opens them is left."""
        expected = opened_reports(task, self.key, self.entries[task.id])
        require(sorted(stored_reports(self.store, task)) == expected, "the stored reports are others")
        require(bytes(total(self.store, task)) == bytes(tally(expected, task)), "reports are not counted once")
        batch = self.batch(task)
        require((batch.opened, batch.unreadable) == (len(expected), unreadable), f"told as {batch}")
        require(batch.state is FetchState.DONE and batch.reason is None, f"ended as {batch}")
        require(set(self.mixer.acknowledged) == {task.id}, "the mixer was not told")
        require(not self.left, f"left behind: {self.left}")

    def check_refused(self, task: Task, reason: str) -> None:
        """Raise an `AuditFailure` unless the batch was refused with a line, and nothing of it is stored or lost."""
        self.fetch()
        batch = self.batch(task)
        require(batch.state is FetchState.WAITING, f"taken as {batch}")
        require(reason in (batch.reason or ""), f"refused as {batch.reason}")
        require("\n" not in (batch.reason or ""), "more than one line")
        require(not stored_reports(self.store, task), "reports of a refused batch are stored")
        require(self.mixer.acknowledged == [], "a refused batch was acknowledged")
        require(any(name.endswith(".key") for name in self.left), "the key is gone")


def require(holds: bool, what: str) -> None:
    if not holds:
        raise AuditFailure(what)


@contextmanager
def recipient(kind: str = "memory") -> Iterator[Recipient]:
    """Return a collector over an empty store, its mixer, and a key of its own."""
    with TemporaryDirectory() as folder, running_mixer() as mixer:
        keys = Path(folder) / "keys"
        keys.mkdir(0o700)
        key = RecipientKey.generate()
        put_key(keys, key)
        with opened(store_url(kind, Path(folder))) as store:
            yield Recipient(store, mixer, keys, key)


# Where a process may end: before and after each of these.
STEPS = (
    (MixerClient, ("batch", "page", "acknowledge")),
    (MixerKeys, ("delete_batch", "_delete")),
    (batches, ("_write", "sync")),
)
STORE_STEPS = ("claim_batch", "record_batch", "add_opened_reports")


def kill_at(patch: pytest.MonkeyPatch, store: Store, moment: int) -> list[str]:
    """End the process at the moment with this number; return the names of those that passed."""
    passed: list[str] = []

    def note(name: str) -> None:
        passed.append(name)
        if len(passed) > moment:
            raise Killed

    def stepped(name: str, work: Callable[..., Any]) -> Callable[..., Any]:
        def step(*arguments: Any, **named: Any) -> Any:
            note(f"before {name}")
            result = work(*arguments, **named)
            note(f"after {name}")
            return result

        return step

    def torn(handle: int, content: bytes) -> None:
        note("before a page is written")
        os.write(handle, content[: len(content) // 2])
        note("a page is half written")
        os.write(handle, content[len(content) // 2 :])
        note("after a page is written")

    for owner, names in (*STEPS, (type(store), STORE_STEPS)):
        for name in names:
            patch.setattr(owner, name, stepped(name, getattr(owner, name)))
    patch.setattr(batches, "_write", torn)
    return passed


def check_any_end(kind: str, *, stride: int = 1) -> set[str]:
    """Check that a process may end at any moment, and that the next one goes on; return where it ended."""
    ends: set[str] = set()
    for moment in range(0, 10_000, stride):
        with recipient(kind) as collector, pytest.MonkeyPatch.context() as patch:
            patch.setattr(batches, "ENTRIES_AT_ONCE", 4)
            task = collector.add(unreadable=2)
            with pytest.MonkeyPatch.context() as killing:
                passed = kill_at(killing, collector.store, moment)
                try:
                    collector.fetch()
                except Killed:
                    ends.add(passed[-1])
                else:
                    collector.check(task, unreadable=2)
                    return ends
            collector.fetch(0)
            for _ in range(2):
                collector.fetch(batches.CLAIM_SECONDS)
                require(collector.batch(task).reason is None, f"failed after an end: {collector.batch(task)}")
            collector.check(task, unreadable=2)
    raise AuditFailure("it never ends by itself")
