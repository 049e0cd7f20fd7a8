"""What to expect of derived items: shares within the labels of a segment, and of two keys together.

Both are told by the same reports as the keys themselves, so that a share within another is a ratio of two numbers
with a covariance (`pckv.statistics.moments`). Errors are roots of mean squared errors, to first order.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from statistics import NormalDist

from pckv.base.errors import ParameterError
from pckv.base.words import percent, plural, points, two_digits
from pckv.mechanisms.base import CountLaw, ItemLaw, Support
from pckv.mechanisms.derivation import Segment, check_labels
from pckv.planning.assessment import Assessment, TypicalKey
from pckv.planning.influence import people_per_report
from pckv.planning.prediction import expected_errors
from pckv.planning.sections import HALF_RANGE, NO_BETTER, Section, range_points
from pckv.statistics.detection import DEFAULT_FLAG_RATE, DETECTION_POWER, smallest_detected_frequency
from pckv.statistics.moments import CountMoments, JointMoments

# Shares of people who hold two keys, for which errors are shown where less than half as many as expected do.
PAIR_SHARES = (0.05, 0.01, 0.001)
# The error of the other share depends on it: after this many rounds both are known.
ROUNDS = 20
OFTEN = f"about {percent(DETECTION_POWER)} of the time"


@dataclass(frozen=True)
class Labels:
    """How many labels a plan is for, and the share of people who have the one that it is made for."""

    count: int
    share: float

    @classmethod
    def planned(cls, segment: Segment | int | None, share: float | None) -> Labels | None:
        """Return the labels of a segment, or of a number of them; by default all are equally frequent."""
        if segment is None:
            if share is not None:
                raise ParameterError("label_share is about a segment: say what labels it has, or how many")
            return None
        if isinstance(segment, bool) or not isinstance(segment, int | Segment):
            raise ParameterError(f"segment must be a Segment or a number of labels, not {segment!r}")
        count = check_labels(segment if isinstance(segment, int) else len(segment.labels))
        if share is not None and not 0 < share < 1:
            raise ParameterError(f"label_share must be above 0 and below 1, not {share}")
        return cls(count, 1 / count if share is None else share)


@dataclass(frozen=True)
class WithinErrorAt:
    """The errors to expect of a share within a label, if that is the share of all people, too.

    Attributes:
        share: The true one.
        overall: The error of the frequency over all people.
        within: That of the share within the label.
        public: That of the share in a task of its own for the people with this label, who are known then.
        mean: That of the mean within the label; None where keys have no values.
    """

    share: float
    overall: float
    within: float
    public: float
    mean: float | None = None


@dataclass(frozen=True)
class PlannedSegment:
    """What a plan says of a segment.

    Attributes:
        labels: How many there are.
        label_share: The share of people who have the label that the plan is made for.
        overall_cost: The error of a typical frequency over all people, relative to a task without a segment.
        within_cost: The same for a share within the label; `public_cost` for one task per label.
        smallest_share: The share within the label that stands out from the noise about 80 % of the time; at most 1.
        typical_share: The share within a label that one within another label is compared with.
        other_share: The share of people who have another label, where the others are equally frequent.
        smallest_difference: How far a share within another label has to be from the typical one for the two to be
            said to differ about 80 % of the time, where reports hide nothing; 1 where none is far enough.
        hides: Whether people may hold more keys than a report stands for: differences may then stay hidden for that.
        people: One hostile report raises a share within the label as much as this many people raise a frequency.
        errors: By the share of the people with the label that hold a key.
    """

    labels: int
    label_share: float
    overall_cost: float
    within_cost: float
    public_cost: float
    smallest_share: float
    typical_share: float
    other_share: float
    smallest_difference: float
    hides: bool
    people: float
    errors: tuple[WithinErrorAt, ...]

    @property
    def _label(self) -> str:
        return f"a label that {percent(self.label_share)} of people have"

    def first_sight(self, frequency: float) -> str:
        """Say how well a share of the typical frequency will be known within a label."""
        [error] = [each for each in self.errors if each.share == frequency][:1] or self.errors[:1]
        return (
            f"Within {self._label}, a key that {percent(error.share)} of them hold comes out with a 95 % range of "
            f"about {range_points(error.within)}."
        )

    def section(self, guessed_mean_error: float | None) -> Section:
        """Return what the plan says of shares within a label, and what a public label would cost instead.

        Where keys have values, it is said which means are no better known than by a guess with this error.
        """
        rows = (
            (
                percent(error.share),
                *map(range_points, (error.overall, error.within, error.public)),
                *([] if guessed_mean_error is None else [_mean_cell(error.mean, guessed_mean_error)]),
            )
            for error in self.errors
        )
        means = [] if guessed_mean_error is None else ["mean within the label"]
        costs = (
            f"Relative to a task without labels, the error of a frequency over all people is {self.overall_cost:.2f} "
            f"times as large, that of a share within the label {self.within_cost:.2f} times. One task per label, to "
            "which people with that label are invited, would tell the collector the label of every participant; "
            f"the error of a share is then {self.public_cost:.2f} times as large."
        )
        least = (
            "no key stands out from the noise"
            if self.smallest_share == 1
            else f"a key stands out from the noise {OFTEN}, or more often, if {percent(self.smallest_share)} of the "
            "people with the label hold it"
        )
        return Section(
            f"Within {self._label}, one of {self.labels}: 95 % ranges",
            (costs, f"Within the label, {least}.", self._differing()),
            ("true share", "over all people", "within the label", "one task per label", *means),
            tuple(rows),
        )

    def _differing(self) -> str:
        """Say which differences between two labels will be found."""
        typical, other = percent(self.typical_share), f"a label that {percent(self.other_share)} of people have"
        if self.smallest_difference == 1:
            return (
                f"Whatever the share within {other} is, it is not sure to be said to differ from one of {typical} here."
            )
        needed = points(self.smallest_difference)
        if self.hides:
            return (
                f"If a share of {typical} here and one within {other} are less than about {needed} apart, that mostly "
                "stays hidden; so may larger differences, since people may hold more than a report stands for."
            )
        return (
            f"A share of {typical} here and one within {other} are said to differ {OFTEN} if they are about {needed} "
            "apart; smaller differences often stay hidden."
        )

    def hostile(self) -> str:
        """Say what one hostile report can do within a label."""
        return (
            f"Within {self._label}, one hostile report raises a share as much as {two_digits(self.people)} people "
            "raise a frequency: shares there are those of fewer people."
        )


def _mean_cell(error: float | None, guessed: float) -> str:
    return NO_BETTER if error is None or error >= guessed else f"±{HALF_RANGE * error:.2g}"


@dataclass(frozen=True)
class PairErrorAt:
    """The errors to expect of the share of people who hold two keys.

    `given` is that of the share of the holders of one of them, whose frequency is the typical one; None where fewer
    people hold that.
    """

    share: float
    error: float
    given: float | None = None


@dataclass(frozen=True)
class PlannedTogether:
    """What a plan says of keys that are held together.

    Attributes:
        pairs: How many pairs of keys there are.
        cost: The error of a typical key's frequency relative to a task that asks about keys alone.
        smallest_share: The share of people who hold two keys that stands out from the noise about 80 % of the time;
            at most 1.
        likely: The shares of people who would hold two of the keys that matter, the largest first, if keys were held
            independently of each other by people with as many; `standing_out` is how many of these stand out.
        frequency: That of a typical key.
        people: As how many people one hostile report counts for a pair or a key; `people_alone` for a key where keys
            alone are asked about.
        errors: By the share of people who hold both keys.
    """

    pairs: int
    cost: float
    smallest_share: float
    likely: tuple[float, ...]
    standing_out: int
    frequency: float
    people: float
    people_alone: float
    errors: tuple[PairErrorAt, ...]

    def first_sight(self) -> str:
        """Say which pairs will stand out."""
        if self.smallest_share == 1:
            return "No two keys stand out from the noise as held together."
        return (
            f"Two keys stand out from the noise as held together {OFTEN}, or more often, if "
            f"{percent(self.smallest_share)} of people hold both."
        )

    def section(self) -> Section:
        """Return what the plan says of pairs."""
        rows = (
            (percent(error.share), range_points(error.error), "" if error.given is None else range_points(error.given))
            for error in self.errors
        )
        number = {0: "none", len(self.likely): "all"}.get(self.standing_out, f"{self.standing_out:,}")
        cost = f"a key's frequency has {self.cost:.2f} times the error that it has if keys alone are asked about"
        likely = (
            f"If keys were held independently of each other, {number} of the {plural(len(self.likely), 'pair')} of "
            "keys that matter would stand out."
        )
        known = (
            f" To be known to go together, two keys must be held by about {percent(self.smallest_share)} of people "
            "more than so, and by yet more where people hold more keys than the padding."
        )
        if self.smallest_share == 1:
            known = ""
        sentences = (f"There are {plural(self.pairs, 'pair')}; {cost}.", f"{self.first_sight()} {likely}{known}")
        given = f"of the holders of a key of {percent(self.frequency)}"
        return Section(
            "Two keys together: 95 % ranges", sentences, ("true share of both", "of all people", given), tuple(rows)
        )

    def hostile(self) -> str:
        """Say what one hostile report can do to a pair."""
        return (
            "For two keys together, a hostile report counts as much as for one; if keys alone were asked about, it "
            f"would count as {two_digits(self.people_alone)} people."
        )


class ItemErrors:
    """The errors of derived items that a law has for the people expected."""

    def __init__(self, chosen: Assessment) -> None:
        law = chosen.law
        if not isinstance(law, ItemLaw):
            raise TypeError(f"no items are derived for {law.name!r}")
        self.chosen, self.law = chosen, law
        asked, scale = float(chosen.size_share), chosen.expected.question.scale
        self.reports = chosen.expected.people.users * (1 - asked)
        self.moments = CountMoments.of(law.count_law, asked, scale)
        # A parent is reported at one level, and read from that alone.
        own, other = law.count_law.holder.own, law.count_law.absent.other
        single = CountLaw(Support.independent(1, own, other), Support.independent(1, other, other))
        self._parent = CountMoments.of(single, asked)
        self._joint = JointMoments.of(law.joint_support(other), asked)

    def share_error(self, share: float, shown: float) -> float:
        """The error of the share of all people who have an item, of which reports show less; at most 1."""
        noise = self.moments.frequency_variance(shown) / self.reports
        return min(1.0, math.hypot(math.sqrt(noise), share - shown))

    def ratio_error(self, child: float, parent: float, shown: float, parent_shown: float) -> float:
        """The error of a child's share of its parent, given what reports show of both; at most 1."""
        ratio, levels = shown / parent_shown, (self.moments.levels, 1)
        variance = (
            self.moments.frequency_variance(shown)
            - 2 * ratio * self._joint.covariance(shown, parent_shown, shown, levels)
            + ratio**2 * self._parent.frequency_variance(parent_shown)
        )
        noise = math.sqrt(max(variance, 0.0) / self.reports) / parent_shown
        return min(1.0, math.hypot(noise, child / parent - ratio))

    def mean_error(self, child: float, seen: float) -> float | None:
        """The error of a child's mean, in the units of the values; None where there are none."""
        question = self.chosen.expected.question
        if not question.has_values:
            return None
        return expected_errors(self.moments, self.reports, child, seen).mean * question.unit

    def smallest_share(self, tested: int, seen: float) -> float:
        """The share of all people that an item must have to stand out among all that are tested; at most 1."""
        return smallest_detected_frequency(self.moments, self.reports, tested, seen, rate=DEFAULT_FLAG_RATE)

    @property
    def people(self) -> float:
        """As how many people one hostile report counts for an item."""
        return people_per_report(self.law, 1, self.chosen.size_share, coin=False)


