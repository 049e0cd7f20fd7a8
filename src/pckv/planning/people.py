"""What a plan is made for: a question, the people who answer it, and what is wanted of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import combinations

from pckv.base.canonical import decimal_text
from pckv.base.errors import ParameterError
from pckv.base.levels import KEY_ALONE, checked_levels, level_values
from pckv.base.limits import (
    COINS,
    DEFAULT_USERS,
    DEVICE_COIN,
    HASHED,
    MAX_ITEMS,
    MAX_KEYS,
    MAX_LEVELS,
    MIN_LEVELS,
    MORE,
    ONE_LEVEL,
    REFUSE,
    SAMPLE,
    Numeric,
    check_choice,
)
from pckv.base.words import percent, plural
from pckv.mechanisms.derivation import Derivation, checked_derivation
from pckv.mechanisms.size_question.law import MAX_SHARE
from pckv.planning.influence import check_most_influence
from pckv.planning.prediction import Objective, check_objective
from pckv.planning.set_sizes import MIN_SHARE, SetSizes, Spectrum
from pckv.statistics.moments import Scale, equal_scale

# The keys that people look at: a plan is made for the most frequent ones.
TOP_KEYS = 10
MAX_USERS = 10**15
MIN_FREQUENCY = 1e-9
# The two levels of the paper.
SIGN_SCALE = equal_scale(MIN_LEVELS)
# What an error of a mean is relative to where no values are named.
UNIT_RANGE = (-1.0, 1.0)
# The rule of Wang et al. (2018), shown for comparison: a padding that this share of people does not exceed.
USUAL_SHARE = 0.9
# What is guessed of the frequencies may be far off: the choice is shown for keys rarer by this factor, too.
RARER = 10
# Where only the average is known: that of people who hold any pair is at least this (docs/appendix/empty-sets.md).
MIN_PAIRS_OF_HOLDERS = 2
# A long tail of sizes ends at this many times their average.
LONG_TAIL = 20
# How many hashed keys are asked for where nothing is said.
DEFAULT_CANDIDATES = 10_000


@dataclass(frozen=True)
class Question:
    """What is asked, as far as errors depend on it.

    Attributes:
        keys: The number of keys; of hashed ones, all numbers.
        level_values: What each level that values are reported as is worth, in ascending order.
        more: What happens to a person with more pairs than the padding.
        size_share: The share of reports that answers the size question, as a task has it; None to choose it.
        coin: Who draws the public function of a report.
        candidates: How many hashed keys are asked for; None where keys are listed.
        derivation: How items are made of the keys; None where the keys themselves are the items.
    """

    keys: int
    level_values: tuple[float, ...] = UNIT_RANGE
    more: str = SAMPLE
    size_share: str | None = None
    coin: str = DEVICE_COIN
    candidates: int | None = None
    derivation: Derivation | None = None

    def __post_init__(self) -> None:
        if not 1 <= self.keys <= MAX_KEYS:
            raise ParameterError(f"keys must be at least 1 and at most 2^31, not {self.keys}")
        if not ONE_LEVEL <= self.levels <= MAX_LEVELS:
            raise ParameterError(f"levels must be at least {MIN_LEVELS} and at most {MAX_LEVELS}")
        if self.size_share is not None and not 0 <= Fraction(self.size_share) <= MAX_SHARE:
            raise ParameterError(f"size_share must be at least 0 and at most 0.5, not {self.size_share}")
        check_choice(self.more, "more", MORE)
        check_choice(self.coin, "coin", COINS)

    @classmethod
    def planned(
        cls,
        keys: int | str,
        values: tuple[float, float] | None,
        levels: Sequence[Numeric] | int | None,
        candidates: int | None,
        *,
        more: str,
        coin: str,
        labels: int | None = None,
        together: bool = False,
    ) -> Question:
        """Return the question of a plan, whose keys are a number or `hashed`, with as many `labels` of a segment."""
        points = _level_points(values, levels)
        derivation = checked_derivation(
            labels, together, keys if isinstance(keys, int) else 0, len(points), listed=keys != HASHED, has_other=False
        )
        if isinstance(keys, int):
            if candidates is not None:
                raise ParameterError("candidates are for hashed keys")
            return cls(keys, points, more, coin=coin, derivation=derivation)
        if keys != HASHED:
            raise ParameterError(f"keys must be a number or {HASHED!r}, not {keys!r}")
        asked = DEFAULT_CANDIDATES if candidates is None else candidates
        if isinstance(asked, bool) or not isinstance(asked, int) or not 1 <= asked <= MAX_KEYS:
            raise ParameterError(f"candidates must be at least 1 and at most 2^31, not {asked!r}")
        return cls(MAX_ITEMS // len(points), points, more, coin=coin, candidates=asked)

    @property
    def levels(self) -> int:
        """How many levels values are reported as; one where keys have no values."""
        return len(self.level_values)

    @property
    def has_values(self) -> bool:
        """Whether keys have values, or are only held."""
        return self.levels > ONE_LEVEL

    @property
    def noun(self) -> str:
        """What people hold: pairs, or keys without values."""
        return "pair" if self.has_values else "key"

    @cached_property
    def scale(self) -> Scale:
        """The levels on [-1, 1]."""
        return Scale.of_values(self.level_values)

    @property
    def cells(self) -> int:
        """How many items a key is told by: one for each label of a segment."""
        return 1 if self.derivation is None else self.derivation.cells

    @property
    def least_padding(self) -> int:
        """The least padding that makes sense: of keys that are asked about together, two."""
        return 1 if self.derivation is None else self.derivation.order

    @property
    def values(self) -> tuple[float, float] | None:
        """The least and the largest value; None where keys have none."""
        return (self.level_values[0], self.level_values[-1]) if self.has_values else None

    @property
    def unit(self) -> float:
        """Half the range of the values: what an error of 1 on [-1, 1] is in their units."""
        return (self.level_values[-1] - self.level_values[0]) / 2

    @property
    def refuses_more(self) -> bool:
        """Whether people may not hold more pairs than the padding."""
        return self.more == REFUSE


def _level_points(values: tuple[float, float] | None, levels: Sequence[Numeric] | int | None) -> tuple[float, ...]:
    """Return what each level is worth, in a range that is named, that of the levels, or -1 to 1.

    Where neither is named, keys have no values.
    """
    if values is None and levels is None:
        return KEY_ALONE
    named = list(levels) if isinstance(levels, tuple | list) else MIN_LEVELS if levels is None else levels
    if values is not None and not values[0] < values[1]:
        raise ParameterError(f"low must be below high: {values[0]} ≥ {values[1]}")
    ends: Sequence[Numeric] = values or UNIT_RANGE
    if values is None and isinstance(named, list) and named:
        ends = named
    low, high = decimal_text(ends[0], "low"), decimal_text(ends[-1], "high")
    return level_values(checked_levels(named, low, high), low, high)


# How frequent keys may be, by name.
NAMED, ZIPF, DECLINING, ALIKE = "named", "zipf", "declining", "alike"
MIN_ANSWERS = 2


@dataclass(frozen=True)
class Scenario:
    """How frequent the keys that matter may be, the most frequent first."""

    shape: str
    frequencies: tuple[float, ...]


@dataclass(frozen=True)
class People:
    """The people who are expected to take part.

    Attributes:
        users: How many there are.
        sizes: How many pairs they hold.
        spectrum: What people who hold that many pairs hold of a key, by its popularity.
        frequencies: The share of people who hold each of the keys that matter, the most frequent first.
        popularities: Those of the same keys.
        is_guess: Whether the frequencies were guessed, by Zipf's law.
        key_count: How many keys there are, or are asked for.
    """

    users: int
    sizes: SetSizes
    spectrum: Spectrum
    frequencies: tuple[float, ...]
    popularities: tuple[float, ...]
    is_guess: bool
    key_count: int

    def __post_init__(self) -> None:
        users = self.users
        if isinstance(users, bool) or not isinstance(users, int) or not 1 <= users <= MAX_USERS:
            raise ParameterError(f"users must be a whole number of at least 1 and at most 10^15, not {users!r}")

    @classmethod
    def expected(cls, question: Question, users: int, sizes: SetSizes, frequency: float | None = None) -> People:
        """Return people who answer a question, whose keys follow Zipf's law unless a frequency is named."""
        keys = question.keys
        spectrum, asked = Spectrum(keys, sizes), question.candidates or keys
        if frequency is None:
            popularities = tuple(1 / rank for rank in range(1, min(keys, TOP_KEYS) + 1))
            frequencies = tuple(max(MIN_FREQUENCY, spectrum.frequency(each)) for each in popularities)
            return cls(users, sizes, spectrum, frequencies, popularities, is_guess=True, key_count=asked)
        if not MIN_FREQUENCY <= frequency <= 1:
            raise ParameterError(f"frequency must be at least {MIN_FREQUENCY:g} and at most 1, not {frequency}")
        popularities = (spectrum.popularity(frequency),)
        return cls(users, sizes, spectrum, (frequency,), popularities, is_guess=False, key_count=asked)

    @cached_property
    def scenarios(self) -> tuple[Scenario, ...]:
        """How frequent the keys that matter may be: as named, or of several guesses that add up to all pairs."""
        if not self.is_guess:
            return (Scenario(NAMED, self.frequencies),)
        matter, pairs = len(self.frequencies), self.sizes.mean
        # A single key is one of two answers: people hold it, or they do not.
        answers = max(matter, MIN_ANSWERS)
        parts = range(matter, 0, -1)
        # No key is held by more people than hold any.
        most = self.sizes.holding
        declining = tuple(min(most, pairs * 2 * part / (answers * (answers + 1))) for part in parts)
        alike = min(most, pairs / max(self.key_count, MIN_ANSWERS))
        return (
            Scenario(ZIPF, self.frequencies),
            Scenario(DECLINING, declining),
            Scenario(ALIKE, (alike,) * matter),
        )

    @property
    def rarest(self) -> float:
        """The least plausible frequency of any of the keys that matter."""
        return min(scenario.frequencies[-1] for scenario in self.scenarios)

    @property
    def hopeless(self) -> float:
        """A frequency that is too large to be the least that stands out.

        It is that of the last in the first quarter of the keys that matter if a few prevail, or twice the one
        that is named.
        """
        if not self.is_guess:
            return min(1.0, 2 * self.frequencies[0])
        return self.frequencies[(len(self.frequencies) - 1) // 4]

    @property
    def typical_frequency(self) -> float:
        """The frequency of the middle one of the keys that matter."""
        return self.frequencies[len(self.frequencies) // 2]

    def rarer(self, factor: float) -> People:
        """The same people, the keys that matter rarer by this factor."""
        frequencies = tuple(max(MIN_FREQUENCY, each / factor) for each in self.frequencies)
        popularities = tuple(self.spectrum.popularity(each) for each in frequencies)
        return replace(self, frequencies=frequencies, popularities=popularities)


@dataclass(frozen=True)
class Wanted:
    """What is wanted: the error that counts, and the most people that a hostile report may count as."""

    objective: str
    most_influence: float | None = None

    def __post_init__(self) -> None:
        check_objective(self.objective)
        check_most_influence(self.most_influence)

    @classmethod
    def of(cls, question: Question, objective: str | None = None, most_influence: float | None = None) -> Wanted:
        """Return what is wanted of a question; keys without values have frequencies alone."""
        return cls(check_objective(objective, has_values=question.has_values), most_influence)


@dataclass(frozen=True)
class Expectations:
    """What mechanism and padding are chosen for: a question, the people who answer it, and what is wanted."""

    question: Question
    people: People
    wanted: Wanted

    @property
    def aim(self) -> Objective:
        """What a mechanism's parameters are tuned for."""
        people = self.people
        return Objective(self.wanted.objective, people.users, people.typical_frequency, self.question.scale)

    def with_users(self, users: int) -> Expectations:
        """The same for another number of people."""
        return replace(self, people=replace(self.people, users=users))

    def shown(self, padding: int) -> tuple[float, ...]:
        """The frequencies that reports show with this padding: less than all where people hold more pairs."""
        if padding not in self._shown:
            people = self.people
            seen = {each: self._seen(each, padding) for each in set(people.popularities)}
            self._shown[padding] = tuple(
                frequency * seen[each] for each, frequency in zip(people.popularities, people.frequencies, strict=True)
            )
        return self._shown[padding]

    @cached_property
    def _shown(self) -> dict[int, tuple[float, ...]]:
        """The frequencies shown, by padding: all mechanisms are asked about the same ones."""
        return {}

    def seen(self, frequency: float, padding: int) -> float:
        """The share of a key's frequency that reports show with this padding."""
        return self._seen(self.people.spectrum.popularity(frequency), padding)

    def least_seen(self, padding: int) -> float:
        """The share of the rarest key's frequency that reports show: people with many pairs hold more of those."""
        return self._seen(1 / self.question.keys, padding)

    def surely_seen(self, padding: int) -> float:
        """The share of the rarest key's frequency that reports show, also if sizes have a longer tail than is assumed.

        Where no more than an average is known, sizes without a limit are considered, too.
        """
        sizes, seen = self.people.sizes, self.least_seen(padding)
        if sizes.known_from is not None or self.question.refuses_more:
            return seen
        keys = self.question.keys
        most = min(keys, math.ceil(LONG_TAIL * sizes.mean / sizes.holding))
        tail = SetSizes.assumed(sizes.mean, most, keys, sizes.holding)
        return min(seen, Spectrum(keys, tail).seen(1 / keys, padding))

    def _seen(self, popularity: float, padding: int) -> float:
        return 1.0 if self._shows_all(padding) else self.people.spectrum.seen(popularity, padding)

    def _shows_all(self, padding: int) -> bool:
        """Whether no person holds more than a report stands for."""
        return self.question.refuses_more or padding >= self.people.sizes.largest

    def shown_together(self, padding: int) -> tuple[tuple[float, float], ...]:
        """The shares of people who hold two of the keys that matter, the largest first, and what reports show of them.

        Where one frequency is named, both keys have it.
        """
        known = self.people.popularities
        found = (
            self.people.spectrum.together(first, second, None if self._shows_all(padding) else padding)
            for first, second in (combinations(known, 2) if len(known) > 1 else [(known[0], known[0])])
        )
        return tuple(sorted(found, reverse=True))

    @property
    def assumes_one_pair(self) -> bool:
        """Whether people are taken to hold one pair each although nothing keeps them from holding more."""
        sizes, question = self.people.sizes, self.question
        return sizes.largest == 1 and sizes.known_from is None and question.keys > 1 and not question.refuses_more

    @property
    def sentence(self) -> str:
        """What was assumed, for people to read."""
        return self.assumed(people_text(self.people.users))

    def assumed(self, people: str) -> str:
        """What was assumed of people who are counted in these words."""
        return f"Assumed: {people}, {self._pairs_text}; {self._frequencies_text}.{self._reservation}"

    @property
    def _pairs_text(self) -> str:
        """How many pairs people hold; where some hold none, how many the others do."""
        sizes, holding = self.people.sizes, self.people.sizes.holding
        least, per_person = sizes.smallest_held, "" if sizes.smallest == 0 else " per person"
        noun = self.question.noun
        held = f"{plural(sizes.largest, noun)}{per_person}"
        if least < sizes.largest:
            held = f"{least:,} to {sizes.largest:,} {noun}s{per_person}, {sizes.mean / holding:.3g} on average"
        if sizes.smallest > 0:
            return held
        return f"of whom {percent(holding)} hold any {noun}: {held} ({sizes.mean:.3g} over all people)"

    @property
    def _frequencies_text(self) -> str:
        frequencies, question = self.people.frequencies, self.question
        if question.keys == 1:
            least = f", or by as few as {percent(self.people.rarest)}" if self.people.is_guess else ""
            return f"the key is held by {percent(frequencies[0])}{least}"
        if frequencies[0] == frequencies[-1]:
            return f"the keys that matter are held by {percent(frequencies[0])} each"
        which = f"of {question.keys:,} keys" if question.candidates is None else "key"
        return (
            f"the most frequent {which} is held by {percent(frequencies[0])}, "
            f"number {len(frequencies)} by {percent(frequencies[-1])}"
        )

    @property
    def _reservation(self) -> str:
        """What is wrong with frequencies that were guessed from the sizes that an earlier task measured."""
        least = self.people.sizes.counted_from
        if least == 1 or len(self.people.frequencies) == 1:
            return ""
        return (
            f" A person with fewer than {least:,} pairs in the earlier task is counted as if they held "
            f"{least:,}, so these frequencies and what follows from them may be too high: give the "
            "frequency of the keys that matter if you know it."
        )


def people_text(users: int, panels: int = 1) -> str:
    """Return how many people there are, and in each round where they take turns in panels.

    >>> people_text(1), people_text(800, panels=4)
    ('1 person', '800 people, about 200 in each round')
    """
    each = "" if panels == 1 else f", about {users // panels:,} in each round"
    return f"{users:,} {'person' if users == 1 else 'people'}{each}"


def expect(
    keys: int,
    *,
    users: int = DEFAULT_USERS,
    pairs: float | None = None,
    most_pairs: int | None = None,
    holding: float | None = None,
    sizes: SetSizes | Mapping[int, float] | None = None,
    frequency: float | None = None,
    objective: str | None = None,
    padding: int | None = None,
    more: str = SAMPLE,
    size_share: Numeric | None = None,
    coin: str = DEVICE_COIN,
    most_influence: float | None = None,
    levels: int | Sequence[float] = MIN_LEVELS,
    candidates: int | None = None,
    derivation: Derivation | None = None,
) -> Expectations:
    """Return what is to be expected, from the keywords of a task, with defaults for what is not known.

    `plan` explains them. Where a padding is named and no number of pairs, people who hold any are taken to hold as
    many.

    Raises:
        ParameterError: if a number is outside its domain, or sizes are given twice.
    """
    level_points = tuple(range(levels)) if isinstance(levels, int) else tuple(levels)
    share = None if size_share is None else decimal_text(size_share, "size_share")
    question = Question(keys, level_points, more, share, coin, candidates, derivation)
    padding = max(padding or 1, question.least_padding)
    held = expected_sizes(keys, pairs, most_pairs, sizes, padding, holding=holding, frequency=frequency, more=more)
    wanted = Wanted.of(question, objective, most_influence)
    return Expectations(question, People.expected(question, users, held, frequency), wanted)


def expected_sizes(
    keys: int,
    pairs: float | None = None,
    most_pairs: int | None = None,
    sizes: SetSizes | Mapping[int, float] | None = None,
    padding: int | None = None,
    *,
    holding: float | None = None,
    frequency: float | None = None,
    more: str = SAMPLE,
) -> SetSizes:
    """Return how many of some keys people hold, from what is said of it, and of a key's frequency and larger sets."""
    if sizes is not None:
        if pairs is not None or most_pairs is not None:
            raise ParameterError("sizes say how many pairs people hold: give no number of pairs in addition")
        if holding is not None:
            raise ParameterError("sizes say how many people hold any pair: give no share that does in addition")
        known = SetSizes.of(sizes).at_most(keys)
        _check_frequency(frequency, known.holding)
        return known
    if holding is not None:
        _check_holding(holding, frequency)
    if most_pairs is not None and not 1 <= most_pairs <= keys:
        raise ParameterError(
            f"most pairs must be at least 1 and at most the number of keys ({keys:,}), not {most_pairs}"
        )
    if pairs is None:
        # All who hold any pair are alike in what is not said of them.
        held = 1 if holding is None else holding
        if most_pairs is None:
            return SetSizes({0: 1 - held, min(padding or 1, keys): held}, known_from=None)
        return SetSizes.assumed(held * (1 + most_pairs) / 2, most_pairs, keys, held)
    if holding is None:
        least = 1 if more == REFUSE else min(MIN_PAIRS_OF_HOLDERS, most_pairs or keys, keys)
        holding = _assumed_holding(pairs, least, frequency)
    return SetSizes.assumed(pairs, most_pairs, keys, holding)


def _check_holding(holding: float, frequency: float | None) -> None:
    if not MIN_SHARE <= holding <= 1:
        raise ParameterError(
            f"holding, the share of people who hold any pair, must be at least {MIN_SHARE:f} and at most 1, "
            f"not {holding:g}"
        )
    _check_frequency(frequency, holding)


def _check_frequency(frequency: float | None, holding: float) -> None:
    # Shares of a histogram add up to 1 but for rounding.
    if frequency is not None and holding < min(frequency, 1 - 1e-9):
        raise ParameterError(
            f"frequency must be at most the share of people who hold any pair ({holding:g}), not {frequency:g}"
        )


def _assumed_holding(pairs: float, least: int, frequency: float | None) -> float:
    """Return the share of people who hold any pair where that is not said.

    All do if they then hold at least this many on average. Otherwise some may hold none: with a padding for fewer
    pairs, most of what the others hold would be hidden.
    """
    if frequency is not None and pairs < frequency <= 1:
        raise ParameterError(f"pairs must be at least the frequency of a key ({frequency:g}), not {pairs:g}")
    return min(1.0, max(pairs / least, frequency or 0.0)) if pairs > 0 else 1.0
