"""`pckv plan`: what to run and what to expect, before anybody is asked anything."""

from __future__ import annotations

from pathlib import Path

import click

from pckv.cli.common import FilePath, json_option, print_json, print_table
from pckv.files.set_sizes import read_set_sizes
from pckv.limits import DEFAULT_OBJECTIVE
from pckv.planning.objective import OBJECTIVES
from pckv.planning.plan import (
    DETECTION_LEVEL,
    DETECTION_POWER,
    REFERENCE_FREQUENCY,
    USUAL_SHARE,
    Alternative,
    Option,
    Plan,
    plan,
)
from pckv.planning.set_sizes import POPULAR_KEYS

WANTED = {"both": "both errors alike", "frequency": "the frequency", "mean": "the mean"}
# Means are taken to lie anywhere on [-1, 1]: an error like this is made without asking anybody.
NOTHING_LEARNED = 3**-0.5
RULES = {
    "90 %": f"{USUAL_SHARE:.0%} of the people hold at most so many",
}


@click.command("plan", short_help="What to run and what errors to expect.")
@click.option("--keys", type=int, required=True, help="The number of keys.")
@click.option("--users", type=int, required=True, help="How many people will take part.")
@click.option("--epsilon", required=True, help="The privacy budget, above 0 and at most 20.")
@click.option("--pairs", type=int, help="How many pairs a person holds.  [default: 1]")
@click.option(
    "--sizes",
    "sizes_file",
    type=FilePath,
    help="How many people hold how many pairs, in place of --pairs: a .csv with the columns size and people, or the "
    "estimates of a pilot (.csv, .json, .parquet).",
)
@click.option(
    "--frequency",
    type=float,
    help="The share of people who hold a key that matters to you; the choice is made for it.  "
    f"[default: {REFERENCE_FREQUENCY}; with --sizes as the {POPULAR_KEYS} most frequent keys may have]",
)
@click.option(
    "--objective",
    default=DEFAULT_OBJECTIVE,
    show_default=True,
    help=f"The error that counts: {', '.join(OBJECTIVES)}.",
)
@json_option
def plan_command(
    keys: int,
    users: int,
    epsilon: str,
    pairs: int | None,
    sizes_file: Path | None,
    frequency: float | None,
    objective: str,
    as_json: bool,
) -> None:
    """Recommend a mechanism, its parameters and a padding, and say what errors to expect.

    A padding shorter than somebody's pairs hides part of them, a longer one adds noise for all: what weighs less is
    predicted from how many pairs people hold. If nobody knows, ask some of them with a pilot first.

    \b
    pckv plan --keys 5850 --users 105508 --epsilon 1 --pairs 3
    pckv plan --keys 5850 --users 105508 --epsilon 1 --sizes sizes.csv
    """
    sizes = None if sizes_file is None else read_set_sizes(sizes_file)
    made = plan(keys, users, epsilon, pairs, sizes=sizes, frequency=frequency, objective=objective)
    if as_json:
        print_json(made.to_dict())
    else:
        print_plan(made)


def print_plan(made: Plan) -> None:
    """Print a plan in tables and sentences."""
    click.echo(
        f"Recommended: {made.mechanism} with padding {made.padding}, {made.bytes_a_report:,} bytes a report."
    )
    if made.why:
        click.echo(f"{made.why}.")
    spent = ", ".join(f"{what} {epsilon:.4f}" for what, epsilon in made.budgets.items())
    click.echo(
        f"ε = {made.epsilon:g} is spent as: {spent} (a = {made.a:.5f}, b = {made.b:.5f}, p = {made.p:.5f}).\n"
    )
    print_table(
        f"Chosen from these for {WANTED[made.objective]}, at a frequency of {made.frequency:.1%} with {made.pairs:.3g} pairs a person:",
        ("mechanism", "parameters", "padding", "bytes", "frequency error", "mean error"),
        [
            (
                ("  " if o.objection else "→ ") + o.mechanism,
                ", ".join(f"{name} {value}" for name, value in o.parameters.items()),
                str(o.padding),
                f"{o.bytes_a_report:,}",
                f"±{o.frequency_error:.4f}",
                mean_error(o.mean_error),
            )
            for o in made.options
        ],
        texts=2,
    )
    for option in made.options:
        if option.objection:
            click.echo(f"{option.mechanism} is not chosen: {option.objection}.")
    click.echo()
    if made.alternatives:
        print_alternatives(made)
    print_table(
        f"Expected errors with {made.users:,} users, method corrected, the bias of a short padding included:",
        ("true frequency", "frequency", "mean, of [-1, 1]"),
        [(f"{e.frequency:.1%}", f"±{e.frequency_error:.5f}", mean_error(e.mean_error)) for e in made.errors],
    )
    click.echo(
        f"\nThe smallest frequency that can be told from zero ({DETECTION_LEVEL:.0%} interval, "
        f"{DETECTION_POWER:.0%} of the time): {made.smallest_frequency:.3%}."
    )
    print_table(
        f"Users needed for an error of a frequency of {made.frequency:.1%}:",
        ("error", "users"),
        [
            (f"±{error:g}", "never: longer padding" if users is None else f"{users:,}")
            for error, users in made.users_needed.items()
        ],
    )
    hostile = made.hostile
    click.echo(
        f"\nHostile reports: one can raise a key's frequency by {hostile.one_report:.3g}; 1 % of all reports by "
        f"{hostile.one_percent:.3g}, or ten keys by {hostile.ten_keys:.3g} in all."
    )


def print_alternatives(made: Plan) -> None:
    """Print what the padding was chosen from, and what other rules would have it."""
    chosen = next(option for option in made.options if not option.objection)
    click.echo(
        f"People hold {made.pairs:.3g} pairs on average; {USUAL_SHARE:.0%} of them hold at most {made.usual_pairs}. "
        f"Reports show about {made.seen:.0%} of a popular key's frequency."
    )
    ways: list[tuple[str, Option | Alternative]] = [("→ least predicted error", chosen)]
    ways += [(f"  {RULES[other.rule]}", other) for other in made.alternatives]
    print_table(
        f"Ways to choose the padding of {made.mechanism}:",
        ("rule", "padding", "frequency error", "mean error"),
        [
            (rule, str(way.padding), f"±{way.frequency_error:.4f}", mean_error(way.mean_error))
            for rule, way in ways
        ],
    )
    click.echo()


def mean_error(error: float) -> str:
    """A mean's error in words where it says that nothing is learned."""
    return f"±{error:.4f}" if error < NOTHING_LEARNED else "no information"
