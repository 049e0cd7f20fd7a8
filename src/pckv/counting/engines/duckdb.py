"""The `duckdb` engine: SQL over report files, in this process.

Words are counted by `GROUP BY`; the bodies of `ue` are streamed into the kernel that the numpy
engine uses. What is wrong with a file is found by the numpy engine, which knows places.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pckv.counting.batches import Counted, count_batch
from pckv.counting.deduplicator import Sieve
from pckv.counting.engines.sql import count_instead, read_counts, settle
from pckv.errors import require
from pckv.files.reports.format import first_line
from pckv.tally.compiled import fast_tally

if TYPE_CHECKING:
    from pckv.counting.job import Job

# Beyond this much memory the database works on disk.
MEMORY = "1GB"
BATCH_ROWS = 2**17
SECONDS_A_LOOK = 0.2

# Without hive_partitioning, a folder named `word=3` says nothing about words.
BODIES = "SELECT body FROM read_parquet($files, hive_partitioning = false)"
BODIES_WITH_IDS = "SELECT report_id, body FROM read_parquet($files, hive_partitioning = false)"
# A report without an id counts as one without a word.
WORDS = """
    SELECT word, count(*) AS times, 0 AS repeated, NULL::BLOB AS conflict FROM (
        SELECT CASE WHEN {missing} THEN NULL ELSE word END AS word FROM read_parquet($files, hive_partitioning = false)
    ) GROUP BY word
"""
WORDS_ONCE = """
    SELECT word, count(*) AS times, sum(times) - count(*) AS repeated, any_value(report_id) FILTER (differs) AS conflict
    FROM (
        SELECT report_id, any_value(word) AS word, count(*) AS times, min(word) <> max(word) AS differs
        FROM read_parquet($files, hive_partitioning = false)
        WHERE report_id IS NOT NULL AND word >= 0 AND word < $limit
        GROUP BY report_id
    ) GROUP BY word
"""


def count(job: Job) -> Counted:
    """Count report files with DuckDB."""
    duckdb, arrow = require("duckdb", extra="duckdb"), require("pyarrow", extra="files")
    counter = _count_words if job.task.word_limit is not None else _count_bodies
    try:
        with _connection(duckdb) as connection:
            counted = counter(job, connection)
    except (duckdb.Error, arrow.ArrowException, OSError) as error:
        return count_instead(job, f"DuckDB: {first_line(error)}")
    return settle(job, "DuckDB", counted)


@contextmanager
def _connection(duckdb: Any) -> Iterator[Any]:
    with tempfile.TemporaryDirectory(prefix="pckv-") as folder:
        settings = {"memory_limit": MEMORY, "temp_directory": folder, "preserve_insertion_order": False}
        with duckdb.connect(config=settings) as connection:
            # Progress is asked for here; the database would print it on stdout.
            connection.execute("SET enable_progress_bar = true; SET enable_progress_bar_print = false")
            yield connection


def _count_words(job: Job, connection: Any) -> Counted:
    parameters: dict[str, object] = {"files": _literal_paths(job)}
    if job.dedupe:
        parameters["limit"] = job.task.word_limit
        table = _watched(job, connection, WORDS_ONCE, parameters)
    else:
        missing = any(file.ids_may_be_missing for file in job.files)
        query = WORDS.format(missing="report_id IS NULL" if missing else "false")
        table = _watched(job, connection, query, parameters)
    return read_counts(job.task, job.files, table)


def _watched(job: Job, connection: Any, query: str, parameters: dict[str, object]) -> Any:
    """Run a query in a thread, and look now and then how far it has come."""
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(lambda: connection.sql(query, params=parameters).to_arrow_table())
        share = 0.0
        while not wait([running], SECONDS_A_LOOK).done:
            share = max(share, connection.query_progress() / 100)
            job.progress(int(share * job.rows))
        return running.result()


def _count_bodies(job: Job, connection: Any) -> Counted:
    parameters = {"files": _literal_paths(job)}
    with_ids = job.dedupe or any(file.ids_may_be_missing for file in job.files)
    found = connection.sql(BODIES_WITH_IDS if with_ids else BODIES, params=parameters)
    counted, done = Counted(fast_tally(job.task, job.rows)), 0
    with closing(Sieve(job.task)) as sieve:
        for batch in found.to_arrow_reader(BATCH_ROWS):
            if job.dedupe:
                sieve.add(batch, "DuckDB", done, counted.problems, skip=True)
            else:
                count_batch(counted, batch, "DuckDB", done, skip=True)
            done += len(batch)
            job.progress(done)
        return sieve.count(job.files) if job.dedupe else counted


def _literal_paths(job: Job) -> list[str]:
    return [_literal(file.path) for file in job.files]


def _literal(path: Path) -> str:
    """A path that DuckDB does not take for a pattern, nor for one below somebody's home."""
    return re.sub(r"([\[*?])", r"[\1]", str(path.resolve()))
