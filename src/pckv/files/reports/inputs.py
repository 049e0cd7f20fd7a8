"""Finding inputs by name: report files, folders and patterns of them, and tallies."""

from __future__ import annotations

import glob
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from pckv.base.errors import DataError
from pckv.files.parquet import is_parquet

REPORT_SUFFIX = ".parquet"


class Inputs(NamedTuple):
    """Files by what they are."""

    reports: tuple[Path, ...]
    tallies: tuple[Path, ...]


def find_inputs(named: Sequence[Path]) -> Inputs:
    """Return every file that is meant, once, in a fixed order."""
    files = [file for path in named for file in _files(path)]
    seen: set[Path] = set()
    for file in files:
        if file.resolve() in seen:
            raise DataError("given twice, and would be counted twice", place=file)
        seen.add(file.resolve())
    # An empty report file is a broken report file, not a broken tally.
    reports = {file: None for file in files if is_parquet(file) or file.suffix == REPORT_SUFFIX}
    return Inputs(tuple(reports), tuple(file for file in files if file not in reports))


def _files(path: Path) -> Iterator[Path]:
    if path.is_dir():
        files = sorted(file for file in path.rglob(f"*{REPORT_SUFFIX}") if file.is_file())
        visible = [file for file in files if _is_visible(file.relative_to(path))]
        if not visible:
            raise DataError(f"no report files (*{REPORT_SUFFIX}) in this folder", place=path)
        yield from visible
    elif path.exists() or not glob.has_magic(str(path)):
        yield path
    else:
        matches = sorted(map(Path, glob.glob(str(path), recursive=True)))  # noqa: PTH207
        visible = [match for match in matches if _is_visible(Path(match.name))]
        if not visible:
            raise DataError("no file matches", place=path)
        for match in visible:
            yield from _files(match)


def _is_visible(path: Path) -> bool:
    # Names that begin with . or _ are other tools' marks and unfinished work.
    return not any(part.startswith((".", "_")) for part in path.parts)
