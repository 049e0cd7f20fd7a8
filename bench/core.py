"""How fast the core is beside plain numpy and the operating system: `make bench`.

Bars are ratios inside one run; both sides of every comparison are fixed here (docs/speed.md).
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path

import click
import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.live import Live
from rich.table import Table

from pckv import Tally, Task, perturb
from pckv.device.vectorised import perturb_many
from pckv.population import Population
from timing import PAIRS, Row, added, cost, race, speed

WORDS = 10_000_000
PLANES_BYTES = 25_000_000
PARTICIPANTS = 1_000_000
REPORTS = 5_000
# Participants hold two pairs each; the third slot has dummies drawn too.
PADDING = 3
LOW, HIGH = 1.0, 5.0
PIPED_WIDTH = 140


def rows() -> Iterator[Row]:
    """Every comparison, one at a time."""
    for keys in (100, 30_000, 100_000, 1_000_000):
        yield count_words(keys)
    for keys in (100, 5_000):
        yield count_planes(keys)
    yield modules_of("numba", "while counting", sys.modules)
    yield perturb_arrays(100)
    for keys in (100, 1_000_000):
        yield perturb_one(keys)
    for names in ("pckv", "pckv, pckv.device"):
        yield import_time(names)
    yield modules_of("numpy", "on the device", modules_after("import pckv, pckv.device"))


def task_of(mechanism: str, keys: int) -> Task:
    """The task that a comparison runs on."""
    return Task(name="b", keys=keys, values=(LOW, HIGH), epsilon=1, padding=PADDING, mechanism=mechanism)


def count_words(keys: int) -> Row:
    """Counting words, beside one bincount of the same array."""
    tally = Tally(task_of("grr", keys))
    cells = tally.cells
    words = np.random.default_rng(keys).integers(0, cells, WORDS)
    times = race(
        lambda: tally.add_many(words),
        lambda: np.bincount(words.view(np.int64), minlength=cells),
        turns=5,
    )
    return speed(f"count words (grr, {keys:,} keys)", times, WORDS / 1e6, "M words/s", 0.85)


def count_planes(keys: int) -> Row:
    """Counting bit planes, beside unpacking and summing the same bytes."""
    tally = Tally(task_of("ue", keys))
    planes = random_planes(keys)
    times = race(
        lambda: tally.add_many(planes),
        lambda: np.unpackbits(planes, axis=1).sum(0, dtype=np.uint32),
        turns=2,
    )
    return speed(f"count planes (ue, {keys:,} keys)", times, planes.nbytes / 1e6, "MB/s", 1.2)


def random_planes(keys: int) -> NDArray[np.uint8]:
    """Bodies of random reports: no sign without presence, no bit beyond the last key."""
    rng = np.random.default_rng(keys)
    width = -(-keys // 8)
    presence, sign = rng.integers(0, 256, (2, PLANES_BYTES // (2 * width), width), np.uint8)
    presence[:, -1] &= 0xFF >> (-keys % 8)
    return np.concatenate([presence, sign & presence], axis=1)


def perturb_arrays(keys: int) -> Row:
    """Perturbing many participants at once, beside plain numpy on as many random bytes."""
    task = task_of("grr", keys)
    population = random_population(keys, PARTICIPANTS)
    read = bytes_read(task, population)
    times = race(
        lambda: list(perturb_many(task, population)),
        lambda: plain_grr(task, population, read),
        turns=2,
    )
    return speed(f"perturb arrays (grr, {keys:,} keys)", times, PARTICIPANTS / 1e6, "M reports/s", 0.8)


def random_population(keys: int, participants: int) -> Population:
    """Participants with two pairs each."""
    rng = np.random.default_rng(keys)
    first = rng.integers(0, keys, participants)
    second = (first + rng.integers(1, keys, participants)) % keys
    return Population(
        offsets=np.arange(0, 2 * participants + 1, 2),
        keys=np.stack([first, second], axis=1).reshape(-1),
        values=rng.uniform(LOW, HIGH, 2 * participants),
    )


def bytes_read(task: Task, population: Population) -> int:
    """How many random bytes it takes to perturb a population."""
    read = 0

    def source(count: int) -> bytes:
        nonlocal read
        read += count
        return os.urandom(count)

    list(perturb_many(task, population, source))
    return read


def plain_grr(task: Task, population: Population, read: int) -> tuple[bytes, NDArray[np.int64]]:
    """PCKV-GRR as one would write it down: floats, nothing drawn again, `read` random bytes in all."""
    ids = os.urandom(16 * len(population))
    words = plain_words(task, population)
    moved = uniform(len(words)) >= float(task.channel.probabilities.a * task.channel.probabilities.p)
    # What is left to read is a draw for every moved word, up to chance.
    dummies = int(np.count_nonzero(words >= 2 * task.key_count))
    spare = uniform((read - len(ids)) // 8 - 3 * len(words) - dummies)
    other_words = 2 * (task.key_count + task.padding) - 1
    others = (np.resize(spare, np.count_nonzero(moved)) * other_words).astype(np.int64)
    words[moved] = others + (others >= words[moved])
    return ids, words


def plain_words(task: Task, population: Population) -> NDArray[np.int64]:
    """Padding and sampling, and the sampled value made a sign."""
    sizes, values = population.sizes, population.values
    if not np.all((values >= task.low) & (values <= task.high)):
        raise ValueError("a value out of range")
    slots = (uniform(len(sizes)) * np.maximum(sizes, task.padding)).astype(np.int64)
    real = slots < sizes
    chosen = (population.offsets[:-1] + slots)[real]
    keys = np.empty(len(sizes), np.int64)
    keys[real] = population.keys[chosen]
    keys[~real] = task.key_count + (uniform(len(sizes) - len(chosen)) * task.padding).astype(np.int64)
    levels = np.full(len(sizes), 0.5)
    levels[real] = (values[chosen] - task.low) / (task.high - task.low)
    return np.asarray(2 * keys + (uniform(len(sizes)) < levels))


def uniform(count: int) -> NDArray[np.float64]:
    """Floats below 1 from the operating system's randomness."""
    return np.frombuffer(os.urandom(8 * count), np.uint64) / 2.0**64


