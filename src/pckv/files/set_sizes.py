"""Set sizes from a file: a histogram of sizes, or what an earlier task measured of them."""

from __future__ import annotations

import csv
import json
import math
import re
from collections.abc import Iterable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from pckv.base.errors import DataError, ParameterError, PckvError, TallyError, require
from pckv.base.limits import check_epsilon
from pckv.contract.task import Task
from pckv.estimators.sets import summarise_sets
from pckv.mechanisms.size_question.law import SizeQuestion
from pckv.planning.set_sizes import SetSizes, check_size
from pckv.tally import Tally

COLUMNS = {"size", "people"}
# The level of the summary that shares are read off; they do not depend on it.
LEVEL = 0.95

Row = Mapping[str, Any]


def read_set_sizes(path: Path, task: Task | None = None) -> SetSizes:
    """Read how many people hold how many pairs.

    Args:
        path: A table with the columns size and people (.csv, .parquet), the JSON of the estimates of an
            earlier task (.json), or the tally of one.
        task: The task that the file is a tally of.

    Raises:
        DataError: if the file is none of these, or an earlier task measured no sizes.
    """
    try:
        if task is not None:
            return _of_tally(path, task)
        if path.suffix == ".json":
            return _of_estimates(path)
        if path.suffix == ".csv":
            return _of_csv(path)
        if path.suffix == ".parquet":
            return _of_parquet(path)
    except (ParameterError, TallyError) as error:
        raise DataError(str(error), place=path) from None
    raise DataError("sizes are read from .csv, .parquet or .json, or from a tally and its task", place=path)


def _of_tally(path: Path, task: Task) -> SetSizes:
    tally = Tally.from_bytes(task, path.read_bytes())
    summary = summarise_sets(tally, LEVEL)
    if task.size_question is None or not summary.answers:
        raise ParameterError(f"no report of this task says how many {task.domain.noun}s a participant holds")
    return SetSizes.of_shares(summary.ends, summary.shares, _share_error(task.size_question, summary.answers))


def _of_estimates(path: Path) -> SetSizes:
    """Return set sizes from the member `sizes` of the JSON of estimates."""
    try:
        estimates = json.loads(path.read_bytes())
        sizes, epsilon = estimates["sizes"], estimates["epsilon"]
        ends, shares = [check_size(end) for end in sizes["ends"]], [float(share) for share in sizes["shares"]]
        answers = int(sizes["answers"])
    except (ValueError, RecursionError, TypeError, KeyError, AttributeError, OverflowError):
        raise ParameterError("not the JSON of a task's estimates") from None
    if not ends or answers < 1:
        raise ParameterError("no report of this task says how many pairs a participant holds")
    try:
        question = SizeQuestion(ends[-1], ends[0], Fraction(check_epsilon(epsilon)), Fraction(1, 2))
        is_question = question.ends == tuple(ends)
    except PckvError:
        is_question = False
    if not is_question:
        raise ParameterError("not the JSON of a task's estimates")
    return SetSizes.of_shares(ends, shares, _share_error(question, answers))


def _share_error(question: SizeQuestion, answers: int) -> float:
    """Return the standard error of the estimated share of people above the first end, if there is none."""
    true, other = float(question.true_chance), float(question.other_chance)
    return math.sqrt(true * (1 - true) / answers) / (true - other)


def _histogram(names: Iterable[object], rows: Iterable[Row]) -> SetSizes:
    if not set(names) >= COLUMNS:
        raise ParameterError("there must be columns size and people")
    people: dict[int, Any] = {}
    for row in rows:
        text = row["size"]
        is_text = isinstance(text, str) and re.fullmatch(r"[0-9]{1,10}", text.strip())
        size = check_size(int(text) if is_text else text)
        if size in people:
            raise ParameterError(f"size {size} is there twice")
        people[size] = row["people"]
    return SetSizes(people)


def _of_csv(path: Path) -> SetSizes:
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.DictReader(file, strict=True)
        try:
            return _histogram(reader.fieldnames or (), reader)
        except csv.Error as error:
            raise ParameterError(f"not CSV ({error})") from None
        except UnicodeDecodeError:
            raise ParameterError("not UTF-8 (spreadsheets save it as 'CSV UTF-8')") from None


def _of_parquet(path: Path) -> SetSizes:
    arrow, parquet = require("pyarrow", extra="files"), require("pyarrow.parquet", extra="files")
    with path.open("rb") as raw:
        try:
            file = parquet.ParquetFile(raw)
            return _histogram(file.schema_arrow.names, file.read().to_pylist())
        except (arrow.ArrowException, OSError, UnicodeDecodeError):
            raise ParameterError("not a Parquet file that can be read") from None
