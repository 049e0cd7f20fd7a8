"""The `duckdb` engine: SQL over report files, in this process.

Words are counted by `GROUP BY`; messages that support many keys at once are streamed into the kernel that the
numpy engine uses. The numpy engine, which knows places, finds what is wrong with a file.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing, contextmanager
from typing import Any

from pckv.base.errors import first_line, require
from pckv.counting.batches import count_batch
from pckv.counting.deduplicator import Deduplicator
from pckv.counting.engines.sql import account_for_rows, can_group, read_word_counts, recount_with_numpy
from pckv.counting.job import CountResult, Job
from pckv.files.reports.columns import ID_COLUMN, message_column
from pckv.tally.tally import fast_tally

# Beyond this much memory the database works on disk.
MEMORY = "1GB"
ROWS_PER_BATCH = 2**17
POLL_SECONDS = 0.2

# Without hive_partitioning, a folder named `word=3` says nothing about words.
MESSAGES = "SELECT {columns} FROM read_parquet($files, hive_partitioning = false)"
# A report without an id counts as one without a word.
WORDS = """
    SELECT word, count(*) AS times, 0 AS repeated, NULL::BLOB AS conflict FROM (
        SELECT CASE WHEN {missing} THEN NULL ELSE word END AS word
        FROM read_parquet($files, hive_partitioning = false)
    ) GROUP BY word
"""
WORDS_ONCE = """
    SELECT word, count(*) AS times, sum(times) - count(*) AS repeated,
        any_value(report_id) FILTER (differs) AS conflict
    FROM (
        SELECT report_id, any_value(word) AS word, count(*) AS times, min(word) <> max(word) AS differs
        FROM read_parquet($files, hive_partitioning = false)
        WHERE report_id IS NOT NULL AND word >= 0 AND word < $limit
        GROUP BY report_id
    ) GROUP BY word
"""


def count(job: Job) -> CountResult:
    """Count report files with DuckDB."""
    duckdb, arrow = require("duckdb", extra="duckdb"), require("pyarrow", extra="files")
    count_messages = _count_words if can_group(job.task) else _count_messages
    try:
        with _connection(duckdb) as connection:
            result = count_messages(job, connection)
    except (duckdb.Error, arrow.ArrowException, OSError) as error:
        return recount_with_numpy(job, f"DuckDB: {first_line(error)}")
    return account_for_rows(job, "DuckDB", result)


@contextmanager
def _connection(duckdb: Any) -> Iterator[Any]:
    with tempfile.TemporaryDirectory(prefix="pckv-") as folder:
        settings = {"memory_limit": MEMORY, "temp_directory": folder, "preserve_insertion_order": False}
        with duckdb.connect(config=settings) as connection:
            # Progress is polled; the database itself would print it on stdout.
            connection.execute("SET enable_progress_bar = true; SET enable_progress_bar_print = false")
            yield connection


def _count_words(job: Job, connection: Any) -> CountResult:
    parameters: dict[str, object] = {"files": _paths(job)}
    if job.dedupe:
        parameters["limit"] = job.task.word_limit
        table = _run_query(job, connection, WORDS_ONCE, parameters)
    else:
        missing = any(file.ids_may_be_missing for file in job.files)
        query = WORDS.format(missing="report_id IS NULL" if missing else "false")
        table = _run_query(job, connection, query, parameters)
    return read_word_counts(job.task, job.files, table)


def _run_query(job: Job, connection: Any, query: str, parameters: dict[str, object]) -> Any:
    """Run a query in a thread, and report its progress until it is done."""
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(lambda: connection.sql(query, params=parameters).to_arrow_table())
        share = 0.0
        while not wait([running], POLL_SECONDS).done:
            share = max(share, connection.query_progress() / 100)
            job.progress(int(share * job.rows))
        return running.result()


def _count_messages(job: Job, connection: Any) -> CountResult:
    parameters = {"files": _paths(job)}
    with_ids = job.dedupe or any(file.ids_may_be_missing for file in job.files)
    columns = ", ".join([*([ID_COLUMN] * with_ids), message_column(job.task).name])
    query = connection.sql(MESSAGES.format(columns=columns), params=parameters)
    result, done = CountResult(fast_tally(job.task, job.rows)), 0
    with closing(Deduplicator(job.task)) as deduplicator:
        for batch in query.to_arrow_reader(ROWS_PER_BATCH):
            if job.dedupe:
                deduplicator.add(batch, "DuckDB", done, result.skipped, skip_bad=True)
            else:
                count_batch(result, batch, "DuckDB", done, skip_bad=True)
            done += len(batch)
            job.progress(done)
        return deduplicator.count(job.files) if job.dedupe else result


def _paths(job: Job) -> list[str]:
    """Return paths that DuckDB takes neither for patterns nor for such below a home folder."""
    return [re.sub(r"([\[*?])", r"[\1]", str(file.path.resolve())) for file in job.files]
