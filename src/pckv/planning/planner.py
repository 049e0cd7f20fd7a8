"""Making a plan: the choice for the people expected, and what to expect of it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from statistics import NormalDist

from pckv.base.limits import (
    DEVICE_COIN,
    HASHED,
    MIN_LEVELS,
    REPORT_ID_BYTES,
    SAMPLE,
    Numeric,
    check_epsilon,
)
from pckv.base.wire import WORD_BYTES
from pckv.base.words import percent
from pckv.mechanisms.derivation import Segment, Together
from pckv.planning.assessment import (
    Assessment,
    guessed_share_error,
    level_cost,
    share_above_variance,
    share_error,
)
from pckv.planning.derived import Labels, PlannedSegment, planned_segment, planned_together
from pckv.planning.influence import TooMuchInfluence, hostile
from pckv.planning.mixing import Batch, PlannedMixing, ReportsAlone
from pckv.planning.outlook import expected_outlook
from pckv.planning.people import (
    RARER,
    UNIT_RANGE,
    USUAL_SHARE,
    Expectations,
    People,
    Question,
    Wanted,
    expected_sizes,
    people_text,
)
from pckv.planning.plan import Alternative, ErrorAt, Option, Plan, PlannedLevels, UsersNeeded
from pckv.planning.prediction import users_for
from pckv.planning.sections import HALF_RANGE, LIGHTS
from pckv.planning.selection import (
    able_mechanisms,
    best_of_each,
    best_of_mechanism,
    candidate_paddings,
    choose_mechanism,
    exclusion_reason,
    law_specs,
    reference_laws,
)
from pckv.planning.series import Rounds
from pckv.planning.set_sizes import SetSizes
from pckv.planning.shuffle import ReportLaws
from pckv.planning.tuning import explain_parameters
from pckv.statistics.detection import DETECTION_LEVEL

# Errors are shown for these ranks of the keys, and for rarer keys.
RANKS = (1, 2, 5, 10)
FREQUENCIES = (0.01, 0.001)
WANTED_RANGES = (0.05, 0.02, 0.01, 0.002)
# Means are taken to lie anywhere in the range: guessing the overall mean is off by this, of half the range.
GUESSED_MEAN_ERROR = 3**-0.5


def plan(
    keys: int | str,
    users: int,
    epsilon: Numeric,
    pairs: float | None = None,
    *,
    most_pairs: int | None = None,
    holding: float | None = None,
    sizes: SetSizes | Mapping[int, float] | None = None,
    frequency: float | None = None,
    objective: str | None = None,
    more: str = SAMPLE,
    values: tuple[float, float] | None = None,
    levels: Sequence[Numeric] | int | None = None,
    candidates: int | None = None,
    segment: Segment | int | None = None,
    label_share: float | None = None,
    together: bool = False,
    coin: str = DEVICE_COIN,
    most_influence: float | None = None,
    mixed: int | None = None,
    panels: int | None = None,
    rounds: int | None = None,
    drift: float | None = None,
) -> Plan:
    """Return the mechanism and padding with the least predicted error, and what to expect of them.

    A padding below the number of pairs that people hold makes frequencies too low, which counts as error, and
    is never more than the noise unless the objective is `mse`.

    Args:
        keys: The number of keys, or `hashed`: any text is a key.
        users: How many people will take part, in all panels together where there are several.
        epsilon: The privacy budget of a report; of mixed reports, towards their recipient.
        pairs: How many pairs people hold on average, those without any included; by default 1 for each who holds
            any.
        most_pairs: How many they hold at most; by default three times the average of those who hold any.
        holding: The share of people who hold any pair. By default all, unless they would hold fewer than two
            on average (where more are refused: fewer than one): then as many as would hold that.
        sizes: How many people hold how many pairs, in place of these three.
        frequency: That of the keys that matter; by default the ten most frequent, as Zipf's law makes them.
        objective: The error that counts: `frequency`, `mean`, `both` (their geometric mean), or `mse` (of
            frequencies, also where a bias makes it smaller). By default `both`, or `frequency` without values.
        more: What happens to a person with more pairs than the padding: `sample` (a random choice of them is
            reported) or `refuse` (they are refused, so that the padding is the largest number of pairs).
        values: The least and the largest value, for errors of means in the same units. Where only levels are given,
            their ends where they are named, or -1 and 1; without either, keys have no values.
        levels: How many levels values are reported as, equally spaced, or the value of each: from 2 to 16, by
            default 2. With more than two the plan says what they cost, and how well their shares will be known.
        candidates: How many hashed keys will be asked for; by default 10,000. The more of them, the larger
            the smallest frequency that stands out.
        segment: The labels that participants choose one of, or how many there are: the plan then says how well keys
            are known within a label, and what a public label would cost instead.
        label_share: The share of people with the label that this is said of; by default 1/`segment`.
        together: Whether it is also asked which keys people hold together: the plan then says which pairs stand out.
        coin: Who draws the public function of a report: the `device`, or the `server`, by coins.
        most_influence: As how many people one hostile report may count for a key, at most; only mechanisms
            and paddings with which it does not count as more are chosen.
        mixed: How many of the people are expected to take part through a mixer. The plan is then that of their
            reports, with the largest ε of a report, at most 8, at which `epsilon` holds towards the recipient, and
            has what to claim for it; what every report alone would show stands beside it.
        panels: For a series: a device reports in one round out of this many. The plan is then that of one
            round, with 1/`panels` of the people, and has the errors of several rounds, too.
        rounds: How many rounds the series has; by default four per panel.
        drift: By how much frequencies change from one round to the next, as a share of the people.

    Raises:
        ParameterError: if a number is outside its domain, numbers contradict each other, both `pairs` and `sizes`
            are given, or no mechanism and padding have as little influence, or too few people are mixed.

    >>> chosen = plan(keys=100, users=20_000, epsilon=1, pairs=3, values=(1, 5))
    >>> chosen.mechanism, chosen.padding, chosen.size_share
    ('collision', 5, 0.05)
    >>> chosen.assumed.partition(";")[0]
    'Assumed: 20,000 people, 1 to 9 pairs per person, 3 on average'
    >>> plan(keys=100, users=20_000, epsilon=1, pairs=1, holding=0.4).assumed.partition(";")[0]
    'Assumed: 20,000 people, of whom 40 % hold any key: 1 to 8 keys, 2.5 on average (1 over all people)'
    """
    labels = Labels.planned(segment, label_share)
    count = None if labels is None else labels.count
    question = Question.planned(keys, values, levels, candidates, more=more, coin=coin, labels=count, together=together)
    held = expected_sizes(
        question.keys,
        pairs,
        most_pairs,
        sizes,
        question.least_padding,
        holding=holding,
        frequency=frequency,
        more=more,
    )
    people = People.expected(question, users, held, frequency)
    rounds_planned = Rounds.planned(panels, rounds, drift, people.users)
    if rounds_planned is not None:
        # Mechanism and padding are chosen for the people of a round, as a series does.
        people = replace(people, users=people.users // rounds_planned.panels)
    expected = Expectations(question, people, Wanted.of(question, objective, most_influence))
    wanted = check_epsilon(epsilon)
    if mixed is not None:
        return plan_mixed(expected, wanted, mixed, rounds_planned, labels)
    return Planner(expected, Fraction(wanted), labels).plan(rounds_planned)


def plan_mixed(
    alone: Expectations, wanted: str, mixed: int, rounds: Rounds | None = None, labels: Labels | None = None
) -> Plan:
    """Return the plan for people whose reports are mixed, beside every report `alone` at the `wanted` ε.

    Args:
        alone: What is expected without a mixer, of one round where there are several.
        wanted: The ε towards the recipient, as a decimal text.
        mixed: How many people take part through a mixer, in all panels together: no more than without one.
        rounds: The rounds of a series, with the people of all panels.
        labels: Those of a segment, where there is one.

    Raises:
        ParameterError: if that many people cannot be mixed.
    """
    people, panels = (alone.people.users, 1) if rounds is None else (rounds.users, rounds.panels)
    batch = Batch.proposed(mixed, people, panels, alone.question.coin)
    expected = alone.with_users(mixed // panels)
    local = batch.local_epsilon(wanted, lambda epsilon: Planner(expected, epsilon).report_laws)
    planner = Planner(expected, Fraction(local), labels)
    seen = Planner(alone, Fraction(wanted)).chosen.smallest_frequency
    mixing = batch.planned(local, wanted, planner.report_laws, ReportsAlone(people, float(wanted), seen))
    return planner.plan(None if rounds is None else replace(rounds, users=mixed), mixing)


class Planner:
    """The choice for what is expected, and the plan that it makes."""

    def __init__(self, expected: Expectations, epsilon: Fraction, labels: Labels | None = None) -> None:
        self.expected = expected
        self.epsilon = epsilon
        self.labels = labels
        self.reference = reference_laws(expected, epsilon)
        best = self._best(expected)
        self.chosen = chosen = choose_mechanism(best, self.reference)
        self.best = [chosen if each.law.name == chosen.law.name else each for each in best]

    def _best(self, expected: Expectations) -> list[Assessment]:
        specs = law_specs(expected, candidate_paddings(expected), self.epsilon)
        return best_of_each(able_mechanisms(expected), specs, {}, expected)

    @property
    def report_laws(self) -> ReportLaws:
        """What the claim of a mixer depends on."""
        return ReportLaws.of(self.chosen.law, self.chosen.size_question)

    def plan(self, rounds: Rounds | None = None, mixing: PlannedMixing | None = None) -> Plan:
        """Return the plan, with the rounds of a series and what is proposed for a mixer, where it is for them."""
        question, people, wanted = self.expected.question, self.expected.people, self.expected.wanted
        chosen, law = self.chosen, self.chosen.law
        size_share, typical = chosen.size_share, people.typical_frequency
        a, b, p = (float(probability) for probability in law.probabilities)
        above, derivation = people.sizes.share_above(chosen.padding), question.derivation
        errors, typical_seen = self._errors(), self._seen(len(people.frequencies) // 2)
        users, panels = (people.users, 1) if rounds is None else (rounds.users, rounds.panels)
        return Plan(
            keys=question.keys if question.candidates is None else HASHED,
            users=users,
            epsilon=float(self.epsilon),
            pairs=people.sizes.mean,
            holding=people.sizes.holding,
            usual_pairs=people.sizes.percentile(USUAL_SHARE),
            seen=self._seen(0),
            frequency=typical,
            frequencies=people.frequencies,
            assumed=self.expected.assumed(people_text(users, panels)),
            objective=wanted.objective,
            more=question.more,
            values=question.values,
            mechanism=law.name,
            padding=chosen.padding,
            parameters=law.parameters,
            why=explain_parameters(law, "item" if question.derivation else None),
            budgets=law.budgets,
            a=a,
            b=b,
            p=p if question.has_values else None,
            bytes_per_report=REPORT_ID_BYTES + law.body_bytes,
            coin=question.coin,
            most_influence=wanted.most_influence,
            size_share=float(size_share),
            size_cost=math.sqrt(1 / float(1 - size_share)),
            share_above=above,
            share_above_error=_half_width(chosen, above),
            assumes_one_pair=self.expected.assumes_one_pair,
            mixed=mixing,
            errors=errors,
            guessed_mean_error=GUESSED_MEAN_ERROR * question.unit if question.has_values else None,
            smallest_frequency=chosen.smallest_frequency,
            users_needed=tuple(
                UsersNeeded(half, None if needed is None else needed * panels)
                for half in WANTED_RANGES
                for needed in [
                    users_for(law, typical, half / HALF_RANGE, typical_seen, size_share, question.derivation)
                ]
            ),
            hostile=hostile(law, people.users, size_share, derivation),
            options=tuple(self._option(each) for each in self.best),
            alternatives=self._alternatives(),
            outlook=expected_outlook(chosen, self.reference, panels),
            series=None if rounds is None else rounds.expected(chosen, [each.frequency for each in errors]),
            levels=self._levels() if question.levels > MIN_LEVELS else None,
            candidates=question.candidates,
            segment=self._segment([each.frequency for each in errors]),
            together=planned_together(chosen, self._alone) if isinstance(derivation, Together) else None,
        )

    @cached_property
    def _alone(self) -> Assessment:
        """What would be chosen for the keys alone, of which no items are made."""
        return choose_mechanism(self._best(self._keys_alone))

    @property
    def _keys_alone(self) -> Expectations:
        return replace(self.expected, question=replace(self.expected.question, derivation=None))

    def _segment(self, frequencies: Sequence[float]) -> PlannedSegment | None:
        """What to expect within a label, and of one task per label, whose members are known then."""
        if self.labels is None:
            return None
        people = max(1, round(self.labels.share * self.expected.people.users))
        public = choose_mechanism(self._best(self._keys_alone.with_users(people)))
        typical = self.expected.people.typical_frequency
        shares = sorted({typical, *frequencies}, reverse=True)
        return planned_segment(self.chosen, self._alone, public, self.labels, shares)

    def _seen(self, rank: int) -> float:
        """The share of the frequency of one of the keys that matter which reports show."""
        return min(1.0, self.chosen.shown[rank] / self.expected.people.frequencies[rank])

    def _errors(self) -> tuple[ErrorAt, ...]:
        """The errors at some ranks, and for rarer keys."""
        known = self.expected.people.frequencies
        ranked: list[tuple[int | None, float]] = [(None, known[0])]
        if self.expected.people.is_guess:
            ranked = [(rank, known[rank - 1]) for rank in RANKS if rank <= len(known)]
        rarer = [(None, frequency) for frequency in FREQUENCIES if frequency < known[-1]]
        return tuple(
            ErrorAt(rank, frequency, *errors_of(self.chosen, frequency), self._share_error(frequency))
            for rank, frequency in (*ranked, *rarer)
        )

    def _share_error(self, frequency: float) -> float | None:
        return share_error(self.chosen, frequency) if self.expected.question.levels > MIN_LEVELS else None

    def _levels(self) -> PlannedLevels:
        """What levels cost relative to two, and how well their shares will be known."""
        question = self.expected.question
        of_two = replace(self.expected, question=replace(question, level_values=UNIT_RANGE))
        return PlannedLevels(
            values=question.level_values,
            cost=level_cost(self.chosen, choose_mechanism(self._best(of_two))),
            share_error=share_error(self.chosen, self.expected.people.typical_frequency),
            guessed_share_error=guessed_share_error(question.levels),
        )

    def _option(self, option: Assessment) -> Option:
        law = option.law
        frequency_error, mean_error = errors_of(option, self.expected.people.typical_frequency)
        reason = "" if option is self.chosen else exclusion_reason(option) or self._drawback(option)
        return Option(
            mechanism=law.name,
            padding=option.padding,
            parameters=law.parameters,
            bytes_per_report=REPORT_ID_BYTES + law.body_bytes,
            frequency_error=frequency_error,
            mean_error=mean_error,
            reason_not_chosen=reason,
        )

    def _drawback(self, option: Assessment) -> str:
        """Return by how much more error another law was predicted to have, or what it would cost."""
        if LIGHTS.index(option.light) < LIGHTS.index(self.chosen.light):
            return "fewer keys are sure to stand out"
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
            least = expected.question.least_padding
            usual = law_specs(expected, [max(least, people.sizes.percentile(USUAL_SHARE))], self.epsilon)
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
    return Alternative(rule, choice.law.name, choice.padding, frequency, *errors_of(choice, frequency))


def errors_of(option: Assessment, frequency: float) -> tuple[float, float | None]:
    """Return the errors to expect of a frequency, and of a mean where keys have values."""
    errors = option.errors_at(frequency)
    return errors.frequency, errors.mean if option.expected.question.has_values else None


def _half_width(chosen: Assessment, above: float) -> float | None:
    """How far off the share of people with more pairs than the padding will be: half its interval, if asked."""
    if chosen.size_question is None:
        return None
    answers = chosen.expected.people.users * float(chosen.size_share)
    z = NormalDist().inv_cdf((1 + DETECTION_LEVEL) / 2)
    return min(1.0, z * math.sqrt(share_above_variance(chosen.size_question, above) / answers))
