"""What commands read: task files, key names, what participants read, and pairs from standard input."""

from __future__ import annotations

import shutil
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pckv.about import About, read_about
from pckv.canonical import check_names
from pckv.errors import DataError, ParameterError, SeriesError, TaskError
from pckv.series import Series
from pckv.task import Task


def read_task(path: Path) -> Task:
    """Read a task file; the message names the file."""
    text = path.read_bytes()
    try:
        return Task.from_json(text)
    except TaskError as error:
        if _is_series(text):
            raise TaskError(
                f"{path}: a series, not a task: pckv series task writes the task of a round"
            ) from None
        raise TaskError(f"{path}: {error}") from None


def read_task_id(id_or_file: str) -> str:
    """Return the id of a task, given that or its file."""
    return read_task(Path(id_or_file)).id if _is_file(id_or_file) else id_or_file


def read_series_id(id_or_file: str) -> str:
    """Return the id of a series, given that or its file."""
    return read_series(Path(id_or_file)).id if _is_file(id_or_file) else id_or_file


def _is_file(id_or_file: str) -> bool:
    path = Path(id_or_file)
    # No id has a dot or a slash: this is the name of a file, which may be misspelt.
    return bool(path.suffix) or len(path.parts) > 1 or path.is_file()


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
        raise DataError(f"{path}: not UTF-8") from None
    if not text:
        raise DataError(f"{path}: the file is empty")
    try:
        return check_names(text.removesuffix("\n").split("\n"), "line")
    except ParameterError as error:
        raise DataError(f"{path}, {error}") from None


def read_about_file(path: Path) -> About:
    """Read what participants read from a TOML file of texts; blanks around a text are left out."""
    try:
        members = tomllib.loads(path.read_text(encoding="utf-8-sig"))
        return read_about(
            {name: text.strip() if isinstance(text, str) else text for name, text in members.items()}
        )
    except UnicodeDecodeError:
        raise DataError("not UTF-8", place=path) from None
    except tomllib.TOMLDecodeError as error:
        raise DataError(f"not TOML: {error}", place=path) from None
    except ParameterError as error:
        raise DataError(str(error), place=path) from None


@contextmanager
def standard_input_as_file() -> Iterator[Path]:
    """Copy standard input to a file that can be opened repeatedly, for readers that need to seek.

    The file has no name in any folder, so that its pairs do not outlive this process, however that ends.
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