def planned_segment(
    chosen: Assessment, alone: Assessment, public: Assessment, labels: Labels, frequencies: Iterable[float]
) -> PlannedSegment:
    """Return what to expect of a segment.

    Args:
        chosen: The law that is chosen for it.
        alone: The best law without it.
        public: The best law for a task of the people with one label.
        labels: How many there are, and the share of people who have one.
        frequencies: The shares for which errors are shown.
    """
    items, expected, share = ItemErrors(chosen), chosen.expected, labels.share
    typical, padding = expected.people.typical_frequency, chosen.padding

    def within(frequency: float, label: float = share) -> float:
        seen = expected.seen(frequency, padding)
        return items.ratio_error(label * frequency, label, label * frequency * seen, label)

    def error_at(frequency: float) -> WithinErrorAt:
        return WithinErrorAt(
            frequency,
            overall=chosen.errors_at(frequency).frequency,
            within=within(frequency),
            public=public.errors_at(frequency).frequency,
            mean=items.mean_error(share * frequency, expected.seen(frequency, padding)),
        )

    without = TypicalKey(alone).frequency_error
    least = items.smallest_share(labels.count * expected.question.keys, expected.surely_seen(padding))
    other, tested = (1 - share) / (labels.count - 1), expected.question.keys * math.comb(labels.count, 2)
    return PlannedSegment(
        labels=labels.count,
        label_share=share,
        overall_cost=TypicalKey(chosen).frequency_error / without,
        within_cost=within(typical) / without,
        public_cost=TypicalKey(public).frequency_error / without,
        smallest_share=min(1.0, least / share),
        typical_share=typical,
        other_share=other,
        smallest_difference=_smallest_difference(within, (share, other), typical, tested),
        hides=chosen.hides,
        people=items.people / share,
        errors=tuple(map(error_at, frequencies)),
    )


