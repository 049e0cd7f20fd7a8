"""Reports of all people in a table, as a table: what `pckv perturb` does with files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pckv.base.errors import ParameterError, require
from pckv.base.limits import DISCOVERY, SERVER_COIN
from pckv.contract.task import Task
from pckv.device.vectorised import ReportBatch, perturb_many, perturb_texts
from pckv.files.pairs.population import Repairs, population_of
from pckv.files.pairs.rows import Columns
from pckv.files.pairs.sources import TablePairs
from pckv.files.pairs.texts import HeldTexts
from pckv.files.reports.columns import report_metadata, report_schema
from pckv.files.reports.writer import record_batches


def perturb_frame(
    task: Task,
    frame: Any,
    *,
    user: str,
    key: str,
    value: str | None = None,
    segment: str | None = None,
    clip: bool = False,
    repeated: str | None = None,
) -> Any:
    """Return one report per user of a table, made as devices would, with the system's randomness.

    Every call makes new reports and spends the task's ε again. `tally_frame` counts the result; an Arrow
    table may also be written by `pyarrow.parquet.write_table`, which makes a report file of it.

    Args:
        task: The contract of the collection.
        frame: A DataFrame or an Arrow table with one row per pair, or with lists of keys and of values, one
            row per person. A row with neither key nor value is a participant without pairs. Where keys have no values,
            a key that a user has twice counts once.
        user: The name of the column of users.
        key: The name of the column of keys.
        value: The name of the column of values; none where keys have no values, and for a discovery.
        segment: The name of the column of labels, where the task has a segment; each user has one.
        clip: Move values outside the range to its nearest end, and those between two levels to the nearest
            one where the task refuses them, instead of refusing them.
        repeated: Which value counts where a user has a key twice, `last` or `mean`; by default it is refused.

    Returns:
        A table with the columns `report_id` and `word` (`body` for the mechanism `ue`), one row per user, in
        the order in which users first appear (of a discovery in another one): a DataFrame of pandas if that
        was given, else an Arrow table.

    Raises:
        DataError: if a row is not a pair of the task; nothing was perturbed.
        ParameterError: if `frame` is not a table, the task's reports need coins of its collector, or there
            is a column of values for a task without them, or none for another.

    >>> import pandas
    >>> from pckv import Task, tally_frame
    >>> task = Task(name="movies", keys=["alien", "heat"], values=(1, 5), epsilon=1.0)
    >>> ratings = pandas.DataFrame({"user": [1, 1, 2], "movie": ["alien", "heat", "heat"], "stars": [5, 3, 4]})
    >>> reports = perturb_frame(task, ratings, user="user", key="movie", value="stars")
    >>> list(reports.columns), tally_frame(task, reports).reports
    (['report_id', 'word'], 2)
    """
    task.check_collectable()
    if task.coin == SERVER_COIN:
        raise ParameterError(f"every report of task {task.name!r} needs a coin, which its collector gives")
    if task.has_values == (value is None):
        raise ParameterError("name the column of values" if value is None else f"{task.domain.kind_text} has no values")
    if not task.has_values and (clip or repeated is not None):
        raise ParameterError(f"clip and repeated are about values, which {task.domain.kind_text} does not have")
    if (task.segment is None) != (segment is None):
        raise ParameterError("name the column of labels" if segment is None else f"task {task.name!r} has no segment")
    pairs = TablePairs(frame, Columns(user, key, value or "", segment or "").checked())
    if task.kind == DISCOVERY:
        reports = _text_reports(task, pairs)
    else:
        reports = perturb_many(
            task, population_of(pairs, task, Repairs.of(task, clip=clip, repeated=repeated)).population
        )
    batches = list(record_batches(task, reports))
    schema = report_schema(task).with_metadata(report_metadata(task))
    table = require("pyarrow", extra="files").Table.from_batches(
        [batch.replace_schema_metadata(schema.metadata) for batch in batches], schema
    )
    if not pairs.is_pandas:
        return table
    frame = table.to_pandas()
    frame.attrs.update(report_metadata(task))
    return frame


def _text_reports(task: Task, pairs: TablePairs) -> Iterator[ReportBatch]:
    """Yield one report per user about the texts that they hold."""
    held = HeldTexts(pairs, task.tree)
    for population in held.populations():
        yield from perturb_texts(task, held.texts, population)
