"""`pckv plan`: what to run and what errors to expect, before anybody is asked anything."""

from __future__ import annotations

from pathlib import Path

import click

from pckv.cli.common import FilePath, json_option
from pckv.cli.table import print_table
from pckv.cli.terminal import print_json
from pckv.files.set_sizes import read_set_sizes
from pckv.limits import DEFAULT_OBJECTIVE
from pckv.planning.detection import DETECTION_POWER
from pckv.planning.objective import OBJECTIVES
from pckv.planning.plan import (
    REFERENCE_FREQUENCY,
    USUAL_SHARE,
    Alternative,
    Option,
    Plan,
    plan,
)
from pckv.planning.set_sizes import POPULAR_KEYS

WANTED = {"both": "both errors alike", "frequency": "the frequency", "mean": "the mean"}
# Means are taken to lie anywhere on [-1, 1]: guessing, without asking anybody, has this error.
NOTHING_LEARNED = 3**-0.5
RULES = {
    "90 %": f"{USUAL_SHARE:.0%} of the people hold at most that many",
}


@click.command("plan", short_help="Recommend what to run, and say what errors to expect.")
@click.option("--keys", type=int, required=True, help="The number of keys.")
@click.option("--users", type=int, required=True, help="How many people will take part.")
@click.option("--epsilon", required=True, help="The privacy budget, above 0 and at most 20.")
@click.option("--pairs", type=int, help="How many pairs a person holds. [default: 1]")
@click.option(
    "--sizes",
    "sizes_file",
    type=FilePath,
    help="How many people hold how many pairs, instead of --pairs: a .csv with the columns size and people, or the "
    "estimates of a pilot (.csv, .json, .parquet).",
)
@click.option(
    "--frequency",
    type=float,
    help="The share of people who hold a key that matters to you; the choice is made for it. "
    f"[default: {REFERENCE_FREQUENCY}; with --sizes as the {POPULAR_KEYS} most frequent keys may have]",
)
@click.option(
    "--objective",
    default=DEFAULT_OBJECTIVE,
    show_default=True,
    help=f"The error to minimise: {', '.join(OBJECTIVES)}.",
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

    A padding shorter than somebody's pairs hides part of them, a longer one adds noise for all: the better one is
    predicted from how many pairs people hold. If that is unknown, ask some of them with a pilot first.

    \b
    pckv plan --keys 5850 --users 105508 --epsilon 1 --pairs 3
    pckv plan --keys 5850 --users 105508 --epsilon 1 --sizes sizes.csv
    """
    sizes = None if sizes_file is None else read_set_sizes(sizes_file)
    recommended = plan(keys, users, epsilon, pairs, sizes=sizes, frequency=frequency, objective=objective)
    if as_json:
        print_json(recommended.to_dict())
    else:
        _print_plan(recommended)


def _print_plan(recommended: Plan) -> None:
    """Print a plan in tables and sentences."""
    click.echo(
        f"Recommended: {recommended.mechanism} with padding {recommended.padding}, {recommended.bytes_per_report:,} bytes per report."
    )
    if recommended.why:
        click.echo(f"{recommended.why}.")
    spent = ", ".join(f"{what} {epsilon:.4f}" for what, epsilon in recommended.budgets.items())
    click.echo(
        f"ε = {recommended.epsilon:g} is spent as: {spent} (a = {recommended.a:.5f}, b = {recommended.b:.5f}, p = {recommended.p:.5f}).\n"
    )
    print_table(
        f"Chosen from these for {WANTED[recommended.objective]}, at a frequency of {recommended.frequency:.1%} with {recommended.pairs:.3g} pairs per person:",
        ("mechanism", "parameters", "padding", "bytes", "frequency error", "mean error"),
        [
            (
                ("  " if o.reason_not_chosen else "→ ") + o.mechanism,
                ", ".join(f"{name} {value}" for name, value in o.parameters.items()),
                str(o.padding),
                f"{o.bytes_per_report:,}",
                f"±{o.frequency_error:.4f}",
                _mean_error(o.mean_error),
            )
            for o in recommended.options
        ],
        texts=2,
    )
    for option in recommended.options:
        if option.reason_not_chosen:
            click.echo(f"{option.mechanism} is not chosen: {option.reason_not_chosen}.")
    click.echo()
    if recommended.alternatives:
        _print_alternatives(recommended)
    print_table(
        f"Expected errors with {recommended.users:,} users, method corrected, the bias of a short padding included:",
        ("true frequency", "frequency", "mean, of [-1, 1]"),
        [
            (f"{e.frequency:.1%}", f"±{e.frequency_error:.5f}", _mean_error(e.mean_error))
            for e in recommended.errors
        ],
    )
    click.echo(
        f"\nThe smallest frequency that is told from zero, {DETECTION_POWER:.0%} of the time: "
        f"{recommended.smallest_frequency:.3%}."
    )
    print_table(
        f"Users needed for an error of a frequency of {recommended.frequency:.1%}:",
        ("error", "users"),
        [
            (f"±{error:g}", "never: longer padding" if users is None else f"{users:,}")
            for error, users in recommended.users_needed.items()
        ],
    )
    hostile = recommended.hostile
    click.echo(
        f"\nHostile reports: one can raise a key's frequency by {hostile.one_report:.3g}; 1 % of all reports by "
        f"{hostile.one_percent:.3g}, or ten keys by {hostile.ten_keys:.3g} in all."
    )


def _print_alternatives(recommended: Plan) -> None:
    """Print what the padding was chosen from, and what other rules would choose."""
    chosen = next(option for option in recommended.options if not option.reason_not_chosen)
    click.echo(
        f"People hold {recommended.pairs:.3g} pairs on average; {USUAL_SHARE:.0%} of them hold at most {recommended.usual_pairs}. "
        f"Reports show about {recommended.seen:.0%} of a popular key's frequency."
    )
    ways: list[tuple[str, Option | Alternative]] = [("→ least predicted error", chosen)]
    ways += [(f"  {RULES[other.rule]}", other) for other in recommended.alternatives]
    print_table(
        f"Ways to choose the padding of {recommended.mechanism}:",
        ("rule", "padding", "frequency error", "mean error"),
        [
            (rule, str(way.padding), f"±{way.frequency_error:.4f}", _mean_error(way.mean_error))
            for rule, way in ways
        ],
    )
    click.echo()


def _mean_error(error: float) -> str:
    """Return the error of a mean, in words where nothing is learned."""
    return f"±{error:.4f}" if error < NOTHING_LEARNED else "no information"
