"""`pckv plan`: what to run and what errors to expect, before anybody is asked anything.

What `plan` says of a discovery.

What hostile reports can do, as `pckv plan` says it.

Options about series, and the errors of their rounds in a table: for `plan`.

What a plan is for, as the options of `plan` say it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from pathlib import Path
from typing import Any, NamedTuple

import click

from pckv.base.limits import MIN_LEVELS, REFUSE, SERVER_COIN
from pckv.base.words import TOO_RARE, percent, plural, points, two_digits
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
from pckv.cli.shuffled import print_shuffled, read_shuffle, shuffle_options
from pckv.cli.table import print_table
from pckv.cli.task import write_task
from pckv.cli.terminal import print_json
from pckv.contract.domain import checked_range
from pckv.contract.task import Task
from pckv.files.outputs import check_free
from pckv.planning.discovery import plan_discovery
from pckv.planning.influence import Hostile, Influence
from pckv.planning.outlook import outlook
from pckv.planning.plan import RARER, UNIT_RANGE, USUAL_SHARE, Plan, plan
from pckv.planning.plan_result import NO_BETTER, Alternative, ErrorAt, Option, PlannedLevels
from pckv.planning.prediction import BOTH, FREQUENCY, MEAN, MSE
from pckv.planning.series import PlannedSeries
from pckv.statistics.detection import DETECTION_POWER


def print_discovery(
    tree: dict[str, Any], padding: int, users: int, epsilon: str | None, *, as_json: bool
) -> None:
    """Print which frequency a discovery finds."""
    if epsilon is None:
        raise click.UsageError("give --epsilon")
    planned = plan_discovery(users=users, epsilon=epsilon, padding=padding, **tree)
    if as_json:
        print_json(planned.to_dict())
        return
    length = plural(planned.characters, "character")
    found = (
        f"A text of {length} that {percent(planned.frequency)} of the people hold is found {percent(DETECTION_POWER)} of the "
        "time; shorter ones are found at lower frequencies."
    )
    nothing = f"Too few people: no text of {length} is sure to be found, even if everybody holds it."
    click.echo(
        f"{nothing if planned.frequency >= 1 else found}\n"
        f"{plural(planned.users, 'participant')} are in {plural(planned.groups, 'group')}, each of which reports prefixes of "
        f"another length, at ε {planned.epsilon:g}. Fewer characters find rarer texts."
    )


def print_hostile(hostile: Hostile, who: str) -> None:
    """Print what hostile reports can do, by whoever draws their functions; for a device's, what coins would change."""
    own, coin = hostile.own_function, hostile.server_coin
    if coin is not None and who == SERVER_COIN:
        click.echo(f"\nHostile reports, on average over the collector's coins: one counts as {_gain(coin)}.")
        return
    click.echo(f"\nHostile reports: one counts as up to {_gain(own)}.")
    if coin is not None:
        click.echo(
            f"If the collector hands out coins: {two_digits(coin.people)} people, {points(coin.one_percent)}, "
            f"{points(coin.ten_keys)}, on average."
        )


def _gain(gained: Influence) -> str:
    """Say as how many people a hostile report counts, and what 1 % of them can do."""
    return (
        f"{two_digits(gained.people)} people for a key; 1 % of all reports can raise a key's frequency by "
        f"{points(gained.one_percent)}, or those of ten keys by {points(gained.ten_keys)} in all"
    )


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


def print_series(planned: PlannedSeries) -> None:
    """Print the errors of frequencies in a series, and what a device spends."""
    drifting = () if planned.drift is None else (f"smoothed, drift {_points(planned.drift)[1:]} per round",)
    print_table(
        f"As a series: {planned.panels:,} panels, about {planned.reports_per_round:,} reports per round; errors of frequencies:",
        (
            "true frequency",
            "one round",
            f"{planned.panels:,} rounds pooled",
            f"{planned.rounds:,} rounds smoothed, no change",
            *drifting,
        ),
        [
            (
                percent(error.frequency),
                *(
                    _points(each)
                    for each in (error.one_round, error.pooled, error.smoothed, error.smoothed_drifting)
                    if each is not None
                ),
            )
            for error in planned.errors
        ],
    )
    click.echo(
        f"Any {planned.panels:,} rounds in a row hold at most one report of a device; over all {planned.rounds:,} rounds "
        f"it spends at most ε = {planned.total_epsilon:g}.\n"
    )


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


