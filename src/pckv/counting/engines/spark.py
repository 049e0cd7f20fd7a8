"""The `spark` engine: the same counts from a Spark session, or from a DataFrame of your own.

Words are counted by Spark SQL itself, with no Python a row; the bodies of `ue` are added up in
Arrow batches where they are, and only the sums travel.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlparse

from pckv.counting.batches import Counted, Problem, count_batch, sift
from pckv.counting.deduplicator import conflict
from pckv.counting.engines.sql import count_instead, read_counts, settle
from pckv.errors import DataError, MissingExtra, require
from pckv.files.reports.format import ReportFile, first_line, message_column
from pckv.limits import REPORT_ID_BYTES
from pckv.tally import Tally
from pckv.task import Task

if TYPE_CHECKING:
    from pckv.counting.job import Job

DEFAULT_MASTER = "local[*]"
LEAST_JAVA = 17
SILENCE = Path(__file__).with_name("log4j2.properties")
COLUMN_TYPES = {"report_id": "binary", "word": "bigint", "body": "binary"}
PART_SCHEMA = "tally binary, repeated bigint, bad bigint, conflict binary"

STDERR = 2

Batches = Iterator[Any]


class UnreadableFile(DataError):
    """A file that Spark cannot read."""


def tally(frame: Any, task: Task, *, dedupe: bool = False) -> Tally:
    """The tally of a Spark DataFrame of reports, in the session that it belongs to.

    The frame has a column `word` (or `body` for `ue`), and `report_id` if ids are to be counted
    once. Local files that it reads are checked to be reports of this task; a report that is no
    report of it fails the whole.
    """
    _check_columns(frame, task, dedupe=dedupe)
    for uri in frame.inputFiles():
        if urlparse(uri).scheme == "file":
            ReportFile(Path(unquote(urlparse(uri).path)), task)
    with _one_line_errors():
        counted = _count_frame(frame, task, (), dedupe=dedupe, check_ids=dedupe)
        left_out = sum(problem.reports or 0 for problem in counted.problems)
        if dedupe:
            # What is no report has no id to be counted by, and was left out before.
            left_out = frame.count() - counted.tally.reports - counted.repeated
    if left_out:
        raise DataError(f"{left_out:,} rows of the DataFrame are not reports of task {task.name!r}")
    return counted.tally


def count(job: Job) -> Counted:
    """Count report files with Spark."""
    columns = ", ".join(f"{name} {COLUMN_TYPES[name]}" for name in ("report_id", message_column(job.task)))
    check_ids = job.dedupe or any(file.ids_may_be_missing for file in job.files)
    paths = [_literal(file.path) for file in job.files]
    try:
        with _one_line_errors():
            frame = _session(job.spark_master).read.schema(columns).parquet(*paths)
            counted = _count_frame(frame, job.task, job.files, dedupe=job.dedupe, check_ids=check_ids)
    except UnreadableFile as error:
        return count_instead(job, str(error))
    return settle(job, "Spark", counted)


def _check_columns(frame: Any, task: Task, *, dedupe: bool) -> None:
    kinds = dict(frame.dtypes)
    for name in (message_column(task), *(("report_id",) if dedupe else ())):
        if name not in kinds:
            raise DataError(f"the DataFrame has no column {name!r}")
        if kinds[name] != COLUMN_TYPES[name]:
            raise DataError(f"column {name!r} of the DataFrame is {kinds[name]}, not {COLUMN_TYPES[name]}")


def _count_frame(
    frame: Any, task: Task, files: Sequence[ReportFile], *, dedupe: bool, check_ids: bool
) -> Counted:
    frame = frame.select(*(["report_id"] * check_ids), message_column(task))
    if task.word_limit is not None:
        counter = _words_once if dedupe else _words
        return read_counts(task, files, counter(frame, task).toArrow())
    if dedupe:
        frame = _bodies_once(frame, task)
    counted = Counted(Tally(task))
    for part in frame.mapInArrow(_adding(task.to_json()), PART_SCHEMA).toArrow().to_pylist():
        if part["conflict"] is not None:
            raise conflict(files, part["conflict"])
        problems = [Problem("the frame", "no bodies of the task", part["bad"])] if part["bad"] else []
        counted.merge(Counted(Tally.from_bytes(task, part["tally"]), part["repeated"], problems))
    return counted


def _words(frame: Any, _: Task) -> Any:
    functions = require("pyspark.sql.functions", extra="spark")
    if "report_id" in frame.columns:
        # A report without an id counts as one without a word.
        frame = frame.select(functions.when(frame.report_id.isNotNull(), frame.word).alias("word"))
    return frame.groupBy("word").agg(
        functions.count(functions.lit(1)).alias("times"),
        functions.lit(0).alias("repeated"),
        functions.lit(None).cast("binary").alias("conflict"),
    )


def _words_once(frame: Any, task: Task) -> Any:
    functions = require("pyspark.sql.functions", extra="spark")
    once = _once(frame.where((frame.word >= 0) & (frame.word < task.word_limit)), "word")
    return once.groupBy("word").agg(
        functions.count(functions.lit(1)).alias("times"),
        functions.sum(once.copies - 1).alias("repeated"),
        functions.max(functions.when(once.differs, once.report_id)).alias("conflict"),
    )


def _bodies_once(frame: Any, task: Task) -> Any:
    sound = frame.mapInArrow(_sifting(task.to_json()), "report_id binary, body binary")
    return _once(sound, "body")


def _once(frame: Any, message: str) -> Any:
    """A row an id: what it says, how often it came, and whether it says two things."""
    functions = require("pyspark.sql.functions", extra="spark")
    column = functions.col(message)
    whole = frame.where(functions.octet_length("report_id") == REPORT_ID_BYTES)
    return whole.groupBy("report_id").agg(
        functions.min(column).alias(message),
        functions.count(functions.lit(1)).alias("copies"),
        (functions.min(column) != functions.max(column)).alias("differs"),
    )


def _adding(task_json: str) -> Callable[[Batches], Batches]:
    """What a worker does with its share of bodies: the tally of those that are sound."""

    def add(batches: Batches) -> Batches:
        arrow, compute = require("pyarrow", extra="files"), require("pyarrow.compute", extra="files")
        part = Counted(Tally(Task.from_json(task_json)))
        conflicting = None
        for batch in batches:
            names = [name for name in batch.schema.names if name in COLUMN_TYPES]
            count_batch(part, batch.select(names), "", skip=True)
            if "copies" in batch.schema.names:
                part.repeated += int(compute.sum(batch.column("copies")).as_py() or 0) - len(batch)
                for report_id in batch.filter(batch.column("differs")).column("report_id"):
                    conflicting = report_id.as_py()
        bad = sum(problem.reports or 0 for problem in part.problems)
        yield arrow.RecordBatch.from_arrays(
            [
                arrow.array([bytes(part.tally)], arrow.binary()),
                arrow.array([part.repeated], arrow.int64()),
                arrow.array([bad], arrow.int64()),
                arrow.array([conflicting], arrow.binary()),
            ],
            ["tally", "repeated", "bad", "conflict"],
        )

    return add


def _sifting(task_json: str) -> Callable[[Batches], Batches]:
    """What a worker passes on: the sound reports."""

    def sound_ones(batches: Batches) -> Batches:
        task = Task.from_json(task_json)
        for batch in batches:
            sound, _ = sift(task, batch, "")
            yield batch.filter(sound)

    return sound_ones


def _session(master: str | None) -> Any:
    """The session that is there (as under spark-submit), or one that lasts as long as this process."""
    sql = require("pyspark.sql", extra="spark")
    active = sql.SparkSession.getActiveSession()
    if active is not None:
        return active
    check_java()
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = sql.SparkSession.builder.appName("pckv")
    if "PYSPARK_GATEWAY_PORT" not in os.environ:
        # Not under spark-submit, which brings settings of its own.
        for name, value in _own_settings(master or DEFAULT_MASTER).items():
            builder = builder.config(name, value)
    elif master:
        builder = builder.master(master)
    with _quiet():
        return builder.getOrCreate()


def _own_settings(master: str) -> dict[str, str]:
    settings = {
        "spark.master": master,
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": str(sys.stderr.isatty()).lower(),
        "spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile={SILENCE.as_uri()}",
        "spark.driver.maxResultSize": "0",
    }
    if master.startswith("local"):
        settings |= {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
    return settings


def check_java() -> None:
    """Refuse to start without a Java that Spark runs on."""
    home = os.environ.get("JAVA_HOME")
    java = shutil.which("java", path=f"{home}/bin" if home else None)
    wanted = f"Spark needs Java {LEAST_JAVA} or newer"
    if java is None:
        raise MissingExtra(f"{wanted}: none was found (install one, or set JAVA_HOME)")
    told = subprocess.run([java, "-version"], capture_output=True, text=True, check=False).stderr  # noqa: S603
    version = re.search(r'version "(\d+)', told)
    if version is None or int(version[1]) < LEAST_JAVA:
        raise MissingExtra(f"{wanted}: {java} is {first_line(ValueError(told))}")


@contextmanager
def _one_line_errors() -> Iterator[None]:
    """Whatever goes wrong in Spark, said in one line."""
    errors = require("pyspark.errors", extra="spark")
    protocol = require("py4j.protocol", extra="spark")
    try:
        with warnings.catch_warnings():
            # About pandas, which no row passes through here.
            warnings.simplefilter("ignore", FutureWarning)
            yield
    except (errors.PySparkException, protocol.Py4JError, OSError) as error:
        reason = _reason(error)
        kind = UnreadableFile if reason.startswith("[FAILED_READ_FILE") else DataError
        raise kind(f"Spark: {reason}") from None


def _reason(error: Exception) -> str:
    """What went wrong, without the layers that only pass it on."""
    java = getattr(error, "java_exception", None)
    while java is not None:
        said = java.getMessage() or ""
        if said and "awaitResult" not in said:
            return first_line(ValueError(said))
        java = java.getCause()
    _, _, trace = str(error).partition("Traceback (most recent call last):\n")
    raised = (line for line in trace.splitlines() if not line.startswith(" "))
    return next(raised, first_line(error))


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep what Java prints while it starts from people who do not watch, unless it does not start."""
    if sys.stderr.isatty():
        yield
        return
    errors = require("pyspark.errors", extra="spark")
    stderr = os.dup(STDERR)
    with tempfile.TemporaryFile() as told:
        os.dup2(told.fileno(), STDERR)
        try:
            yield
        except errors.PySparkException as error:
            told.seek(0)
            lines = told.read().decode(errors="replace").splitlines()
            said = next((line for line in lines if "Exception: " in line), first_line(error))
            raise DataError(f"Spark: {said.rpartition('Exception: ')[2]}") from None
        finally:
            os.dup2(stderr, STDERR)
            os.close(stderr)


def _literal(path: Path) -> str:
    """A path that Spark does not take for a pattern."""
    return re.sub(r"([\[\]{}*?\\])", r"\\\1", str(path.resolve()))
