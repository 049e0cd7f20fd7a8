"""The `spark` engine: the same counts from a Spark session, or from a DataFrame of the caller.

Spark SQL itself counts words, without running Python per row; messages that support many keys at once are
added up in Arrow batches on the workers, and only the sums travel. A session is started if none exists.
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
from typing import Any
from urllib.parse import unquote, urlparse

from pckv.base.errors import DataError, MissingExtra, first_line, require
from pckv.base.limits import REPORT_ID_BYTES
from pckv.contract.task import Task
from pckv.counting.batches import check_batch, count_batch
from pckv.counting.deduplicator import conflict_error
from pckv.counting.engines.sql import account_for_rows, can_group, read_word_counts, recount_with_numpy
from pckv.counting.job import BadReports, CountResult, Job
from pckv.files.reports.columns import ID_COLUMN, message_column
from pckv.files.reports.reader import ReportFile
from pckv.tally import Tally

DEFAULT_MASTER = "local[*]"
MIN_JAVA = 17
LOG_SETTINGS = Path(__file__).with_name("log4j2.properties")
STDERR = 2


class UnreadableFile(DataError):
    """A file that Spark cannot read."""


def spark_session(master: str | None) -> Any:
    """Return the active session (as under spark-submit), or start one that lasts as long as this process."""
    sql = require("pyspark.sql", extra="spark")
    active = sql.SparkSession.getActiveSession()
    if active is not None:
        return active
    check_java()
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = sql.SparkSession.builder.appName("pckv")
    if "PYSPARK_GATEWAY_PORT" not in os.environ:
        # Not under spark-submit, which brings its own settings.
        for name, value in _settings(master or DEFAULT_MASTER).items():
            builder = builder.config(name, value)
    elif master:
        builder = builder.master(master)
    with _without_startup_messages():
        return builder.getOrCreate()


def _settings(master: str) -> dict[str, str]:
    settings = {
        "spark.master": master,
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": str(sys.stderr.isatty()).lower(),
        "spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile={LOG_SETTINGS.as_uri()}",
        "spark.driver.maxResultSize": "0",
    }
    if master.startswith("local"):
        settings |= {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
    return settings


def check_java() -> None:
    """Refuse to start without a Java that Spark runs on."""
    home = os.environ.get("JAVA_HOME")
    java = shutil.which("java", path=f"{home}/bin" if home else None)
    wanted = f"Spark needs Java {MIN_JAVA} or newer"
    if java is None:
        raise MissingExtra(f"{wanted}: none was found (install one, or set JAVA_HOME)")
    printed = subprocess.run([java, "-version"], capture_output=True, text=True, check=False).stderr  # noqa: S603
    version = re.search(r'version "(\d+)', printed)
    if version is None or int(version[1]) < MIN_JAVA:
        raise MissingExtra(f"{wanted}: {java} is {first_line(ValueError(printed))}")


@contextmanager
def one_line_errors() -> Iterator[None]:
    """Turn whatever goes wrong in Spark into a `DataError` of one line."""
    errors = require("pyspark.errors", extra="spark")
    protocol = require("py4j.protocol", extra="spark")
    try:
        with warnings.catch_warnings():
            # About pandas, which no row passes through.
            warnings.simplefilter("ignore", FutureWarning)
            yield
    except (errors.PySparkException, protocol.Py4JError, OSError) as error:
        reason = _reason(error)
        kind = UnreadableFile if reason.startswith("[FAILED_READ_FILE") else DataError
        raise kind(f"Spark: {reason}") from None


def _reason(error: Exception) -> str:
    """Return what went wrong, without the layers that only pass it on."""
    java = getattr(error, "java_exception", None)
    while java is not None:
        message = java.getMessage() or ""
        if message and "awaitResult" not in message:
            return first_line(ValueError(message))
        java = java.getCause()
    _, _, trace = str(error).partition("Traceback (most recent call last):\n")
    raised = (line for line in trace.splitlines() if not line.startswith(" "))
    return next(raised, first_line(error))


@contextmanager
def _without_startup_messages() -> Iterator[None]:
    """Hide what Java prints while it starts, unless it fails or stderr is a terminal."""
    if sys.stderr.isatty():
        yield
        return
    errors = require("pyspark.errors", extra="spark")
    stderr = os.dup(STDERR)
    with tempfile.TemporaryFile() as printed:
        os.dup2(printed.fileno(), STDERR)
        try:
            yield
        except errors.PySparkException as error:
            printed.seek(0)
            lines = printed.read().decode(errors="replace").splitlines()
            line = next((line for line in lines if "Exception: " in line), first_line(error))
            raise DataError(f"Spark: {line.rpartition('Exception: ')[2]}") from None
        finally:
            os.dup2(stderr, STDERR)
            os.close(stderr)


PART_SCHEMA = "tally binary, repeated bigint, bad bigint, conflict binary"

Batches = Iterator[Any]


def tally(frame: Any, task: Task, *, dedupe: bool = False) -> Tally:
    """Return the tally of a Spark DataFrame of reports, counted in the session that it belongs to.

    Local files that the frame reads are checked to be reports of this task.

    Args:
        frame: Reports in a column `word` (or `body` for `ue`), and `report_id` if ids are counted once.
        task: The task of the reports.
        dedupe: Whether a report id is counted once.

    Returns:
        The exact counts.

    Raises:
        PckvError: If a column is missing, or a row is not a report of the task; nothing is counted.
    """
    _check_columns(frame, task, dedupe=dedupe)
    for uri in frame.inputFiles():
        if urlparse(uri).scheme == "file":
            ReportFile(Path(unquote(urlparse(uri).path)), task)
    with one_line_errors():
        result = _count_frame(frame, task, (), dedupe=dedupe, check_ids=dedupe)
        left_out = sum(bad.reports or 0 for bad in result.skipped)
        if dedupe:
            # Rows that are not reports were filtered out before ids were compared.
            left_out = frame.count() - result.tally.reports - result.repeated
    if left_out:
        raise DataError(f"{left_out:,} rows of the DataFrame are not reports of task {task.name!r}")
    return result.tally


def count(job: Job) -> CountResult:
    """Count report files with Spark."""
    check_ids = job.dedupe or any(file.ids_may_be_missing for file in job.files)
    # Without what Spark takes for patterns.
    paths = [re.sub(r"([\[\]{}*?\\])", r"\\\1", str(file.path.resolve())) for file in job.files]
    try:
        with one_line_errors():
            frame = spark_session(job.spark_master).read.schema(_schema(job.task)).parquet(*paths)
            result = _count_frame(frame, job.task, job.files, dedupe=job.dedupe, check_ids=check_ids)
    except UnreadableFile as error:
        return recount_with_numpy(job, str(error))
    return account_for_rows(job, "Spark", result)


def _column_types(task: Task) -> dict[str, str]:
    """Return the types that the columns of reports have in Spark."""
    column = message_column(task)
    return {ID_COLUMN: "binary", column.name: column.spark_type}


def _schema(task: Task) -> str:
    return ", ".join(f"{name} {kind}" for name, kind in _column_types(task).items())


def _check_columns(frame: Any, task: Task, *, dedupe: bool) -> None:
    kinds = dict(frame.dtypes)
    wanted = _column_types(task)
    for name in (message_column(task).name, *((ID_COLUMN,) if dedupe else ())):
        if name not in kinds:
            raise DataError(f"the DataFrame has no column {name!r}")
        if kinds[name] != wanted[name]:
            raise DataError(f"column {name!r} of the DataFrame is {kinds[name]}, not {wanted[name]}")


def _count_frame(frame: Any, task: Task, files: Sequence[ReportFile], *, dedupe: bool, check_ids: bool) -> CountResult:
    column = message_column(task)
    frame = frame.select(*([ID_COLUMN] * check_ids), column.name)
    if can_group(task):
        counts = _deduplicated_word_counts(frame, task) if dedupe else _word_counts(frame)
        return read_word_counts(task, files, counts.toArrow())
    if dedupe:
        frame = _one_row_per_id(frame.mapInArrow(_keep_valid(task.to_json()), _schema(task)), column.name)
    result = CountResult(Tally(task))
    for part in frame.mapInArrow(_tally_batches(task.to_json()), PART_SCHEMA).toArrow().to_pylist():
        if part["conflict"] is not None:
            raise conflict_error(files, part["conflict"])
        bad = [BadReports("the frame", "no reports of the task", part["bad"])] if part["bad"] else []
        result.merge(CountResult(Tally.from_bytes(task, part["tally"]), part["repeated"], bad))
    return result


def _word_counts(frame: Any) -> Any:
    functions = require("pyspark.sql.functions", extra="spark")
    if ID_COLUMN in frame.columns:
        # A report without an id counts as one without a word.
        frame = frame.select(functions.when(frame.report_id.isNotNull(), frame.word).alias("word"))
    return frame.groupBy("word").agg(
        functions.count(functions.lit(1)).alias("times"),
        functions.lit(0).alias("repeated"),
        functions.lit(None).cast("binary").alias("conflict"),
    )


def _deduplicated_word_counts(frame: Any, task: Task) -> Any:
    functions = require("pyspark.sql.functions", extra="spark")
    once = _one_row_per_id(frame.where((frame.word >= 0) & (frame.word < task.word_limit)), "word")
    return once.groupBy("word").agg(
        functions.count(functions.lit(1)).alias("times"),
        functions.sum(once.copies - 1).alias("repeated"),
        functions.max(functions.when(once.differs, once.report_id)).alias("conflict"),
    )


def _one_row_per_id(frame: Any, message: str) -> Any:
    """Return one row per id: its message, how often it came, and whether it came with two messages."""
    functions = require("pyspark.sql.functions", extra="spark")
    column = functions.col(message)
    whole = frame.where(functions.octet_length(ID_COLUMN) == REPORT_ID_BYTES)
    return whole.groupBy(ID_COLUMN).agg(
        functions.min(column).alias(message),
        functions.count(functions.lit(1)).alias("copies"),
        (functions.min(column) != functions.max(column)).alias("differs"),
    )


def _tally_batches(task_json: str) -> Callable[[Batches], Batches]:
    """Return what a worker does with its share of messages: it tallies the valid ones."""

    def tally_batches(batches: Batches) -> Batches:
        arrow, compute = require("pyarrow", extra="files"), require("pyarrow.compute", extra="files")
        task = Task.from_json(task_json)
        result = CountResult(Tally(task))
        conflict = None
        for batch in batches:
            names = [name for name in batch.schema.names if name in _column_types(task)]
            count_batch(result, batch.select(names), "", skip_bad=True)
            if "copies" in batch.schema.names:
                result.repeated += int(compute.sum(batch.column("copies")).as_py() or 0) - len(batch)
                for report_id in batch.filter(batch.column("differs")).column(ID_COLUMN):
                    conflict = report_id.as_py()
        bad = sum(bad.reports or 0 for bad in result.skipped)
        yield arrow.RecordBatch.from_arrays(
            [
                arrow.array([bytes(result.tally)], arrow.binary()),
                arrow.array([result.repeated], arrow.int64()),
                arrow.array([bad], arrow.int64()),
                arrow.array([conflict], arrow.binary()),
            ],
            ["tally", "repeated", "bad", "conflict"],
        )

    return tally_batches


def _keep_valid(task_json: str) -> Callable[[Batches], Batches]:
    """Return what a worker does with its share of rows: it passes on the valid reports."""

    def keep_valid(batches: Batches) -> Batches:
        task = Task.from_json(task_json)
        for batch in batches:
            valid, _ = check_batch(task, batch, "")
            yield batch.filter(valid)

    return keep_valid
