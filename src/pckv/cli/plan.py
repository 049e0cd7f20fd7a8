"""`pckv plan`: what to run and what errors to expect, before a collection begins."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from pckv.cli.common import (
    NUMBER,
    STREAM,
    FilePath,
    force_option,
    json_option,
    print_json,
    print_paragraph,
    wide_option,
)
from pckv.cli.contract_options import (
    EXPECTED_PEOPLE,
    LEVELS,
    LEVELS_HELP,
    cap_note,
    check_derivation,
    coin_option,
    derivation_options,
    discovery_options,
    expected_people_options,
    keys_options,
    named_keys,
    named_range,
    read_discovery_options,
    read_expected_people,
)
from pckv.cli.table import print_sections
from pckv.cli.task import write_task
from pckv.contract.domain import checked_range
from pckv.contract.task import Task
from pckv.files.outputs import check_free
from pckv.planning.discovery import plan_discovery
from pckv.planning.planner import plan
from pckv.planning.sections import Section


@click.command("plan")
@keys_options
@click.option("--candidates", type=int, help="With --hashed: how many keys will be asked for. [default: 10000]")
@derivation_options
@click.option(
    "--label-share",
    type=NUMBER,
    help="With --segment: the share of people with the label that the plan is made for. [default: all labels alike]",
)
@discovery_options
@click.option(
    "--padding",
    type=int,
    help="With --discover: how many texts a report stands for at most; elsewhere it is planned. [default: 1]",
)
@click.option(
    "--users",
    type=int,
    help="How many people will take part; with --panels, in all of them together. Required, except with --mixed. "
    "[default: those of --mixed]",
)
@click.option(
    "--epsilon",
    required=True,
    help="The privacy budget of a report, above 0 and at most 20; with --mixed, the ε towards the recipient of the "
    "reports.",
)
@click.option(
    "--mixed",
    type=int,
    help="How many people will take part through a mixer, which a party outside your organisation runs: it holds "
    "sealed reports and hands them over in an order that says nothing. The plan is then that of mixed reports, with "
    "the batch, the claim and the ε of a report to propose, and every report alone beside it.",
)
@expected_people_options
@coin_option
@click.option(
    "--panels",
    type=int,
    help="For a series: a device reports in one round out of this many. The plan is that of one round, "
    "with the errors of several added.",
)
@click.option("--rounds", type=int, help="With --panels: how many rounds there are. [default: four per panel]")
@click.option(
    "--drift",
    type=NUMBER,
    help="With --panels: by how much a frequency changes from one round to the next, such as .005.",
)
@click.option(
    "--low", help="The smallest value a key may have; without it, --high and --levels, people hold keys without values."
)
@click.option("--high", help="The largest value a key may have.")
@click.option("--levels", type=LEVELS, help=f"{LEVELS_HELP} [default: 2, where keys have values]")
@click.option(
    "--out",
    type=FilePath,
    help="Write the planned task's JSON here; needs --name, and with a number of --levels --low and --high.",
)
@click.option("--name", help="With --out: the name that distinguishes this collection from others.")
@click.option(
    "--verbose",
    is_flag=True,
    help="Print the mechanism's probabilities and parameters, too (--json has them).",
)
@force_option
@json_option
@wide_option
def plan_command(
    *,
    verbose: bool,
    as_json: bool,
    key_count: int | None,
    keys_file: Path | None,
    hashed: bool,
    low: str | None,
    high: str | None,
    out: Path | None,
    name: str | None,
    force: bool,
    **options: Any,
) -> None:
    """Recommend a mechanism, its parameters and a padding, and say what errors to expect.

    A padding shorter than a person's pairs hides part of them, a longer one adds noise for all: the better
    one is predicted from how many pairs people hold. Say how many they hold on average, which share of them holds
    any, and how many a person holds at most if you know that; or name what an earlier task measured.

    Can a party outside your organisation run a mixer? With --mixed, the same ε towards you, the recipient, shows keys
    that are many times as rare, as long as that party follows the protocol and enough reports are honest.

    \b
    pckv plan --keys 100 --users 20000 --epsilon 1 --pairs 3
    pckv plan --keys 100 --users 20000 --epsilon 1 --pairs 3 --low 1 --high 5
    pckv plan --keys 100 --users 20000 --epsilon 1 --pairs 1 --holding 0.4
    pckv plan --keys 5850 --users 105508 --epsilon 1 --sizes sizes.csv
    pckv plan --keys 100 --mixed 20000 --epsilon 1 --pairs 3
    pckv plan --keys 100 --users 50000 --epsilon 2 --panels 4 --drift .005
    pckv plan --keys 100 --users 50000 --epsilon 2 --levels 1,2,3,4,5
    pckv plan --keys 100 --users 50000 --epsilon 2 --segment age=young,old
    pckv plan --keys 50 --users 100000 --epsilon 4 --pairs 4 --together
    pckv plan --hashed --candidates 5000 --users 1000000 --epsilon 4 --pairs 3
    pckv plan --discover --characters 12 --users 1000000 --epsilon 4
    """
    tree = read_discovery_options(options, ("users", "mixed", "epsilon", "padding", "as_json"))
    padding = options.pop("padding")
    if options["users"] is None:
        options["users"] = options["mixed"]
    if options["users"] is None:
        raise click.UsageError("give --users, how many people will take part, or --mixed")
    if tree is not None:
        people = {option: options[option] for option in ("users", "mixed", "epsilon")}
        found = plan_discovery(**people, padding=padding or 1, **tree)
        _show(found.to_dict(), found.sections(), as_json=as_json)
        return
    if padding is not None:
        raise click.UsageError("--padding is for --discover: elsewhere a plan chooses it")
    _check_together(options)
    check_derivation(options)
    asked = named_keys(keys_file, key_count, hashed=hashed)
    ends = named_range(low, high, options["levels"])
    if out is not None:
        has_range = ends is not None or options["levels"] is None
        _check_output(out, name, has_range=has_range, as_json=as_json, force=force, mixed=options["mixed"] is not None)
    values = None if ends is None else checked_range(ends)
    given = read_expected_people(**options)
    recommended = plan(
        len(asked) if isinstance(asked, tuple) else asked,
        values=None if values is None else (float(values[0]), float(values[1])),
        **given,
    )
    _show(recommended.to_dict(), recommended.sections(verbose=verbose), as_json=as_json)
    if out is None and not as_json:
        print_paragraph(cap_note(recommended.epsilon))
    if out is not None:
        # The task chooses for itself, by the same function from the same expectations.
        people = {option: given[option] for option in EXPECTED_PEOPLE}
        people["users"] //= given["panels"] or 1
        task = Task(
            name=name or "",
            keys=asked,
            values=values,
            levels=given["levels"],
            segment=given["segment"],
            together=given["together"],
            epsilon=given["epsilon"],
            **people,
        )
        write_task(task, out=out, force=force)


def _show(plain: dict[str, Any], sections: Iterable[Section], *, as_json: bool) -> None:
    if as_json:
        print_json(plain)
    else:
        print_sections(sections)


def _check_together(given: dict[str, Any]) -> None:
    """Refuse options that only make sense together with another one."""
    has = {name for name, value in given.items() if value is not None}
    if has & {"rounds", "drift"} and "panels" not in has:
        raise click.UsageError("--rounds and --drift are about a series: give --panels, too")
    if "label_share" in has and "segment" not in has:
        raise click.UsageError("--label-share is about a segment: give --segment, too")


def _check_output(out: Path, name: str | None, *, has_range: bool, as_json: bool, force: bool, mixed: bool) -> None:
    """Refuse what cannot be written as a task before anything is computed."""
    if mixed:
        raise click.UsageError(
            "--out is not for --mixed: a mixed task also names its mixer, and a key that reports are sealed for"
        )
    if as_json or out == STREAM:
        raise click.UsageError(
            "--out writes a file in addition to the plan in words: leave out --json, and name a file"
        )
    if name is None or not has_range:
        raise click.UsageError("--out writes a task: give --name, too, and with --levels --low and --high")
    check_free(out, force=force)
