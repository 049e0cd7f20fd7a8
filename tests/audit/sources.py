"""Where randomness comes from: every entry point that makes reports takes all bytes from the system, and each once.

Each check runs an entry point while the system's randomness is recorded, computes the same again from the recorded bytes
by the simplest code there is, and returns all that it saw: it must be the same in any process, at any time.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Sequence
from io import StringIO
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from audit.replay import SPARE_DRAWS, CountingTape
from pckv import Report, Task, perturb, perturb_frame
from pckv.base.arrays import Bytes, Integers
from pckv.base.errors import AuditFailure
from pckv.base.limits import DISCOVERY, REPORT_ID_BYTES, SERVER_COIN
from pckv.base.population import Population
from pckv.base.randomness import DRAW_BYTES, Tape
from pckv.cli import main
from pckv.device import vectorised
from pckv.device.perturb import Held, perturb_from
from pckv.device.vectorised import Draws, ReportBatch, VectorisedTape
from pckv.files.pairs.rows import Columns
from pckv.files.pairs.sources import TablePairs
from pckv.files.pairs.texts import HeldTexts
from pckv.files.reports.columns import message_column
from support.recorded import RecordedBytes, recording
from support.task_kinds import TaskKind, task_kinds

# All of what people hold is there this often: equal pairs, one after another, must not get equal noise.
REPEATS = 3
# So that people come in several batches.
DRAWS_PER_BATCH = 40
# Draws are changed one by one, in at most this many reports of what each person holds, unless there are very many.
CHANGES, MANY_DRAWS = 300, 50


def check_perturb(_: Path) -> list[Report]:
    """`perturb` is `perturb_from` on the bytes of the system, for every kind of task, whatever was made before."""
    seen = []
    with recording(1) as recorder:
        for kind in task_kinds():
            for number, held in enumerate(kind.people * REPEATS):
                coin = kind.coin(number)
                report = perturb(kind.task, held, coin)
                given = recorder.take("device.perturb")
                if report != perturb_from(Tape(kind.task.draws, given), kind.task, held, coin):
                    raise AuditFailure(f"sources: a report of {kind} is not made of the system's bytes")
                given.check_used()
                seen.append(report)
    return seen


class LoggedTape(VectorisedTape):
    """Serves participants from recorded bytes in order, and logs whose bytes are whose."""

    def __init__(self, source: RecordedBytes, people: int) -> None:
        super().__init__(source)
        self.own: list[list[bytes]] = [[] for _ in range(people)]

    def report_ids(self, participants: Integers) -> Bytes:
        """Return ids: the next bytes, each participant's own."""
        return np.frombuffer(self._serve(participants, REPORT_ID_BYTES), np.uint8).reshape(-1, REPORT_ID_BYTES)

    def draw(self, participants: Integers, each: int = 1) -> Draws:
        """Return draws: the next bytes, each participant's own."""
        return np.frombuffer(self._serve(participants, DRAW_BYTES * each), "<u8")

    def _serve(self, participants: Integers, size: int) -> bytes:
        data = self.source(size * participants.size)
        for place, person in enumerate(participants.tolist()):
            self.own[person].append(data[size * place : size * (place + 1)])
        return data


