"""What a discovery can find: which prefixes are followed, which frequency is found (proofs/discovery.md).

`DEFAULT_FOUND_RATE` is stricter than `DEFAULT_FLAG_RATE` of `statistics/detection.py`: the texts
that are found were not named before, so that a false one is not recognised, and each becomes a key of the
next task. It costs little: with 0.05, the smallest frequency that is found would be about 2 % lower.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist

from pckv.base.budget import epsilon_of
from pckv.base.errors import ParameterError
from pckv.base.limits import Numeric, check_epsilon, check_padding
from pckv.base.records import Record
from pckv.base.stopping import check_stop
from pckv.base.words import percent, plural
from pckv.mechanisms.discovery.law import DiscoveryLaw
from pckv.mechanisms.discovery.prefix_tree import (
    DEFAULT_ALPHABET,
    DEFAULT_CHARACTERS,
    PrefixTree,
    prefix_tree,
)
from pckv.planning.mixing import Batch, PlannedMixing, ReportsAlone
from pckv.planning.people import people_text
from pckv.planning.sections import WORDS, Light, Section
from pckv.planning.shuffle import ReportLaws
from pckv.statistics.detection import DETECTION_POWER, threshold_by_chance
from pckv.statistics.moments import GAUSSIAN_NOISE, CountMoments, Scale

# Of all continuations of a prefix, as many without holders are followed on average: below 1, lest they multiply.
FALSE_CONTINUATIONS = 0.5
# The share of texts without holders among those found, on average, at most, where none is named.
DEFAULT_FOUND_RATE = 0.01
# The rule of thumb: as many standard deviations of the frequency of one group.
RULE_DEVIATIONS = 4.5
# The light: up to which frequency texts must be found. At most twenty texts can be as frequent as 5 %
# of the people where each gives one, and at most five as frequent as 20 %.
MAX_GREEN_FREQUENCY, MAX_AMBER_FREQUENCY = 0.05, 0.2
LIGHT_RULE = (
    f"The light: {WORDS['green']} (green) if texts are found that {percent(MAX_GREEN_FREQUENCY)} of the people hold, "
    f"{WORDS['red']} (red) if not even those are that {percent(MAX_AMBER_FREQUENCY)} hold, and "
    f"{WORDS['amber']} (amber) for anything between."
)
_BISECTIONS = 50


@dataclass(frozen=True)
class DiscoveryPlan(Record):
    """What a discovery can find.

    Attributes:
        users: How many people take part.
        epsilon: The realised ε of a report.
        characters: How many characters of a text are found at most.
        alphabet: The characters that texts consist of.
        groups: How many groups of devices there are.
        padding: How many texts a report stands for at most.
        symbols: How many symbols prefixes are sent to.
        frequency: The least frequency of a text of that many characters that is found four times out of five;
            shorter texts are found at lower ones. At most 1, where nothing may be found.
        rule_of_thumb: 4.5·√(4e^ε·groups/((e^ε - 1)²·users)), to compare.
        mixed: What is proposed for a mixer, where reports are to go through one; all else is that of those reports.
    """

    users: int
    epsilon: float
    characters: int
    alphabet: str
    groups: int
    padding: int
    symbols: int
    frequency: float
    rule_of_thumb: float
    mixed: PlannedMixing | None = None

    @property
    def light(self) -> Light:
        """What to think of the plan at first sight, by the frequency from which texts are found."""
        if self.frequency <= MAX_GREEN_FREQUENCY:
            return "green"
        return "amber" if self.frequency <= MAX_AMBER_FREQUENCY else "red"

    def sections(self) -> tuple[Section, ...]:
        """Return what the plan says, for people to read; the first section has the light."""
        found = f"{_found(self.characters, self.frequency)}; shorter ones are found at lower frequencies."
        groups = (
            f"{plural(self.users, 'participant')} are in {plural(self.groups, 'group')}, each of which reports "
            f"prefixes of another length, at ε {self.epsilon:g}. More people, a larger ε or fewer characters "
            "find rarer texts."
        )
        found = found if self.frequency < 1 else f"{_found(self.characters, 1)}."
        first = Section(WORDS[self.light], (found, groups, LIGHT_RULE), light=self.light)
        if self.mixed is None:
            return (first,)

        def seen(users: int, frequency: float) -> str:
            clause = _found(self.characters, frequency)
            return f"with {people_text(users)}, {clause[0].lower()}{clause[1:]}"

        choice = self.mixed.choice(self.users, self.frequency, seen)
        return first, choice, self.mixed.proposal(DiscoveryLaw.name, self.padding)


def _found(characters: int, frequency: float) -> str:
    """From which frequency a text is found; 1 stands for none."""
    length = plural(characters, "character")
    if frequency == 1:
        return f"No text of {length} is sure to be found, even if all people hold it"
    often = f"{percent(DETECTION_POWER)} of the time"
    return f"A text of {length} that {percent(frequency)} of the people hold is found {often}"


def plan_discovery(
    *,
    users: int,
    epsilon: Numeric,
    characters: int = DEFAULT_CHARACTERS,
    alphabet: str = DEFAULT_ALPHABET,
    groups: int | None = None,
    padding: int = 1,
    mixed: int | None = None,
) -> DiscoveryPlan:
    """Say which frequency a discovery finds, before people are asked anything.

    Args:
        users: How many people will take part.
        epsilon: The privacy budget of a report, above 0 and at most 20; of mixed reports, towards their recipient.
        characters: How many characters of a text are to be found.
        alphabet: The characters that texts consist of.
        groups: How many groups of devices report prefixes; by default one per character.
        padding: How many texts a report stands for at most.
        mixed: How many of the people are expected to take part through a mixer, as `pckv.plan` takes it.

    Returns:
        The frequency that is found four times out of five, and what it is made of.

    Raises:
        ParameterError: if any of these is outside its domain.

    >>> plan = plan_discovery(users=10**6, epsilon=2)
    >>> round(plan.frequency, 3), round(plan.rule_of_thumb, 3)
    (0.021, 0.019)
    """
    if isinstance(users, bool) or not isinstance(users, int) or users < 1:
        raise ParameterError(f"users must be a whole number from 1 on, not {users!r}")
    tree, wanted = prefix_tree(alphabet, characters, groups), check_epsilon(epsilon)
    check_padding(padding)

    def law_at(local: Fraction) -> DiscoveryLaw:
        return DiscoveryLaw(padding, local, groups=tree.groups)

    mixing, local = None, wanted
    if mixed is not None:
        batch = Batch.proposed(mixed, users)
        local = batch.local_epsilon(wanted, lambda each: ReportLaws.of(law_at(each), None))
        alone = ReportsAlone(users, float(wanted), smallest_found_frequency(law_at(Fraction(wanted)), tree, users))
        mixing = batch.planned(local, wanted, ReportLaws.of(law_at(Fraction(local)), None), alone)
        users = mixed
    law, ratio = law_at(Fraction(local)), math.exp(Fraction(local))
    deviation = math.sqrt(4 * ratio * tree.groups / ((ratio - 1) ** 2 * users))
    return DiscoveryPlan(
        users=users,
        epsilon=epsilon_of(law.realised),
        characters=characters,
        alphabet=tree.alphabet,
        groups=tree.groups,
        padding=padding,
        symbols=law.symbols,
        frequency=smallest_found_frequency(law, tree, users),
        rule_of_thumb=min(1.0, RULE_DEVIATIONS * deviation),
        mixed=mixing,
    )


def moments_of(law: DiscoveryLaw, left_out: float = 0.0) -> CountMoments:
    """Return the moments of the counts of a prefix; a share `left_out` of people report other lengths."""
    return CountMoments.of(law.count_law, left_out, Scale((1.0,)))


def followed_chance(tree: PrefixTree) -> float:
    """Return the chance with which a prefix without holders is followed."""
    return FALSE_CONTINUATIONS / tree.continuations


def smallest_found_frequency(
    law: DiscoveryLaw, tree: PrefixTree, reports: int, rate: float = DEFAULT_FOUND_RATE
) -> float:
    """Return the least frequency of a text of full length that is found four times out of five; at most 1.

    Its prefix must be followed in every group but the last, where it must stand out from all other
    continuations, as many of which are tested for each text that there is.
    """
    moments, in_group = moments_of(law), max(1, reports // tree.groups)
    threshold = threshold_by_chance(moments, in_group)
    followed, found = threshold(followed_chance(tree)), threshold(rate / tree.continuations)

    def is_found(frequency: float) -> bool:
        check_stop()
        steps = _chance(moments, in_group, followed, frequency) ** (tree.groups - 1)
        return steps * _chance(moments, in_group, found, frequency) >= DETECTION_POWER

    low, high = 0.0, 1.0
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        low, high = (low, middle) if is_found(middle) else (middle, high)
    return high


def _chance(moments: CountMoments, reports: int, threshold: int, frequency: float) -> float:
    """Return the chance that a prefix of this frequency has at least this count.

    Who is in a group is random: all of its reports support the prefix with one chance, independently.
    """
    mean = moments.sum_mean(frequency)
    if reports * moments.noise < GAUSSIAN_NOISE:
        return 1 - sum(_binomial(count, reports, mean) for count in range(min(threshold, reports + 1)))
    deviation = math.sqrt(reports * mean * (1 - mean))
    return NormalDist().cdf((reports * mean - threshold + 0.5) / deviation)


def _binomial(count: int, trials: int, chance: float) -> float:
    ways = math.lgamma(trials + 1) - math.lgamma(count + 1) - math.lgamma(trials - count + 1)
    return math.exp(ways + count * math.log(chance) + (trials - count) * math.log1p(-chance))
