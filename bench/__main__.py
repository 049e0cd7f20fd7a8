"""Run the benches and print one table: `make bench`, `make bench ONLY=collector`."""

from __future__ import annotations

import ast
import json
import os
import platform
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from bench.measurement import Measurement
from bench.processes import ROOT, require_tool

DEFAULT = ("core", "lab", "scale", "shuffle", "mixing", "collision", "estimate", "series", "collector", "web", "live")
# Run only when they are named: `costs` and `erasure` have no bar, `timing` is about single calls, `discovery`
# takes minutes, `peers` and `heavy_hitters` install other packages into an environment of their own.
ON_REQUEST = ("costs", "timing", "erasure", "discovery", "peers", "heavy_hitters")
BENCHES = DEFAULT + ON_REQUEST
# Programs that a bench runs.
TOOLS = {"collector": "wrk", "mixing": "wrk", "timing": "node", "web": "chromium"}
COLUMNS = ("ours", "baseline", "result", "lowest to highest", "bar", "")
PIPED_WIDTH = 150

Results = list[tuple[str, Measurement]]


def summary(name: str) -> str:
    """Return the first line of a bench's docstring without importing it."""
    text = (Path(__file__).parent / f"{name}.py").read_text(encoding="utf-8")
    return (ast.get_docstring(ast.parse(text)) or "").partition("\n")[0]


def run_bench(name: str) -> Iterator[Measurement]:
    """Run one bench in an interpreter of its own, so that it does not see what another one loaded."""
    command = [sys.executable, "-m", "bench", "--child", name]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        for line in process.stdout or ():
            yield Measurement(**json.loads(line))
    if process.returncode:
        sys.exit(f"the bench {name} failed")


def write_lines(name: str) -> None:
    """Print every measurement of one bench as a line of JSON; all other output goes to standard error."""
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as lines:
        os.dup2(2, 1)
        for measurement in import_module(f"bench.{name}").measurements():
            print(json.dumps(asdict(measurement)), file=lines, flush=True)


def run(names: Sequence[str]) -> Results:
    """Run benches and print a line per measurement."""
    for name in names:
        if name in TOOLS:
            require_tool(TOOLS[name])
    results: Results = []
    for name in names:
        for measurement in run_bench(name):
            results.append((name, measurement))
            what, _, _, result, _, bar, verdict = measurement.cells()
            click.echo(f"{name}: {what}: {result}" + (f" ({bar}: {verdict})" if bar else ""))
    return results


def table_of(results: Results) -> Table:
    """Return the table of all measurements."""
    table = Table(
        title=f"Medians; Python {platform.python_version()}, numpy {version('numpy')}, {os.cpu_count()} cores"
    )
    table.add_column("bench")
    table.add_column("what")
    for column in COLUMNS:
        table.add_column(column, justify="right")
    for name, measurement in results:
        table.add_row(name, *measurement.cells())
    return table


def write_json(path: Path, results: Results) -> None:
    """Write all numbers of a run, pair by pair."""
    content = [
        {"bench": name, **asdict(measurement), "result": measurement.result, "met": measurement.met}
        for name, measurement in results
    ]
    path.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def list_benches(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    """Print a line per bench and exit."""
    if wanted:
        for name in BENCHES:
            click.echo(f"{name:13} {summary(name)}")
        context.exit()


@click.command()
@click.argument("names", nargs=-1, type=click.Choice(BENCHES))
@click.option("--json", "json_file", type=click.Path(path_type=Path, dir_okay=False), help="Write JSON here.")
@click.option("--list", is_flag=True, is_eager=True, expose_value=False, callback=list_benches, help="List them.")
@click.option("--child", is_flag=True, hidden=True)
def main(names: tuple[str, ...], json_file: Path | None, child: bool) -> None:
    """Run the named benches, or all that need not be named; exit code 1 if a bar is missed."""
    if child:
        write_lines(names[0])
        return
    results = run(names or DEFAULT)
    Console(width=None if sys.stdout.isatty() else PIPED_WIDTH).print(table_of(results))
    if json_file:
        write_json(json_file, results)
    missed = [f"{name}: {measurement.name}" for name, measurement in results if not measurement.met]
    barred = sum(measurement.bar is not None for _, measurement in results)
    click.echo("\n".join([f"{barred - len(missed)} of {barred} bars met", *(f"MISSED {what}" for what in missed)]))
    sys.exit(bool(missed))


if __name__ == "__main__":
    main()
