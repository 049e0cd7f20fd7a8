"""Where the randomness of clients and of shuffles comes from: checks as in `sources`."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import StringIO
from itertools import count, product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
import pyarrow.parquet as pq
import pytest
from numpy.typing import NDArray

from audit.sources import read_table, run_command
from pckv import Report, Series
from pckv.base.arrays import Integers
from pckv.base.canonical import base64url, from_base64url
from pckv.base.errors import AuditFailure
from pckv.base.limits import REPORT_ID_BYTES, SERVER_COIN
from pckv.base.randomness import DRAW_BYTES, Tape
from pckv.cli import participants
from pckv.client import Client
from pckv.device.perturb import Held, perturb_from
from pckv.files import spill
from pckv.files.reports.writer import write_reports
from pckv.mechanisms.registry import LAWS
from support.client_collector import FakeCollector, ReceivedRequest, Reply
from support.client_series import URL, DirectTransport
from support.mixed_checks import opened
from support.mixers import CLOSES, accept, add, batch_bytes, entries_of, mixed_task, new_store, sealed
from support.recorded import RecordedBytes, Recorder, first_turn, recording
from support.task_kinds import KEYS, TaskKind, task_kinds
from support.tasks import a_mixed_task, a_task

FIRST = dt.datetime(2030, 1, 7, tzinfo=dt.UTC)
PERIOD, PANELS = 7, (1, 2, 3, 4, 5, 7, 8, 100, 1000)
# Temporary files have random names, which nothing shows.
NAMES = "base.durable"
REPORTS, WORD_BYTES = 500, 8
# Groups of which most are too large, and divided.
FEW_BYTES = 32


class AnyCollector(FakeCollector):
    """A collector that knows some tasks and series, and takes every report."""

    def __init__(self, *tasks: Any, coin: bytes | None = None) -> None:
        super().__init__(*(each for each in tasks if not isinstance(each, Series)))
        self.series = {each.id: each.to_json().encode() for each in tasks if isinstance(each, Series)}
        if coin is not None:
            self.admissions.append(Reply(200, json.dumps({"coin": base64url(coin)}).encode()))

    def answer(self, request: ReceivedRequest) -> Reply:
        """Return a series, or else what any collector answers."""
        known = self.series.get(request.path.partition("/series/")[2])
        return super().answer(request) if known is None else Reply(200, known)

    def the_report(self) -> Report:
        """Return the only report that was sent."""
        [[(report_id, body)]] = [taken.items() for taken in self.reports.values()]
        return Report(from_base64url(report_id), from_base64url(body))


@contextmanager
def _answered_by(collector: AnyCollector) -> Iterator[None]:
    """Let clients talk to a collector without a network."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pckv.client.client.Transport", lambda *_: DirectTransport(collector, lambda _: None))
        yield


_folders = count()


def _check_report(report: Report, recorder: Recorder, kind: TaskKind, held: Held, coin: bytes | None) -> None:
    recorder.leave_out(NAMES)
    given = recorder.take("device.perturb")
    if report != perturb_from(Tape(kind.task.draws, given), kind.task, held, coin):
        raise AuditFailure(f"sources: what a client sends to {kind} is not made of the system's bytes")
    given.check_used()


def check_submit(folder: Path) -> list[Report]:
    """What a client sends is `perturb_from` on the bytes of the system, for every kind of task."""
    return _submitted(folder, 2, lambda state, task, held, more: _client(state).submit(task, held, **more))


def check_submit_sealed(folder: Path) -> list[Report]:
    """The body that a client seals for a mixer is the same, and sealing takes none of these bytes."""
    seen = []
    kinds = [kind for kind in task_kinds() if kind.task.coin != SERVER_COIN and kind.task.series is None]
    with recording(9) as recorder:
        for kind in kinds:
            mixed = kind._replace(task=a_mixed_task(kind.task, "http://localhost:1", closes="2999-01-01"))
            collector, held = AnyCollector(mixed.task), kind.people[-1]
            with _answered_by(collector):
                _client(_new_state(folder)).submit(mixed.task.id, held)
            [[entry]] = collector.entries.values()
            recorder.leave_out(NAMES)
            given = recorder.take("device.perturb")
            made = perturb_from(Tape(mixed.task.draws, given), mixed.task, held)
            if opened(mixed.task, entry) != made.body:
                raise AuditFailure(f"sources: what a client seals for {kind} is not made of the system's bytes")
            given.check_used()
            seen.append(made)
    return seen


