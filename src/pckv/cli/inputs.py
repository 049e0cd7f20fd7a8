"""What command lines name: files to read, reports and tallies to count, and the output for reports.

Files to read are task files, key names, participants' texts and pairs; - is standard input or output.
"""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import click

from pckv.base.canonical import check_names, is_typed_decimal
from pckv.base.errors import DataError, ParameterError, SeriesError, TaskError
from pckv.base.words import plural
from pckv.cli.common import STREAM, FilePath, row_bar
from pckv.contract.about import About, read_about
from pckv.contract.series import Series
from pckv.contract.task import Task
from pckv.counting.job import CountResult
from pckv.counting.run import CountOptions, NamedStream, count_inputs
from pckv.files.outputs import check_free, whole_file
from pckv.files.reports.reader import REPORT_SUFFIX
from pckv.files.reports.writer import ReportArrays, stream_reports, write_reports

_SEPARATOR = re.compile(r"[,;\t]")
# The header of a table of keys; a text, a separator and a number.
_TABLE_HEADER = re.compile(r"key[,;\t]", re.IGNORECASE)
_TABLE_ROW = re.compile(r"(.*)[,;\t] *[-+]?[0-9][0-9.eE+-]* *")

report_output_option = click.option(
    "--out",
    type=FilePath,
    required=True,
    help="The report file to write (.parquet), or - for an Arrow stream on standard output.",
)


class ReportOutput(NamedTuple):
    """Where a command writes reports: a file, or standard output."""

    out: Path
    force: bool

    def check(self) -> None:
        """Refuse an output that reports are not written to."""
        if self.out == STREAM:
            return
        if self.out.suffix != REPORT_SUFFIX:
            raise ParameterError(f"{self.out}: reports are written as {REPORT_SUFFIX}, or to - as an Arrow stream")
        check_free(self.out, force=self.force)

    def write(self, task: Task, batches: Iterable[ReportArrays]) -> int:
        """Write reports; return their number."""
        if self.out == STREAM:
            return stream_reports(sys.stdout.buffer, task, batches)
        with whole_file(self.out, force=self.force) as part:
            return write_reports(part, task, batches)

    @property
    def is_stream(self) -> bool:
        """Whether the reports go to standard output, so that all else is said on stderr."""
        return self.out == STREAM

    def print_written(self, reports: int, details: str) -> None:
        """Say what was written; on stderr where the reports themselves went to standard output."""
        place = "standard output" if self.is_stream else self.out
        click.echo(f"{plural(reports, 'report')} written to {place}{details}", err=self.is_stream)


def split_named(named: Sequence[Path]) -> tuple[list[Path], NamedStream | None]:
    """Return the paths among all that is named, and standard input if it is named."""
    if named.count(STREAM) > 1:
        raise DataError("standard input was given twice", place=STREAM)
    stream = NamedStream(sys.stdin.buffer, "standard input") if STREAM in named else None
    return [path for path in named if path != STREAM], stream


def count_named(task: Task, named: Sequence[Path], options: CountOptions) -> CountResult:
    """Count all that is named, with a progress bar on stderr."""
    paths, stream = split_named(named)
    return count_inputs(task, paths, options, row_bar("Counting"), stream)


def read_task(path: Path) -> Task:
    """Read a task file; the message names the file."""
    text = path.read_bytes()
    try:
        return Task.from_json(text)
    except TaskError as error:
        if _is_series(text):
            raise TaskError(f"{path}: a series, not a task: pckv series task writes the task of a round") from None
        raise TaskError(f"{path}: {error}") from None


def read_id(read: Callable[[Path], Task | Series], id_or_file: str) -> str:
    """Return the id of a task or a series, given that or its file."""
    path = Path(id_or_file)
    # No id has a dot or a slash: this is the name of a file, which may be misspelt.
    is_file = bool(path.suffix) or len(path.parts) > 1 or path.is_file()
    return read(path).id if is_file else id_or_file


def read_series(path: Path) -> Series:
    """Read the file of a series; the message names the file."""
    try:
        return Series.from_json(path.read_bytes())
    except SeriesError as error:
        raise SeriesError(f"{path}: {error}") from None


def read_keys(path: Path) -> tuple[str, ...]:
    """Read key names, one per line, exactly as they are; the message names the line of a bad one."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise DataError(f"{path}: not UTF-8 (spreadsheets save it as 'CSV UTF-8')") from None
    if not text:
        raise DataError(f"{path}: the file is empty")
    lines = text.removesuffix("\n").split("\n")
    if _is_table(lines):
        raise DataError(f"{path}: a table, not a list of keys: line 2 is {lines[1]!r}; leave one key per line, alone")
    try:
        return check_names(lines, "line")
    except ParameterError as error:
        raise DataError(f"{path}, {error}") from None


def _is_table(lines: Sequence[str]) -> bool:
    """Return whether lines are rows of a table, such as keys and counts.

    The first one is a header or a row, and all others end in a separator and a number; coordinates are no such rows.
    """
    if _TABLE_HEADER.match(lines[0]):
        return len(lines) > 1
    rows = [_TABLE_ROW.fullmatch(line) for line in lines[1:]]
    if not rows or not all(rows) or not _SEPARATOR.search(lines[0]):
        return False
    return any(row and not is_typed_decimal(row[1].strip()) for row in rows)


def read_about_file(path: Path) -> About:
    """Read the texts for participants from a TOML file; blanks around a text are left out."""
    try:
        members = tomllib.loads(path.read_text(encoding="utf-8-sig"))
        return read_about(_stripped(members))
    except UnicodeDecodeError:
        raise DataError("not UTF-8", place=path) from None
    except tomllib.TOMLDecodeError as error:
        raise DataError(f"not TOML: {error}", place=path) from None
    except ParameterError as error:
        raise DataError(str(error), place=path) from None


def _stripped(members: dict[str, Any]) -> dict[str, Any]:
    """Return members without the blanks around their texts, those of translations included."""
    return {
        name: _stripped(value) if isinstance(value, dict) else value.strip() if isinstance(value, str) else value
        for name, value in members.items()
    }


@contextmanager
def standard_input_as_file() -> Iterator[Path]:
    """Copy standard input to a file that can be opened repeatedly, for readers that need to seek.

    The file has no name in any folder, so that its pairs never outlive this process.
    """
    with tempfile.TemporaryFile() as file:
        shutil.copyfileobj(sys.stdin.buffer, file)
        file.seek(0)
        yield Path(f"/dev/fd/{file.fileno()}")


def _is_series(text: bytes) -> bool:
    try:
        Series.from_json(text)
    except SeriesError:
        return False
    return True
