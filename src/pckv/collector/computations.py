"""How a collector computes: once per state for all who wait, in bounded time, memory and threads."""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict
from collections.abc import Awaitable, Callable, Hashable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields, is_dataclass
from threading import Event, Lock
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np

from pckv.base.stopping import stoppable_by
from pckv.collector.http.problem_details import ProblemDetails, ProblemKind

# The names of threads that compute for analysts begin with it.
ANALYSIS = "analysis"
# What one account may have computed at once; the same estimates that are asked for several times count once.
MAX_PER_ACCOUNT = 4
# How many computations of an account that can be stopped go on: of two pages that follow what is typed, each has one.
MAX_STOPPABLE = 2

BYTES_PER_REFERENCE = 8
# How many members of a list are looked at: a result has few parts, and the names of its keys are the task's.
MAX_LOOKED_AT = 64

T = TypeVar("T")
V = TypeVar("V")


@dataclass
class Kept(Generic[V]):
    """A value, the state it was computed from, when that began, and whether a request received it."""

    value: V
    state: Hashable
    size: int
    started: float = 0.0
    received: bool = True


class Computations(Generic[V]):
    """Values by key, each computed once per state; those that were used last are kept, a failure never is.

    `known`, `keep` and `forget` may be called in any thread, all else in that of the event loop.

    Args:
        max_size: The most that all kept values may take together. The last value is kept whatever it takes: a
            request that came too late for it must find it.
        size_of: The size of a value.
    """

    def __init__(self, max_size: int, size_of: Callable[[V], int]) -> None:
        self._max_size, self._size_of = max_size, size_of
        self._kept: OrderedDict[Hashable, Kept[V]] = OrderedDict()
        self._running: dict[tuple[Hashable, Hashable], asyncio.Future[V]] = {}
        self._lock = Lock()
        self.size = 0

    async def get(self, key: Hashable, state: Hashable, compute: Callable[[], Awaitable[V]]) -> V:
        """Return the value of a key in a state.

        A value that no request has received yet, since it came too late, is the answer to the next request
        whatever the state: otherwise a key whose state changes all the time would never have an answer.
        """
        kept = self.known(key)
        if kept is not None and (kept.state == state or not kept.received):
            kept.received = True
            return kept.value
        return await self.renew(key, state, compute)

    async def renew(
        self,
        key: Hashable,
        state: Hashable,
        compute: Callable[[], Awaitable[V]],
        patience: float | None = None,
    ) -> V:
        """Return the value that is being computed for a key and state, or begin to compute it.

        Args:
            key: What is asked for.
            state: What it is computed from; requests that name the same one wait for the same computation.
            compute: Begins the computation. An error that it raises itself concerns this request alone.
            patience: After how many seconds the value that is kept is returned instead, if there is one. The
                computation goes on. None: never.
        """
        kept = self.known(key)
        future = self._running.get((key, state)) or self._start(key, state, compute)
        if kept is not None and patience is not None:
            done, _ = await asyncio.wait([future], timeout=patience)
            if not done:
                return kept.value
        # A client that disconnects must not cancel it for the others.
        value = await asyncio.shield(future)
        kept = self.known(key)
        if kept is not None and kept.value is value:
            kept.received = True
        return value

    def _start(self, key: Hashable, state: Hashable, compute: Callable[[], Awaitable[V]]) -> asyncio.Future[V]:
        started = asyncio.get_running_loop().time()
        future = asyncio.ensure_future(compute())
        self._running[key, state] = future

        def end(_: asyncio.Future[V]) -> None:
            # What was forgotten meanwhile may be out of date.
            is_wanted = self._running.get((key, state)) is future
            if is_wanted:
                del self._running[key, state]
            # Asking for the error marks it as seen, if all clients have disconnected.
            if not future.cancelled() and future.exception() is None and is_wanted:
                value = future.result()
                self._put(key, Kept(value, state, self._size_of(value), started, received=False))

        future.add_done_callback(end)
        return future

    def known(self, key: Hashable) -> Kept[V] | None:
        """Return the value of a key that is kept, in whatever state; it counts as used."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def keep(self, key: Hashable, value: V) -> None:
        """Keep a value that was computed elsewhere; those that were not used for the longest make room."""
        self._put(key, Kept(value, None, self._size_of(value)))

    def forget(self, key: Hashable) -> None:
        """Forget what is kept of a key, and what is being computed for it."""
        with self._lock:
            self._discard(key)
        for run in [run for run in self._running if run[0] == key]:
            del self._running[run]

    def _put(self, key: Hashable, kept: Kept[V]) -> None:
        with self._lock:
            self._discard(key)
            self._kept[key] = kept
            self.size += kept.size
            while self.size > self._max_size and len(self._kept) > 1:
                self._discard(next(iter(self._kept)))

    def _discard(self, key: Hashable) -> None:
        if key in self._kept:
            self.size -= self._kept.pop(key).size


def bytes_held(value: object) -> int:
    """Return about how many bytes a result takes: its arrays, and its lists, whose texts are the task's."""
    if isinstance(value, np.ndarray):
        return value.nbytes
    if isinstance(value, str | bytes):
        return len(value)
    if is_dataclass(value):
        return sum(bytes_held(getattr(value, field.name)) for field in fields(value))
    if isinstance(value, Mapping):
        return sum(bytes_held(each) for each in value.values())
    if isinstance(value, Sequence):
        return BYTES_PER_REFERENCE * len(value) + sum(bytes_held(each) for each in value[:MAX_LOOKED_AT])
    return BYTES_PER_REFERENCE


