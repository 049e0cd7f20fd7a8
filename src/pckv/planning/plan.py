"""A plan made ahead: which mechanism and padding, what error to expect, what can go wrong."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from statistics import NormalDist

from pckv.base.errors import ParameterError
from pckv.base.limits import (
    DEFAULT_OBJECTIVE,
    DEVICE_COIN,
    HASHED,
    MIN_LEVELS,
    REPORT_ID_BYTES,
    SAMPLE,
    Numeric,
    check_epsilon,
)
from pckv.base.records import AnySize, Record
from pckv.base.wire import WORD_BYTES
from pckv.base.words import percent
from pckv.planning.assessment import (
    Assessment,
    LevelCost,
    guessed_share_error,
    level_cost,
    share_above_variance,
    share_error,
)
from pckv.planning.curves import Enough, enough
from pckv.planning.influence import Hostile, TooMuchInfluence, hostile
from pckv.planning.people import (
    RARER,
    UNIT_RANGE,
    USUAL_SHARE,
    Expectations,
    People,
    Question,
    Wanted,
    expected_sizes,
)
from pckv.planning.prediction import users_for
from pckv.planning.sections import Light, Section, html_sections, light_of, plan_sections, verdict_text
from pckv.planning.selection import (
    able_mechanisms,
    best_of_each,
    best_of_mechanism,
    candidate_paddings,
    choose_mechanism,
    exclusion_reason,
    law_specs,
)
from pckv.planning.series import PlannedSeries, Rounds
from pckv.planning.set_sizes import SetSizes
from pckv.planning.shuffle import ReportLaws, Shuffle, ShuffledPrivacy, local_epsilon_for, privacy_of_shuffle
from pckv.planning.tuning import explain_parameters
from pckv.statistics.detection import DETECTION_LEVEL

# Errors are shown for these ranks of the keys, and for rarer keys.
RANKS = (1, 2, 5, 10)
FREQUENCIES = (0.01, 0.001)
WANTED_ERRORS = (0.02, 0.01, 0.005, 0.001)
# Means are taken to lie anywhere in the range: guessing the overall mean is off by this, of half the range.
GUESSED_MEAN_ERROR = 3**-0.5


@dataclass(frozen=True)
class Option:
    """One mechanism with its best padding and parameters, and what it would cost."""

    mechanism: str
    padding: int
    parameters: dict[str, str | int]
    bytes_per_report: int
    frequency_error: float
    mean_error: float
    # Empty for the option that is chosen.
    reason_not_chosen: str


@dataclass(frozen=True)
class Alternative:
    """Another rule or assumption to choose by, what it leads to, and its errors at one frequency."""

    rule: str
    mechanism: str
    padding: int
    frequency: float
    frequency_error: float
    mean_error: float


@dataclass(frozen=True)
class ErrorAt:
    """The errors to expect of method `corrected` at one true frequency, bias included.

    `rank` is that of a key that is expected to have this frequency, None where it is just an example.
    `share_error` is that of the share of one level among the holders, None where there are only two levels.
    """

    rank: int | None
    frequency: float
    frequency_error: float
    mean_error: float
    share_error: float | None = None


@dataclass(frozen=True)
class PlannedLevels:
    """What a plan says of more than two levels.

    Attributes:
        values: What each is worth, in the units of the values.
        cost: What they cost relative to two.
        share_error: The error to expect of the share of one level, for a key of the typical frequency.
        guessed_share_error: That of guessing that all levels have the same share.
    """

    values: tuple[float, ...]
    cost: LevelCost
    share_error: float
    guessed_share_error: float


@dataclass(frozen=True)
class UsersNeeded:
    """How many people bring the error of a typical frequency down to this; None if larger sets hide more."""

    frequency_error: float
    users: AnySize | None


@dataclass(frozen=True)
class Plan(Record):
    """What to run and what to expect of it; `to_json` and `from_json` write a plan and read it back.

    Attributes:
        keys: The number of keys, or `hashed`; then `candidates` is how many will be asked for.
        users: How many people were planned for.
        epsilon: The ε of a report.
        pairs: How many pairs people hold on average; `usual_pairs` is how many nine of ten do not exceed.
        seen: The share of the most frequent key's frequency that reports show.
        frequency: Of a typical one of the keys that matter; `frequencies` are those of all, the most frequent
            first.
        assumed: What was assumed, as a sentence.
        more: What happens to a person with more pairs than the padding: `sample` or `refuse`.
        values: The range that the errors of means are in; `guessed_mean_error` is that of guessing the
            overall mean.
        coin: Who draws the public function of a report.
        most_influence: As how many people one hostile report may count, where that was limited.
        size_share: The share of reports that answers how many pairs a person holds; errors are larger by
            `size_cost` for it. `share_above` is the share of people expected to hold more pairs than the
            padding, and `share_above_error` how far off its estimate will be (half a 95 % interval; None
            where nothing is asked).
        shuffled: The central guarantee of shuffled reports, where the plan is for them.
        objective: Which error was made small.
        mechanism: The mechanism that is recommended, with its `parameters` and `padding`; `why` says why.
        budgets: How ε is split between the key and its value, where a mechanism splits it.
        a: The chance that a report supports the key that it was made from; `b` that of any other key, and `p`
            how often a supported key has the level of its value: with two levels, its sign.
        bytes_per_report: The size of a report with its id.
        errors: The errors to expect, by the frequency of a key.
        smallest_frequency: The frequency that stands out from the noise 80 % of the time.
        users_needed: How many people bring the error of the typical `frequency` down to each of some errors.
        hostile: What hostile reports can do.
        options: All mechanisms that were compared, each with its best padding.
        alternatives: What other rules and assumptions would choose.
        enough: What would be enough for all keys that matter to stand out; None where these people are.
        series: What to expect of a series, where the plan is for one.
        levels: What more than two levels cost and tell, where the plan is for them.
    """

    keys: int | str
    users: int
    epsilon: float
    pairs: float
    usual_pairs: int
    seen: float
    frequency: float
    frequencies: tuple[float, ...]
    assumed: str
    objective: str
    more: str
    values: tuple[float, float]
    mechanism: str
    padding: int
    parameters: dict[str, str | int]
    why: str
    budgets: dict[str, float]
    a: float
    b: float
    p: float
    bytes_per_report: int
    coin: str
    most_influence: float | None
    size_share: float
    size_cost: float
    share_above: float
    share_above_error: float | None
    shuffled: ShuffledPrivacy | None
    errors: tuple[ErrorAt, ...]
    guessed_mean_error: float
    smallest_frequency: float
    users_needed: tuple[UsersNeeded, ...]
    hostile: Hostile
    options: tuple[Option, ...]
    alternatives: tuple[Alternative, ...]
    enough: Enough | None
    series: PlannedSeries | None = None
    levels: PlannedLevels | None = None
    candidates: int | None = None

    @property
    def chosen(self) -> Option:
        """The option that is recommended."""
        return next(option for option in self.options if not option.reason_not_chosen)

    @property
    def standing_out(self) -> int:
        """How many of the keys that matter stand out from the noise, four times out of five."""
        # A least frequency of 1 means that nothing stands out, not even a key that all people hold.
        if self.smallest_frequency == 1:
            return 0
        return sum(frequency >= self.smallest_frequency for frequency in self.frequencies)

    @property
    def light(self) -> Light:
        """What to think of the plan at first sight: `green`, `amber` or `red`."""
        return light_of(self)

    @property
    def verdict(self) -> str:
        """What will be learned, and what it would take to learn about all keys that matter, in words."""
        return verdict_text(self)

    def sections(self, *, verbose: bool = False) -> tuple[Section, ...]:
        """Return what the plan says, for people to read; what to think of it at first sight comes first.

        Args:
            verbose: Whether the probabilities and parameters of the mechanism have a section, too.
        """
        return plan_sections(self, verbose=verbose)

    def _repr_html_(self) -> str:
        return html_sections(self.sections())


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
    """Return the mechanism and padding with the least predicted error, and what to expect of them.

    A padding below the number of pairs that people hold makes frequencies too low, which counts as error, and
    is never more than the noise unless the objective is `mse`.

    Args:
        keys: The number of keys, or `hashed`: any text is a key.
        users: How many people will take part.
        epsilon: The privacy budget of a report; left out where `central` is given.
        pairs: How many pairs people hold on average; 1 by default.
        most_pairs: How many they hold at most; by default three times the average.
        sizes: How many people hold how many pairs, in place of both.
        frequency: The frequency of the keys that matter; by default the ten most frequent keys matter, as
            Zipf's law makes them.
        objective: The error that counts: `frequency`, `mean`, `both` (their geometric mean), or `mse` (of
            frequencies, also where a bias makes it smaller).
        more: What happens to a person with more pairs than the padding: `sample` (a random choice of them is
            reported) or `refuse` (they are refused, so that the padding is the largest number of pairs).
        values: The least and the largest value, for errors of means in the same units; by default -1 and 1,
            or the ends of the levels where those are named.
        levels: How many levels values are reported as, equally spaced, or the value of each: from 2 to 16.
            With more than two the plan says what they cost, and how well their shares will be known.
        candidates: How many hashed keys will be asked for; by default 10,000. The more of them, the larger
            the smallest frequency that stands out.
        coin: Who draws the public function of a report: the `device`, or the `server`, by coins.
        most_influence: As how many people one hostile report may count for a key, at most; only mechanisms
            and paddings with which it does not count as more are chosen.
        shuffled: How many reports are shuffled by a second party before any recipient sees them; the plan
            then has the central guarantee, too.
        delta: The probability that the central guarantee may fail, far below 1/`shuffled`.
        colluding: How many of those reports come from people who collude with those who see the result.
        central: The ε that the shuffled reports are to have; the budget of a report is the largest found that
            reaches it.
        panels: For a series: a device reports in one round out of this many. The plan is then that of one
            round, with 1/`panels` of the people, and has the errors of several rounds, too.
        rounds: How many rounds the series has; by default four per panel.
        drift: By how much frequencies change from one round to the next, as a share of the people.

    Raises:
        ParameterError: if a number is outside its domain, both `pairs` and `sizes` are given, or not exactly
            one of `epsilon` and `central`, or no mechanism and padding have as little influence.

    >>> chosen = plan(keys=100, users=20_000, epsilon=1, pairs=3)
    >>> chosen.mechanism, chosen.padding, chosen.size_share
    ('collision', 5, 0.05)
    >>> chosen.assumed.partition(";")[0]
    'Assumed: 20,000 people, 1 to 9 pairs per person, 3 on average'
    """
    question = Question.planned(keys, values, levels, candidates, more=more, coin=coin)
    held = expected_sizes(question.keys, pairs, most_pairs, sizes)
    people = People.expected(question.keys, users, held, frequency)
    rounds_planned = Rounds.planned(panels, rounds, drift, people.users)
    if rounds_planned is not None:
        # Mechanism and padding are chosen for the people of a round, as a series does.
        people = replace(people, users=people.users // rounds_planned.panels)
    expected = Expectations(question, people, Wanted(objective, most_influence))
    shuffle = Shuffle.planned(shuffled, delta, colluding, expected)
    if (epsilon is None) == (central is None):
        raise ParameterError("give either epsilon or the central epsilon that shuffled reports are to have")
    if central is not None:
        if shuffle is None:
            raise ParameterError("only shuffled reports have a central epsilon: say how many are shuffled")
        epsilon = local_epsilon_for(central, shuffle, lambda local: Planner(expected, local).report_laws)
    planner = Planner(expected, Fraction(check_epsilon(epsilon or 0)))
    return planner.plan(shuffle, rounds_planned)


class Planner:
    """The choice for what is expected, and the plan that it makes."""

    def __init__(self, expected: Expectations, epsilon: Fraction) -> None:
        self.expected = expected
        self.epsilon = epsilon
        self.best = self._best(expected)
        self.chosen = choose_mechanism(self.best)

    def _best(self, expected: Expectations) -> list[Assessment]:
        specs = law_specs(expected, candidate_paddings(expected), self.epsilon)
        return best_of_each(able_mechanisms(expected), specs, {}, expected)

    @property
    def report_laws(self) -> ReportLaws:
        """What a shuffle of the chosen law's reports depends on."""
        return ReportLaws.of(self.chosen.law, self.chosen.size_question)

    def plan(self, shuffle: Shuffle | None = None, rounds: Rounds | None = None) -> Plan:
        """Return the plan, with what a shuffle and the rounds of a series change, where it is for them."""
        question, people, wanted = self.expected.question, self.expected.people, self.expected.wanted
        chosen, law = self.chosen, self.chosen.law
        size_share, typical = chosen.size_share, people.typical_frequency
        a, b, p = (float(probability) for probability in law.probabilities)
        above = people.sizes.share_above(law.padding)
        errors = self._errors()
        return Plan(
            keys=question.keys if question.candidates is None else HASHED,
            users=people.users,
            epsilon=float(self.epsilon),
            pairs=people.sizes.mean,
            usual_pairs=people.sizes.percentile(USUAL_SHARE),
            seen=self._seen(0),
            frequency=typical,
            frequencies=people.frequencies,
            assumed=self.expected.sentence,
            objective=wanted.objective,
            more=question.more,
            values=question.values,
            mechanism=law.name,
            padding=law.padding,
            parameters=law.parameters,
            why=explain_parameters(law),
            budgets=law.budgets,
            a=a,
            b=b,
            p=p,
            bytes_per_report=REPORT_ID_BYTES + law.body_bytes,
            coin=question.coin,
            most_influence=wanted.most_influence,
            size_share=float(size_share),
            size_cost=math.sqrt(1 / float(1 - size_share)),
            share_above=above,
            share_above_error=_half_width(chosen, above) if size_share else None,
            shuffled=None if shuffle is None else privacy_of_shuffle(shuffle, self.report_laws),
            errors=errors,
            guessed_mean_error=GUESSED_MEAN_ERROR * question.unit,
            smallest_frequency=chosen.smallest_frequency,
            users_needed=tuple(
                UsersNeeded(
                    error,
                    users_for(law, typical, error, self._seen(len(people.frequencies) // 2), size_share),
                )
                for error in WANTED_ERRORS
            ),
            hostile=hostile(law, people.users, size_share),
            options=tuple(self._option(each) for each in self.best),
            alternatives=self._alternatives(),
            enough=enough(law, self.expected),
            series=None if rounds is None else rounds.expected(chosen, [each.frequency for each in errors]),
            levels=self._levels() if question.levels > MIN_LEVELS else None,
            candidates=question.candidates,
        )

    def _seen(self, rank: int) -> float:
        """The share of the frequency of one of the keys that matter which reports show."""
        return min(1.0, self.chosen.shown[rank] / self.expected.people.frequencies[rank])

    def _errors(self) -> tuple[ErrorAt, ...]:
        """The errors at some ranks, and for rarer keys."""
        known, is_guess = self.expected.people.frequencies, self.expected.people.is_guess
        ranked = (
            [(rank, known[rank - 1]) for rank in RANKS if rank <= len(known)]
            if is_guess
            else [(None, known[0])]
        )
        rarer = [(None, frequency) for frequency in FREQUENCIES if frequency < known[-1]]
        return tuple(
            ErrorAt(rank, frequency, *self.chosen.errors_at(frequency), self._share_error(frequency))
            for rank, frequency in (*ranked, *rarer)
        )

    def _share_error(self, frequency: float) -> float | None:
        return share_error(self.chosen, frequency) if self.expected.question.levels > MIN_LEVELS else None

    def _levels(self) -> PlannedLevels:
        """What levels cost relative to two, and how well their shares will be known."""
        question = self.expected.question
        two = choose_mechanism(
            self._best(replace(self.expected, question=replace(question, level_values=UNIT_RANGE)))
        )
        return PlannedLevels(
            values=question.level_values,
            cost=level_cost(self.chosen, two),
            share_error=share_error(self.chosen, self.expected.people.typical_frequency),
            guessed_share_error=guessed_share_error(question.levels),
        )

    def _option(self, option: Assessment) -> Option:
        law = option.law
        frequency_error, mean_error = option.errors_at(self.expected.people.typical_frequency)
        reason = "" if option is self.chosen else exclusion_reason(law) or self._drawback(option)
        return Option(
            mechanism=law.name,
            padding=law.padding,
            parameters=law.parameters,
            bytes_per_report=REPORT_ID_BYTES + law.body_bytes,
            frequency_error=frequency_error,
            mean_error=mean_error,
            reason_not_chosen=reason,
        )

    def _drawback(self, option: Assessment) -> str:
        """Return by how much more error another law was predicted to have, or what it would cost."""
        more = option.score / self.chosen.score - 1
        if more > 0:
            return f"{percent(more)} more squared error"
        cost = "slower counting" if option.law.body_bytes == WORD_BYTES else "larger reports"
        return f"{cost} for {percent(-more)} less squared error"

    def _alternatives(self) -> tuple[Alternative, ...]:
        """The usual rule for the padding, and the choice if keys are rarer; not with too much influence."""
        expected, people = self.expected, self.expected.people
        found = []
        if not expected.question.refuses_more:
            usual = law_specs(expected, [max(1, people.sizes.percentile(USUAL_SHARE))], self.epsilon)
            with suppress(TooMuchInfluence):
                choice = best_of_mechanism(self.chosen.law.name, usual, {}, expected, tune=True)
                found.append(_alternative("90 %", choice))
        if people.is_guess:
            with suppress(TooMuchInfluence):
                choice = choose_mechanism(self._best(replace(expected, people=people.rarer(RARER))))
                found.append(_alternative("a tenth as frequent", choice))
        return tuple(found)


def _alternative(rule: str, choice: Assessment) -> Alternative:
    frequency = choice.expected.people.typical_frequency
    return Alternative(rule, choice.law.name, choice.law.padding, frequency, *choice.errors_at(frequency))


def _half_width(chosen: Assessment, above: float) -> float:
    """How far off the share of people with more pairs than the padding will be: half its interval."""
    answers = chosen.expected.people.users * float(chosen.size_share)
    z = NormalDist().inv_cdf((1 + DETECTION_LEVEL) / 2)
    return min(1.0, z * math.sqrt(share_above_variance(chosen.law, chosen.size_share, above) / answers))
