"""Attacks on a collector, all at once, and honest participants beside them; each in a process of its own."""

from __future__ import annotations

import asyncio
import io
import os
import random
import re
import resource
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from multiprocessing.connection import Connection
from typing import NamedTuple

import pyarrow as pa

from pckv import Task
from pckv.files.reports.columns import report_schema
from support.collectors import ARROW, JSON
from support.connections import head
from support.stores import report
from support.uploads import items

# Per second, half of them on a connection of their own.
HONEST_UPLOADS_PER_SECOND = 200
KEPT_CONNECTIONS = 20
# The attacks, in numbers of the reviews that found them.
EMPTY_BATCHES, STALLED_BODIES, UNREAD_ANSWERS, IDLE_CONNECTIONS, ESTIMATES = 95_000, 60, 150, 1024, 12
HOSTILE_BYTES = 15 * 2**20
# Many connections at once, each of which sends the same again and again, or stalls.
CONNECTIONS, PIPELINED, TINY_HEADERS, SMALL_CHUNKS, SMALL_BODY = 2_000, 16, 3_000, 2**14, 2**16
# How long the honest and the attackers wait for an answer, and an attacker between two attempts. Also attackers who get
# no answer come back while the honest upload.
ANSWER_SECONDS, HOSTILE_ANSWER_SECONDS, PAUSE_SECONDS = 10.0, 5.0, 0.2
# Many connections come back a thousand times per second in all.
COME_BACK_SECONDS = CONNECTIONS / 1000


class Target(NamedTuple):
    """What is attacked: a collector, its tasks, and the token of an analyst."""

    port: int
    small_task: str
    large_task: str
    large_text: str
    token: str


Line = tuple[asyncio.StreamReader, asyncio.StreamWriter]
Statuses = Counter[int]
Attempt = Callable[[], Awaitable[int]]
Attack = Callable[[Statuses], Awaitable[None]]


@asynccontextmanager
async def connection(target: Target) -> AsyncIterator[Line]:
    reader, writer = await asyncio.open_connection("127.0.0.1", target.port, limit=2**16)
    try:
        yield reader, writer
    finally:
        writer.transport.abort()


async def exchange(line: Line, request: bytes, seconds: float = ANSWER_SECONDS) -> int:
    """Send a request and read its answer; return the status, or 0 if the connection ends before."""
    reader, writer = line
    with suppress(ConnectionError, TimeoutError, asyncio.IncompleteReadError):
        async with asyncio.timeout(seconds):
            writer.write(request)
            with suppress(ConnectionError):
                # It may answer and hang up before it has read everything.
                await writer.drain()
            start = await reader.readuntil(b"\r\n\r\n")
            length = re.search(rb"content-length: (\d+)", start)
            left = int(length[1]) if length else 0
            while left and (piece := await reader.read(min(left, 2**16))):
                left -= len(piece)
            return int(start.split()[1])
    return 0


def with_body(path: str, body: bytes, media: str = JSON, *headers: str) -> bytes:
    return head("POST", path, f"Content-Type: {media}", f"Content-Length: {len(body)}", *headers) + body


