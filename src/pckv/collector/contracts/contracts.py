"""The tasks and series of a collector or a mixer: their state for some seconds, texts, and rounds."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import Annotated, NamedTuple, TypeVar

from fastapi.responses import JSONResponse, Response

from pckv.base.canonical import is_id
from pckv.base.days import Phase, days_after
from pckv.base.errors import NameTaken, TaskGone
from pckv.collector.computations import Computations, do_each
from pckv.collector.http.auth import new_token, token_hash
from pckv.collector.http.bodies import JSON_TYPE
from pckv.collector.http.downloads import SharedFile
from pckv.collector.http.logs import log
from pckv.collector.http.policy import part
from pckv.collector.http.problem_details import ProblemDetails, ProblemKind
from pckv.contract.series import Series
from pckv.contract.task import Task
from pckv.store.base import StoredSeries, StoredTask
from pckv.store.contract_store import ContractStore
from pckv.store.store import Store


def due_rounds(series: Series, day: str) -> list[int]:
    """Return the rounds that must have a task on a day: the one that takes reports, and the next."""
    upcoming = next_round(series, day)
    return [number for number in (series.round_on(day), upcoming) if number is not None]


def next_round(series: Series, day: str) -> int | None:
    """Return the number of the first round that begins after a day; None if there is none."""
    begun = series.last_round_by(day)
    return series.next_round((begun + 1) % series.panels, begun)


class RoundMaker:
    """Adds the tasks of rounds to a store; a series determines its rounds, so several collectors agree."""

    def __init__(self, store: ContractStore, prepare: Callable[[Task], None]) -> None:
        self._store, self._prepare = store, prepare
        # The rounds of each series that were due last and need no more work: deriving a task of many keys
        # takes long.
        self._done: dict[str, set[int]] = {}

    def add_due(self, day: str) -> None:
        """Add the rounds of all open series that are due on a day."""
        do_each(partial(self.add_rounds, stored, day) for stored in self._store.all_series())

    def add_rounds(self, stored: StoredSeries, day: str) -> None:
        """Add the rounds of a series that are due on a day."""
        series = stored.series
        if stored.closed is not None:
            # It may be opened again.
            self._done.pop(series.id, None)
            return
        due = due_rounds(series, day)
        # Rounds of other days are forgotten: a clock that was wrong once must not keep the right ones away.
        done = self._done[series.id] = self._done.get(series.id, set()).intersection(due)
        for number in due:
            if number not in done:
                self._add(series, number, day)
                done.add(number)

    def _add(self, series: Series, number: int, day: str) -> None:
        task = series.task_of(number)
        # A round that was deleted stays deleted.
        with suppress(TaskGone):
            if self._store.add_round(task, day):
                log("round_added", series=series.id, round=number, task=task.id)
                self._prepare(task)


# After how many seconds the store is asked again for a task, and until when what it said last is used
# meanwhile; transactions check the store's own state in any case.
CACHE_SECONDS, MAX_CACHE_SECONDS = 2.0, 5.0
MAX_INVITATIONS_PER_REQUEST = 100_000
# How long browsers and devices may keep a text, which never changes.
TEXT_CACHING = "public, max-age=3600"
# The most memory that tasks, and that texts, may take. A name of a key takes about this much in a task.
MAX_TASK_BYTES = MAX_TEXT_BYTES = 64 * 2**20
BYTES_PER_TASK, BYTES_PER_NAME = 4096, 160
# A smaller text is not compressed: its answer fits into a packet or two.
MIN_GZIP_BYTES = 2**10

# What is said of a task that is created again while it is in the bin, and of a second survey of one name.
IN_BIN = "It is in the bin: restore it."
TAKEN_NAME = (
    "Another survey has this name. Browsers and apps tell surveys apart by their names: people who have answered the "
    "other one could not answer this one. Please choose another name, for example with the year or the place; capital "
    "letters and spaces make no difference."
)

T = TypeVar("T")


class RecipientDuties(NamedTuple):
    """What a recipient of mixed reports does: check a new task or series, and forget the key of one that goes."""

    check: Callable[[Task | Series], None]
    forget_key: Callable[[Task], None]


class ContractCache:
    """The tasks and series of a store, and the day by which they are open.

    `prepare` is what to do for a new task, before its first reports come. Some threads ask the store
    (`lookups`), others write texts.
    """

    def __init__(
        self,
        store: ContractStore,
        today: Callable[[], str],
        prepare: Callable[[Task], None],
        lookups: ThreadPoolExecutor,
        texts: ThreadPoolExecutor,
    ) -> None:
        self.store, self.today, self.prepare = store, today, prepare
        self.rounds = RoundMaker(store, prepare)
        self._lookups, self._text_threads = lookups, texts
        self._tasks: Computations[StoredTask] = Computations(MAX_TASK_BYTES, _task_size)
        self._texts: Computations[SharedFile] = Computations(MAX_TEXT_BYTES, _text_size)

    async def look_up(self, work: Callable[..., T], *arguments: object) -> T:
        """Ask the store in a thread that waits for nothing but the store."""
        return await asyncio.get_running_loop().run_in_executor(self._lookups, work, *arguments)

    async def find(self, task_id: str) -> StoredTask:
        """Return a task, or raise the problem that it is unknown or deleted; one in the bin is unknown."""
        stored = await self.find_for_participants(task_id)
        if stored.binned is not None:
            raise ProblemDetails(ProblemKind.UNKNOWN)
        return stored

    async def find_for_participants(self, task_id: str) -> StoredTask:
        """Return a task as participants know it: one in the bin is a closed one; or raise what is wrong."""
        check_id(task_id)
        kept = self._tasks.known(task_id)
        age = asyncio.get_running_loop().time() - kept.started if kept else MAX_CACHE_SECONDS
        if kept is not None and age < CACHE_SECONDS:
            return kept.value
        # No request waits for the store as long as one asks for the task every other second.
        patience = 0.0 if age < MAX_CACHE_SECONDS else None
        return await self._tasks.renew(task_id, None, partial(self._find, task_id), patience)

    async def _find(self, task_id: str) -> StoredTask:
        stored = await self.look_up(self.store.find_task, task_id)
        if stored is None:
            self._tasks.forget(task_id)
            deletion = await self.look_up(self.store.find_deletion, task_id)
            raise ProblemDetails(ProblemKind.DELETED if deletion else ProblemKind.UNKNOWN)
        return stored

    async def create(self, task: Task, text: str | None = None) -> Response:
        """Store a task, and return its id, and its text if given; or raise why it cannot be there."""
        try:
            new = await asyncio.to_thread(self.store.add_task, task, self.today())
        except TaskGone:
            stored = await self.look_up(self.store.find_task, task.id)
            raise ProblemDetails(ProblemKind.DELETED, IN_BIN if stored else "") from None
        except NameTaken:
            raise name_taken() from None
        # No request waits for it.
        asyncio.get_running_loop().run_in_executor(None, self.prepare, task)
        headers = {"Location": f"/tasks/{task.id}"}
        content = {"id": task.id} | ({} if text is None else {"task": text})
        return await asyncio.to_thread(JSONResponse, content, 201 if new else 200, headers)

    def invalidate(self, task_id: str) -> None:
        """Ask the store for a task the next time."""
        self._tasks.forget(task_id)

    async def find_series(self, series_id: str) -> StoredSeries:
        """Return a series as the store has it now, or raise the problem that it is unknown."""
        check_id(series_id)
        stored = await self.look_up(self.store.find_series, series_id)
        if stored is None:
            raise ProblemDetails(ProblemKind.UNKNOWN, "no series has this id")
        return stored

    async def text(self, task: Task) -> SharedFile:
        """Return the text of a task."""
        return await self._texts.get(task.id, None, partial(self._write, task))

    async def series_text(self, series_id: str) -> SharedFile:
        """Return the text of a series, or raise the problem that it is unknown."""

        async def write() -> SharedFile:
            return await self._write((await self.find_series(series_id)).series)

        return await self._texts.get(series_id, None, write)

    async def _write(self, contract: Task | Series) -> SharedFile:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._text_threads, _text_of, contract)

    async def invite(self, task_id: str, count: int) -> list[str]:
        """Create one-time tokens; from now on the task takes reports by invitation only."""
        if (await self.find(task_id)).task.series is not None:
            raise ProblemDetails(ProblemKind.MALFORMED, "a round of a series takes no invitations")
        tokens = await asyncio.to_thread(self._add_invitations, task_id, count)
        self.invalidate(task_id)
        if tokens is None:
            raise ProblemDetails(ProblemKind.DELETED)
        return tokens

    def _add_invitations(self, task_id: str, count: int) -> list[str] | None:
        """Make and store tokens, thousands of which would hold the event loop; None if the task was deleted."""
        tokens = [new_token() for _ in range(count)]
        return tokens if self.store.add_invitations(task_id, [token_hash(token) for token in tokens]) else None

    def check_open(self, stored: StoredTask) -> None:
        """Refuse reports outside the task's days: the day of receipt decides."""
        phase = stored.phase(self.today())
        if phase is Phase.CLOSED or stored.binned is not None:
            raise ProblemDetails(ProblemKind.CLOSED)
        if phase is Phase.WAITING:
            raise ProblemDetails(ProblemKind.NOT_OPEN, f"it opens on {stored.task.opens}")


