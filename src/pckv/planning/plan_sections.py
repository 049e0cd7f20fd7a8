"""Sections of a plan about what else could be chosen, how many people it takes, and hostile reports."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pckv.base.limits import SERVER_COIN
from pckv.base.words import percent, points, two_digits
from pckv.planning.influence import TARGET_KEYS
from pckv.planning.people import ALIKE, DECLINING, RARER, USUAL_SHARE, ZIPF
from pckv.planning.sections import HALF_RANGE, LEVELS_RULE, NO_BETTER, RULE, Section, range_points

if TYPE_CHECKING:
    from pckv.planning.plan import Alternative, ErrorAt, Option, Plan

RULES = {
    "90 %": f"{percent(USUAL_SHARE)} of the people hold at most that many",
    "a tenth as frequent": f"if those keys are {RARER} times as rare",
}


def mean_range(error: float | None, plan: Plan) -> float | None:
    """Return half the 95 % range of a mean; None where a guess of it would be as good, or there is none."""
    if error is None or plan.guessed_mean_error is None or error >= plan.guessed_mean_error:
        return None
    return HALF_RANGE * error


def alternatives_section(plan: Plan) -> Section:
    """What other rules and assumptions would choose."""
    ways: list[tuple[str, float, Option | Alternative]] = [
        ("→ least predicted error", plan.frequency, plan.chosen),
        *((f"  {RULES[other.rule]}", other.frequency, other) for other in plan.alternatives),
    ]
    return Section(
        "Other ways to choose, with their 95 % ranges",
        columns=("rule", "mechanism", "padding", "at a frequency of", *error_columns(plan)),
        rows=tuple(
            (rule, way.mechanism, f"{way.padding:,}", percent(frequency), *error_cells(way, plan))
            for rule, frequency, way in ways
        ),
        texts=2,
    )


def users_needed_section(plan: Plan) -> Section:
    """How many people bring the range of a typical frequency down to some."""
    rows, missed = [], False
    for needed in plan.users_needed:
        missed |= needed.users is None
        rows.append((f"±{points(needed.half_range)}", *_needed_cells(needed.users, plan.panels)))
    of_round = " in one round" if plan.panels > 1 else ""
    at = "" if plan.mixed is None else f" at ε = {plan.epsilon:g} of a report"
    title = (
        f"People needed{at} for a 95 % range of a frequency of {percent(plan.frequency)}{of_round}, method corrected"
    )
    columns = ("range", "people in all", "per round") if plan.panels > 1 else ("range", "people")
    hidden = f"Out of reach: what people with more {plan.noun}s than the padding hide is more than this."
    return Section(title, (hidden,) if missed else (), columns=columns, rows=tuple(rows))


def _needed_cells(users: int | None, panels: int) -> tuple[str, ...]:
    """How many people are needed in all, and per round where they take turns."""
    counts = (users, None if users is None else users // panels)[: 2 if panels > 1 else 1]
    return tuple("out of reach" if count is None else f"about {two_digits(count)}" for count in counts)


def light_rules(plan: Plan) -> Iterator[str]:
    """How the light is chosen, and what that means for a single key."""
    yield RULE if plan.levels is None else LEVELS_RULE
    held = {each.shape: percent(each.frequencies[0]) for each in plan.outlook.scenarios}
    if plan.keys == 1 and ZIPF in held:
        yield (
            f"A single key is taken to be held by {held[ZIPF]} of people: all who hold a pair. Or it is the rarer of "
            f"two answers that those give, and held by {held[DECLINING]} if the answers decline evenly, or "
            f"{held[ALIKE]} if both are equally frequent. The mechanism is chosen for the first; green takes the least."
        )


def hostile_sentences(plan: Plan) -> Iterator[str]:
    """What hostile reports can do, by who draws their functions; for a device's, what coins would change."""
    own, coin = plan.hostile.own_function, plan.hostile.server_coin
    targets = min(TARGET_KEYS, plan.keys) if isinstance(plan.keys, int) else TARGET_KEYS
    if coin is not None and plan.coin == SERVER_COIN:
        yield coin.sentence(targets, "on average over the collector's coins")
        return
    yield own.sentence(targets, "at most")
    if coin is not None and plan.mixed is None:
        yield f"If the collector draws the functions of reports, by coins: {coin.sentence(targets, 'on average')}"
    yield from (part.hostile() for part in (plan.segment, plan.together) if part is not None)


def error_columns(plan: Plan) -> tuple[str, ...]:
    """The headers of the cells of errors."""
    return ("frequency",) if plan.values is None else ("frequency", "mean")


def error_cells(errors: Option | Alternative | ErrorAt, plan: Plan) -> tuple[str, ...]:
    """Return the 95 % ranges of a frequency and of a mean; in words where a guess of the mean would be as good."""
    half = mean_range(errors.mean_error, plan)
    mean = NO_BETTER if half is None else f"±{half:.2g}"
    return (range_points(errors.frequency_error), mean)[: len(error_columns(plan))]