def empty_batches(task: Task) -> bytes:
    """Return an Arrow stream of nothing, very often."""
    schema = report_schema(task).remove_metadata()
    written = []
    for count in (0, 1):
        sink = io.BytesIO()
        with pa.ipc.new_stream(sink, schema) as stream:
            for _ in range(count):
                stream.write_batch(pa.record_batch([[], []], schema=schema))
        written.append(sink.getvalue())
    none, one = written
    batch = one[len(none) - 8 : -8]
    return none[:-8] + batch * min(EMPTY_BATCHES, HOSTILE_BYTES // len(batch)) + none[-8:]


def attacks(target: Target) -> list[Attempt]:
    """Return what one attacker after the other does again and again."""
    bearer = f"Authorization: Bearer {target.token}"
    requests = [
        with_body(f"/tasks/{target.large_task}/reports", empty_batches(Task.from_json(target.large_text)), ARROW),
        with_body(f"/tasks/{target.small_task}/reports", b'{"reports":[' + b"[]," * 800_000 + b"[]]}"),
        with_body(f"/tasks/{target.small_task}/reports", b'{"reports":' + b"[" * 2_500_000),
        with_body("/tasks", b" " * HOSTILE_BYTES),
        with_body("/session", b"[" * HOSTILE_BYTES),
        _chunked(target) + b"1\r\n \r\n" * 2**18,
        *(
            head("GET", f"/tasks/{target.large_task}/estimates?level={level / 100}&top=5", bearer)
            for level in random.Random(1).sample(range(50, 99), ESTIMATES)
        ),
    ]

    def again(request: bytes) -> Attempt:
        async def attempt() -> int:
            async with connection(target) as line:
                return await exchange(line, request, HOSTILE_ANSWER_SECONDS)

        return attempt

    return [again(request) for request in requests]


async def keep_stalled(target: Target, count: int, sent: bytes, *, reads: bool, pause: float = PAUSE_SECONDS) -> None:
    """Keep connections that have sent something and go on neither to send nor to read; replace those that end."""

    async def stall() -> None:
        while True:
            with suppress(OSError):
                async with connection(target) as (reader, writer):
                    writer.write(sent)
                    if reads:
                        await reader.read()
                    else:
                        writer.transport.pause_reading()  # type: ignore[attr-defined]
                        await asyncio.sleep(HOSTILE_ANSWER_SECONDS)
            await asyncio.sleep(pause)

    await asyncio.gather(*(stall() for _ in range(count)))


def all_at_once(target: Target) -> Attack:
    """Return what the first review did, everything at once; it counts how often which status was the answer."""
    attempts, upload = attacks(target), with_body(f"/tasks/{target.large_task}/reports", b" " * 2_600_000)

    async def attack(statuses: Statuses) -> None:
        async def repeat(attempt: Attempt) -> None:
            while True:
                with suppress(OSError):
                    statuses[await attempt()] += 1
                await asyncio.sleep(PAUSE_SECONDS)

        await asyncio.gather(
            *map(repeat, attempts),
            keep_stalled(target, IDLE_CONNECTIONS, b"", reads=True),
            keep_stalled(target, STALLED_BODIES, upload[:-1000], reads=True),
            keep_stalled(target, UNREAD_ANSWERS, head("GET", f"/tasks/{target.large_task}"), reads=False),
        )

    return attack


def many_connections(sent: Callable[[Target], bytes], *, stalls: bool = False) -> Callable[[Target], Attack]:
    """Return an attack on many connections: each sends something, and comes back when it was answered."""

    def prepare(target: Target) -> Attack:
        request = sent(target)

        async def attack(statuses: Statuses) -> None:
            async def come_back() -> None:
                while True:
                    with suppress(OSError):
                        async with connection(target) as line:
                            statuses[await exchange(line, request, HOSTILE_ANSWER_SECONDS)] += 1
                    await asyncio.sleep(COME_BACK_SECONDS)

            if stalls:
                await keep_stalled(target, CONNECTIONS, request, reads=True, pause=COME_BACK_SECONDS)
            await asyncio.gather(*(come_back() for _ in range(CONNECTIONS)))

        return attack

    return prepare


def _chunked(target: Target) -> bytes:
    path = f"/tasks/{target.small_task}/reports"
    return head("POST", path, f"Content-Type: {JSON}", "Transfer-Encoding: chunked")


ATTACKS: dict[str, Callable[[Target], Attack]] = {
    "all at once": all_at_once,
    "pipelined requests": many_connections(lambda _: head("GET", "/healthz") * PIPELINED),
    "few pipelined requests": many_connections(lambda _: head("GET", "/healthz") * 3),
    "tiny headers": many_connections(lambda _: head("GET", "/healthz", *["ab:c"] * TINY_HEADERS), stalls=True),
    "unfinished heads": many_connections(lambda _: head("GET", "/healthz", *["ab:c"] * 60)[:-2], stalls=True),
    "small chunks": many_connections(lambda target: _chunked(target) + b"5\r\n     \r\n" * SMALL_CHUNKS),
    "stalled bodies": many_connections(
        lambda target: with_body(f"/tasks/{target.small_task}/reports", b" " * SMALL_BODY)[:-1], stalls=True
    ),
}


def run_attack(name: str, target: Target, seconds: float, results: Connection) -> None:
    """Attack from a process of its own, which gets the processors that the collector leaves: attackers have their own."""
    os.nice(10)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 4096)), hard))
    statuses: Statuses = Counter()
    attack = ATTACKS[name](target)

    async def run() -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(attack(statuses), seconds)

    results.send("ready")
    asyncio.run(run())
    results.send(statuses)


async def upload_honestly(target: Target, task: Task, seconds: float) -> tuple[list[float], Statuses]:
    """Send single reports at a fixed rate; return how long each took from when it was due, and the statuses."""
    path = f"/tasks/{target.small_task}/reports"
    durations: list[float] = []
    statuses: Statuses = Counter()
    kept: asyncio.Queue[Line] = asyncio.Queue()
    for _ in range(KEPT_CONNECTIONS):
        kept.put_nowait(await asyncio.open_connection("127.0.0.1", target.port))

    async def upload(number: int, due: float) -> None:
        request = with_body(path, items(report(number, task=task)))
        if number % 2:
            async with connection(target) as line:
                status = await exchange(line, request)
        else:
            line = await kept.get()
            status = await exchange(line, request)
            if status != 200:
                line[1].transport.abort()
                line = await asyncio.open_connection("127.0.0.1", target.port)
            kept.put_nowait(line)
        durations.append(time.monotonic() - due)
        statuses[status] += 1

    start = time.monotonic()
    async with asyncio.TaskGroup() as uploads:
        for number in range(int(seconds * HONEST_UPLOADS_PER_SECOND)):
            due = start + number / HONEST_UPLOADS_PER_SECOND
            await asyncio.sleep(max(0.0, due - time.monotonic()))
            uploads.create_task(upload(number, due))
    while not kept.empty():
        _, writer = kept.get_nowait()
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()
    return durations, statuses
