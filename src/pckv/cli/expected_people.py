"""Options that say who will take part: what padding and mechanism are chosen for, by `plan` and by `task new`."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from pathlib import Path
from typing import Any

import click

from pckv.cli.common import NUMBER, FilePath
from pckv.cli.inputs import read_task
from pckv.files.set_sizes import read_set_sizes
from pckv.limits import COINS, DEFAULT_OBJECTIVE, DEVICE_COIN, MORE, SAMPLE
from pckv.planning.objective import OBJECTIVES

# What these options, and the number of users, are called in Python.
EXPECTED_PEOPLE = (
    "users",
    "pairs",
    "most_pairs",
    "sizes",
    "frequency",
    "objective",
    "more",
    "coin",
    "most_influence",
)
OPTIONS = (
    click.option(
        "--pairs",
        type=NUMBER,
        help="How many pairs a person typically holds. [default: 1, or the padding if one is given]",
    ),
    click.option(
        "--most-pairs",
        type=int,
        help="How many pairs anybody holds at most, where known. [default: three times the typical number]",
    ),
    click.option(
        "--sizes",
        "sizes_file",
        type=FilePath,
        help="How many people hold how many pairs, instead of --pairs: a .csv with the columns size and people, the .json "
        "that `pckv estimate --out` wrote for an earlier task, or (with --sizes-task) its tally.",
    ),
    click.option(
        "--sizes-task", "sizes_task_file", type=FilePath, help="The earlier task that --sizes is a tally of."
    ),
    click.option(
        "--frequency",
        type=NUMBER,
        help="The share of people who hold a key that matters to you. [default: the most frequent keys, by Zipf's law]",
    ),
    click.option(
        "--objective",
        type=click.Choice(OBJECTIVES),
        default=DEFAULT_OBJECTIVE,
        show_default=True,
        help="The error to minimise; all but mse keep truncation within the noise.",
    ),
    click.option(
        "--more",
        type=click.Choice(MORE),
        default=SAMPLE,
        show_default=True,
        help="What happens to somebody with more pairs than the padding: a random choice of them is reported, or they are "
        "refused where pairs are entered.",
    ),
    click.option(
        "--most-influence",
        type=NUMBER,
        help="As how many people one hostile report may count for a key, at most; what exceeds it is not chosen.",
    ),
)
# Not of series: nobody invites to every round.
coin_option = click.option(
    "--coin",
    type=click.Choice(COINS),
    default=DEVICE_COIN,
    show_default=True,
    help="Who draws the public function of a report (ue-compact, collision). server: the collector does, by one coin "
    "per invitation, so that hostile reports cannot be made from a function that suits them.",
)


def expected_people_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that say who will take part."""
    return reduce(lambda wrapped, option: option(wrapped), reversed(OPTIONS), command)


def read_expected_people(
    *, sizes_file: Path | None, sizes_task_file: Path | None, **others: Any
) -> dict[str, Any]:
    """Return options as `pckv.plan` and `pckv.Task` take them: sizes are read from their file, all others stay."""
    if sizes_task_file is not None and sizes_file is None:
        raise click.UsageError("--sizes-task is for the tally that --sizes names")
    earlier = None if sizes_task_file is None else read_task(sizes_task_file)
    sizes = None if sizes_file is None else read_set_sizes(sizes_file, earlier)
    return {"sizes": sizes, **others}
