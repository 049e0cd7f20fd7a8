"""Figure 10: the paper's four rating sets, where they are available."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
from numpy.random import Generator

from pckv.base.errors import DataError, require
from pckv.base.population import Population
from pckv.base.progress import Progress
from pckv.files.pairs.rows import Columns
from pckv.lab.dataset import Dataset, read_ratings
from pckv.lab.figures.figure import Figure, FigureScale, Point, averaged, in_parallel
from pckv.lab.figures.synthetic import EPSILONS, ERRORS, errors_over, setting_of
from pckv.lab.populations import movielike
from pckv.lab.simulator import Simulator

MECHANISMS = {"PrivKVM": "privkvm", "KVUE": "kvue", "PCKV-GRR": "grr", "PCKV-UE": "ue"}
TOP = 50
AMAZON_USERS = 1_210_271
MOVIELENS = "ratings.csv"
RATINGS = Columns("user", "item", "rating")


ECOMMERCE = "ecommerce_womens_clothing.parquet"
CLOTHING = "pckv_clothing_fit.parquet"
AMAZON = "amazon_beauty_item_aggregates.parquet"


class MissingData(DataError):
    """Rating sets are not in the data folder."""

    code = "missing_data"


def _missing(scale: FigureScale, what: str, code: str | None = None) -> MissingData:
    place = f"{scale.data} lacks" if scale.data else "no data folder was given for"
    return MissingData(f"{place} {what}", code=code)


def _has_file(scale: FigureScale, name: str) -> bool:
    return scale.data is not None and (scale.data / name).is_file()


def _file(scale: FigureScale, name: str) -> Path:
    if scale.data is None or not _has_file(scale, name):
        raise _missing(scale, name)
    return scale.data / name


def lacks_data(figure: Figure, scale: FigureScale) -> bool:
    """Return whether a figure needs a rating set that is not in the data folder."""
    return figure.data_file is not None and not _has_file(scale, figure.data_file)


def missing_data(figures: Iterable[Figure], scale: FigureScale, *, left_out: bool = False) -> MissingData:
    """Return an error about figures that lack their rating sets: they are refused, or were left out."""
    files = {figure.name: figure.data_file or "" for figure in figures}
    what = f"the rating sets of figures {', '.join(files)} ({', '.join(files.values())})"
    if left_out:
        return _missing(scale, f"{what}, which are left out", "figures_left_out")
    return _missing(scale, what)


def ecommerce(scale: FigureScale) -> Dataset:
    """Return E-commerce: one rating per user."""
    return read_ratings(_file(scale, ECOMMERCE), RATINGS, low=1, high=5)


def clothing(scale: FigureScale) -> Dataset:
    """Return Clothing: of 264 repeated rows the last one counts."""
    return read_ratings(_file(scale, CLOTHING), RATINGS, low=2, high=10, repeated="last")


def goodbooks(scale: FigureScale) -> Dataset:
    """Return Goodbooks: many pairs per user, all keys about equally frequent; not one of the paper's."""
    return read_ratings(_file(scale, "goodbooks10k_v1.parquet"), RATINGS, low=1, high=5, repeated="last")


def amazon(scale: FigureScale) -> Dataset:
    """Return Amazon, known by item only: its ratings are assigned to the users at random."""
    path = _file(scale, AMAZON)
    table = require("pyarrow.parquet", extra="files").read_table(path)
    counts, sums = (table[name].to_numpy().astype(np.int64) for name in ("count", "rating_sum"))
    return deal_ratings("amazon", counts, sums, AMAZON_USERS, scale.rng(10))


