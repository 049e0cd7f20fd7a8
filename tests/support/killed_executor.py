"""A program that counts report files on a cluster of two executors, and kills one half-way.

Every argument is a JSON list of a task file and its report files. It prints one line of JSON per argument:
the tally's digest, and the state of the cluster when the executor died.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyspark
from pyspark.sql import SparkSession

from pckv import Task
from pckv.counting.engines.spark import count
from pckv.counting.job import Job
from pckv.files.reports.reader import ReportFile
from support.parts import SHORT_LIVED_JAVA
from support.sample_reports import digest

MASTER = "local-cluster[2,1,1024]"
EXECUTOR = b"CoarseGrainedExecutorBackend"
POLL_SECONDS = 0.01
# Long, since a busy machine starts executors slowly.
TIMEOUT_SECONDS = 600


def session() -> Any:
    settings = {
        "spark.driver.host": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "4",
        "spark.driver.extraJavaOptions": SHORT_LIVED_JAVA,
        "spark.executor.extraJavaOptions": SHORT_LIVED_JAVA,
        # Many tasks, so that the kill comes half-way.
        "spark.sql.files.maxPartitionBytes": "2m",
        "spark.executorEnv.PYTHONPATH": os.pathsep.join(sys.path),
    }
    builder = SparkSession.builder.master(MASTER)
    for name, value in settings.items():
        builder = builder.config(name, value)
    started = builder.getOrCreate()
    started.sparkContext.setLogLevel("OFF")
    return started


def executors() -> list[int]:
    """Return the ids of executor processes that descend from this one."""
    processes = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit() and EXECUTOR in _read(folder / "cmdline"):
            parents = list(ancestors(int(folder.name)))
            # The shell that started an executor has the same words in its command line.
            if os.getpid() in parents and _read(folder / "comm").strip() == b"java":
                processes.append(int(folder.name))
    return processes


def ancestors(process: int) -> Iterator[int]:
    while process > 1:
        # The fields after the name, which is in brackets and may contain anything.
        fields = _read(Path(f"/proc/{process}/stat")).rpartition(b")")[2].split()
        process = int(fields[1]) if fields else 0
        yield process


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


class ExecutorKiller(threading.Thread):
    """A thread that kills an executor once some tasks of a stage are done and some are not."""

    def __init__(self, tracker: Any, running: list[int]) -> None:
        super().__init__(daemon=True)
        self.tracker, self.running = tracker, running
        self.seen: dict[str, int] = {}

    def run(self) -> None:
        deadline = time.monotonic() + TIMEOUT_SECONDS
        while time.monotonic() < deadline and not self.seen:
            for number in self.tracker.getActiveStageIds():
                stage = self.tracker.getStageInfo(number)
                if stage and stage.numActiveTasks and stage.numTasks // 4 <= stage.numCompletedTasks:
                    os.kill(self.running[0], signal.SIGKILL)
                    self.seen = {
                        "stage": number,
                        "tasks": stage.numTasks,
                        "done": stage.numCompletedTasks,
                        "executors": len(self.running),
                    }
                    return
            time.sleep(POLL_SECONDS)


def main() -> None:
    spark = session()
    tracker = spark.sparkContext.statusTracker()
    for text in sys.argv[1:]:
        task_file, *paths = json.loads(text)
        task = Task.from_json(Path(task_file).read_bytes())
        deadline = time.monotonic() + TIMEOUT_SECONDS
        while len(running := executors()) < 2 and time.monotonic() < deadline:
            time.sleep(POLL_SECONDS)
        killer = ExecutorKiller(tracker, running)
        killer.start()
        tally = count(Job(task, tuple(ReportFile(Path(path), task) for path in paths))).tally
        killer.join()
        failed = tracker.getStageInfo(killer.seen["stage"]).numFailedTasks
        facts = {"tally": digest(bytes(tally)), "reports": tally.reports, "failed": failed, **killer.seen}
        print(json.dumps(facts), flush=True)  # noqa: T201
    spark.stop()
    # The cluster writes the output of its executors there.
    shutil.rmtree(Path(pyspark.__file__).with_name("work"), ignore_errors=True)


if __name__ == "__main__":
    main()
