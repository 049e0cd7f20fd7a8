"""Helpers for tests of the command line: input files, and ways to run commands."""

from __future__ import annotations

import io
import json
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result

from pckv import Task
from pckv.cli import main

MOVIES = ["up", "heat", "alien"]

# Without a size question: their words are the pairs' alone.
GRR = Task(name="movies", keys=MOVIES, values=(1, 5), epsilon=20, mechanism="grr", size_share=0)

UE = Task(name="movies", keys=MOVIES, values=(1, 5), epsilon=1, mechanism="ue")

COMPACT = Task(name="movies", keys=MOVIES, values=(1, 5), epsilon=1, mechanism="ue-compact")

COLLISION = Task(name="movies", keys=MOVIES, values=(1, 5), epsilon=1, padding=2, mechanism="collision")


OTHER = Task(name="others", keys=MOVIES, values=(1, 5), epsilon=20, mechanism="grr", size_share=0)

COLUMNS = "--user user --key key --value value"

NEW = "task new --name movies --low 1 --high 5 --epsilon 1 --users 1000000 --out new.json"


PERTURB = f"perturb pairs.csv --task grr.json {COLUMNS} --out new.parquet"

TALLY = "tally words.parquet --task grr.json --out new.tally"

ESTIMATE = "estimate words.parquet --task grr.json"

SIMULATE = f"simulate pairs.csv {COLUMNS} --epsilon 1 --repeats 1 --workers 1"


def pairs_csv(*rows: str) -> bytes:
    return "".join(f"{row}\n" for row in ("user,key,value", *rows)).encode()


def forged_reports(task: Task, values: list[Any], kind: Any) -> bytes:
    """Return a report file with unchecked messages."""
    column = "body" if task.word_limit is None else "word"
    ids = pa.array([bytes(16)] * len(values), pa.binary(16))
    table = pa.table({"report_id": ids, column: pa.array(values, kind)})
    file = io.BytesIO()
    with pq.ParquetWriter(file, table.schema) as writer:
        writer.write_table(table)
        writer.add_key_value_metadata({"pckv.task": task.to_json(), "pckv.task_id": task.id})
    return file.getvalue()


def damaged(data: bytes, start: int | None = None) -> bytes:
    """Overwrite 16 bytes of a Parquet file, by default where its footer begins."""
    if start is None:
        start = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    return data[:start] + b"\xff" * 16 + data[start + 16 :]


def parquet(**columns: Any) -> bytes:
    file = io.BytesIO()
    pq.write_table(pa.table(columns), file)
    return file.getvalue()


def put(files: dict[str, bytes]) -> None:
    for name, data in files.items():
        Path(name).write_bytes(data)


def contents() -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in Path().rglob("*") if path.is_file()}


def run(command: str, stdin: bytes | None = None) -> Result:
    return CliRunner().invoke(main, shlex.split(command), input=stdin)


def said(result: Result) -> str:
    """Return what a command said on stderr, without what a collector of the same process logged meanwhile."""
    lines = result.stderr.splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith('{"event": "'))


def run_ok(command: str) -> str:
    """Run a command that must succeed; return what it prints."""
    result = run(command)
    assert result.exit_code == 0, result.output
    assert said(result) == "", result.stderr
    return result.stdout


def read_json(text: str) -> Any:
    """Parse JSON as strict readers do: without NaN and Infinity."""

    def refuse(constant: str) -> None:
        pytest.fail(f"{constant} is not JSON")

    return json.loads(text, parse_constant=refuse)


def run_refused(command: str, stdin: bytes | None = None) -> str:
    """Run a command that must be refused without changing any file; return its one line."""
    before = contents()
    result = run(command, stdin)
    assert isinstance(result.exception, SystemExit), repr(result.exception)
    assert (result.exit_code, result.stdout) == (1, "")
    assert contents() == before
    assert said(result).startswith("pckv: ")
    assert said(result).endswith("\n")
    assert len(said(result).splitlines()) == 1
    return said(result)


def program_command(*arguments: str) -> list[str]:
    return [str(Path(sys.executable).with_name("pckv")), *arguments]


def program(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        program_command(*arguments),
        check=False,
        text=True,
        encoding="utf-8",
        timeout=60,
        stderr=subprocess.PIPE,
        **options,
    )


def run_skipping(command: str) -> tuple[str, list[str]]:
    """Run a command that must succeed; return what it prints, and the lines about what it skipped."""
    result = run(command)
    assert result.exit_code == 0, result.output
    return result.stdout, result.stderr.splitlines()


def commands(group: click.Group, *path: str) -> Iterator[tuple[str, click.Command]]:
    """Yield a group and all its commands, each with its path."""
    yield " ".join(path), group
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from commands(command, *path, name)
        else:
            yield " ".join((*path, name)), command