class Contracts(ContractCache):
    """The tasks and series of a collector's store, which takes the reports of mixed ones from their mixers alone."""

    store: Store

    def __init__(
        self,
        store: Store,
        today: Callable[[], str],
        prepare: Callable[[Task], None],
        lookups: ThreadPoolExecutor,
        texts: ThreadPoolExecutor,
        recipient: RecipientDuties,
    ) -> None:
        super().__init__(store, today, prepare, lookups, texts)
        self._recipient = recipient

    async def create(self, task: Task, text: str | None = None) -> Response:
        """Store a task that can be collected, as any; the mixer of a mixed one is asked meanwhile."""
        await asyncio.to_thread(self._check_new, task)
        return await super().create(task, text)

    def check_open(self, stored: StoredTask) -> None:
        """Refuse reports outside the task's days, and all of a mixed task."""
        refuse_mixed(stored.task)
        super().check_open(stored)

    async def invite(self, task_id: str, count: int) -> list[str]:
        """Create one-time tokens, as for any task; invitations to a mixed one are its mixer's."""
        refuse_mixed((await self.find(task_id)).task)
        return await super().invite(task_id, count)

    def _check_new(self, task: Task) -> None:
        """Refuse a new task whose last day is over, or that is mixed and cannot be collected."""
        if task.closes is not None and task.closes <= self.today() and self.store.find_task(task.id) is None:
            detail = f"The last day, {days_after(task.closes, -1)}, is over."
            raise ProblemDetails(ProblemKind.MALFORMED, detail, field="closes")
        self.check_mixed(task)

    def check_name(self, task: Task) -> None:
        """Refuse a task whose name another task or series has."""
        if self.store.survey_owner(task.name) not in {None, task.id}:
            raise name_taken()

    def check_mixed(self, contract: Task | Series) -> None:
        """Refuse a mixed task or series that is new and cannot be collected; the mixer is asked meanwhile."""
        find = self.store.find_series if isinstance(contract, Series) else self.store.find_task
        if find(contract.id) is None:
            self._recipient.check(contract)

    def forget_key(self, task_id: str) -> None:
        """Delete what opens the reports of a mixed task that is about to be deleted."""
        stored = self.store.find_task(task_id)
        if stored is not None:
            self._recipient.forget_key(stored.task)


