"""What a plan assumes of the people: how many, how many pairs they hold, and how frequent the keys that matter are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from pckv.base.canonical import decimal_text
from pckv.base.errors import ParameterError
from pckv.base.limits import (
    DEFAULT_OBJECTIVE,
    DEFAULT_USERS,
    DEVICE_COIN,
    MAX_KEYS,
    MAX_LEVELS,
    MIN_LEVELS,
    REFUSE,
    SAMPLE,
    Numeric,
    check_coin,
    check_more,
)
from pckv.base.words import percent
from pckv.mechanisms.size_question.law import MAX_SHARE
from pckv.planning.influence import check_most_influence
from pckv.planning.prediction import Objective, check_objective
from pckv.planning.set_sizes import SetSizes, Spectrum
from pckv.statistics.moments import Scale, equal_scale

# The keys that people look at: a plan is made for the most frequent ones.
TOP_KEYS = 10
MAX_USERS = 10**15
MIN_FREQUENCY = 1e-9
# The two levels of the paper.
SIGN_SCALE = equal_scale(MIN_LEVELS)


@dataclass(frozen=True)
class Expectations:
    """The people that a plan is made for, and what is wanted of them.

    Attributes:
        keys: The number of keys.
        users: How many people take part.
        sizes: How many pairs they hold.
        spectrum: What people who hold that many pairs hold of a key, by its popularity.
        popularities: Of the keys that matter, the most frequent first.
        frequencies: The share of people who hold each of them.
        objective: The error that counts.
        more: What happens to somebody with more pairs than the padding.
        size_share: The share of reports that answers the size question, as a task has it; None to choose it.
        coin: Who draws the public function of a report.
        most_influence: As how many people one hostile report may count for a key; None for any number.
        scale: The levels that values are reported as, from -1 to 1.
        candidates: How many hashed keys are asked for; None where keys are listed.
    """

    keys: int
    users: int
    sizes: SetSizes
    spectrum: Spectrum
    popularities: tuple[float, ...]
    frequencies: tuple[float, ...]
    objective: str
    more: str
    size_share: str | None = None
    coin: str = DEVICE_COIN
    most_influence: float | None = None
    scale: Scale = SIGN_SCALE
    candidates: int | None = None

    @property
    def levels(self) -> int:
        """How many levels values are reported as."""
        return len(self.scale.values)

    @property
    def refuse_more(self) -> bool:
        """Whether nobody may hold more pairs than the padding."""
        return self.more == REFUSE

    @cached_property
    def typical_frequency(self) -> float:
        """The frequency of the middle one of the keys that matter."""
        return self.frequencies[len(self.frequencies) // 2]

    @property
    def aim(self) -> Objective:
        """What a mechanism's parameters are tuned for."""
        return Objective(self.objective, self.users, self.typical_frequency, self.scale)

    def shown(self, padding: int) -> tuple[float, ...]:
        """The frequencies that reports show with this padding: less than all where people hold more pairs."""
        if padding not in self._shown:
            self._shown[padding] = self._show(padding)
        return self._shown[padding]

    @cached_property
    def _shown(self) -> dict[int, tuple[float, ...]]:
        """The frequencies shown, by padding: all mechanisms are asked about the same ones."""
        return {}

    def _show(self, padding: int) -> tuple[float, ...]:
        seen = {each: self._seen(each, padding) for each in set(self.popularities)}
        return tuple(
            frequency * seen[each]
            for each, frequency in zip(self.popularities, self.frequencies, strict=True)
        )

    def seen(self, frequency: float, padding: int) -> float:
        """The share of a key's frequency that reports show with this padding."""
        return self._seen(self.spectrum.popularity(frequency), padding)

    def _seen(self, popularity: float, padding: int) -> float:
        complete = self.refuse_more or padding >= self.sizes.largest
        return 1.0 if complete else self.spectrum.seen(popularity, padding)

    def rarer(self, factor: float) -> Expectations:
        """The same people, the keys that matter rarer by this factor."""
        frequencies = tuple(max(MIN_FREQUENCY, each / factor) for each in self.frequencies)
        popularities = tuple(self.spectrum.popularity(each) for each in frequencies)
        return replace(self, frequencies=frequencies, popularities=popularities)

    @property
    def sentence(self) -> str:
        """What was assumed, for people to read."""
        people = f"{self.users:,} {'person' if self.users == 1 else 'people'}"
        return f"Assumed: {people}, {self._pairs}; {self._frequencies}.{self._reservation}"

    @property
    def _pairs(self) -> str:
        largest = self.sizes.largest
        if self.sizes.smallest == largest:
            return f"{largest:,} {'pair' if largest == 1 else 'pairs'} per person"
        return f"{self.sizes.smallest:,} to {largest:,} pairs per person, {self.sizes.mean:.3g} on average"

    @property
    def _frequencies(self) -> str:
        first, last = self.frequencies[0], self.frequencies[-1]
        if first == last:
            return f"the keys that matter are held by {percent(first)} each"
        which = f"of {self.keys:,} keys" if self.candidates is None else "key"
        return (
            f"the most frequent {which} is held by {percent(first)}, "
            f"number {len(self.frequencies)} by {percent(last)}"
        )

    @property
    def _reservation(self) -> str:
        """What is wrong with frequencies that were guessed from the sizes that an earlier task measured."""
        least = self.sizes.counted_from
        if least == 1 or len(self.frequencies) == 1:
            return ""
        return (
            f" Everybody with fewer than {least:,} pairs in the earlier task is counted as if they held {least:,}, so these "
            "frequencies and what follows from them may be too high: give the frequency of the keys that matter if you know it."
        )


