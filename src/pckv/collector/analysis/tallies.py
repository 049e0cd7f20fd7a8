"""The tallies of stored tasks: parts are compacted, words counted once, and sums kept between estimates."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from threading import Lock
from typing import Generic, NamedTuple, TypeVar
from weakref import WeakValueDictionary

from pckv.collector.computations import AnalysisThreads, Computations, bytes_held, do_each
from pckv.collector.http.problem_details import ProblemDetails, ProblemKind
from pckv.contract.task import Task
from pckv.store.parts import MIN_REPORTS_TO_COUNT, add_parts, merge_parts
from pckv.store.store import Store
from pckv.tally import Tally
from pckv.tally.layouts import SupportLayout, layout_of
from pckv.tally.storage import CHECKSUM_BYTES
from pckv.tally.supports import prepare_counting

PARTS_TO_COMPACT = 32
# The memory that all tallies which are kept may take together, and how many there may be.
MAX_KEPT_BYTES, MAX_KEPT_TALLIES = 2**27, 16
# The memory that tallies of pages which are still shown may take together, and how many there may be.
MAX_SNAPSHOT_BYTES, MAX_SNAPSHOTS = 2**26, 64
# The memory that results which are kept may take together, per kind (estimates, discoveries, trends, names of
# keys), and how many there may be.
MAX_RESULT_BYTES, MAX_KEPT_RESULTS = 2**27, 16

Q = TypeVar("Q")
V = TypeVar("V")


class TaskLocks:
    """One lock per task, which takes no memory once no thread holds it or waits for it."""

    def __init__(self) -> None:
        self._locks: WeakValueDictionary[str, Lock] = WeakValueDictionary()
        self._lock = Lock()

    def get(self, task_id: str) -> Lock:
        """Return the lock of a task."""
        with self._lock:
            return self._locks.setdefault(task_id, Lock())

    def __len__(self) -> int:
        """Return how many locks there are."""
        return len(self._locks)


class Compactor:
    """Compacts a store; one thread per task does so at a time, and the others use what it counted."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._locks = TaskLocks()

    def compact(self, task_id: str, *, fully: bool = False) -> int:
        """Merge the parts of a task that are worth merging, or all; return how many were merged."""
        with self._locks.get(task_id):
            return self._store.compact(task_id, fully=fully)

    def compact_all(self, parts: int = PARTS_TO_COMPACT) -> None:
        """Compact every task that has at least this many parts, or many words to count."""
        # A damaged part is no reason to leave the other tasks alone.
        task_ids = self._store.tasks_to_compact(parts, MIN_REPORTS_TO_COUNT)
        do_each(partial(self.compact, task_id) for task_id in task_ids)

    def count_waiting(self, task_id: str) -> None:
        """Count the waiting words of a task, if they are many and do not come faster than this counts."""
        before = None
        with self._locks.get(task_id):
            while (waiting := self._store.waiting_words(task_id)) >= MIN_REPORTS_TO_COUNT:
                if before is not None and waiting >= before:
                    return
                before = waiting
                self._store.compact(task_id)

    def prepare_all(self) -> None:
        """Load what counting the words of all tasks needs."""
        do_each(partial(self.prepare, stored.task) for stored in self._store.all_tasks())

    def prepare(self, task: Task) -> None:
        """Load what counting a task's words needs, before the first of them wait."""
        layout = layout_of(task)
        if isinstance(layout, SupportLayout):
            prepare_counting(layout.law)


class CountedTally(NamedTuple):
    """A tally that does not change any more, the parts that it adds up, and the checksum of its bytes."""

    numbers: frozenset[int]
    digest: str
    tally: Tally