def _smallest_difference(
    error: Callable[[float, float], float], labels: tuple[float, float], share: float, tested: int
) -> float:
    """Return how far a share within another label must be from this one to stand out among all that are tested.

    It is the first to be found: its deviate must be that of a two-sided test at the rate, divided by all tests, which
    has the error of equal shares. The other share is on the side where there is more room; 1 if there is not enough.

    Args:
        error: That of a share within a label, by both.
        labels: The shares of people who have this label and the other one.
        share: The one within this label.
        tested: How many differences are tested.
    """
    normal, (one, other) = NormalDist(), labels
    false, found = normal.inv_cdf(1 - DEFAULT_FLAG_RATE / (2 * tested)), normal.inv_cdf(DETECTION_POWER)
    side, room = (1, 1 - share) if share <= 1 / 2 else (-1, share)
    difference = 0.0
    for _ in range(ROUNDS):
        there = share + side * difference
        common = (one * share + other * there) / (one + other)
        tests = math.hypot(error(common, one), error(common, other))
        difference = min(room, false * tests + found * math.hypot(error(share, one), error(there, other)))
    return difference if difference < room else 1.0


def planned_together(chosen: Assessment, alone: Assessment) -> PlannedTogether:
    """Return what to expect of two keys together, with the law that is chosen for it, and the best one without."""
    items, expected, padding = ItemErrors(chosen), chosen.expected, chosen.padding
    keys, typical, likely = expected.question.keys, expected.people.typical_frequency, chosen.together
    known = dict(likely)
    # What is shown of a pair that no two of the keys that matter would make by chance is that of the rarest of these.
    least_seen = min((shown / share for share, shown in likely if share), default=1.0)
    middle = likely[len(likely) // 2][0]
    shares = {likely[0][0], middle, *(each for each in PAIR_SHARES if each < middle / 2)}

    def error_at(share: float) -> PairErrorAt:
        shown = known.get(share, share * least_seen)
        of_key = typical * expected.seen(typical, padding)
        given = items.ratio_error(share, typical, min(shown, of_key), of_key) if share <= typical else None
        return PairErrorAt(share, items.share_error(share, shown), given)

    smallest = items.smallest_share(math.comb(keys, 2), least_seen)
    return PlannedTogether(
        pairs=math.comb(keys, 2),
        cost=TypicalKey(chosen).frequency_error / TypicalKey(alone).frequency_error,
        smallest_share=smallest,
        likely=tuple(share for share, _ in likely),
        standing_out=sum(share >= smallest for share, _ in likely),
        frequency=typical,
        people=items.people,
        people_alone=people_per_report(alone.law, 1, alone.size_share, coin=False),
        errors=tuple(error_at(share) for share in sorted(filter(None, shares), reverse=True)),
    )
