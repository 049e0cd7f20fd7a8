"""`pckv sample`: files to try the commands on, with their truth."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence
from pathlib import Path

import click
import numpy as np

from pckv.cli.common import force_option
from pckv.files.outputs import check_free, whole_file
from pckv.lab.dataset import Dataset
from pckv.lab.populations import zipf_sets

USERS, KEYS, MAX_PAIRS, LOW, HIGH = 20_000, 100, 5, 1, 5
SEED = 1
AGES = ("under 30", "30 to 60", "over 60")


def sample_movies(users: int = USERS) -> Dataset:
    """Return the people of the samples: each rates 1 to 5 of 100 movies with 1 to 5 stars."""
    rng = np.random.default_rng(SEED)
    sizes = rng.integers(1, MAX_PAIRS + 1, users)
    return zipf_sets(sizes, KEYS, rng).with_range(LOW, HIGH)


def sample_ages(dataset: Dataset) -> list[str]:
    """Return an age group of everyone: those who rate the most frequent movie are younger."""
    population = dataset.population
    owners = np.repeat(np.arange(len(population)), population.sizes)
    rates_first = np.isin(np.arange(len(population)), owners[population.keys == 0])
    drawn = np.random.default_rng(SEED + 1).random(len(population))
    young, middle = np.where(rates_first, 0.7, 0.15), np.where(rates_first, 0.95, 0.6)
    return [AGES[number] for number in ((drawn >= young).astype(int) + (drawn >= middle)).tolist()]


def movie(number: int) -> str:
    """Return the name of a key."""
    return f"movie {number:03}"


@click.command("sample")
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path(),
    help="The folder to write to. [default: the current one]",
)
@force_option
def sample_command(out: Path, force: bool) -> None:
    """Write sample files: the ratings of 20,000 synthetic people, who each rate 1 to 5 of 100 movies.

    \b
    ratings.csv  user, movie, stars, age: what would stay on each device
    keys.txt     the names of the movies
    pairs.json   the ratings of one person, for `pckv submit`
    truth.csv    the true frequency and mean of every movie
    """
    names = ("ratings.csv", "keys.txt", "pairs.json", "truth.csv")
    for name in names:
        if out.exists():
            check_free(out / name, force=force)
    out.mkdir(parents=True, exist_ok=True)
    for name, text in zip(names, _sample_texts(sample_movies()), strict=True):
        with whole_file(out / name, force=force) as part:
            part.write_text(text, encoding="utf-8")
    click.echo(f"Written: {', '.join(str(out / name) for name in names)}")


def _sample_texts(dataset: Dataset) -> tuple[str, str, str, str]:
    population, keys = dataset.population, range(dataset.keys)
    owners = np.repeat(np.arange(len(population)), population.sizes)
    columns = (owners.tolist(), population.keys.tolist(), population.values.tolist())
    ages = sample_ages(dataset)
    ratings = [(user, movie(key), f"{value:.2f}", ages[user]) for user, key, value in zip(*columns, strict=True)]
    first = {name: float(value) for user, name, value, _ in ratings if user == 0}
    frequency, mean = population.truth(dataset.keys)
    truth = [(movie(key), f"{frequency[key]:.5f}", f"{mean[key]:.3f}") for key in keys]
    return (
        _csv_text(("user", "movie", "stars", "age"), ratings),
        "".join(f"{movie(key)}\n" for key in keys),
        json.dumps(first, indent=1) + "\n",
        _csv_text(("movie", "frequency", "mean"), truth),
    )


def _csv_text(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue()
