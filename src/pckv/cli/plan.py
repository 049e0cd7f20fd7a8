"""`pckv plan`: what to run and what errors to expect, before anybody is asked anything."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from pathlib import Path
from typing import Any, NamedTuple

import click

from pckv.base.limits import MIN_LEVELS
from pckv.cli.common import NUMBER, STREAM, FilePath, force_option, json_option
from pckv.cli.contract_options import (
    LEVELS,
    LEVELS_HELP,
    coin_option,
    discovery_options,
    expected_people_options,
    named_keys,
    read_discovery_options,
    read_expected_people,
)
from pckv.cli.shuffled import read_shuffle, shuffle_options
from pckv.cli.task import write_task
from pckv.cli.terminal import print_json, print_sections
from pckv.contract.members import checked_range
from pckv.contract.task import Task
from pckv.files.outputs import check_free
from pckv.planning.discovery import plan_discovery
from pckv.planning.people import UNIT_RANGE
from pckv.planning.plan import plan

SERIES_OPTIONS = (
    click.option(
        "--panels",
        type=int,
        help="For a series: a device reports in one round out of this many. The plan is that of one round, with the errors of several added.",
    ),
    click.option(
        "--rounds", type=int, help="With --panels: how many rounds there are. [default: four per panel]"
    ),
    click.option(
        "--drift",
        type=NUMBER,
        help="With --panels: by how much a frequency changes from one round to the next, such as .005.",
    ),
)


def series_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options about series."""
    return reduce(lambda wrapped, option: option(wrapped), reversed(SERIES_OPTIONS), command)


def check_series_options(panels: int | None, rounds: int | None, drift: float | None) -> None:
    """Refuse options that only make sense together with another one."""
    if panels is None and (rounds is not None or drift is not None):
        raise click.UsageError("--rounds and --drift are about a series: give --panels, too")


class WantedTask(NamedTuple):
    """What a plan is for: the keys, and the range of values where one is given."""

    keys: tuple[str, ...] | int | str
    values: tuple[str, str] | None

    @property
    def planned_keys(self) -> int | str:
        """The keys as a plan takes them: how many there are, or that they are hashed."""
        return len(self.keys) if isinstance(self.keys, tuple) else self.keys

    @property
    def ends(self) -> tuple[float, float] | None:
        """The range of values as numbers."""
        return None if self.values is None else (float(self.values[0]), float(self.values[1]))


def read_wanted_task(
    keys: tuple[str, ...] | int | str,
    low: str | None,
    high: str | None,
    out: Path | None,
    name: str | None,
    *,
    force: bool,
) -> WantedTask:
    """Read the range; refuse what cannot be written as a task before anything is computed."""
    if (low is None) != (high is None):
        raise click.UsageError("give both --low and --high, or none of them")
    if out is not None:
        if name is None or low is None:
            raise click.UsageError("--out writes a task: give --name, --low and --high, too")
        check_free(out, force=force)
    return WantedTask(keys, None if low is None or high is None else checked_range((low, high)))


