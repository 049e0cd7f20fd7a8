"""Which round of a series every file is of: report files name their task, tallies have its digest."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pckv.base.errors import DataError, PckvError, TallyError
from pckv.base.limits import MAX_ROUNDS
from pckv.contract.series import Series
from pckv.contract.task import Task
from pckv.files.reports.inputs import find_inputs
from pckv.files.reports.reader import read_file_task
from pckv.tally.storage import HEADER_BYTES, task_digest

# A tally does not say which round it is of: at most this many rounds are tried, however many a series has.
MAX_ROUNDS_TRIED = 2000


def files_by_round(series: Series, named: Sequence[Path]) -> list[tuple[Task, list[Path]]]:
    """Return the tasks of the rounds that files are of, in order, each with its files.

    Args:
        series: The series.
        named: Report files, folders and patterns of them, and tallies.

    Raises:
        DataError: if a file is not of a round of the series; it names the file.
    """
    inputs = find_inputs(named)
    found: dict[int, tuple[Task, list[Path]]] = {}
    for path in inputs.reports:
        task = _round_of_reports(series, path)
        found.setdefault(_number(task), (task, []))[1].append(path)
    for path, task in _rounds_of_tallies(series, inputs.tallies):
        found.setdefault(_number(task), (task, []))[1].append(path)
    return [found[number] for number in sorted(found)]


def _number(task: Task) -> int:
    return 0 if task.series is None else task.series.round


def _round_of_reports(series: Series, path: Path) -> Task:
    task = read_file_task(path)
    member = task.series
    if member is None or member.id != series.id or task != series.task_of(member.round):
        raise _not_a_round(series, path, f"reports of task {task.name!r}")
    return task


def _rounds_of_tallies(series: Series, paths: Sequence[Path]) -> list[tuple[Path, Task]]:
    digests = {path: _digest(path) for path in paths}
    wanted, found = set(digests.values()), {}
    rounds = series.rounds or MAX_ROUNDS
    for number in range(1, min(rounds, MAX_ROUNDS_TRIED) + 1):
        if not wanted:
            break
        try:
            task = series.task_of(number)
        except PckvError:
            break
        if task.digest in wanted:
            found[task.digest] = task
            wanted.remove(task.digest)
    for path, digest in digests.items():
        if digest not in found:
            tried = (
                f"one of the first {MAX_ROUNDS_TRIED:,} rounds" if rounds > MAX_ROUNDS_TRIED else "a round"
            )
            raise _not_a_round(series, path, "a tally of another task", tried)
    return [(path, found[digest]) for path, digest in digests.items()]


def _digest(path: Path) -> bytes:
    with path.open("rb") as file:
        start = file.read(HEADER_BYTES)
    if not start:
        raise DataError("the file is empty", place=path)
    try:
        return task_digest(start)
    except TallyError as error:
        raise DataError(str(error), place=path) from None


def _not_a_round(series: Series, path: Path, what: str, rounds: str = "a round") -> DataError:
    return DataError(f"{what}, not of {rounds} of series {series.name!r}", place=path)
