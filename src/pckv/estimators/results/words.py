"""What results say in words: the cells of tables for people, and sentences that need no statistics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pckv.base.limits import REFUSE
from pckv.base.words import TOO_RARE, Ranged, percent, points, ranged, two_digits
from pckv.estimators.sets import SetSummary

if TYPE_CHECKING:
    from pckv.estimators.results.distributions import LevelShare
    from pckv.estimators.results.estimates import Estimates, KeyEstimate

# What tables for people say instead of a mean that may be anywhere in its range.
UNKNOWN = "unknown"
# A share or a deviation whose interval is at least this wide, relative to the widest possible, is unknown.
UNKNOWN_SPAN = 0.95
# People may hold as many hashed keys as there are: how many times more frequent that makes a key tells
# nothing.
MAX_FACTOR_TOLD = 10**6


def key_cells(row: KeyEstimate) -> tuple[str, ...]:
    """Return what a table for people says of a key; one that is too rare to tell may have no holders."""
    share = ranged(100 * row.frequency, 100 * row.frequency_low, 100 * row.frequency_high, " %")
    mean = ranged(row.mean, row.mean_low, row.mean_high)
    shown = (share.value, share.range) if row.detected else (TOO_RARE, share.most)
    shares = row.shares if row.detected else [None] * len(row.shares)
    return (
        row.key,
        *shown,
        mean.value if row.mean_known else UNKNOWN,
        mean.range,
        *_deviation_cells(row),
        *map(_share_cell, shares),
    )


def unlisted_note(row: KeyEstimate) -> str:
    """Say how many people hold unlisted keys, given the estimate of the key that stands for them."""
    low, high = percent(row.frequency_low), percent(row.frequency_high)
    if not row.detected:
        return f"Up to {high} of people may hold keys that are not listed"
    return f"{percent(row.frequency)} of people hold keys that are not listed ({low} to {high})"


def _deviation_cells(row: KeyEstimate) -> list[str]:
    """Return what a table for people says of the standard deviation; nothing with two levels."""
    if row.deviation is None or row.deviation_low is None or row.deviation_high is None:
        return []
    largest = (row.shares[-1].value - row.shares[0].value) / 2
    if not row.detected or row.deviation_high - row.deviation_low >= UNKNOWN_SPAN * largest:
        return [UNKNOWN]
    return [ranged(row.deviation, row.deviation_low, row.deviation_high).value]


def answer_cells(answer: Ranged, row: KeyEstimate) -> tuple[str, str]:
    """Return what a table for people says of an answer about a key, and its interval."""
    return answer.value if row.detected else UNKNOWN, answer.range


def _share_cell(share: LevelShare | None) -> str:
    """Return what a table for people says of the share of a level; one that may be anything is unknown."""
    if share is None or share.high - share.low >= UNKNOWN_SPAN:
        return UNKNOWN
    return ranged(100 * share.share, 100 * share.low, 100 * share.high, " %").value


def verdict(estimates: Estimates) -> tuple[str, ...]:
    """Return the sentences that estimates end in."""
    if not estimates.reports:
        return ("There are no reports yet.",)
    listed = estimates.listed
    rate = estimates.false_discovery_rate
    sentences = (
        detection_sentence(int(listed.detected.sum()), len(listed), estimates.hostile, rate),
        estimates.other_note and f"{estimates.other_note}.",
        collisions_sentence(int(estimates.collides.sum())),
        sets_sentence(estimates.sets, has_shares=bool(estimates.level_values)),
    )
    return tuple(filter(None, sentences))


def detection_sentence(detected: int, keys: int, hostile: int = 0, rate: float | None = None) -> str:
    """Say how many keys stand out from the noise, whatever some reports say; a `rate` is for hashed keys.

    >>> detection_sentence(14, 100)
    '14 of 100 keys stand out from the noise; the others are too rare to tell.'
    >>> detection_sentence(1, 1, hostile=20)
    'The key stands out from the noise, whatever 20 of the reports say.'
    """
    despite = f", whatever {hostile:,} of the reports say" if hostile else ""
    if not detected:
        # Where a share of the reports is hostile, more people do not help.
        remedy = "Fewer hostile reports" if hostile else "More people"
        rare = f"all are {TOO_RARE}" if keys > 1 else f"it is {TOO_RARE}"
        return f"No key stands out from the noise{despite}: {rare}. {remedy} or a larger ε would help."
    if rate is not None:
        despite += f" (at most {100 * rate:g} % of such flags are false, on average)"
    if detected == keys:
        return f"{f'All {keys:,} keys stand' if keys > 1 else 'The key stands'} out from the noise{despite}."
    others = "other is" if keys - detected == 1 else "others are"
    stand = "stands" if detected == 1 else "stand"
    return f"{detected:,} of {keys:,} keys {stand} out from the noise{despite}; the {others} {TOO_RARE}."


def collisions_sentence(collisions: int) -> str:
    """Say how many hashed keys have the number of another one; empty if none has."""
    if not collisions:
        return ""
    return (
        f"{collisions:,} of the keys share their numbers with each other: reports do not tell such keys "
        "apart, and the estimates of each are those of all that have its number."
    )


def sets_sentence(sets: SetSummary, *, has_shares: bool = False) -> str:
    """Say how many people hold more pairs than reports stand for, and what that hides; empty if none can."""
    padding = f"{sets.padding:,}"
    pairs = f"{padding} {'pair' if sets.padding == 1 else 'pairs'}"
    if not sets.larger_high:
        return f"No participant holds more than {pairs}, by contract." if sets.more == REFUSE else ""
    if not sets.answers:
        told = sets.factor <= MAX_FACTOR_TOLD
        most = f"up to {two_digits(sets.factor)} times" if told else "many times perhaps"
        return (
            f"Nobody has said how many pairs they hold: if people hold more than {pairs}, true frequencies are "
            f"higher, {most}. The intervals include that."
        )
    more = f"Up to {percent(sets.larger_high)} of people may hold more than {pairs}"
    if sets.larger_low > 0:
        more = (
            f"{percent(sets.larger)} of people hold more than {pairs} "
            f"({percent(sets.larger_low)} to {percent(sets.larger_high)})"
        )
    weighed = "the means, and in the shares and quantiles of values," if has_shares else "the means,"
    return (
        f"{more}. A report stands for {pairs} of theirs, chosen at random, so these people are counted for only "
        f"some of what they hold: true frequencies may be up to {points(sets.hidden_high)} higher, which the "
        f"intervals include. Their values weigh less in {weighed} which the intervals do not include."
    )