def name_taken() -> ProblemDetails:
    """Return the problem that another task or series has the name of a new or restored one."""
    return ProblemDetails(ProblemKind.NAME_TAKEN, TAKEN_NAME, field="name")


def refuse_mixed(task: Task) -> None:
    """Refuse what only tasks without a mixer take here, and name the mixer."""
    if task.mixer is not None:
        detail = f"it is run by {task.mixer.operator}, {task.mixer.url}, and decides who may take part and until when"
        raise ProblemDetails(ProblemKind.MIXED, detail)


def _task_size(stored: StoredTask) -> int:
    keys = stored.task.keys
    size = BYTES_PER_TASK + (len(keys) * BYTES_PER_NAME if isinstance(keys, tuple) else 0)
    # One is kept however large it is: every request for it would have to wait otherwise.
    return min(size, MAX_TASK_BYTES)


def _text_of(contract: Task | Series) -> SharedFile:
    return SharedFile.of(contract.to_json().encode(), JSON_TYPE, contract.id, MIN_GZIP_BYTES)


def _text_size(text: SharedFile) -> int:
    return min(len(text.content) + len(text.gzipped or b""), MAX_TEXT_BYTES)


def check_id(contract_id: str) -> None:
    """Refuse as unknown what cannot be the id of a task or series."""
    # Not every database accepts every text in a query.
    if not is_id(contract_id):
        raise ProblemDetails(ProblemKind.UNKNOWN)


CurrentContracts = Annotated[Contracts, part("contracts")]


# What lists of tasks tell of each.
LISTED_MEMBERS = (
    "id",
    "name",
    "kind",
    "more",
    "size_share",
    "mechanism",
    "keys",
    "other",
    "epsilon",
    "opens",
    "closes",
)


def task_facts(stored: StoredTask, day: str) -> dict[str, object]:
    """Return a stored task as plain values on a day, until when its early close can be undone among them."""
    return stored.task.members(*LISTED_MEMBERS) | {
        "closed": stored.closed,
        "reopen_until": stored.reopen_until(day),
        "by_invitation": stored.by_invitation,
        "created": stored.created,
        "number": stored.number,
        "target": stored.target,
        "public_results": stored.public_results,
    }