def deal_ratings(name: str, counts: np.ndarray, sums: np.ndarray, users: int, rng: Generator) -> Dataset:
    """Assign ratings from 1 to 5 with the items' counts and sums to users: each has at least one."""
    items = np.repeat(np.arange(counts.size), counts)
    rank = np.arange(items.size) - np.repeat(np.cumsum(counts) - counts, counts)
    whole, rest = np.divmod(sums, np.maximum(counts, 1))
    values = whole[items] + (rank < rest[items])
    shuffled = rng.permutation(items.size)
    items, values = items[shuffled], values[shuffled]
    owners = np.concatenate([np.arange(users), rng.integers(0, users, items.size - users)])
    again = np.ones(1, np.bool_)
    while again.any():
        places = owners * counts.size + items
        again = np.ones(items.size, np.bool_)
        again[np.unique(places, return_index=True)[1]] = False
        # No person rates an item twice: what came second is assigned again, so that the first ratings stay.
        owners[again] = rng.integers(0, users, int(again.sum()))
    order = np.argsort(places, kind="stable")
    offsets = np.zeros(users + 1, np.int64)
    np.cumsum(np.bincount(owners, minlength=users), out=offsets[1:])
    population = Population(offsets, items[order].astype(np.int32), values[order].astype(np.float64))
    return Dataset(name, population, counts.size, 1.0, 5.0)


def movie_source(scale: FigureScale) -> str:
    """Whether Figure 10d shows MovieLens itself or the synthetic population in its place."""
    return "movielens" if _has_file(scale, MOVIELENS) else "movielike"


def movie(scale: FigureScale) -> Dataset:
    """Return MovieLens 20M where its ratings.csv is available, else the synthetic `movielike`."""
    if movie_source(scale) == "movielike":
        return movielike(scale.rng(11))
    columns = Columns("userId", "movieId", "rating")
    return read_ratings(_file(scale, MOVIELENS), columns, low=0.5, high=5, repeated="last")


def _points(name: str, padding: int) -> Callable[[FigureScale, Progress], list[Point]]:
    settings = [
        (label, float(epsilon), setting_of(mechanism, epsilon, TOP, padding))
        for label, mechanism in MECHANISMS.items()
        for epsilon in EPSILONS
    ]

    def points(scale: FigureScale, progress: Progress) -> list[Point]:
        simulator = Simulator(DATASETS[name](scale))
        # Computed once, before the workers are forked.
        _ = simulator.sampling(), simulator.indices, simulator.dataset.truth

        def run(repeat: int) -> list[Point]:
            rng = scale.rng(12, list(DATASETS).index(name), repeat)
            return errors_over(simulator, "ε", settings, rng, with_theory=repeat == 0)

        repeats = [(repeat,) for repeat in range(scale.repeats)]
        return averaged(in_parallel(run, repeats, scale, progress), "ε", tuple(ERRORS))

    return points


DATASETS: dict[str, Callable[[FigureScale], Dataset]] = {
    "ecommerce": ecommerce,
    "clothing": clothing,
    "amazon": amazon,
    "movie": movie,
}


def _figure(  # noqa: PLR0917
    name: str, title: str, data: str, padding: int, file: str | None, extra: str = ""
) -> Figure:
    def note(scale: FigureScale) -> str:
        synthetic = data == "movie" and movie_source(scale) == "movielike"
        more = ", SYNTHETIC movielike population in place of MovieLens" if synthetic else extra
        return f"top {TOP} keys, padding {padding}, {scale.repeats} repeats{more}; dashed: Theorem 4 as printed"

    return Figure(name, title, "ε", ERRORS, _points(data, padding), note=note, data_file=file)


FIGURES = (
    _figure("10a", "E-commerce: 23,486 users, 1,206 keys", "ecommerce", 1, ECOMMERCE),
    _figure("10b", "Clothing: 105,508 users, 5,850 keys", "clothing", 2, CLOTHING),
    _figure(
        "10c",
        "Amazon: 1,210,271 users, 249,274 keys",
        "amazon",
        2,
        AMAZON,
        ", ratings dealt to users at random",
    ),
    _figure("10d", "Movie: 138,493 users, 26,744 keys", "movie", 100, None),
)
