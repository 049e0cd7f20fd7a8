"""What a command line names: report files, folders and patterns of them, tallies, a stream."""

from __future__ import annotations

import glob
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from pckv.errors import DataError
from pckv.files.reports.format import is_report_file

STREAM = Path("-")
REPORT_SUFFIX = ".parquet"


class Inputs(NamedTuple):
    """Files by what they are, and whether a stream is read too."""

    reports: tuple[Path, ...]
    tallies: tuple[Path, ...]
    stream: bool


def find_inputs(named: Sequence[Path]) -> Inputs:
    """Every file that is meant, once, in a fixed order."""
    files = [file for path in named if path != STREAM for file in _files(path)]
    seen: dict[Path, Path] = {}
    for file in files:
        place = file.resolve()
        if place in seen:
            raise DataError(f"{file}: given twice, and would be counted twice")
        seen[place] = file
    if named.count(STREAM) > 1:
        raise DataError("-: standard input was given twice")
    # An empty report file is a broken report file, not a broken tally.
    kinds = [(file, is_report_file(file) or file.suffix == REPORT_SUFFIX) for file in files]
    reports = tuple(file for file, has_reports in kinds if has_reports)
    return Inputs(reports, tuple(file for file, has_reports in kinds if not has_reports), STREAM in named)


def _files(path: Path) -> Iterator[Path]:
    if path.is_dir():
        found = sorted(file for file in path.rglob(f"*{REPORT_SUFFIX}") if file.is_file())
        visible = [file for file in found if _is_visible(file.relative_to(path))]
        yield from _some(visible, f"{path}: no report files (*{REPORT_SUFFIX}) in this folder")
    elif path.exists() or not glob.has_magic(str(path)):
        yield path
    else:
        matches = sorted(map(Path, glob.glob(str(path), recursive=True)))  # noqa: PTH207
        visible = [match for match in matches if _is_visible(Path(match.name))]
        for match in _some(visible, f"{path}: no file matches"):
            yield from _files(match)


def _is_visible(path: Path) -> bool:
    # Names that begin with . or _ are other tools' marks and unfinished work.
    return not any(part.startswith((".", "_")) for part in path.parts)


def _some(files: list[Path], otherwise: str) -> list[Path]:
    if not files:
        raise DataError(otherwise)
    return files