def expect(
    keys: int,
    *,
    users: int = DEFAULT_USERS,
    pairs: float | None = None,
    most_pairs: int | None = None,
    sizes: SetSizes | Mapping[int, float] | None = None,
    frequency: float | None = None,
    objective: str = DEFAULT_OBJECTIVE,
    padding: int | None = None,
    more: str = SAMPLE,
    size_share: Numeric | None = None,
    coin: str = DEVICE_COIN,
    most_influence: float | None = None,
    levels: int | Sequence[float] = MIN_LEVELS,
    candidates: int | None = None,
) -> Expectations:
    """Return what is to be expected of the people, with defaults for what is not known.

    Args:
        keys: The number of keys.
        users: How many people take part.
        pairs: How many pairs people hold on average; 1 if nothing is said, or the padding where one is named.
        most_pairs: How many they hold at most; by default three times the average.
        sizes: How many people hold how many pairs, in place of both.
        frequency: The frequency of the keys that matter; by default Zipf's law, adding up to the average size.
        objective: The error that counts: `frequency`, `mean`, `both` (their geometric mean), or `mse` (of frequencies,
            also where a bias makes it smaller).
        padding: The padding that was named, if any.
        more: What happens to somebody with more pairs than the padding: `sample`, or `refuse`, where the padding is
            what all of them fit into.
        size_share: The share of reports that answers the size question; chosen by default.
        coin: Who draws the public function of a report: the `device`, or the `server`, by coins.
        most_influence: As how many people one hostile report may count for a key.
        levels: How many levels values are reported as, equally spaced, or what each of them is worth.
        candidates: How many keys are asked for where any text is a key; None where keys are listed.

    Raises:
        ParameterError: if a number is outside its domain, or sizes are given twice.
    """
    _check(keys, users, frequency)
    people = _sizes(keys, pairs, most_pairs, sizes, padding)
    spectrum = Spectrum(keys, people)
    if frequency is None:
        popularities = tuple(1 / rank for rank in range(1, min(keys, TOP_KEYS) + 1))
        frequencies = tuple(max(MIN_FREQUENCY, spectrum.frequency(each)) for each in popularities)
    else:
        popularities, frequencies = (spectrum.popularity(frequency),), (frequency,)
    return Expectations(
        keys,
        users,
        people,
        spectrum,
        popularities,
        frequencies,
        check_objective(objective),
        check_more(more),
        None if size_share is None else _checked_share(size_share),
        check_coin(coin),
        check_most_influence(most_influence),
        _checked_scale(levels),
        candidates,
    )


def _checked_scale(levels: int | Sequence[float]) -> Scale:
    count = levels if isinstance(levels, int) else len(levels)
    if not MIN_LEVELS <= count <= MAX_LEVELS:
        raise ParameterError(f"levels must be at least {MIN_LEVELS} and at most {MAX_LEVELS}")
    return equal_scale(levels) if isinstance(levels, int) else Scale.of_values(levels)


def _sizes(
    keys: int,
    pairs: float | None,
    most_pairs: int | None,
    sizes: SetSizes | Mapping[int, float] | None,
    padding: int | None,
) -> SetSizes:
    if sizes is not None:
        if pairs is not None or most_pairs is not None:
            raise ParameterError("sizes say how many pairs people hold: give no number of pairs in addition")
        return SetSizes.of(sizes).at_most(keys)
    if pairs is None and most_pairs is None:
        return SetSizes({min(padding or 1, keys): 1})
    if most_pairs is not None and not 1 <= most_pairs <= keys:
        raise ParameterError(
            f"most pairs must be at least 1 and at most the number of keys ({keys:,}), not {most_pairs}"
        )
    if pairs is None and most_pairs is not None:
        pairs = (1 + most_pairs) / 2
    return SetSizes.assumed(1 if pairs is None else pairs, most_pairs, keys)


def _checked_share(share: Numeric) -> str:
    text = decimal_text(share, "size_share")
    if not 0 <= Fraction(text) <= MAX_SHARE:
        raise ParameterError(f"size_share must be at least 0 and at most 0.5, not {text}")
    return text


def _check(keys: int, users: int, frequency: float | None) -> None:
    if not 1 <= keys <= MAX_KEYS:
        raise ParameterError(f"keys must be at least 1 and at most 2^31, not {keys}")
    if isinstance(users, bool) or not isinstance(users, int) or not 1 <= users <= MAX_USERS:
        raise ParameterError(f"users must be a whole number of at least 1 and at most 10^15, not {users!r}")
    if frequency is not None and not MIN_FREQUENCY <= frequency <= 1:
        raise ParameterError(f"frequency must be at least {MIN_FREQUENCY:g} and at most 1, not {frequency}")