@click.command("plan", short_help="Recommend what to run, and say what errors to expect.")
@click.option("--keys", type=int, help="The number of keys.")
@click.option("--keys-file", type=FilePath, help="Instead: a text file with one key name per line.")
@click.option(
    "--hashed", is_flag=True, help="Instead: any text is a key, and those to estimate are named afterwards."
)
@click.option(
    "--candidates", type=int, help="With --hashed: how many keys will be asked for. [default: 10000]"
)
@discovery_options
@click.option(
    "--padding",
    type=int,
    help="With --discover: how many texts a report stands for at most; elsewhere it is planned. [default: 1]",
)
@click.option("--users", type=int, required=True, help="How many people will take part.")
@click.option("--epsilon", help="The privacy budget of a report, above 0 and at most 20.")
@shuffle_options
@click.option(
    "--central",
    help="Instead of --epsilon: the ε that the shuffled reports are to have; the budget of a report is found for it.",
)
@expected_people_options
@coin_option
@series_options
@click.option(
    "--low", help="The smallest value a key may have; with --high, errors of means are in the same units."
)
@click.option("--high", help="The largest value a key may have.")
@click.option("--levels", type=LEVELS, default=MIN_LEVELS, show_default=True, help=LEVELS_HELP)
@click.option(
    "--out", type=FilePath, help="Write the planned task's JSON here; needs --name, --low and --high."
)
@click.option("--name", help="With --out: the name that distinguishes this collection from others.")
@click.option(
    "--verbose",
    is_flag=True,
    help="Print the mechanism's probabilities and parameters, too (--json has them).",
)
@force_option
@json_option
def plan_command(
    *,
    epsilon: str | None,
    central: str | None,
    shuffled: int | None,
    delta: float | None,
    colluding: int | None,
    verbose: bool,
    as_json: bool,
    keys: int | None,
    keys_file: Path | None,
    hashed: bool,
    candidates: int | None,
    low: str | None,
    high: str | None,
    levels: int | tuple[str, ...],
    out: Path | None,
    name: str | None,
    force: bool,
    panels: int | None,
    rounds: int | None,
    drift: float | None,
    **options: Any,
) -> None:
    """Recommend a mechanism, its parameters and a padding, and say what errors to expect.

    A padding shorter than a person's pairs hides part of them, a longer one adds noise for all: the better one is
    predicted from how many pairs people hold. Say how many are typical, and how many a person holds at most if you
    know that; or name what an earlier task measured.

    \b
    pckv plan --keys 100 --users 20000 --epsilon 1 --pairs 3
    pckv plan --keys 5850 --users 105508 --epsilon 1 --sizes sizes.csv
    pckv plan --keys 100 --users 100000 --epsilon 4 --shuffled 100000 --delta 1e-7
    pckv plan --keys 100 --users 50000 --epsilon 2 --panels 4 --drift .005
    pckv plan --keys 100 --users 50000 --epsilon 2 --levels 1,2,3,4,5
    pckv plan --hashed --candidates 5000 --users 1000000 --epsilon 4 --pairs 3
    pckv plan --discover --characters 12 --users 1000000 --epsilon 4
    """
    padding = options.pop("padding")
    tree = read_discovery_options(options, ("users", "epsilon", "padding", "as_json"))
    if tree is not None:
        if epsilon is None:
            raise click.UsageError("give --epsilon")
        found = plan_discovery(users=options["users"], epsilon=epsilon, padding=padding or 1, **tree)
        if as_json:
            print_json(found.to_dict())
        else:
            print_sections(found.sections())
        return
    if padding is not None:
        raise click.UsageError("--padding is for --discover: elsewhere a plan chooses it")
    shuffle = read_shuffle(shuffled=shuffled, delta=delta, colluding=colluding)
    _check_budget(epsilon, central, shuffled)
    check_series_options(panels, rounds, drift)
    if out is not None and (as_json or out == STREAM):
        raise click.UsageError(
            "--out writes a file in addition to the plan in words: leave out --json, and name a file"
        )
    wanted = read_wanted_task(
        named_keys(keys_file, keys, "--keys", hashed=hashed), low, high, out, name, force=force
    )
    people = read_expected_people(**options)
    recommended = plan(
        wanted.planned_keys,
        candidates=candidates,
        epsilon=epsilon,
        central=central,
        values=wanted.ends,
        levels=levels,
        panels=panels,
        rounds=rounds,
        drift=drift,
        **people,
        **shuffle,
    )
    if as_json:
        print_json(recommended.to_dict())
    else:
        print_sections(recommended.sections(verbose=verbose))
    if out is not None:
        # The task chooses for itself, by the same function from the same expectations.
        people["users"] //= panels or 1
        task = Task(
            name=name or "",
            keys=wanted.keys,
            values=wanted.values or UNIT_RANGE,
            levels=levels,
            epsilon=recommended.epsilon if epsilon is None else epsilon,
            **people,
        )
        write_task(task, out, force=force)


def _check_budget(epsilon: str | None, central: str | None, shuffled: int | None) -> None:
    if (epsilon is None) == (central is None):
        raise click.UsageError("give either --epsilon or --central")
    if central is not None and shuffled is None:
        raise click.UsageError("--central is about shuffled reports: give --shuffled and --delta, too")
