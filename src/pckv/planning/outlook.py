"""What to think of a plan at first sight: a traffic light, by one rule.

The keys that matter are the ten most frequent ones, as the plan expects them, or all where there are fewer. The light
depends on how many of them stand out from the noise (four times out of five), and on the expected error of a typical one
of them relative to its frequency:

- green: all stand out, and the error is at most a quarter of the frequency;
- red: fewer than half of them stand out, or the error is more than half of the frequency;
- amber: anything between.

Where values are reported as more than two levels, green takes one thing more: the error of the share of one level is at
most half of what guessing the same share for all levels is off by.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pckv.base.words import TOO_RARE, percent, points, two_digits
from pckv.planning.plan import Plan
from pckv.planning.plan_result import PlannedLevels

Light = Literal["green", "amber", "red"]

MAX_GREEN_ERROR, MAX_AMBER_ERROR = 0.25, 0.5
MIN_AMBER_SHARE = 0.5
RULE = (
    "Green: all of the ten most frequent keys stand out from the noise, and the error of a typical one is at most "
    f"{percent(MAX_GREEN_ERROR)} of its frequency. Red: fewer than {percent(MIN_AMBER_SHARE)} of these keys do, or the "
    f"error is more than {percent(MAX_AMBER_ERROR)} of the frequency. Amber: anything between."
)
# With more than two levels, in addition.
MAX_GREEN_SHARE_ERROR = 0.5
LEVELS_RULE = (
    f"{RULE} With more than two levels, green also requires that the error of a level's share is at most "
    f"{percent(MAX_GREEN_SHARE_ERROR)} of that of guessing the same share for all levels."
)
# The light in words, for people who do not see colours.
WORDS: dict[Light, str] = {
    "green": "Enough people",
    "amber": "More people would help",
    "red": "Too few people",
}


@dataclass(frozen=True)
class Outlook:
    """A plan at first sight.

    Attributes:
        light: `green`, `amber` or `red`.
        words: The light in words.
        standing_out: How many of the keys that matter stand out from the noise.
        keys: How many keys matter.
        relative_error: The expected error of a typical one of them, relative to its frequency.
        sentence: What will be learned, for people to read.
        rule: How the light was chosen.
    """

    light: Light
    words: str
    standing_out: int
    keys: int
    relative_error: float
    sentence: str
    rule: str = RULE


def outlook(planned: Plan) -> Outlook:
    """Return what to think of a plan at first sight.

    >>> from pckv import plan
    >>> found = outlook(plan(keys=10, users=100_000, epsilon=2, pairs=2))
    >>> found.light, found.standing_out, found.keys
    ('green', 10, 10)
    """
    standing_out = sum(frequency >= planned.smallest_frequency for frequency in planned.frequencies)
    # A least frequency of 1 means that nothing stands out, not even a key that everybody holds.
    standing_out = 0 if planned.smallest_frequency == 1 else standing_out
    keys = len(planned.frequencies)
    chosen = next(option for option in planned.options if not option.reason_not_chosen)
    relative_error = chosen.frequency_error / planned.frequency
    levels = planned.levels
    guessed = 0.0 if levels is None else levels.share_error / levels.guessed_share_error
    light = choose_light(standing_out / keys, relative_error, guessed)
    low, high = planned.values
    mean = (
        f"its mean with ±{two_digits(chosen.mean_error)}, for values from {low:g} to {high:g}"
        if chosen.mean_error < planned.guessed_mean_error
        else "its mean stays unknown"
    )
    share = percent(planned.frequency)
    subject = f"A typical one, held by {share} of people," if keys > 1 else f"Held by {share} of people, it"
    sentence = (
        f"{_count_text(standing_out, keys, planned.keys)} {subject} comes out with an error of "
        f"±{points(chosen.frequency_error)}; {mean}{_share_text(levels)}.{_pairs_text(planned)}"
    )
    rule = RULE if levels is None else LEVELS_RULE
    return Outlook(light, WORDS[light], standing_out, keys, relative_error, sentence, rule)


def _pairs_text(planned: Plan) -> str:
    """What is assumed where nobody says how many pairs people hold: with more, keys of one frequency are known less well."""
    return " This assumes one pair per person." if planned.pairs == 1 and planned.keys != 1 else ""


def _share_text(levels: PlannedLevels | None) -> str:
    """What is learned of the shares of levels; nothing where there are only two."""
    if levels is None:
        return ""
    if levels.share_error >= levels.guessed_share_error:
        return f"; the shares of its {len(levels.values)} levels stay unknown"
    return f"; the share of one of its {len(levels.values)} levels with ±{points(levels.share_error)}"


def choose_light(
    share_standing_out: float, relative_error: float, relative_share_error: float = 0.0
) -> Light:
    """Return the light for a share of keys that stand out from the noise, and for the errors of a typical one.

    `relative_share_error` is that of a level's share, relative to guessing the same share for all levels.

    >>> choose_light(1, 0.25), choose_light(1, 0.26), choose_light(0.5, 0.5), choose_light(0.4, 0.1), choose_light(1, 0.6)
    ('green', 'amber', 'amber', 'red', 'red')
    >>> choose_light(1, 0.1, 0.5), choose_light(1, 0.1, 0.6)
    ('green', 'amber')
    """
    if share_standing_out < MIN_AMBER_SHARE or relative_error > MAX_AMBER_ERROR:
        return "red"
    known = relative_error <= MAX_GREEN_ERROR and relative_share_error <= MAX_GREEN_SHARE_ERROR
    return "green" if share_standing_out == 1 and known else "amber"


def _count_text(standing_out: int, keys: int, all_keys: int | str) -> str:
    if keys == 1:
        # Where somebody named a frequency, it is that of several keys.
        which = "The key" if all_keys == 1 else "A key of the frequency that you named"
        return f"{which} stands out from the noise." if standing_out else f"{which} is {TOO_RARE}."
    number = {0: "None", keys: "All"}.get(standing_out, str(standing_out))
    return f"{number} of the {keys} most frequent keys {'stands' if standing_out == 1 else 'stand'} out from the noise."
