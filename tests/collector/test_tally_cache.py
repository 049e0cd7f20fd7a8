"""Tallies that are kept between estimates: as those of a fresh process, at the cost of what is new."""

from __future__ import annotations

import asyncio
import random
import subprocess
import sys
import threading
from collections.abc import Collection, Iterator
from pathlib import Path

import pytest

from pckv import Task
from pckv.base.arrays import Integers
from pckv.base.days import utc_today
from pckv.base.errors import TallyError
from pckv.collector.analysis import tallies
from pckv.collector.analysis.estimates import EstimateCache, EstimateOptions
from pckv.collector.analysis.tallies import Compactor, TallyCache
from pckv.collector.computations import AnalysisThreads
from pckv.collector.contracts.contracts import Contracts
from pckv.mechanisms.collision.law import CollisionLaw
from pckv.store import parts
from pckv.store.base import PartChanges
from pckv.store.store import Store
from pckv.tally import layouts
from pckv.tally.supports import count_supports
from support.collectors import NO_DUTIES, THREADS
from support.memory_store import MemoryStore
from support.parts import SUPPORT
from support.stores import (
    COUNTED_LATER,
    DAY,
    KINDS,
    OTHER,
    PLANES,
    TASK,
    add,
    opened,
    some_reports,
    store_url,
    tally,
)

TASKS = [TASK, OTHER, PLANES, COUNTED_LATER]
# Too many cells for one array.
HUGE = Task(name="huge", keys=2**24, values=(0, 1), epsilon=1, mechanism="grr")
OPTIONS = EstimateOptions("corrected", 0.95, ())


@pytest.fixture(params=KINDS)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    with opened(store_url(request.param, tmp_path)) as store:
        for task in (*TASKS, HUGE):
            store.add_task(task, utc_today())
        yield store


@pytest.fixture(autouse=True)
def few_words_are_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (parts, tallies):
        monkeypatch.setattr(module, "MIN_REPORTS_TO_COUNT", 12)


def estimates_of(store: Store, compactor: Compactor) -> EstimateCache:
    contracts = Contracts(store, lambda: DAY, compactor.prepare, THREADS.lookups, THREADS.task_texts, NO_DUTIES)
    return EstimateCache(contracts, TallyCache(store, compactor), AnalysisThreads(THREADS.analysis, 20))


def fresh(store: Store, task: Task) -> tuple[str, str]:
    """Return digest and estimates as a process answers that has just started."""
    digest, estimates = asyncio.run(estimates_of(store, Compactor(store)).find(b"", task, OPTIONS))
    return digest, estimates.to_json()


def work_and_compare(store: Store, seed: int) -> int:
    """Upload, compact and delete at random; return how often a kept answer was not that of a fresh process."""
    rng, different = random.Random(seed), 0
    compactor = Compactor(store)
    cache = estimates_of(store, compactor)
    sent = dict.fromkeys(TASKS, 0)
    for _ in range(14):
        task = rng.choice(TASKS)
        for _ in range(rng.randrange(3)):
            size = rng.randrange(1, 8)
            add(store, *some_reports(range(sent[task], sent[task] + size), task), task=task)
            sent[task] += size
        if rng.random() < 0.5:
            compactor.compact(task.id, fully=rng.random() < 0.3)
        digest, estimates = asyncio.run(cache.find(b"", task, OPTIONS))
        different += (digest, estimates.to_json()) != fresh(store, task)
        assert different or estimates.reports == sent[task]
    return different


def test_estimates_are_those_of_a_fresh_process_byte_for_byte(store: Store) -> None:
    assert work_and_compare(store, 1) == 0


def test_a_cache_that_overlooks_a_compaction_is_found_out() -> None:
    """The control: new parts are added to the tally that is kept, although some of them replace what it counts."""

    class ForgetfulStore(MemoryStore):
        def part_changes(self, task_id: str, known: Collection[int]) -> PartChanges:
            return super().part_changes(task_id, known)._replace(replaced=False)

    store = ForgetfulStore()
    for task in TASKS:
        store.add_task(task, utc_today())
    assert work_and_compare(store, 1) > 0


def caches(store: Store) -> tuple[Compactor, TallyCache]:
    compactor = Compactor(store)
    return compactor, TallyCache(store, compactor)