def perturb_one(keys: int) -> Row:
    """One report on the device path, beside one small read of the operating system's randomness."""
    task = task_of("grr", keys)
    population = random_population(keys, REPORTS)
    people = [
        {str(key): value for key, value in population.pairs(person).items()} for person in range(REPORTS)
    ]

    def ours() -> None:
        for pairs in people:
            perturb(task, pairs)

    def baseline() -> None:
        for _ in people:
            os.urandom(64)

    times = race(ours, baseline, turns=5)
    return cost(f"perturb one (grr, {keys:,} keys)", times, REPORTS, 12)


def import_time(names: str) -> Row:
    """Importing in a fresh interpreter, beside one that does nothing: on the wall's clock."""
    times = race(
        lambda: interpret(f"import {names}"),
        lambda: interpret("pass"),
        turns=1,
        clock=time.perf_counter,
    )
    return added(f"import {names}", times, 150)


def interpret(code: str) -> str:
    """What a fresh interpreter prints."""
    return subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout


def modules_after(code: str) -> list[str]:
    """What a fresh interpreter has loaded once it ran this."""
    return interpret(f"{code}, sys; print(*sys.modules)").split()


def modules_of(package: str, where: str, modules: Iterable[str]) -> Row:
    """A package that must not be among the modules."""
    found = sum(name.partition(".")[0] == package for name in modules)
    return Row(f"modules of {package}, {where}", "", found, 0, [found], bar=0, most=True, suffix="")


def empty_table() -> Table:
    """The table's head."""
    table = Table(
        title=f"Medians of {PAIRS} pairs: Python {platform.python_version()}, numpy {np.__version__}, "
        f"{os.cpu_count()} cores"
    )
    table.add_column("what")
    for column in ("ours", "baseline", "ratio", "lowest to highest", "bar", "met"):
        table.add_column(column, justify="right")
    return table


def cells_of(row: Row) -> list[str]:
    """A row as the table shows it."""
    return [
        row.what,
        f"{row.ours:.3g} {row.unit}",
        f"{row.baseline:.3g} {row.unit}",
        f"{row.result:.3g}{row.suffix}",
        f"{min(row.results):.3g} to {max(row.results):.3g}",
        f"{'≤' if row.most else '≥'} {row.bar:g}{row.suffix}",
        "yes" if row.met else "NO",
    ]


def write_json(path: Path, results: list[Row]) -> None:
    """All numbers of a run, pair by pair."""
    content = [asdict(row) | {"result": row.result, "met": row.met} for row in results]
    path.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


@click.command()
@click.option("--json", "json_file", type=click.Path(path_type=Path, dir_okay=False), help="Write JSON here.")
def main(json_file: Path | None) -> None:
    """Measure the core; exit code 1 if a bar is missed."""
    console = Console(width=None if sys.stdout.isatty() else PIPED_WIDTH)
    table, results = empty_table(), []
    with Live(table, console=console):
        for row in rows():
            results.append(row)
            table.add_row(*cells_of(row))
    console.print()
    if json_file:
        write_json(json_file, results)
    sys.exit(not all(row.met for row in results))


if __name__ == "__main__":
    main()