def _check_batch(task: Task, made: Sequence[Report], given: RecordedBytes, people: Sequence[Held]) -> None:
    """Check that each report of a batch is `perturb_from` on bytes that are its own alone."""
    if task.kind == DISCOVERY:
        texts = list(dict.fromkeys(text for held in people for text in held))
        population = _population(people, texts.index)
        tape = LoggedTape(given, len(people))
        batches = vectorised.perturb_texts_from(tape, task, texts, population)
    else:
        tape, population = LoggedTape(given, len(people)), _population(people, task.held_index)
        batches = vectorised.perturb_many_from(tape, task, population)
    if [*_reports(task, batches)] != [*made]:
        raise AuditFailure("sources: a batch is not made of the system's bytes, each used once")
    given.check_used()
    for report, held, own in zip(made, people, tape.own, strict=True):
        source = RecordedBytes(b"".join(own))
        if report != perturb_from(Tape(sum(map(len, own[1:])) // DRAW_BYTES, source), task, held):
            raise AuditFailure("sources: a report of a batch is not made of bytes of its own")


def _population(people: Sequence[Held], number_of: Callable[[str], int | None]) -> Population:
    """Return people with the numbers of their keys or texts."""
    keys = [number_of(key) for held in people for key in held]
    values = [value for held in people for value in (held.values() if isinstance(held, dict) else [1.0] * len(held))]
    return Population(np.cumsum([0, *map(len, people)]), np.array(keys, np.int32), np.array(values, float))


def _reports(task: Task, batches: Iterable[ReportBatch]) -> Iterator[Report]:
    for ids, messages in batches:
        for report_id, message in zip(ids, messages.tolist(), strict=True):
            number = message if isinstance(message, int) else int.from_bytes(bytes(message), "little")
            yield Report(report_id.tobytes(), task.message_format.encode(number))


def _kinds_of_files() -> Iterator[TaskKind]:
    return (kind for kind in task_kinds() if kind.task.coin != SERVER_COIN)


def check_batches(_: Path) -> list[Report]:
    """`perturb_many` and `perturb_texts` give each participant the report of bytes that are theirs alone."""
    seen = []
    with recording(2) as recorder, pytest.MonkeyPatch.context() as patch:
        for made_from in (vectorised.perturb_many_from, vectorised.perturb_texts_from):
            patch.setattr(made_from, "__defaults__", (DRAWS_PER_BATCH,))
        for kind in _kinds_of_files():
            task, people = kind.task, kind.people * REPEATS
            if task.kind == DISCOVERY:
                texts = list(dict.fromkeys(text for held in people for text in held))
                batches = vectorised.perturb_texts(task, texts, _population(people, texts.index))
            else:
                batches = vectorised.perturb_many(task, _population(people, task.held_index))
            made = [*_reports(task, batches)]
            _check_batch(task, made, recorder.take("device.vectorised"), people)
            seen += made
    return seen


PairRow = tuple[str, str | None, float | None]


def _rows(people: Sequence[Held]) -> list[PairRow]:
    """Return one row per pair or text, and one per participant without any."""
    rows: list[PairRow] = []
    for number, held in enumerate(people):
        pairs = held if isinstance(held, dict) else dict.fromkeys(held)
        rows += [(f"user {number}", *pair) for pair in pairs.items() or [(None, None)]]
    return rows


def _in_order(task: Task, people: Sequence[Held], table: pa.Table) -> Sequence[Held]:
    """Return people as they are read: each with keys by number, those of a discovery in the order of their users' hashes."""
    if task.kind != DISCOVERY:
        return [
            dict(sorted(held.items(), key=lambda pair: task.held_index(pair[0]) or 0))
            for held in people
            if isinstance(held, dict)
        ]
    held = HeldTexts(TablePairs(table, Columns("user", "key", "")), task.tree)
    [population] = held.populations()
    return [[held.texts[number] for number in population.pairs(person)] for person in range(len(population))]


def _table(people: Sequence[Held]) -> pa.Table:
    return pa.table(dict(zip(("user", "key", "value"), map(list, zip(*_rows(people), strict=True)), strict=True)))


def read_table(task: Task, table: pa.Table) -> list[Report]:
    """Return the reports of a table, in order."""
    column = message_column(task)
    messages = column.to_messages(table.column(column.name).combine_chunks())
    ids = np.frombuffer(b"".join(table.column("report_id").to_pylist()), np.uint8).reshape(-1, REPORT_ID_BYTES)
    return [*_reports(task, [ReportBatch(ids, messages)])]


def check_frames(_: Path) -> list[Report]:
    """The reports of a table are those of a batch."""
    seen = []
    with recording(3) as recorder:
        for kind in _kinds_of_files():
            task, people = kind.task, kind.people * REPEATS
            table, value = _table(people), None if kind.task.kind == DISCOVERY else "value"
            made = read_table(task, perturb_frame(task, table, user="user", key="key", value=value))
            _check_batch(task, made, recorder.take("device.vectorised"), _in_order(task, people, table))
            seen += made
    return seen


def run_command(*words: str | Path) -> str:
    """Run a command of `pckv`, which must succeed."""
    done = CliRunner().invoke(main, [*map(str, words)], catch_exceptions=False)
    if done.exit_code:
        raise AuditFailure(f"sources: {words} ended with {done.exit_code}: {done.output}")
    return done.stdout


def check_perturb_command(folder: Path) -> list[Report]:
    """The reports of `pckv perturb` are those of a batch."""
    seen = []
    contract, data, out = folder / "task.json", folder / "pairs.csv", folder / "reports.parquet"
    with recording(4) as recorder:
        for kind in _kinds_of_files():
            task, people = kind.task, kind.people * REPEATS
            text = StringIO(newline="")
            csv.writer(text).writerows([("user", "key", "value"), *_rows(people)])
            contract.write_text(task.to_json(), encoding="utf-8")
            data.write_text(text.getvalue(), encoding="utf-8")
            value = [] if task.kind == DISCOVERY else ["--value", "value"]
            options: list[str | Path] = [
                "--task",
                contract,
                "--user",
                "user",
                "--key",
                "key",
                *value,
                "--out",
                out,
                "--force",
            ]
            run_command("perturb", data, *options)
            recorder.leave_out("base.durable")
            made = read_table(task, pq.read_table(out))
            _check_batch(task, made, recorder.take("device.vectorised"), _in_order(task, people, _table(people)))
            seen += made
    return seen


def check_every_draw(_: Path) -> None:
    """A report takes as many draws as its task states, and each can change it: nothing else stands in for one."""
    rng = np.random.default_rng(1)
    for kind in (each for each in task_kinds() if each.task.draws < MANY_DRAWS):
        # A coin names the function, and which question is answered.
        by_coin = (1 + (kind.task.size_question is not None)) * (kind.task.coin == SERVER_COIN)
        stated = set(range(kind.task.draws - by_coin))
        taken, mattering = set[int](), set[int]()
        for number, held in enumerate(kind.people * CHANGES):
            draws = rng.integers(2**64, size=kind.task.draws + SPARE_DRAWS, dtype=np.uint64).tolist()
            report, count = _made(kind, number, held, draws)
            taken.update(range(count))
            for place in set(range(count)) - mattering:
                changed = [*draws[:place], int(rng.integers(2**64, dtype=np.uint64)), *draws[place + 1 :]]
                if _made(kind, number, held, changed)[0] != report:
                    mattering.add(place)
            if taken == mattering == stated:
                break
        else:
            raise AuditFailure(f"sources: {len(taken)} draws of {kind} are taken, and {len(mattering)} matter")


def _made(kind: TaskKind, number: int, held: Held, draws: list[int]) -> tuple[Report, int]:
    """Return the report of these draws, and how many of them it takes."""
    tape = CountingTape(draws)
    tape.report_id = bytes(REPORT_ID_BYTES)
    return perturb_from(tape, kind.task, held, kind.coin(number)), tape.taken