def test_only_what_is_new_is_read(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    compactor, cache = caches(store)
    read: list[int] = []
    changes = type(store).part_changes

    def reading(self: Store, task_id: str, known: Collection[int]) -> PartChanges:
        found = changes(self, task_id, known)
        read.append(sum(part.reports for part in found.parts))
        return found

    monkeypatch.setattr(type(store), "part_changes", reading)
    for start in range(0, 30, 10):
        add(store, *some_reports(range(start, start + 10)))
        cache.get(TASK)
        cache.get(TASK)
    compactor.compact(TASK.id)
    assert cache.get(TASK).tally == tally(some_reports(range(30)))
    cache.get(TASK)
    assert read == [10, 0, 10, 0, 10, 0, 30, 0]


def test_a_tally_that_was_handed_out_does_not_change(store: Store) -> None:
    """Another thread may be estimating from it."""
    compactor, cache = caches(store)
    for task in (*TASKS, HUGE):
        add(store, *some_reports(range(9), task), task=task)
        first = cache.get(task)
        add(store, *some_reports(range(9, 20), task), task=task)
        second = cache.get(task)
        compactor.compact(task.id, fully=True)
        assert cache.get(task).digest == second.digest
        assert first.tally == tally(some_reports(range(9), task), task)
        assert second.tally == tally(some_reports(range(20), task), task)


def test_the_memory_of_kept_tallies_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    store = MemoryStore()
    for task in TASKS:
        store.add_task(task, utc_today())
        add(store, *some_reports(range(9), task), task=task)
    dense = 8 * layouts.layout_of(OTHER).cells
    cache = TallyCache(store, Compactor(store), dense)
    for task in (PLANES, TASK, COUNTED_LATER, OTHER):
        assert cache.get(task).tally == tally(some_reports(range(9), task), task)
        assert cache.kept.size <= dense
    assert [task for task in TASKS if cache.kept.known(task.id)] == [OTHER]
    monkeypatch.setattr(tallies, "MAX_KEPT_TALLIES", 1)
    cache = TallyCache(store, Compactor(store))
    for task in TASKS:
        cache.get(task)
        assert [other for other in TASKS if cache.kept.known(other.id)] == [task]


def test_an_estimate_waits_for_a_compaction_instead_of_counting_the_same_words(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    compactor, cache = caches(store)
    add(store, *some_reports(range(40), COUNTED_LATER), task=COUNTED_LATER)
    counting, go_on, counted = threading.Event(), threading.Event(), []

    def slowly(law: CollisionLaw, words: Integers, *, compiled: bool) -> tuple[Integers, Integers]:
        counted.append(words.size)
        counting.set()
        assert go_on.wait(20)
        return count_supports(law, words, compiled=compiled)

    monkeypatch.setattr(layouts, "count_supports", slowly)
    maintenance = threading.Thread(target=compactor.compact, args=(COUNTED_LATER.id,))
    maintenance.start()
    assert counting.wait(20)
    estimating = threading.Thread(target=cache.get, args=(COUNTED_LATER,))
    estimating.start()
    # The other tasks do not wait.
    assert cache.get(TASK).tally.reports == 0
    estimating.join(0.1)
    assert estimating.is_alive()
    go_on.set()
    maintenance.join()
    estimating.join()
    assert sum(counted) == tally(some_reports(range(40), COUNTED_LATER), COUNTED_LATER).pair_reports
    # What an estimate counts, if it is much, stays counted.
    add(store, *some_reports(range(40, 60), COUNTED_LATER), task=COUNTED_LATER)
    counted.clear()
    cache.get(COUNTED_LATER)
    assert [part.uncounted for part in store.part_summaries(COUNTED_LATER.id)].count(0) >= 1
    assert sum(part.uncounted for part in store.part_summaries(COUNTED_LATER.id)) == 0
    cache.get(COUNTED_LATER)
    assert sum(counted) == tally(some_reports(range(40, 60), COUNTED_LATER), COUNTED_LATER).pair_reports


def test_an_estimate_ends_though_words_come_faster_than_they_are_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    store, sent = MemoryStore(), iter(range(0, 10**6, 20))

    def flood(*_: object, **__: object) -> int:
        start = next(sent)
        add(store, *some_reports(range(start, start + 20), COUNTED_LATER), task=COUNTED_LATER)
        return 0

    store.add_task(COUNTED_LATER, utc_today())
    flood()
    monkeypatch.setattr(store, "compact", flood)
    _, cache = caches(store)
    assert cache.get(COUNTED_LATER).tally.reports == 40


PREPARING = """
import sys

sys.path.append(sys.argv[2])
from pckv import Task
from pckv.collector.analysis.tallies import Compactor
from support.memory_store import MemoryStore

store = MemoryStore()
task = Task(name="t", keys=1000, values=(0, 1), epsilon=1, padding=5, mechanism=sys.argv[1])
store.add_task(task, "2030-01-01")
Compactor(store).prepare_all()
print("pckv.tally.loops" in sys.modules, "numba" in sys.modules)
"""


@pytest.mark.parametrize(("mechanism", "loaded"), [("collision", "True True"), ("ue-compact", "False False")])
def test_the_compiled_loop_is_loaded_before_the_first_words_come(mechanism: str, loaded: str) -> None:
    """And not where nothing is counted in it, since it takes memory."""
    command = [sys.executable, "-c", PREPARING, mechanism, str(SUPPORT.parent)]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip() == loaded


def test_a_deleted_task_has_no_tally_any_more(store: Store) -> None:
    _, cache = caches(store)
    add(store, *some_reports(range(9)))
    assert cache.get(TASK).tally.reports == 9
    store.delete_task(TASK.id, DAY)
    assert cache.get(TASK).tally.reports == 0


def test_a_task_that_cannot_be_compacted_does_not_stop_the_others(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    compactor, _ = caches(store)
    for task in (TASK, COUNTED_LATER):
        for number in range(40):
            add(store, *some_reports([number], task), task=task)
    first, second = sorted((TASK.id, COUNTED_LATER.id))
    compact = type(store).compact

    def failing(self: Store, task_id: str, *, fully: bool = False) -> int:
        if task_id == first:
            raise TallyError("not a tally: truncated or edited")
        return compact(self, task_id, fully=fully)

    monkeypatch.setattr(type(store), "compact", failing)
    with pytest.raises(TallyError, match="truncated or edited"):
        compactor.compact_all()
    assert [len(store.part_summaries(task_id)) == 1 for task_id in (first, second)] == [False, True]
