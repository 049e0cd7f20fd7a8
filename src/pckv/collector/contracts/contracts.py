"""A cache of tasks and series: their state for some seconds, and their texts, which never change."""

from __future__ import annotations

import asyncio
import gzip
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Annotated, NamedTuple, TypeVar

from fastapi import Request
from fastapi.responses import Response

from pckv.base.days import Phase
from pckv.collector.computations import Computations
from pckv.collector.contracts.rounds import RoundMaker
from pckv.collector.http.bodies import JSON_TYPE, SharedResponse, accepts_gzip
from pckv.collector.http.downloads import unchanged
from pckv.collector.http.policy import part
from pckv.collector.http.problem_details import ProblemDetails, ProblemKind
from pckv.contract.facts import task_members
from pckv.contract.series import Series
from pckv.contract.task import Task
from pckv.store.base import StoredSeries, StoredTask
from pckv.store.store import Store

# After how many seconds the store is asked again for a task, and until when what it said last is used
# meanwhile; transactions check the store's own state in any case.
CACHE_SECONDS, MAX_CACHE_SECONDS = 2.0, 5.0
# The most memory that tasks, and that texts, may take. A name of a key takes about this much in a task.
MAX_TASK_BYTES = MAX_TEXT_BYTES = 64 * 2**20
BYTES_PER_TASK, BYTES_PER_NAME = 4096, 160
# A smaller text is not compressed: its answer fits into a packet or two.
MIN_GZIP_BYTES = 2**10
CONTRACT_ID = re.compile(r"[A-Za-z0-9_-]{43}", re.ASCII)

T = TypeVar("T")


class ContractText(NamedTuple):
    """The canonical JSON of a task or series, and the same compressed unless that is not worth it."""

    json: bytes
    gzipped: bytes | None

    @classmethod
    def of(cls, contract: Task | Series) -> ContractText:
        """Return the text of a task or series as it is sent."""
        content = contract.to_json().encode()
        # Without a time, so that the same text always gives the same bytes.
        return cls(content, gzip.compress(content, mtime=0) if len(content) >= MIN_GZIP_BYTES else None)

    def response(self, request: Request, contract_id: str) -> Response:
        """Return the text, compressed where the client takes that; nothing if the client has it."""
        tags = {False: f'"{contract_id}"', True: f'"{contract_id}-gzip"'}
        compressed = self.gzipped is not None and accepts_gzip(request.headers.get("accept-encoding", ""))
        headers = {
            "ETag": tags[compressed],
            "Cache-Control": "public, max-age=3600",
            "Vary": "Accept-Encoding",
        }
        if any(unchanged(request, tag) for tag in tags.values()):
            return Response(status_code=304, headers=headers)
        if compressed:
            headers["Content-Encoding"] = "gzip"
        return SharedResponse(
            self.gzipped if compressed else self.json, headers=headers, media_type=JSON_TYPE
        )


class Contracts:
    """The tasks and series of a store, and the day by which they are open.

    Args:
        store: Where they are.
        today: The clock.
        prepare: What to do for a new task, before its first reports come.
        lookups: The threads that ask the store.
        texts: The threads that write texts.
    """

    def __init__(
        self,
        store: Store,
        today: Callable[[], str],
        prepare: Callable[[Task], None],
        lookups: ThreadPoolExecutor,
        texts: ThreadPoolExecutor,
    ) -> None:
        self.store, self.today, self.prepare = store, today, prepare
        self.rounds = RoundMaker(store, prepare)
        self._lookups, self._text_threads = lookups, texts
        self._tasks: Computations[StoredTask] = Computations(MAX_TASK_BYTES, _task_size)
        self._texts: Computations[ContractText] = Computations(MAX_TEXT_BYTES, _text_size)

    async def look_up(self, work: Callable[..., T], *arguments: object) -> T:
        """Ask the store in a thread that waits for nothing but the store."""
        return await asyncio.get_running_loop().run_in_executor(self._lookups, work, *arguments)

    async def find(self, task_id: str) -> StoredTask:
        """Return a task, or raise the problem that it is unknown or deleted."""
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

    async def text(self, task: Task) -> ContractText:
        """Return the text of a task."""
        return await self._texts.get(task.id, None, partial(self._write, task))

    async def series_text(self, series_id: str) -> ContractText:
        """Return the text of a series, or raise the problem that it is unknown."""

        async def write() -> ContractText:
            return await self._write((await self.find_series(series_id)).series)

        return await self._texts.get(series_id, None, write)

    async def _write(self, contract: Task | Series) -> ContractText:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._text_threads, ContractText.of, contract)

    def check_open(self, stored: StoredTask) -> None:
        """Refuse reports outside the task's days: the day of receipt decides."""
        phase = stored.phase(self.today())
        if phase is Phase.CLOSED:
            raise ProblemDetails(ProblemKind.CLOSED)
        if phase is Phase.WAITING:
            raise ProblemDetails(ProblemKind.NOT_OPEN, f"it opens on {stored.task.opens}")


def _task_size(stored: StoredTask) -> int:
    keys = stored.task.keys
    size = BYTES_PER_TASK + (len(keys) * BYTES_PER_NAME if isinstance(keys, tuple) else 0)
    # One is kept however large it is: every request for it would have to wait otherwise.
    return min(size, MAX_TASK_BYTES)


def _text_size(text: ContractText) -> int:
    return min(len(text.json) + len(text.gzipped or b""), MAX_TEXT_BYTES)


def check_id(contract_id: str) -> None:
    """Refuse as unknown what cannot be the id of a task or series."""
    # Not every database accepts every text in a query.
    if not CONTRACT_ID.fullmatch(contract_id):
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


def task_facts(stored: StoredTask) -> dict[str, object]:
    """Return a stored task as plain values."""
    return task_members(stored.task, *LISTED_MEMBERS) | {
        "closed": stored.closed,
        "by_invitation": stored.by_invitation,
        "created": stored.created,
        "number": stored.number,
        "target": stored.target,
        "public_results": stored.public_results,
    }