class TallyCache:
    """The tallies that were needed last: only what came since is read and counted."""

    def __init__(self, store: Store, compactor: Compactor, max_bytes: int = MAX_KEPT_BYTES) -> None:
        self._store, self._compactor = store, compactor
        smallest = max_bytes // MAX_KEPT_TALLIES
        self.kept: Computations[CountedTally] = Computations(
            max_bytes, lambda counted: max(smallest, counted.tally.counts.nbytes)
        )
        # By task and checksum: all parts of a page are computed from one of them, while reports arrive.
        self._snapshots: Computations[Tally] = Computations(
            MAX_SNAPSHOT_BYTES, lambda tally: max(MAX_SNAPSHOT_BYTES // MAX_SNAPSHOTS, tally.counts.nbytes)
        )
        self._counting = TaskLocks()

    def get_snapshot(self, task: Task, digest: str) -> CountedTally:
        """Return the tally of a task that has a checksum: an earlier one, or today's.

        A worker has only the tallies that it counted itself, and keeps those that were used last.
        """
        known = self._snapshots.known((task.id, digest))
        counted = self.get(task) if known is None else CountedTally(frozenset(), digest, known.value)
        if counted.digest != digest:
            raise ProblemDetails(ProblemKind.OUTDATED, "reports have come since: ask again without the snapshot")
        return counted

    def get(self, task: Task) -> CountedTally:
        """Return the tally of all parts of a task; requests for the same task wait for each other."""
        with self._counting.get(task.id):
            self._compactor.count_waiting(task.id)
            kept = self.kept.known(task.id)
            counted = self._brought_up_to_date(task, kept.value if kept else None)
            self.kept.keep(task.id, counted)
            self._snapshots.keep((task.id, counted.digest), counted.tally)
            return counted

    def _brought_up_to_date(self, task: Task, known: CountedTally | None) -> CountedTally:
        numbers = known.numbers if known else frozenset()
        replaced, parts = self._store.part_changes(task.id, numbers)
        if known and not replaced and not parts:
            return known
        contents = [part.content for part in parts]
        if known is None or replaced:
            numbers, tally = frozenset(), merge_parts(task, contents)
        else:
            # Estimates of other threads may still use the one that is known.
            tally = Tally(task)
            tally.merge(known.tally)
            add_parts(tally, contents)
        # Bytes end with a checksum. Making them also sorts sparse counts: from here on, threads only read.
        digest = bytes(tally)[-CHECKSUM_BYTES:].hex()
        return CountedTally(numbers | {part.number for part in parts}, digest, tally)


def result_bytes(result: object) -> int:
    """Return how much of the memory for results one takes: its bytes, or an equal share if that is more."""
    return max(MAX_RESULT_BYTES // MAX_KEPT_RESULTS, bytes_held(result))


class TallyResults(Generic[Q, V]):
    """What is computed from the tallies of tasks, once per tally and question: estimates, discoveries."""

    def __init__(
        self, store: Store, tallies: TallyCache, threads: AnalysisThreads, compute: Callable[[Tally, Q], V]
    ) -> None:
        self._store, self._tallies, self._threads, self._compute = store, tallies, threads, compute
        # By the checksum of a tally: parts that were put together have other numbers, and are the same tally.
        self._results: Computations[V] = Computations(MAX_RESULT_BYTES, result_bytes)
        self._answers: Computations[tuple[str, list[V]]] = Computations(
            MAX_RESULT_BYTES, lambda answer: sum(map(result_bytes, answer[1]))
        )

    async def get(
        self, task: Task, questions: Sequence[Q], account: bytes, snapshot: str | None = None
    ) -> tuple[str, list[V]]:
        """Return the checksum of a task's tally, and the answers of this one tally to some questions.

        The tally is that of all reports, or an earlier one, the `snapshot` with this checksum.

        What came too late for one request is the answer to the next, although reports may have come since: it
        states how many it counts.
        """
        asked = tuple(questions)
        start = partial(self._threads.start, account, partial(self._answer, task, asked, snapshot))
        if snapshot is not None:
            return await self._threads.wait(self._answers.get((task.id, asked, snapshot), snapshot, start))
        # Parts never change: the same numbers mean the same tally, which need not be read again.
        numbers = await asyncio.to_thread(self._part_numbers, task)
        return await self._threads.wait(self._answers.get((task.id, asked), numbers, start))

    def _answer(self, task: Task, questions: Sequence[Q], snapshot: str | None) -> tuple[str, list[V]]:
        counted = self._tallies.get(task) if snapshot is None else self._tallies.get_snapshot(task, snapshot)
        answers = []
        for question in questions:
            known = self._results.known((counted.digest, question))
            answers.append(known.value if known else self._compute(counted.tally, question))
            self._results.keep((counted.digest, question), answers[-1])
        return counted.digest, answers

    def _part_numbers(self, task: Task) -> frozenset[int]:
        return frozenset(part.number for part in self._store.part_summaries(task.id))