WANTED = {
    BOTH: "both errors alike",
    FREQUENCY: "the frequency",
    MEAN: "the mean",
    MSE: "the squared error of the frequency",
}
RULES = {
    "90 %": f"{percent(USUAL_SHARE)} of the people hold at most that many",
    "a tenth as frequent": f"if those keys are {RARER} times as rare",
}


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

    A padding shorter than somebody's pairs hides part of them, a longer one adds noise for all: the better one is
    predicted from how many pairs people hold. Say how many are typical, and how many somebody holds at most if you
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
        print_discovery(tree, padding or 1, options["users"], epsilon, as_json=as_json)
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
        _print_plan(recommended, verbose=verbose)
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


def _print_plan(recommended: Plan, *, verbose: bool) -> None:
    """Print a plan in tables and sentences: what to think of it comes first, its verdict last."""
    at_first_sight = outlook(recommended)
    click.echo(f"{at_first_sight.words}. {at_first_sight.sentence}\n")
    _print_choice(recommended)
    if verbose:
        _print_mechanism(recommended)
    if recommended.shuffled is not None:
        print_shuffled(recommended.shuffled)
    _print_options(recommended)
    _print_errors(recommended)
    if recommended.series is not None:
        print_series(recommended.series)
    _print_larger_sets(recommended)
    _print_alternatives(recommended)
    _print_users_needed(recommended)
    print_hostile(recommended.hostile, recommended.coin)
    click.echo(f"\n{recommended.verdict}")


def _print_choice(recommended: Plan) -> None:
    click.echo(
        f"Recommended: {recommended.mechanism} with padding {recommended.padding:,}, "
        f"{recommended.bytes_per_report:,} bytes per report."
    )
    click.echo(recommended.assumed)
    if recommended.most_influence is not None:
        click.echo(
            "Only settings were considered in which one hostile report counts as at most "
            f"{recommended.most_influence:g} people for a key."
        )
    if recommended.why:
        click.echo(f"{recommended.why}.")
    spent = ", ".join(f"{what} {epsilon:.4f}" for what, epsilon in recommended.budgets.items())
    composed = ", which compose to ε" if len(recommended.budgets) > 1 else ""
    click.echo(f"ε = {recommended.epsilon:g} is spent as: {spent}{composed}.\n")


def _print_mechanism(recommended: Plan) -> None:
    """Print the probabilities of the mechanism, by the paper's names, and its tuned parameters."""
    what = "level" if recommended.levels else "sign"
    probabilities = {
        "a": (recommended.a, "a report supports the key that it was made from"),
        "b": (recommended.b, "a report supports any other key"),
        "p": (recommended.p, f"if it supports the former, then with the {what} of its value"),
    }
    rows = [(name, f"{value:.9f}", meaning) for name, (value, meaning) in probabilities.items()]
    rows += [
        (name, str(value), f"parameter of {recommended.mechanism}")
        for name, value in recommended.parameters.items()
    ]
    print_table("The mechanism:", ("name", "value", "meaning"), rows, texts=3)
    click.echo()


def _print_options(recommended: Plan) -> None:
    print_table(
        f"Chosen from these for {WANTED[recommended.objective]}; errors at a frequency of {percent(recommended.frequency)}:",
        ("mechanism", "parameters", "padding", "bytes", "frequency error", "mean error"),
        [
            (
                ("  " if o.reason_not_chosen else "→ ") + o.mechanism,
                ", ".join(f"{name} {value}" for name, value in o.parameters.items()),
                f"{o.padding:,}",
                f"{o.bytes_per_report:,}",
                _points(o.frequency_error),
                _mean_error(o.mean_error, recommended),
            )
            for o in recommended.options
        ],
        texts=2,
    )
    for option in recommended.options:
        if option.reason_not_chosen:
            click.echo(f"{option.mechanism} is not chosen: {option.reason_not_chosen}.")
    click.echo()