class _Stoppable(NamedTuple):
    """A computation that can be stopped: what its thread looks at, and what its request waits for besides."""

    stop: Event
    unwanted: asyncio.Future[Any]

    def end(self) -> None:
        """Let the thread stop in a moment, and answer the request at once."""
        self.stop.set()
        self.unwanted.cancel()


class AnalysisThreads:
    """Threads for what analysts ask: a small pool, and how much of it one account may use.

    Uploads never wait for it, at any load. A request waits some seconds for its result, and the work goes on
    after them, since no thread can be stopped; only work that looks itself whether it is wanted can be.
    """

    def __init__(self, threads: ThreadPoolExecutor, seconds: float) -> None:
        self._threads, self._seconds = threads, seconds
        self._started: Counter[bytes] = Counter()
        # What may be stopped, of each account, the oldest first.
        self._stoppable: dict[bytes, list[_Stoppable]] = {}

    async def run(self, account: bytes, work: Callable[[], T]) -> T:
        """Return the result of some work that may take long."""
        return await self.wait(asyncio.shield(self.start(account, work)))

    async def run_wanted(self, account: bytes, work: Callable[[], T], given_up: asyncio.Event) -> T:
        """Return the result of some work that is stopped soon after the request for it is given up.

        An account that has too much of it running is not refused: what it asked for first is stopped. The page that
        asks for it asks again with every change, and shows only what it asked for last.
        """
        running = self._stoppable.setdefault(account, [])
        if len(running) == MAX_STOPPABLE:
            running.pop(0).end()
        one = _Stoppable(Event(), asyncio.ensure_future(given_up.wait()))
        running.append(one)

        def work_while_wanted() -> T:
            with stoppable_by(one.stop):
                return work()

        def forget(done: asyncio.Future[T]) -> None:
            if one in running:
                running.remove(one)
            if not running and self._stoppable.get(account) is running:
                del self._stoppable[account]
            one.unwanted.cancel()
            # Asking for the error marks it as seen, if the request was given up.
            done.cancelled() or done.exception()

        result = self._submit(work_while_wanted)
        result.add_done_callback(forget)
        try:
            await self.wait(asyncio.wait((result, one.unwanted), return_when=asyncio.FIRST_COMPLETED))
        except asyncio.CancelledError:
            one.end()
            raise
        if result.done() and not one.stop.is_set():
            return result.result()
        one.end()
        raise ProblemDetails(ProblemKind.TOO_OFTEN, "this was given up, or something newer was asked for meanwhile")

    async def run_short(self, work: Callable[[], T]) -> T:
        """Return the result of work that counts for no account: a moment's work, or what must not be refused."""
        return await self.wait(asyncio.shield(self._submit(work)))

    def start(self, account: bytes, work: Callable[[], T]) -> asyncio.Future[T]:
        """Start some work for an account, which counts until it has ended, even if no request waits."""
        if self._started[account] >= MAX_PER_ACCOUNT:
            raise ProblemDetails(
                ProblemKind.TOO_OFTEN, f"at most {MAX_PER_ACCOUNT} long computations per token run at once"
            )
        # Without those of whom nothing runs any more.
        self._started = +self._started
        self._started[account] += 1
        future = self._submit(work)
        future.add_done_callback(lambda _: self._started.subtract([account]))
        return future

    async def wait(self, result: Awaitable[T]) -> T:
        """Return a result that comes in time, or raise the problem that it does not."""
        try:
            return await asyncio.wait_for(result, self._seconds)
        except TimeoutError:
            raise ProblemDetails(
                ProblemKind.OVERLOADED,
                f"computing this takes more than {self._seconds:g} s: it goes on, so ask again later",
            ) from None

    def _submit(self, work: Callable[[], T]) -> asyncio.Future[T]:
        return asyncio.get_running_loop().run_in_executor(self._threads, work)


def do_each(works: Iterable[Callable[[], object]]) -> None:
    """Do all of some works, also after one failed; then raise the first error."""
    failed: Exception | None = None
    for work in works:
        try:
            work()
        except Exception as error:  # noqa: BLE001
            failed = failed or error
    if failed is not None:
        raise failed