def check_submit_command(folder: Path) -> list[Report]:
    """The same of `pckv submit`."""
    file = folder / "pairs.json"

    def submit(state: Path, task: str, held: Held, more: dict[str, str]) -> None:
        file.write_text(json.dumps(held if isinstance(held, dict) else list(held)), encoding="utf-8")
        options = [word for name, value in more.items() for word in (f"--{name}", value)]
        run_command("submit", file, "--url", URL, "--task", task, "--state", state, *options)

    return _submitted(folder, 1, submit)


def check_demo(folder: Path) -> list[Report]:
    """The participants of the demo, alone and in batches, send reports that are made of the system's bytes alone."""
    kind, batches = task_kinds()[0], list[Report]()
    lines = [json.dumps(held) for held in kind.people]
    with recording(8) as recorder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(participants, "_send_batch", lambda *given: batches.extend(given[-1]))
        collector = AnyCollector(kind.task)
        with _answered_by(collector):
            participants._take_part(URL, kind.task.id, _new_state(folder), 1, lines, StringIO())
        made = [collector.the_report(), *batches]
        recorder.leave_out(NAMES)
        given = recorder.take("device.perturb")
    if made != [perturb_from(Tape(kind.task.draws, given), kind.task, held) for held in kind.people]:
        raise AuditFailure("sources: the demo's reports are not made of the system's bytes")
    given.check_used()
    return made


Submit = Callable[[Path, str, Held, dict[str, str]], object]


def _submitted(folder: Path, devices: int, submit: Submit) -> list[Report]:
    """Let devices with the same pairs send their report to a task of every kind but a round."""
    seen = []
    with recording(5) as recorder:
        for kind in (each for each in task_kinds() if each.task.series is None):
            for number, held in enumerate(kind.people[-1:] * devices):
                coin = kind.coin(number)
                collector = AnyCollector(kind.task, coin=coin)
                with _answered_by(collector):
                    submit(_new_state(folder), kind.task.id, held, {} if coin is None else {"invitation": "x"})
                seen.append(collector.the_report())
                _check_report(seen[-1], recorder, kind, held, coin)
    return seen


def _new_state(folder: Path) -> Path:
    return folder / f"state {next(_folders)}"


def _client(state: Path, now: dt.datetime = FIRST) -> Client:
    return Client(URL, state, clock=lambda: now)


class SeenRound(NamedTuple):
    """What the outside sees of a device in a series."""

    due: str
    report: Report


def check_rounds(folder: Path) -> list[SeenRound]:
    """The panel of a device, its secret, the time of its report and the report are made of the system's bytes alone."""
    seen = []
    with recording(6) as recorder:
        tasks = [kind.task for kind in task_kinds() if kind.name in LAWS]
        for panels, task in product(PANELS, tasks[::2]):
            series = Series(task=task, first=str(FIRST.date()), period=PERIOD, panels=panels)
            collector, state, held = AnyCollector(series), _new_state(folder), {KEYS[0]: 0.3}
            with _answered_by(collector):
                waiting = _client(state, FIRST - dt.timedelta(days=1)).report(series.id, held, spread=1.0)
                recorder.leave_out(NAMES)
                given = recorder.take("client.panel")
                number, due = first_turn(series, given)
                given.check_used()
                if (waiting.round, waiting.due) != (number, due):
                    raise AuditFailure(f"sources: a turn of {panels} panels is not drawn from the system's bytes")
                _client(state, due).report(series.id, held, spread=1.0)
            kind = TaskKind(f"{panels} panels", series.task_of(number), ())
            _check_report(collector.the_report(), recorder, kind, held, None)
            seen.append(SeenRound(str(due), collector.the_report()))
    return seen


