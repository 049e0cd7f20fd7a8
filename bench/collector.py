"""The collector relative to a bare route and to bare inserts: throughput, latency and memory.

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

import apsw
import numpy as np

from bench.measurement import Measurement, difference, ratio
from bench.processes import ROOT
from pckv import Report, Task
from pckv.canonical import base64url
from pckv.files.reports.stream import stream_reports
from pckv.files.reports.writer import as_arrays
from pckv.store import open_store
from pckv.store.base import Upload

TOKEN = "the-token-of-collectors-in-a-bench"  # noqa: S105
SERVER_CORE, LOAD_CORE = "0", "1"
CONNECTIONS = 64
SECONDS = 5
ROUNDS = 5
BATCH, REPORTS = 10_000, 10**6
FEW, MANY, MAX_MEGABYTES_MORE = 10**5, 5 * 10**6, 64
OPEN_FILES = 4096
TASK = Task(name="bench", keys=10_000, values=(1, 5), epsilon=1, mechanism="ue-compact")
# Unique ids: 14 random characters per sender, 7 of a counter, and a last one that encodes two bits.
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
BARE_SERVER = """
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
OUR_SERVER = "from pckv.cli import main; main()"


def measurements() -> Iterator[Measurement]:
    """Make every comparison, one at a time."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (OPEN_FILES, OPEN_FILES))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        throughput = single_reports(folder)
        yield throughput
        yield latency(folder, throughput.ours / 2)
        yield arrow_batches(folder)
        yield memory_growth(folder)


def single_reports(folder: Path) -> Measurement:
    """Send one report per request as fast as possible; the baseline only parses the JSON."""
    ours, baseline = [], []
    for _ in range(ROUNDS):
        with running_collector(8701, folder):
            ours.append(closed_loop(8701, folder))
        with running(8702, BARE_SERVER, "8702"):
            baseline.append(closed_loop(8702, folder))
    return ratio("durable single reports", "reports/s", ours, baseline, 0.4, at_most=False)


def latency(folder: Path, rate: float) -> Measurement:
    """Send one report per request at a fixed rate; the baseline only parses the JSON."""
    ours, baseline = [], []
    for _ in range(ROUNDS):
        with running_collector(8703, folder):
            ours.append(1e3 * open_loop(8703, rate))
        with running(8704, BARE_SERVER, "8704"):
            baseline.append(1e3 * open_loop(8704, rate))
    return ratio(f"p99 at {rate:.0f} reports/s", "ms", ours, baseline, 5, at_most=True)


def arrow_batches(folder: Path) -> Measurement:
    """Upload Arrow batches of 10,000 reports; the baseline inserts them into the table."""
    ours, baseline = [], []
    for _ in range(ROUNDS):
        with running_collector(8705, folder):
            ours.append(arrow_rate(8705))
        baseline.append(bare_rate(folder))
    return ratio("Arrow batches of 10,000", "reports/s", ours, baseline, 0.6, at_most=False)


@contextmanager
def running(port: int, *command: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run a server on its core; enter once it answers."""
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
def running_collector(port: int, folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Run our collector with an empty store and one task."""
    store = f"sqlite:///{folder}/{secrets.token_hex(4)}.db"
    with running(port, OUR_SERVER, "serve", "--port", str(port), "--store", store) as process:
        headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
        url = f"http://127.0.0.1:{port}/tasks"
        urllib.request.urlopen(urllib.request.Request(url, TASK.to_json().encode(), headers))
        yield process


def upload_path() -> str:
    """Return the path that takes reports."""
    return f"/tasks/{TASK.id}/reports"


def closed_loop(port: int, folder: Path) -> float:
    """Return the requests per second under wrk; none may be refused."""
    script = folder / "load.lua"
    body = base64url((5).to_bytes(8, "little"))
    script.write_text(SCRIPT.format(seed=secrets.randbelow(2**31), body=body, path=upload_path()))
    command = [
        "wrk",
        "-t1",
        f"-c{CONNECTIONS}",
        f"-d{SECONDS}s",
        "-s",
        str(script),
        f"http://127.0.0.1:{port}",
    ]
    output = subprocess.run(
        ["taskset", "-c", LOAD_CORE, *command], check=True, capture_output=True, text=True
    ).stdout
    if "Non-2xx" in output or "Socket errors" in output:
        raise RuntimeError(output)
    return float(next(line for line in output.splitlines() if "Requests/sec" in line).split()[-1])


def open_loop(port: int, rate: float) -> float:
    """Return the 99th percentile of seconds to an answer, from when the request was due, at a fixed rate."""
    code = f"from bench.collector import send; send({port}, {rate})"
    command = ["taskset", "-c", LOAD_CORE, sys.executable, "-c", code]
    return float(subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT).stdout)


def send(port: int, rate: float) -> None:
    """Send at a fixed rate over persistent connections; print the 99th percentile in seconds."""
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
            head = f"POST {upload_path()} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
            writer.write((head + body).encode())
            answer = await reader.readuntil(b"\r\n\r\n")
            length = int(answer.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
            await reader.readexactly(length)
            times.append(time.perf_counter() - due)

    await asyncio.gather(*(connection() for _ in range(CONNECTIONS)))
    print(np.percentile(times, 99))


def random_reports(rng: np.random.Generator) -> list[Report]:
    """Return a batch of random reports."""
    ids = rng.bytes(16 * BATCH)
    words = rng.integers(0, TASK.word_limit or 0, BATCH).astype("<i8").tobytes()
    return [Report(ids[16 * row : 16 * row + 16], words[8 * row : 8 * row + 8]) for row in range(BATCH)]


def arrow_rate(port: int, reports: int = REPORTS) -> float:
    """Return the reports per second through Arrow uploads."""
    rng = np.random.default_rng()
    spent = 0.0
    for _ in range(reports // BATCH):
        sink = io.BytesIO()
        stream_reports(sink, TASK, [as_arrays(TASK, random_reports(rng))])
        headers = {"Content-Type": "application/vnd.apache.arrow.stream"}
        request = urllib.request.Request(f"http://127.0.0.1:{port}{upload_path()}", sink.getvalue(), headers)
        start = time.perf_counter()
        urllib.request.urlopen(request).read()
        spent += time.perf_counter() - start
    return reports / spent


def resident(process: subprocess.Popen[bytes]) -> float:
    """Return the resident memory of a process in megabytes."""
    status = Path(f"/proc/{process.pid}/status").read_text(encoding="utf-8")
    return int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1]) / 1e3


def memory_growth(folder: Path) -> Measurement:
    """Compare the resident memory at 5·10^6 reports with that at 10^5."""
    port = 8706
    with running_collector(port, folder) as process:
        arrow_rate(port, FEW)
        before = resident(process)
        arrow_rate(port, MANY - FEW)
        after = resident(process)
    return difference("memory at 5·10^6 reports and at 10^5", "MB", [after], [before], MAX_MEGABYTES_MORE)


def bare_rate(folder: Path) -> float:
    """Return the reports per second of executemany into the same table, with the same durability."""
    name = f"{folder}/{secrets.token_hex(4)}.db"
    store = open_store(f"sqlite:///{name}")
    store.prepare()
    store.add_task(TASK)
    store.add_reports([Upload(TASK.id, random_reports(np.random.default_rng())[:1])])
    store.close()
    connection = apsw.Connection(name)
    connection.execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL").fetchall()
    columns = [row[1] for row in connection.execute("PRAGMA table_info(reports)")]
    rng, spent = np.random.default_rng(), 0.0
    for _ in range(REPORTS // BATCH):
        rows = [(1, *report) for report in random_reports(rng)]
        start = time.perf_counter()
        with connection:
            connection.executemany(f"INSERT INTO reports ({', '.join(columns)}) VALUES (?, ?, ?)", rows)  # noqa: S608
        spent += time.perf_counter() - start
    return REPORTS / spent
