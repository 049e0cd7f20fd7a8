"""The collector relative to a raw route and to bare inserts: throughput, latency and memory.

Servers run on one core and the load on another. The raw route is the least that a server in Python can do
with a report: the fastest protocol and event loop there are, no framework, and nothing but parsing the JSON.
"""

from __future__ import annotations

import io
import os
import resource
import secrets
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw
import numpy as np

from bench.load import ConnectionUse, closed_loop, open_loop
from bench.measurement import Measurement, difference, ratio
from pckv import Report, Task
from pckv.base.days import utc_today
from pckv.files.reports.writer import as_arrays, stream_reports
from pckv.store import open_store
from pckv.store.base import Upload

TOKEN = "the-token-of-collectors-in-a-bench"  # noqa: S105
SERVER_CORE = "0"
ROUNDS = 5
BATCH, REPORTS = 10_000, 10**6
FEW, MANY, MAX_MEGABYTES_MORE = 10**5, 5 * 10**6, 64
OPEN_FILES = 4096
TASK = Task(name="bench", keys=10_000, values=(1, 5), epsilon=1, mechanism="ue-compact")
# The path that takes reports.
UPLOAD_PATH = f"/tasks/{TASK.id}/reports"
RAW_SERVER = """
import json, sys, uvicorn
ANSWER = b'{"refused":[]}'
START = {
    "type": "http.response.start",
    "status": 200,
    "headers": [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(ANSWER))],
}
async def take(scope, receive, send):
    body, more = b"", True
    while more:
        message = await receive()
        body += message["body"]
        more = message["more_body"]
    json.loads(body)
    await send(START)
    await send({"type": "http.response.body", "body": ANSWER})
uvicorn.run(
    take, port=int(sys.argv[1]), http="httptools", loop="uvloop", lifespan="off", ws="none", backlog=1024,
    access_log=False, log_config=None, proxy_headers=False, server_header=False,
)
"""
OUR_SERVER = "from pckv.cli import main; main()"


def measurements() -> Iterator[Measurement]:
    """Make every comparison, one at a time."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (OPEN_FILES, OPEN_FILES))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for connections in ConnectionUse:
            throughput = single_reports(folder, connections)
            yield throughput
            yield latency(folder, connections, throughput)
        yield arrow_batches(folder)
        yield memory_growth(folder)


def single_reports(folder: Path, connections: ConnectionUse) -> Measurement:
    """Send one report per request as fast as possible; the baseline only parses the JSON."""
    ours, baseline = [], []
    for _ in range(ROUNDS):
        with running_collector(8701, folder):
            ours.append(closed_loop(8701, UPLOAD_PATH, folder, connections))
        with running(8702, RAW_SERVER, "8702"):
            baseline.append(closed_loop(8702, UPLOAD_PATH, folder, connections))
    name = f"durable single reports, {connections.value}"
    return ratio(name, "reports/s", ours, baseline, 0.25, at_most=False)


def latency(folder: Path, connections: ConnectionUse, throughput: Measurement) -> Measurement:
    """Send one report per request at half of what each server can take; the baseline only parses the JSON."""
    ours, baseline = [], []
    our_rate, raw_rate = throughput.ours / 2, (throughput.baseline or 0) / 2
    for _ in range(ROUNDS):
        with running_collector(8703, folder):
            ours.append(1e3 * open_loop(8703, UPLOAD_PATH, our_rate, connections))
        with running(8704, RAW_SERVER, "8704"):
            baseline.append(1e3 * open_loop(8704, UPLOAD_PATH, raw_rate, connections))
    name = f"p99 at {our_rate:.0f} and {raw_rate:.0f} reports/s, {connections.value}"
    return ratio(name, "ms", ours, baseline, 5, at_most=True)


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
        request = urllib.request.Request(f"http://127.0.0.1:{port}{UPLOAD_PATH}", sink.getvalue(), headers)
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
    store.add_task(TASK, utc_today())
    store.add_reports([Upload(TASK.id, random_reports(np.random.default_rng())[:1])], utc_today())
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
