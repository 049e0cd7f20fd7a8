"""The tallies of stored tasks, kept between estimates: only what came since is read and counted."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import NamedTuple

from pckv.collector.upkeep.compaction import Compactor, TaskLocks
from pckv.contract.task import Task
from pckv.store.base import Store
from pckv.store.parts import add_parts, merge_parts
from pckv.tally import Tally
from pckv.tally.storage import CHECKSUM_BYTES

# The memory that all tallies which are kept may take together.
MAX_CACHED_BYTES = 2**27
MAX_CACHED_TALLIES = 16


class CountedTally(NamedTuple):
    """A tally that nobody changes any more, the parts that it adds up, and the checksum of its bytes."""

    numbers: frozenset[int]
    digest: str
    tally: Tally


class TallyCache:
    """The tallies that were needed last."""

    def __init__(self, store: Store, compactor: Compactor) -> None:
        self._store, self._compactor = store, compactor
        self._tallies: OrderedDict[str, CountedTally] = OrderedDict()
        self._counting = TaskLocks()
        self._lock = Lock()

    def get(self, task: Task) -> CountedTally:
        """Return the tally of all parts of a task; requests for the same task wait for each other."""
        with self._counting.get(task.id):
            self._compactor.count_waiting(task.id)
            counted = self._brought_up_to_date(task, self._tallies.get(task.id))
            self._keep(task, counted)
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

    def _keep(self, task: Task, counted: CountedTally) -> None:
        with self._lock:
            self._tallies[task.id] = counted
            self._tallies.move_to_end(task.id)
            while self._tallies and not self._within_bounds():
                self._tallies.popitem(last=False)

    def _within_bounds(self) -> bool:
        size = sum(counted.tally.counts.nbytes for counted in self._tallies.values())
        return size <= MAX_CACHED_BYTES and len(self._tallies) <= MAX_CACHED_TALLIES
