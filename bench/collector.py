"""The collector beside a bare route, and beside bare inserts: `make bench-collector`.

Servers run on one core and the load on another. The load is `wrk` (closed loop) and a small client of our own
that sends at a fixed rate (open loop).
"""

from __future__ import annotations

import asyncio
import io
import json
import os
import resource
import secrets
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

import apsw
import numpy as np
from rich.console import Console
from rich.table import Table

from pckv import Report, Task
from pckv.canonical import base64url
from pckv.files.reports.stream import stream_reports
from pckv.files.reports.writer import as_arrays
from pckv.store import open_store
from pckv.store.base import Upload

TOKEN = "bench"  # noqa: S105
SERVER_CORE, LOAD_CORE = "0", "1"
CONNECTIONS = 64
SECONDS = 5
PAIRS = 5
BATCH, REPORTS = 10_000, 10**6
FEW, MANY, MORE_MEGABYTES = 10**5, 5 * 10**6, 64
TASK = Task(name="bench", keys=10_000, values=(1, 5), epsilon=1, mechanism="ue-compact")
# Unique ids: 21 characters of a counter and the sender's start, and a last one that encodes two bits.
SCRIPT = """
local digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
local number = 0
local head = {{}}
math.randomseed({seed})
for place = 1, 14 do local d = math.random(64); head[place] = digits:sub(d, d) end
head = table.concat(head)
request = function()
  number = number + 1
  local tail, rest = {{}}, number
  for place = 1, 7 do local d = rest % 64; tail[place] = digits:sub(d + 1, d + 1); rest = math.floor(rest / 64) end
  local body = '{{"reports":[{{"id":"' .. head .. table.concat(tail) .. 'A","body":"{body}"}}]}}'
  return wrk.format("POST", "{path}", {{["Content-Type"] = "application/json"}}, body)
end
"""
BARE = """
import json, sys, uvicorn
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route
async def take(request):
    json.loads(await request.body())
    return Response('{"refused": []}', media_type="application/json")
app = Starlette(routes=[Route("/tasks/{task}/reports", take, methods=["POST"])])
uvicorn.run(app, port=int(sys.argv[1]), http="h11", access_log=False, log_config=None, server_header=False)
"""
OURS = "from pckv.cli import main; main()"


@contextmanager
def running(port: int, *command: str) -> Iterator[subprocess.Popen[bytes]]:
    """A server on its core, once it answers."""
    process = subprocess.Popen(
        ["taskset", "-c", SERVER_CORE, sys.executable, "-c", *command],
        env=os.environ | {"PCKV_ADMIN_TOKEN": TOKEN},
        stderr=subprocess.DEVNULL,
    )
    try:
        for _ in range(200):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=1)
                break
            except urllib.error.HTTPError:
                break
            except OSError:
                time.sleep(0.05)
        yield process
    finally:
        process.terminate()
        process.wait()