def check_shuffle_command(folder: Path) -> list[Report]:
    """Order and ids of shuffled reports are made of the system's bytes alone, where groups are large, too."""
    task = a_task(keys=REPORTS, mechanism="grr", padding=1, size_share=0)
    source, out = folder / "reports.parquet", folder / "shuffled.parquet"
    ids = np.frombuffer(np.random.default_rng(1).bytes(REPORT_ID_BYTES * REPORTS), np.uint8)
    write_reports(source, task, [(ids.reshape(REPORTS, -1), np.arange(REPORTS))])
    seen = []
    for group_bytes in (spill.MAX_GROUP_BYTES, FEW_BYTES):
        with recording(7) as recorder, pytest.MonkeyPatch.context() as patch:
            patch.setattr(spill, "MAX_GROUP_BYTES", group_bytes)
            run_command("shuffle", source, "--out", out, "--force")
            recorder.leave_out(NAMES)
            given = recorder.take("counting.deduplicator", "shuffling.permutation", "shuffling.shuffle")
        order = _expected_order(ids.view(np.uint64).reshape(REPORTS, -1), group_bytes, given)
        expected = [Report(given(REPORT_ID_BYTES), task.message_format.encode(word)) for word in order]
        given.check_used()
        seen += read_table(task, pq.read_table(out))
        if seen[-REPORTS:] != expected:
            raise AuditFailure(
                "sources: shuffled reports are not in the order, or under the ids, of the system's bytes"
            )
    return seen


def check_mixer(folder: Path) -> list[bytes]:
    """The order of a batch is made of the system's bytes alone: all are drawn at once, for entries by their digests."""
    task = mixed_task(REPORTS, name="mixed", keys=REPORTS, padding=1, size_share=0)
    entries = [sealed(task, number) for number in range(REPORTS)]
    with TemporaryDirectory(dir=folder) as place, recording(10) as recorder, new_store("sqlite", Path(place)) as store:
        accept(store, task)
        add(store, task, *range(REPORTS))
        store.release(task.id, CLOSES)
        # A store waits for random moments.
        recorder.leave_out(NAMES, "store.sqlite")
        given = recorder.take("shuffling.permutation")
        released = entries_of(task, batch_bytes(store, task))
    keys = np.frombuffer(given(DRAW_BYTES * REPORTS), "<u8")
    given.check_used()
    by_digest = sorted(entries, key=lambda entry: hashlib.sha256(entry).digest())
    if released != [by_digest[place] for place in np.argsort(keys)]:
        raise AuditFailure("sources: a batch is not in the order of the system's bytes")
    return released


def _expected_order(ids: NDArray[np.uint64], group_bytes: int, given: RecordedBytes) -> list[int]:
    """Return the numbers of reports in their new order: of copies removed by groups of ids, then of random groups."""
    factors = np.array([int.from_bytes(given(DRAW_BYTES), "big") | 1 for _ in range(2)], np.uint64)
    hashes = (ids * factors).sum(axis=1, dtype=np.uint64)
    arrived = _grouped(
        np.arange(len(ids)),
        lambda rows, level: hashes[rows] >> np.uint64(56 - 8 * level) & np.uint64(255),
        max(2, group_bytes // (REPORT_ID_BYTES + WORD_BYTES)),
    )
    groups = _grouped(
        np.concatenate([*arrived]),
        lambda rows, _: np.frombuffer(given(len(rows)), np.uint8),
        max(2, group_bytes // WORD_BYTES),
    )
    parts = (part[np.argsort(np.frombuffer(given(DRAW_BYTES * len(part)), "<u8"))] for part in groups)
    return [row for part in parts for row in part.tolist()]


GroupsOf = Callable[[Integers, int], NDArray[Any]]


def _grouped(rows: Integers, groups_of: GroupsOf, most: int, level: int = 0) -> Iterator[Integers]:
    """Yield rows by group; groups with more rows than `most` are divided again."""
    groups = groups_of(rows, level)
    for part in (rows[groups == group] for group in range(spill.SPILL_GROUPS)):
        if len(part) > most and level + 1 < spill.MAX_LEVELS:
            yield from _grouped(part, groups_of, most, level + 1)
        elif len(part):
            yield part