def _print_errors(recommended: Plan) -> None:
    low, high = recommended.values
    print_table(
        f"Expected errors with {recommended.users:,} users, method corrected, the bias of a short padding included:",
        (
            "key",
            "true frequency",
            "frequency error",
            "relative",
            f"mean, of [{low:g}, {high:g}]",
            *(["share of a level"] if recommended.levels else []),
        ),
        [
            (
                _key(error),
                percent(error.frequency),
                _points(error.frequency_error),
                f"±{percent(error.frequency_error / error.frequency)}",
                _mean_error(error.mean_error, recommended),
                *recommended.share_texts(error),
            )
            for error in recommended.errors
        ],
    )
    if recommended.levels is not None:
        _print_levels(recommended, recommended.levels)
    listed = recommended.candidates is None
    shrunk = " The default method, bayes, pulls noisy estimates together and is closer on average."
    click.echo(
        f"Guessing the overall mean for every key would be off by ±{recommended.guessed_mean_error:.3g} where means are "
        f"spread over the whole range.{shrunk if listed else ''}"
    )
    among = "" if listed else f" among {recommended.candidates:,} keys that are asked for"
    click.echo(
        f"The smallest frequency that stands out from the noise{among}, "
        f"{percent(DETECTION_POWER)} of the time: {percent(recommended.smallest_frequency)}. Rarer keys are often {TOO_RARE}.\n"
    )


def _print_levels(recommended: Plan, levels: PlannedLevels) -> None:
    """Print what more than two levels cost, and what their shares would be without any report."""
    click.echo(recommended.level_sentence)
    click.echo(
        "The share is that of one level among the holders of a key. Guessing the same share for all levels would be off by "
        f"±{points(levels.guessed_share_error)} where any shares are equally likely."
    )


def _key(error: ErrorAt) -> str:
    if error.rank is None:
        return "a rarer key"
    return "the most frequent" if error.rank == 1 else f"number {error.rank}"


def _print_larger_sets(recommended: Plan) -> None:
    """Print what is expected of people with more pairs than the padding, and what measuring them costs."""
    if recommended.more == REFUSE:
        click.echo(
            f"Nobody may hold more than {recommended.padding:,} pairs: people choose up to that many.\n"
        )
        return
    above = f"{percent(recommended.share_above)} of people are expected to hold more than {recommended.padding:,} pairs"
    seen = f"reports show {percent(recommended.seen)} of the most frequent key's frequency"
    if recommended.share_above_error is None:
        click.echo(f"{above}; {seen}. How many do is not measured.\n")
        return
    click.echo(
        f"{above}; {seen}. {percent(recommended.size_share)} of the reports measure that share, to "
        f"{_points(recommended.share_above_error)} (95 %), which makes all errors {recommended.size_cost:.2f} times as "
        "large.\n"
    )


def _print_alternatives(recommended: Plan) -> None:
    """Print what other rules and assumptions would choose."""
    chosen = next(option for option in recommended.options if not option.reason_not_chosen)
    ways: list[tuple[str, float, Option | Alternative]] = [
        ("→ least predicted error", recommended.frequency, chosen)
    ]
    ways += [(f"  {RULES[other.rule]}", other.frequency, other) for other in recommended.alternatives]
    print_table(
        "Other ways to choose:",
        ("rule", "mechanism", "padding", "at a frequency of", "frequency error", "mean error"),
        [
            (
                rule,
                way.mechanism,
                f"{way.padding:,}",
                percent(frequency),
                _points(way.frequency_error),
                _mean_error(way.mean_error, recommended),
            )
            for rule, frequency, way in ways
        ],
        texts=2,
    )
    click.echo()


def _print_users_needed(recommended: Plan) -> None:
    print_table(
        f"Users needed for an error of a frequency of {percent(recommended.frequency)}, method corrected:",
        ("error", "users"),
        [
            (
                _points(error),
                "none: larger sets hide more than this" if users is None else f"about {two_digits(users)}",
            )
            for error, users in recommended.users_needed.items()
        ],
    )


def _points(error: float) -> str:
    """Return the error of a share in percentage points."""
    return f"±{points(min(error, 1.0))}"


def _mean_error(error: float, recommended: Plan) -> str:
    """Return the error of a mean, in words where a guess would be as good."""
    return f"±{error:.3g}" if error < recommended.guessed_mean_error else NO_BETTER