@contextmanager
def ours(port: int, folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Our collector with an empty store and one task."""
    store = f"sqlite:///{folder}/{secrets.token_hex(4)}.db"
    with running(port, OURS, "serve", "--port", str(port), "--store", store) as process:
        headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
        url = f"http://127.0.0.1:{port}/tasks"
        urllib.request.urlopen(urllib.request.Request(url, TASK.to_json().encode(), headers))
        yield process


def path() -> str:
    """Where reports are sent."""
    return f"/tasks/{TASK.id}/reports"


def closed_loop(port: int, folder: Path) -> float:
    """Requests a second under wrk; none may be refused."""
    script = folder / "load.lua"
    body = base64url((5).to_bytes(8, "little"))
    script.write_text(SCRIPT.format(seed=secrets.randbelow(2**31), body=body, path=path()))
    command = [
        "wrk",
        "-t1",
        f"-c{CONNECTIONS}",
        f"-d{SECONDS}s",
        "-s",
        str(script),
        f"http://127.0.0.1:{port}",
    ]
    told = subprocess.run(
        ["taskset", "-c", LOAD_CORE, *command], check=True, capture_output=True, text=True
    ).stdout
    if "Non-2xx" in told or "Socket errors" in told:
        raise RuntimeError(told)
    return float(next(line for line in told.splitlines() if "Requests/sec" in line).split()[-1])


def open_loop(port: int, rate: float) -> float:
    """The 99th percentile of the time to an answer, from when it should have been sent, at a fixed rate."""
    code = f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); import collector; collector.send({port}, {rate})"
    told = subprocess.run(
        ["taskset", "-c", LOAD_CORE, sys.executable, "-c", code], check=True, capture_output=True, text=True
    )
    return float(told.stdout)


def send(port: int, rate: float) -> None:
    """Send at a fixed rate over kept connections; print the 99th percentile in seconds."""
    asyncio.run(_send(port, rate))


async def _send(port: int, rate: float) -> None:
    times: list[float] = []
    total = int(rate * SECONDS)
    begin = time.perf_counter() + 0.2
    numbers = iter(range(total))

    async def connection() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for number in numbers:
            due = begin + number / rate
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            body = json.dumps(
                {
                    "reports": [
                        {
                            "id": base64url(secrets.token_bytes(16)),
                            "body": base64url((5).to_bytes(8, "little")),
                        }
                    ]
                }
            )
            head = f"POST {path()} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
            writer.write((head + body).encode())
            answer = await reader.readuntil(b"\r\n\r\n")
            length = int(answer.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
            await reader.readexactly(length)
            times.append(time.perf_counter() - due)

    await asyncio.gather(*(connection() for _ in range(CONNECTIONS)))
    print(np.percentile(times, 99))


def some_reports(rng: np.random.Generator) -> list[Report]:
    """A batch of random reports."""
    ids = rng.bytes(16 * BATCH)
    words = rng.integers(0, TASK.word_limit or 0, BATCH).astype("<i8").tobytes()
    return [Report(ids[16 * row : 16 * row + 16], words[8 * row : 8 * row + 8]) for row in range(BATCH)]


def arrow_rate(port: int, reports: int = REPORTS) -> float:
    """Reports a second through Arrow uploads."""
    rng = np.random.default_rng()
    spent = 0.0
    for _ in range(reports // BATCH):
        sink = io.BytesIO()
        stream_reports(sink, TASK, [as_arrays(TASK, some_reports(rng))])
        headers = {"Content-Type": "application/vnd.apache.arrow.stream"}
        request = urllib.request.Request(f"http://127.0.0.1:{port}{path()}", sink.getvalue(), headers)
        start = time.perf_counter()
        urllib.request.urlopen(request).read()
        spent += time.perf_counter() - start
    return reports / spent


def resident(process: subprocess.Popen[bytes]) -> float:
    """Megabytes of memory that a process holds."""
    status = Path(f"/proc/{process.pid}/status").read_text(encoding="utf-8")
    return int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1]) / 1e3


def growth(port: int, folder: Path) -> tuple[float, float]:
    """Resident memory at 10^5 and at 5·10^6 reports."""
    with ours(port, folder) as process:
        arrow_rate(port, FEW)
        before = resident(process)
        arrow_rate(port, MANY - FEW)
        return before, resident(process)


def bare_rate(folder: Path) -> float:
    """Reports a second of executemany into the same table, with the same durability."""
    name = f"{folder}/{secrets.token_hex(4)}.db"
    store = open_store(f"sqlite:///{name}")
    store.prepare()
    store.add_task(TASK)
    store.add_reports([Upload(TASK.id, some_reports(np.random.default_rng())[:1])])
    store.close()
    connection = apsw.Connection(name)
    connection.execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL").fetchall()
    columns = [row[1] for row in connection.execute("PRAGMA table_info(reports)")]
    rng, spent = np.random.default_rng(), 0.0
    for _ in range(REPORTS // BATCH):
        rows = [(1, *report) for report in some_reports(rng)]
        start = time.perf_counter()
        with connection:
            connection.executemany(f"INSERT INTO reports ({', '.join(columns)}) VALUES (?, ?, ?)", rows)  # noqa: S608
        spent += time.perf_counter() - start
    return REPORTS / spent


def main() -> None:
    """Measure and print; exit code 1 if a bar is missed."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096))
    table = Table("what", "ours", "baseline", "ratio", "bar", "met")
    met = []

    def add(what: str, mine: list[float], theirs: list[float], bar: float, *, most: bool = False) -> None:
        ratio = median(a / b for a, b in zip(mine, theirs, strict=True))
        met.append(ratio <= bar if most else ratio >= bar)
        sign = "≤" if most else "≥"
        table.add_row(
            what,
            f"{median(mine):.4g}",
            f"{median(theirs):.4g}",
            f"{ratio:.2f}×",
            f"{sign} {bar}×",
            "yes" if met[-1] else "NO",
        )

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        mine, theirs, slow, fast, arrow, bare = [], [], [], [], [], []
        for _ in range(PAIRS):
            with ours(8701, folder):
                mine.append(closed_loop(8701, folder))
            with running(8702, BARE, "8702"):
                theirs.append(closed_loop(8702, folder))
        rate = median(mine) / 2
        for _ in range(PAIRS):
            with ours(8703, folder):
                slow.append(open_loop(8703, rate))
            with running(8704, BARE, "8704"):
                fast.append(open_loop(8704, rate))
        for _ in range(PAIRS):
            with ours(8705, folder):
                arrow.append(arrow_rate(8705))
            bare.append(bare_rate(folder))
        before, after = growth(8706, folder)
    add("durable single reports a second", mine, theirs, 0.4)
    add(f"p99 at {rate:.0f} a second, in seconds", slow, fast, 5, most=True)
    add("reports a second in Arrow batches of 10,000", arrow, bare, 0.6)
    met.append(after <= before + MORE_MEGABYTES)
    table.add_row(
        "MB at 5·10^6 reports, beside at 10^5",
        f"{after:.0f}",
        f"{before:.0f}",
        f"{after - before:+.0f} MB",
        f"≤ +{MORE_MEGABYTES} MB",
        "yes" if met[-1] else "NO",
    )
    Console(width=None if sys.stdout.isatty() else 140).print(table)
    sys.exit(not all(met))


if __name__ == "__main__":
    main()
