"""Making the contract of a collection: what `task new` and `series new` share."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from pathlib import Path
from typing import Any, NamedTuple

import click

from pckv.about import MEMBERS
from pckv.budget import ALLOCATIONS
from pckv.channels import CHANNELS
from pckv.channels.ue import TUNED
from pckv.cli.common import STREAM, FilePath
from pckv.cli.expected_people import EXPECTED_PEOPLE, expected_people_options, read_expected_people
from pckv.cli.inputs import read_about_file, read_keys
from pckv.cli.levels_option import LEVELS, LEVELS_HELP
from pckv.files.outputs import whole_file
from pckv.limits import AUTO, BETWEEN, DEFAULT_USERS, HASHED, MIN_LEVELS, ROUND
from pckv.planning.expectations import expect
from pckv.planning.plan import DEFAULT_CANDIDATES
from pckv.series import Series
from pckv.task import Task

# What the key for all that are not listed is called unless it is named otherwise.
OTHER = "other"
BEFORE_PEOPLE = (
    click.option("--name", required=True, help="The name that distinguishes this collection from others."),
    click.option("--keys-file", type=FilePath, help="A text file with one key name per line."),
    click.option(
        "--key-count", type=int, help="Instead of names: the keys are 0, 1, … up to this number minus 1."
    ),
    click.option(
        "--hashed",
        is_flag=True,
        help="Instead of names: any text is a key, and those to estimate are named afterwards.",
    ),
    click.option(
        "--other",
        is_flag=False,
        flag_value=OTHER,
        metavar="[NAME]",
        help=f"Add a key for all that are not listed, called {OTHER} unless named otherwise.",
    ),
    click.option("--low", help="The smallest value a key may have."),
    click.option("--high", help="The largest value a key may have."),
    click.option(
        "--levels",
        type=LEVELS,
        default=MIN_LEVELS,
        show_default=True,
        help=LEVELS_HELP,
    ),
    click.option(
        "--between",
        type=click.Choice(BETWEEN),
        default=ROUND,
        show_default=True,
        help="What happens to a value between two levels: it is rounded to one of them at random, so that means stay, or "
        "refused.",
    ),
    click.option("--epsilon", required=True, help="The privacy budget, above 0 and at most 20."),
    click.option(
        "--users",
        type=int,
        default=DEFAULT_USERS,
        show_default=True,
        help="How many participants are expected; only used to choose.",
    ),
)
AFTER_PEOPLE = (
    click.option("--padding", type=int, help="How many pairs a report stands for at most. [default: chosen]"),
    click.option(
        "--size-share",
        help="The share of reports that say how many pairs somebody holds instead of which, 0 to 0.5. [default: chosen]",
    ),
    click.option(
        "--mechanism",
        type=click.Choice([AUTO, *CHANNELS]),
        default=AUTO,
        show_default=True,
        help="How a report is made; auto is the mechanism with the least predicted error.",
    ),
    click.option(
        "--allocation",
        type=click.Choice([*ALLOCATIONS, TUNED]),
        help="How ue and grr split ε; tuned is for ue. [default: optimized]",
    ),
    click.option("--beta", help="The probability with which tuned ue fakes either sign. [default: chosen]"),
    click.option("--q", type=int, help="The prime of ue-compact. [default: chosen]"),
    click.option("--r", type=int, help="With --q: how many residues a level has. [default: 1]"),
    click.option("--o", type=int, help="With --q: how many of them two levels share. [default: 0]"),
    click.option("--symbols", type=int, help="How many symbols collision sends keys to. [default: chosen]"),
    click.option(
        "--positions", type=int, help="How many positions collision has, a prime. [default: chosen]"
    ),
    click.option(
        "--generator",
        type=int,
        help="The primitive root of these positions; others than the chosen one may bias estimates. [default: chosen]",
    ),
    click.option(
        "--about",
        "about_file",
        type=FilePath,
        help=f"What participants read: a .toml file of the texts {', '.join(MEMBERS)}, each of which may be left out.",
    ),
)
# Options that are parameters of a mechanism.
PARAMETERS = ("allocation", "beta", "q", "r", "o", "symbols", "positions", "generator")


def contract_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that say what is collected, from whom, and how."""
    for options in (AFTER_PEOPLE, (expected_people_options,), BEFORE_PEOPLE):
        command = reduce(lambda wrapped, option: option(wrapped), reversed(options), command)
    return command


class NewContract(NamedTuple):
    """A new task, and a sentence about what was chosen for it; empty if nothing was."""

    task: Task
    choice: str


def read_contract(
    *,
    keys_file: Path | None,
    key_count: int | None,
    hashed: bool,
    other: str | None,
    low: str | None,
    high: str | None,
    mechanism: str,
    about_file: Path | None,
    **options: Any,
) -> NewContract:
    """Make a task from the options."""
    if low is None or high is None:
        raise click.UsageError("give --low and --high")
    given = {name: options.pop(name) for name in PARAMETERS}
    parameters = {name: value for name, value in given.items() if value is not None}
    keys = named_keys(keys_file, key_count, "--key-count", hashed=hashed)
    people = read_expected_people(**options)
    about = None if about_file is None else read_about_file(about_file)
    task = Task(
        keys=keys,
        other=other,
        values=(low, high),
        mechanism={"name": mechanism, **parameters},
        about=about,
        **people,
    )
    if people["padding"] is not None:
        return NewContract(task, "")
    named = {name: people[name] for name in EXPECTED_PEOPLE}
    # How many keys will be asked for changes no choice.
    candidates = DEFAULT_CANDIDATES if hashed else None
    expected = expect(task.key_count, levels=task.level_count, candidates=candidates, **named)
    return NewContract(task, f"Padding {task.padding:,} was chosen. {expected.sentence}")


def named_keys(
    keys_file: Path | None, key_count: int | None, count_option: str, *, hashed: bool
) -> tuple[str, ...] | int | str:
    """Return the keys of a file, or how many there are, or that they are hashed."""
    if [keys_file is not None, key_count is not None, hashed].count(True) != 1:
        raise click.UsageError(f"give one of --keys-file, {count_option} and --hashed")
    if hashed:
        return HASHED
    return read_keys(keys_file) if keys_file is not None else key_count or 0


def write_contract(contract: Task | Series, out: Path, said: str, *, force: bool) -> None:
    """Write the JSON of a contract, exactly and without a newline, and say something about it."""
    to_stdout, text = out == STREAM, contract.to_json().encode()
    if to_stdout:
        # Bytes, so that no encoding of the terminal changes them.
        click.echo(text, nl=False)
    else:
        with whole_file(out, force=force) as part:
            part.write_bytes(text)
    click.echo(f"{said}, written to {'standard output' if to_stdout else out}", err=to_stdout)
