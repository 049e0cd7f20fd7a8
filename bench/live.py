"""Live estimates of 250,000 keys under `collision` while reports arrive: the first and next answers.

A real collector (`pckv serve` on SQLite) gets 20,000 reports and is asked for estimates at once. Then it gets
100 more at a time and is asked again, while another sender sends a report at a fixed rate. The bars: 6 s for
the first estimates and 1 s for each of the next, on a machine that does nothing else; the collector's
processor time, which others disturb less, is shown too. Uploads are timed with and without estimates.
"""

from __future__ import annotations

import http.client
import io
import os
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np

from bench.measurement import Measurement, absolute
from bench.processes import ROOT
from pckv import Report, Task
from pckv.files.reports.writer import as_arrays, stream_reports

# The collector that the tests use.
sys.path.insert(0, str(ROOT / "tests"))
from support.serving import ServeProcess, serving

TASK = Task(name="live", keys=250_000, values=(1, 5), epsilon=1, padding=5, mechanism="collision")
TOKEN = "the-token-of-collectors-in-a-bench"  # noqa: S105
BATCH, BATCHES, MORE = 10_000, 2, 100
ROUNDS, ESTIMATES = 3, 5
RATE, QUIET_SECONDS, WARM_UP_SECONDS = 20.0, 4.0, 5.0
MAX_FIRST, MAX_NEXT = 6.0, 1.0
TIMEOUT = 120


class Cost(NamedTuple):
    """Seconds that estimates took on the wall clock, and on the collector's processors."""

    wall: float
    processor: float


class Uploader:
    """A sender of single reports at a fixed rate, which times each answer from when it was due."""

    def __init__(self, port: int) -> None:
        self.port, self.times = port, [0.0]
        self.stopped = threading.Event()

    def run(self) -> None:
        """Send until stopped."""
        rng, begin, number = np.random.default_rng(), time.perf_counter(), 0
        self.times.clear()
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT)) as connection:
            while not self.stopped.is_set():
                due = begin + number / RATE
                time.sleep(max(0.0, due - time.perf_counter()))
                upload(connection, random_reports(rng, 1))
                self.times.append(1e3 * (time.perf_counter() - due))
                number += 1


def measurements() -> Iterator[Measurement]:
    """Run some collectors one after another."""
    first: list[Cost] = []
    following: list[Cost] = []
    quiet: list[float] = []
    busy: list[float] = []
    for _ in range(ROUNDS):
        with tempfile.TemporaryDirectory() as name, collector(Path(name)) as server:
            with sending(server.port) as uploader:
                time.sleep(QUIET_SECONDS)
            quiet += uploader.times
            first.append(first_estimates(server))
            with sending(server.port) as uploader:
                following += next_estimates(server)
            busy += uploader.times
    yield from costs("first estimates after 20,000 reports", first, MAX_FIRST)
    yield from costs("estimates after 100 more, uploads flowing", following, MAX_NEXT)
    for name, times in (("without estimates", quiet), ("while estimating", busy)):
        for percentile in (50, 99):
            yield absolute(f"an upload {name}, p{percentile}", "ms", [float(np.percentile(times, percentile))])


def costs(name: str, found: list[Cost], bar: float) -> Iterator[Measurement]:
    """Report the times of estimates."""
    yield absolute(name, "s", [cost.wall for cost in found], bar)
    yield absolute(f"{name}: processor", "s", [cost.processor for cost in found])


@contextmanager
def collector(folder: Path) -> Iterator[ServeProcess]:
    """Run a collector with the task."""
    with serving(folder, "--store", f"sqlite:///{folder}/live.db", admin_token=TOKEN) as server:
        server.ask("POST", "/tasks", TASK.to_json().encode(), {"Authorization": f"Bearer {TOKEN}"})
        # The first upload loads Arrow, and creating the task the compiled loop.
        with closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=TIMEOUT)) as connection:
            upload(connection, random_reports(np.random.default_rng(), 1))
        time.sleep(WARM_UP_SECONDS)
        yield server


@contextmanager
def sending(port: int) -> Iterator[Uploader]:
    """Send reports in a thread."""
    uploader = Uploader(port)
    thread = threading.Thread(target=uploader.run)
    thread.start()
    try:
        yield uploader
    finally:
        uploader.stopped.set()
        thread.join()


def first_estimates(server: ServeProcess) -> Cost:
    """Upload many reports; return the cost from the last acknowledgement to the first rows of estimates."""
    rng = np.random.default_rng()
    with closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=TIMEOUT)) as connection:
        for _ in range(BATCHES):
            upload(connection, random_reports(rng, BATCH))
        return estimate_cost(server, connection, BATCH * BATCHES)


def next_estimates(server: ServeProcess) -> list[Cost]:
    """Upload some more and ask again, several times."""
    rng, times = np.random.default_rng(), []
    with closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=TIMEOUT)) as connection:
        for number in range(1, ESTIMATES + 1):
            upload(connection, random_reports(rng, MORE))
            times.append(estimate_cost(server, connection, BATCH * BATCHES + MORE * number))
            time.sleep(1)
    return times


def estimate_cost(server: ServeProcess, connection: http.client.HTTPConnection, reports: int) -> Cost:
    """Return what the rows that the dashboard shows cost; they must count at least this many reports."""
    start, used = time.perf_counter(), processor_seconds(server.process.pid)
    path = f"/tasks/{TASK.id}/estimates?limit=25&sort=-frequency"
    connection.request("GET", path, headers={"Authorization": f"Bearer {TOKEN}"})
    answer = connection.getresponse()
    body = answer.read()
    cost = Cost(time.perf_counter() - start, processor_seconds(server.process.pid) - used)
    counted = int(body.partition(b'"reports":')[2].partition(b",")[0])
    if answer.status != http.client.OK or counted < reports:
        raise RuntimeError(body[:200])
    return cost


def processor_seconds(process: int) -> float:
    """Return the processor time that a process has used."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def random_reports(rng: np.random.Generator, number: int) -> list[Report]:
    """Return reports with random words, which is what reports look like."""
    ids = rng.bytes(16 * number)
    words = rng.integers(0, TASK.word_limit or 0, number).astype("<i8").tobytes()
    return [Report(ids[16 * row : 16 * row + 16], words[8 * row : 8 * row + 8]) for row in range(number)]


def upload(connection: http.client.HTTPConnection, reports: list[Report]) -> None:
    """Send reports in one request; none may be refused."""
    sink = io.BytesIO()
    stream_reports(sink, TASK, [as_arrays(TASK, reports)])
    headers = {"Content-Type": "application/vnd.apache.arrow.stream"}
    connection.request("POST", f"/tasks/{TASK.id}/reports", sink.getvalue(), headers)
    answer = connection.getresponse()
    body = answer.read()
    if answer.status != http.client.OK:
        raise RuntimeError(body[:200])
