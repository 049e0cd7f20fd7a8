"""Files of pairs, and the people in them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pckv import Task
from pckv.base.errors import DataError
from pckv.base.population import Population
from pckv.files.pairs.findings import RowFindings
from pckv.files.pairs.population import Repairs, population_of
from pckv.files.pairs.rows import PLAIN_FORM, Columns, TextForm
from pckv.files.pairs.sources import open_pairs

MOVIES = Task(name="movies", keys=["alien", "heat", "up"], values=(1, 5), epsilon=1, mechanism="grr")
NUMBERED = Task(name="numbered", keys=12, values=(-1, 1), epsilon=1, mechanism="grr")
NAMES = Columns("user", "key", "value")

Row = tuple[Any, Any, Any]
People = list[dict[int, float]]


def csv_file(path: Path, *rows: Row) -> Path:
    lines = [",".join(NAMES.names), *(",".join("" if part is None else str(part) for part in row) for row in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def parquet_file(path: Path, *rows: Row) -> Path:
    columns = zip(*rows, strict=True)
    pq.write_table(pa.table(dict(zip(NAMES.names, map(list, columns), strict=True))), path)
    return path


def people(population: Population) -> People:
    return [population.pairs(participant) for participant in range(len(population))]


class ReadPairs(NamedTuple):
    """The people of a file, and what was found in its rows."""

    population: Population
    merged: int
    clipped: int
    findings: RowFindings


def read(path: Path, task: Task = MOVIES, form: TextForm = PLAIN_FORM, **repairs: Any) -> ReadPairs:
    file = open_pairs(path, NAMES, form=form)
    population, merged = population_of(file, task, Repairs(**repairs))
    return ReadPairs(population, merged, file.findings.clipped, file.findings)


def refused(path: Path, task: Task = MOVIES, **repairs: Any) -> DataError:
    """Return the error that refuses a file."""
    with pytest.raises(DataError) as caught:
        read(path, task, **repairs)
    return caught.value


def refusal(path: Path, task: Task = MOVIES, **repairs: Any) -> str:
    """Return the line that refuses a file."""
    return str(refused(path, task, **repairs))
