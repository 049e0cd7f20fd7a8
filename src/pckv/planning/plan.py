"""A plan made ahead: which mechanism and padding, what error to expect, what can go wrong."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from statistics import NormalDist

from pckv.base.canonical import decimal_text
from pckv.base.errors import ParameterError
from pckv.base.levels import checked_levels, level_values
from pckv.base.limits import (
    DEFAULT_OBJECTIVE,
    DEVICE_COIN,
    HASHED,
    MAX_ITEMS,
    MAX_KEYS,
    MIN_LEVELS,
    REPORT_ID_BYTES,
    SAMPLE,
    Numeric,
    check_epsilon,
)
from pckv.base.wire import WORD_BYTES
from pckv.base.words import percent
from pckv.planning.assessment import (
    Assessment,
    guessed_share_error,
    level_cost,
    share_above_variance,
    share_error,
)
from pckv.planning.influence import TooMuchInfluence, hostile
from pckv.planning.people import SIGN_SCALE, Expectations, expect
from pckv.planning.plan_result import Alternative, ErrorAt, Option, Plan, PlannedLevels
from pckv.planning.prediction import predicted_errors, smallest_frequency, users_for
from pckv.planning.selection import (
    able_mechanisms,
    best_of_each,
    best_of_mechanism,
    candidate_paddings,
    choose_mechanism,
    exclusion_reason,
)
from pckv.planning.series import check_series, plan_series
from pckv.planning.set_sizes import SetSizes
from pckv.planning.shuffle import (
    ReportLaws,
    Shuffle,
    local_epsilon_for,
    planned_shuffle,
    privacy_of_shuffle,
)
from pckv.planning.tuning import LawSpec, explain_parameters
from pckv.planning.verdict import verdict
from pckv.statistics.detection import DETECTION_LEVEL

__all__ = ["GUESSED_MEAN_ERROR", "RARER", "UNIT_RANGE", "USUAL_SHARE", "Plan", "plan"]

# Errors are shown for these ranks of the keys, and for rarer keys.
RANKS = (1, 2, 5, 10)
FREQUENCIES = (0.01, 0.001)
WANTED_ERRORS = (0.02, 0.01, 0.005, 0.001)
# The rule of Wang et al. (2018), shown for comparison: a padding that this share of people does not exceed.
USUAL_SHARE = 0.9
# What is guessed of the frequencies may be far off: the choice is shown for keys rarer by this factor, too.
RARER = 10
# How many hashed keys are asked for where nothing is said.
DEFAULT_CANDIDATES = 10_000
# What an error of a mean is relative to where no values are named.
UNIT_RANGE = (-1.0, 1.0)
# Means are taken to lie anywhere in the range: guessing the overall mean is off by this, of half the range.
GUESSED_MEAN_ERROR = 3**-0.5


def plan(
    keys: int | str,
    users: int,
    epsilon: Numeric | None = None,
    pairs: float | None = None,
    *,
    most_pairs: int | None = None,
    sizes: SetSizes | Mapping[int, float] | None = None,
    frequency: float | None = None,
    objective: str = DEFAULT_OBJECTIVE,
    more: str = SAMPLE,
    values: tuple[float, float] | None = None,
    levels: Sequence[Numeric] | int = MIN_LEVELS,
    candidates: int | None = None,
    coin: str = DEVICE_COIN,
    most_influence: float | None = None,
    shuffled: int | None = None,
    delta: float | None = None,
    colluding: int = 0,
    central: Numeric | None = None,
    panels: int | None = None,
    rounds: int | None = None,
    drift: float | None = None,
) -> Plan:
    """Return the mechanism, parameters and padding with the least predicted error, and what to expect of them.

    A padding below the number of pairs that people hold makes frequencies too low, which counts as error, and is
    never more than the noise unless the objective is `mse`.

    Args:
        keys: The number of keys, or `hashed`: any text is a key.
        users: How many people will take part.
        epsilon: The privacy budget of a report; left out where `central` is given.
        pairs: How many pairs people hold on average; 1 by default.
        most_pairs: How many they hold at most; by default three times the average.
        sizes: How many people hold how many pairs, in place of both.
        frequency: The frequency of the keys that matter; by default the ten most frequent keys matter, as Zipf's law
            makes them.
        objective: The error that counts: `frequency`, `mean`, `both` (their geometric mean), or `mse` (of frequencies,
            also where a bias makes it smaller).
        more: What happens to somebody with more pairs than the padding: `sample` (a random choice of them is reported) or
            `refuse` (nobody may hold more, so the padding is what everybody fits into).
        values: The least and the largest value, for errors of means in the same units; by default -1 and 1, or the ends
            of the levels where those are named.
        levels: How many levels values are reported as, equally spaced, or the value of each: from 2 to 16. With more than
            two the plan says what they cost, and how well their shares will be known.
        candidates: How many hashed keys will be asked for; by default 10,000. The more of them, the larger the smallest
            frequency that stands out.
        coin: Who draws the public function of a report: the `device`, or the `server`, by coins.
        most_influence: As how many people one hostile report may count for a key, at most; only mechanisms and paddings
            with which it does not count as more are chosen.
        shuffled: How many reports are shuffled by a second party before anybody else sees them; the plan then has the
            central guarantee, too.
        delta: The probability that the central guarantee may fail, far below 1/`shuffled`.
        colluding: How many of those reports come from people who collude with whoever sees the result.
        central: The ε that the shuffled reports are to have; the budget of a report is the largest found that reaches it.
        panels: For a series: a device reports in one round out of this many. The plan is then that of one round, with
            1/`panels` of the people, and has the errors of several rounds, too.
        rounds: How many rounds the series has; by default four per panel.
        drift: By how much frequencies change from one round to the next, as a share of the people.

    Raises:
        ParameterError: if a number is outside its domain, both `pairs` and `sizes` are given, or not exactly one of
            `epsilon` and `central`, or no mechanism and padding have as little influence.

    >>> chosen = plan(keys=100, users=20_000, epsilon=1, pairs=3)
    >>> chosen.mechanism, chosen.padding, chosen.size_share
    ('collision', 5, 0.05)
    >>> chosen.assumed
    'Assumed: 20,000 people, 1 to 9 pairs per person, 3 on average; the most frequent of 100 keys is held by 43 %, number 10 by 6.3 %.'
    """
    values, level_points = _range_and_levels(values, levels)
    key_count, asked = _keys_and_candidates(keys, candidates, len(level_points))
    expected = expect(
        key_count,
        users=users,
        pairs=pairs,
        most_pairs=most_pairs,
        sizes=sizes,
        frequency=frequency,
        objective=objective,
        more=more,
        coin=coin,
        most_influence=most_influence,
        levels=level_points,
        candidates=asked,
    )
    check_series(panels, rounds, drift, expected.users)
    if panels is not None:
        # Mechanism and padding are chosen for the people of a round, as a series does.
        expected = replace(expected, users=expected.users // panels)
    shuffle = planned_shuffle(shuffled, delta, colluding, coin)
    if shuffle is not None and shuffle.reports > expected.users:
        raise ParameterError(
            f"{shuffle.reports:,} reports cannot be shuffled where {expected.users:,} people take part"
        )
    unit = (values[1] - values[0]) / 2
    if (epsilon is None) == (central is None):
        raise ParameterError("give either epsilon or the central epsilon that shuffled reports are to have")
    if central is not None:
        if shuffle is None:
            raise ParameterError("only shuffled reports have a central epsilon: say how many are shuffled")
        epsilon = local_epsilon_for(
            central, shuffle, lambda local: _Planner(expected, local, unit).count_laws
        )
    planner = _Planner(expected, Fraction(check_epsilon(epsilon or 0)), unit)
    found = planner.plan(values, shuffle, is_guess=frequency is None)
    if expected.levels > MIN_LEVELS:
        found = replace(found, levels=planner.planned_levels(level_points))
    if panels is None:
        return found
    shown = [error.frequency for error in found.errors]
    return replace(found, series=plan_series(planner.chosen, shown, panels, rounds, drift))


def _keys_and_candidates(keys: int | str, candidates: int | None, levels: int) -> tuple[int, int | None]:
    """Return how many keys there are; of hashed ones, all numbers, and how many will be asked for."""
    if isinstance(keys, int):
        if candidates is not None:
            raise ParameterError("candidates are for hashed keys")
        return keys, None
    if keys != HASHED:
        raise ParameterError(f"keys must be a number or {HASHED!r}, not {keys!r}")
    asked = DEFAULT_CANDIDATES if candidates is None else candidates
    if isinstance(asked, bool) or not isinstance(asked, int) or not 1 <= asked <= MAX_KEYS:
        raise ParameterError(f"candidates must be at least 1 and at most 2^31, not {asked!r}")
    return MAX_ITEMS // levels, asked


def _range_and_levels(
    values: tuple[float, float] | None, levels: Sequence[Numeric] | int
) -> tuple[tuple[float, float], tuple[float, ...]]:
    """Return the range of the values, and what each level is worth."""
    named = list(levels) if isinstance(levels, tuple | list) else levels
    ends: Sequence[Numeric] = UNIT_RANGE if values is None else values
    if values is not None and not values[0] < values[1]:
        raise ParameterError(f"low must be below high: {values[0]} ≥ {values[1]}")
    if values is None and isinstance(named, list) and named:
        ends = (named[0], named[-1])
    low, high = decimal_text(ends[0], "low"), decimal_text(ends[1], "high")
    points = level_values(checked_levels(named, low, high), low, high)
    return (float(low), float(high)), points


class _Planner:
    """One plan in the making."""

    def __init__(self, expected: Expectations, epsilon: Fraction, unit: float) -> None:
        self.expected = expected
        self.epsilon = epsilon
        self.unit = unit
        self.best = self._best(expected)
        self.chosen = choose_mechanism(self.best)

    def _best(self, expected: Expectations) -> list[Assessment]:
        specs = [
            LawSpec(expected.keys, padding, self.epsilon, expected.levels)
            for padding in candidate_paddings(expected)
        ]
        return best_of_each(able_mechanisms(expected), specs, {}, expected)

    @property
    def count_laws(self) -> ReportLaws:
        """What a shuffle of the chosen law's reports depends on."""
        return ReportLaws.of(self.chosen.law, self.chosen.question)

    def plan(self, values: tuple[float, float], shuffle: Shuffle | None, *, is_guess: bool) -> Plan:
        """Everything that a plan says."""
        expected, chosen, law = self.expected, self.chosen, self.chosen.law
        size_share, shown = chosen.size_share, expected.shown(law.padding)
        seen = [min(1.0, part / whole) for part, whole in zip(shown, expected.frequencies, strict=True)]
        a, b, p = (float(probability) for probability in law.probabilities)
        above = expected.sizes.share_above(law.padding)
        return Plan(
            keys=expected.keys if expected.candidates is None else HASHED,
            users=expected.users,
            epsilon=float(self.epsilon),
            pairs=expected.sizes.mean,
            usual_pairs=expected.sizes.percentile(USUAL_SHARE),
            seen=seen[0],
            frequency=expected.typical_frequency,
            frequencies=expected.frequencies,
            assumed=expected.sentence,
            objective=expected.objective,
            more=expected.more,
            values=values,
            mechanism=law.name,
            padding=law.padding,
            parameters=law.parameters,
            why=explain_parameters(law),
            budgets=law.budgets,
            a=a,
            b=b,
            p=p,
            bytes_per_report=REPORT_ID_BYTES + law.body_bytes,
            coin=expected.coin,
            most_influence=expected.most_influence,
            size_share=float(size_share),
            size_cost=math.sqrt(1 / float(1 - size_share)),
            share_above=above,
            share_above_error=_half_width(chosen, expected.users, above) if size_share else None,
            shuffled=None if shuffle is None else privacy_of_shuffle(shuffle, self.count_laws),
            errors=self._errors(is_guess=is_guess),
            guessed_mean_error=GUESSED_MEAN_ERROR * self.unit,
            smallest_frequency=smallest_frequency(
                law, expected.users, seen[-1], size_share, expected.candidates
            ),
            users_needed={
                error: users_for(law, expected.typical_frequency, error, seen[len(seen) // 2], size_share)
                for error in WANTED_ERRORS
            },
            hostile=hostile(law, expected.users, size_share),
            options=tuple(self._option(each) for each in self.best),
            alternatives=self._alternatives(is_guess=is_guess),
            verdict=verdict(law, expected),
            candidates=expected.candidates,
        )

    def _errors(self, *, is_guess: bool) -> tuple[ErrorAt, ...]:
        """The errors at some ranks, and for rarer keys."""
        known = self.expected.frequencies
        ranked = (
            [(rank, known[rank - 1]) for rank in RANKS if rank <= len(known)]
            if is_guess
            else [(None, known[0])]
        )
        rarer = [(None, frequency) for frequency in FREQUENCIES if frequency < known[-1]]
        return tuple(
            ErrorAt(
                rank,
                frequency,
                *self._error_at(self.chosen, self.expected, frequency),
                self._share_error(frequency),
            )
            for rank, frequency in (*ranked, *rarer)
        )

    def _share_error(self, frequency: float) -> float | None:
        return share_error(self.chosen, frequency) if self.expected.levels > MIN_LEVELS else None

    def planned_levels(self, values: tuple[float, ...]) -> PlannedLevels:
        """What these levels cost relative to two, and how well their shares will be known."""
        two = choose_mechanism(self._best(replace(self.expected, scale=SIGN_SCALE)))
        return PlannedLevels(
            values=values,
            cost=level_cost(self.chosen, two),
            share_error=share_error(self.chosen, self.expected.typical_frequency),
            guessed_share_error=guessed_share_error(len(values)),
        )

    def _error_at(self, choice: Assessment, expected: Expectations, frequency: float) -> tuple[float, float]:
        """The errors of a frequency and of a mean, the latter in the units of the values."""
        seen = expected.seen(frequency, choice.law.padding)
        reports = expected.users * float(1 - choice.size_share)
        errors = predicted_errors(
            choice.law, reports, frequency, seen, float(choice.size_share), scale=expected.scale
        )
        return errors.frequency, errors.mean * self.unit

    def _option(self, option: Assessment) -> Option:
        law = option.law
        frequency_error, mean_error = self._error_at(option, self.expected, self.expected.typical_frequency)
        return Option(
            mechanism=law.name,
            padding=law.padding,
            parameters=law.parameters,
            bytes_per_report=REPORT_ID_BYTES + law.body_bytes,
            frequency_error=frequency_error,
            mean_error=mean_error,
            reason_not_chosen=""
            if option is self.chosen
            else exclusion_reason(law) or self._drawback(option),
        )

    def _drawback(self, option: Assessment) -> str:
        """Return by how much more error another law was predicted to have, or what it would cost."""
        more = option.score / self.chosen.score - 1
        if more > 0:
            return f"{percent(more)} more squared error"
        cost = "slower counting" if option.law.body_bytes == WORD_BYTES else "larger reports"
        return f"{cost} for {percent(-more)} less squared error"

    def _alternatives(self, *, is_guess: bool) -> tuple[Alternative, ...]:
        """The usual rule for the padding, and the choice if keys are rarer than guessed; not with too much influence."""
        name, expected = self.chosen.law.name, self.expected
        padding = max(1, expected.sizes.percentile(USUAL_SHARE))
        usual = LawSpec(expected.keys, padding, self.epsilon, expected.levels)
        found = []
        if not expected.refuse_more:
            with suppress(TooMuchInfluence):
                choice = best_of_mechanism(name, [usual], {}, expected, tune=True)
                found.append(self._alternative("90 %", choice, expected))
        if is_guess:
            rarer = expected.rarer(RARER)
            with suppress(TooMuchInfluence):
                choice = choose_mechanism(self._best(rarer))
                found.append(self._alternative("a tenth as frequent", choice, rarer))
        return tuple(found)

    def _alternative(self, rule: str, choice: Assessment, expected: Expectations) -> Alternative:
        frequency = expected.typical_frequency
        errors = self._error_at(choice, expected, frequency)
        return Alternative(rule, choice.law.name, choice.law.padding, frequency, *errors)


def _half_width(chosen: Assessment, users: int, above: float) -> float:
    """How far off the estimated share of people with more pairs than the padding will be: half its interval."""
    answers = users * float(chosen.size_share)
    z = NormalDist().inv_cdf((1 + DETECTION_LEVEL) / 2)
    return min(1.0, z * math.sqrt(share_above_variance(chosen.law, chosen.size_share, above) / answers))
