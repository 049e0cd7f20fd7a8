"""What device and server must agree on for one mechanism.

A law carries its claim and its exact law, in integers: the sampler draws from the
thresholds that the law is written in, and the audit runs the sampler against the law.
"""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import FrozenInstanceError
from fractions import Fraction
from functools import cached_property
from math import floor
from typing import Any, ClassVar, NamedTuple, Self, TypeAlias

from pckv.base.budget import allocate, epsilon_of
from pckv.base.errors import ParameterError
from pckv.base.limits import MAX_KEYS, MAX_LEVELS, MIN_LEVELS, ONE_LEVEL
from pckv.base.wire import MessageFormat

# Probabilities are integers out of 2^64; other sizes exist for exhaustive tests only.
THRESHOLD_BITS = 64

# A message is what a report says, as one integer; its bytes are the report's body.
# What a participant holds: the number of the level of each of their keys, 0 being that of the least value.
HeldLevels = Mapping[int, int]

# An exact fraction, or a float where a chance is only predicted.
Chance: TypeAlias = Any


class FunctionCount(int):
    """The number of public hash functions: its type lets an audit tell the draw of a function from others."""


class MessageDistribution(NamedTuple):
    """An exact distribution of messages: integer weights out of a total."""

    weights: Mapping[int, int]
    total: int


class Support(NamedTuple):
    """How one report supports the levels of one key: the chances of single levels, and of two together.

    `own` is the chance of the level that its sender holds, and `other` that of any other one; both are equal
    for a key that the sender does not hold. Every mechanism treats the levels alike. `numbers` are the
    chances that 0, 1, … levels are supported.
    """

    levels: int
    own: Chance
    other: Chance
    own_and_other: Chance
    two_others: Chance
    numbers: tuple[Chance, ...]

    @classmethod
    def exclusive(cls, levels: int, own: Chance, other: Chance) -> Support:
        """Return the law where a report supports one level of a key at most."""
        once = own + (levels - 1) * other
        return cls(levels, own, other, 0 * own, 0 * own, (1 - once, once))

    @classmethod
    def overlapping(cls, own: Chance, other: Chance, both: Chance) -> Support:
        """Return the law of two levels that are supported together with the chance `both`."""
        once = own + other - 2 * both
        return cls(2, own, other, both, both, (1 - once - both, once, both))

    @classmethod
    def independent(cls, levels: int, own: Chance, other: Chance) -> Support:
        """Return the law where levels are supported independently of each other."""
        numbers = [1 - own, own]
        for _ in range(levels - 1):
            numbers = [
                (1 - other) * same + other * fewer
                for same, fewer in zip([*numbers, 0 * own], [0 * own, *numbers], strict=True)
            ]
        return cls(levels, own, other, own * other, other * other, tuple(numbers))

    def mixed(self, unlike: Support, share: Chance) -> Support:
        """Return the law that is this one with the chance `share`, and otherwise another of the same kind."""

        def mix(mine: Chance, theirs: Chance) -> Chance:
            return share * mine + (1 - share) * theirs

        return Support(
            self.levels,
            mix(self.own, unlike.own),
            mix(self.other, unlike.other),
            mix(self.own_and_other, unlike.own_and_other),
            mix(self.two_others, unlike.two_others),
            tuple(map(mix, self.numbers, unlike.numbers)),
        )


class CountLaw(NamedTuple):
    """The joint law of the counts of a key's levels, one report at a time, sampling included.

    `holder` is the law for a holder of the key (the reported pair may be another of theirs), `absent` for a
    participant who does not hold it. Holders are assumed to hold at most as many pairs as the padding.
    """

    holder: Support
    absent: Support
    padding: int = 1

    def pooled(self, keys: int) -> CountLaw:
        """Return the law of several keys as one, of whom each holder holds one.

        Any two levels, of one key or of two, must be supported independently of each other, or never together.
        """
        holder, absent = (
            (Support.independent if each.own_and_other else Support.exclusive)(keys * each.levels, each.own, each.other)
            for each in (self.holder, self.absent)
        )
        return self._replace(holder=holder, absent=absent)


class JointSupport(NamedTuple):
    """The chances that one report supports two given items: its sender holds both, one of them, or neither.

    `own` is the chance of a single item that is held, and `other` that of one that is not.
    """

    both: Chance
    one: Chance
    neither: Chance
    own: Chance
    other: Chance


class Bounds(NamedTuple):
    """The least and the most that a number can be."""

    least: Chance
    most: Chance

    @classmethod
    def of(cls, *numbers: Chance) -> Bounds:
        """Return the bounds of some numbers."""
        return cls(min(numbers), max(numbers))


class SupportBounds(NamedTuple):
    """What one report of pairs supports on average, at least and at most, whatever its sender holds.

    `item` is the chance that it supports a given level of a given key, `key` the expected number of levels of
    a key, and `total` that of the levels of all keys together. Larger sets than the padding are included.
    """

    item: Bounds
    key: Bounds
    total: Bounds


class Probabilities(NamedTuple):
    """The paper's a, b and p, exactly as the integers realise them, for two levels.

    Where a report may support both, a and b count it twice. With more levels, a and b add up all of a key's
    levels, and p is the chance that a supported one is the one held.
    """

    a: Fraction
    b: Fraction
    p: Fraction


class _FrozenWhenBuilt(ABCMeta):
    """Make instances unchangeable once their constructor has returned."""

    def __call__(cls, *args: Any, **options: Any) -> Any:
        built = super().__call__(*args, **options)
        vars(built)["_built"] = True
        return built


class Law(metaclass=_FrozenWhenBuilt):
    """One mechanism for given numbers of keys and padding at a given ε: a value, like its task."""

    name: ClassVar[str]
    # The parameters that a task may give.
    options: ClassVar[frozenset[str]]
    # The most levels that a value can have.
    max_levels: ClassVar[int] = MAX_LEVELS
    # The most keys that it takes.
    max_keys: ClassVar[int] = MAX_KEYS
    # Whether the count law is exact, or leaves out what is measured.
    exactly_uniform = True
    # The number of public functions, where a report names one: its word is then function·symbols + symbol.
    functions: FunctionCount | None = None

    def __init__(
        self, keys: int, padding: int, epsilon: Fraction, *, levels: int = 2, bits: int = THRESHOLD_BITS
    ) -> None:
        if levels > self.max_levels:
            raise ParameterError(f"mechanism {self.name!r} takes {self.max_levels} levels, not {levels}")
        self.keys = keys
        self.padding = padding
        self.epsilon = epsilon
        self.levels = levels
        self.bits = bits
        self.one = 1 << bits

    def __setattr__(self, name: str, value: object) -> None:
        if "_built" in vars(self):
            raise FrozenInstanceError(f"cannot assign to field {name!r}")
        super().__setattr__(name, value)

    @classmethod
    def from_parameters(
        cls,
        keys: int,
        padding: int,
        epsilon: Fraction,
        parameters: Mapping[str, object],
        *,
        levels: int = 2,
        bits: int = THRESHOLD_BITS,
    ) -> Self:
        """Build the law from a task's parameters; what is not given takes its default."""
        for unknown in sorted(set(parameters) - cls.options):
            raise ParameterError(f"mechanism {cls.name!r} has no parameter {unknown!r}")
        return cls(keys, padding, epsilon, levels=levels, bits=bits, **cls.read(parameters))

    @classmethod
    def read(cls, parameters: Mapping[str, object]) -> dict[str, Any]:
        """What the constructor is given of a task's parameters: whole numbers, which it checks."""
        for name in sorted(parameters):
            # The constructor would take its default.
            if parameters[name] is None:
                raise ParameterError(f"{name} must be a whole number, not None")
        return dict(parameters)

    @property
    @abstractmethod
    def parameters(self) -> dict[str, str | int]:
        """What the task must fix besides the name of the mechanism."""

    @property
    @abstractmethod
    def claim(self) -> Fraction:
        """e^ε as the theorem promises it."""

    @property
    @abstractmethod
    def realised(self) -> Fraction:
        """e^ε of the integers, in closed form: never above the claim."""

    @property
    @abstractmethod
    def blanket(self) -> Fraction:
        """γ of the integers: every law is from γ to γ·`realised` times one law (proofs/shuffling.md)."""

    @property
    @abstractmethod
    def message_format(self) -> MessageFormat:
        """How a report's message is encoded: as a word, or as bit planes."""

    @property
    def word_limit(self) -> int | None:
        """Words are below this; None where a message is not a word."""
        return None

    @property
    def body_bytes(self) -> int:
        """The bytes of a report's body: 8 for a word."""
        return self.message_format.body_bytes

    @property
    @abstractmethod
    def draws(self) -> int:
        """The 64-bit draws that making a report takes, unless one is rejected."""

    @property
    @abstractmethod
    def count_law(self) -> CountLaw:
        """The exact law of the counts of a key's levels."""

    @property
    @abstractmethod
    def support_bounds(self) -> SupportBounds:
        """What a report supports at least and at most, whatever its sender holds (proofs/alarms.md)."""

    @property
    @abstractmethod
    def probabilities(self) -> Probabilities:
        """The paper's a, b and p."""

    @property
    @abstractmethod
    def budgets(self) -> dict[str, float]:
        """How ε is spent, by purpose."""

    def distribution(self, held: HeldLevels) -> MessageDistribution:
        """The exact law of the messages of a participant who holds these levels of keys, by message."""
        return MessageDistribution(
            {message: self.weight(held, message) for message in self.messages()}, self.total(held)
        )

    def chance(self, held: HeldLevels, message: int) -> Fraction:
        """The exact probability of one message of a participant who holds these levels of keys."""
        return Fraction(self.weight(held, message), self.total(held))

    def messages(self) -> Iterable[int]:
        """All messages."""
        return range(self.word_limit or 0)

    @abstractmethod
    def weight(self, held: HeldLevels, message: int) -> int:
        """The probability of a message of a participant who holds these levels of keys, out of `total`."""

    @abstractmethod
    def total(self, held: HeldLevels) -> int:
        """What the weights of all messages sum to."""

    @property
    @abstractmethod
    def counted_dummies(self) -> int:
        """How many dummies reports show; they are numbered after the keys."""

    @property
    def decodes_all(self) -> bool:
        """Whether the counts of all keys can be found together."""
        return True

    @property
    def steps_per_report(self) -> int:
        """The most counters that counting one report adds to."""
        return 1

    @abstractmethod
    def max_support(self, targets: int) -> int:
        """How much one hostile report can add to the counts of all levels of these target keys together."""


class ItemLaw(Law):
    """A mechanism that reports derived items, of which shares within each other are asked for."""

    @abstractmethod
    def joint_support(self, other: Chance) -> JointSupport:
        """Return how often a report supports two items, given how often one that its sender does not hold."""


class SamplingLaw(Law):
    """A mechanism that pads, samples one pair and perturbs it."""

    @property
    @abstractmethod
    def sampled(self) -> Support:
        """How a report supports the key of the pair that was sampled."""

    @property
    @abstractmethod
    def unsampled(self) -> Support:
        """How a report supports any key that was not sampled."""

    @cached_property
    def probabilities(self) -> Probabilities:
        any_level = self.sampled.own + (self.levels - 1) * self.sampled.other
        noise = self.levels * self.unsampled.other
        return Probabilities(a=any_level, b=noise, p=self.sampled.own / any_level)

    @cached_property
    def count_law(self) -> CountLaw:
        holder = self.sampled.mixed(self.unsampled, Fraction(1, self.padding))
        return CountLaw(holder, self.unsampled, self.padding)

    @cached_property
    def support_bounds(self) -> SupportBounds:
        # A pair of a larger set is sampled less often than one of as many as the padding, and a dummy says of
        # all keys what any other pair says.
        holder, absent = self.count_law.holder, self.count_law.absent
        others = self.levels - 1
        sampled, noise = self.probabilities.a, self.probabilities.b
        other_levels = (holder.other,) if others else ()
        return SupportBounds(
            item=Bounds.of(holder.own, *other_levels, absent.other),
            key=Bounds.of(holder.own + others * holder.other, noise),
            total=Bounds.of(self.keys * noise, (self.keys - 1) * noise + sampled),
        )

    def weight(self, held: HeldLevels, message: int) -> int:
        """Mix the probabilities of everything that padding-and-sampling may pick."""
        dummies = max(self.padding - len(held), 0)
        of_dummies = dummies * self.dummy_weight(message) if dummies else 0
        return 2 * self.padding * self.pairs_weight(message, held) + of_dummies

    def pairs_weight(self, message: int, held: HeldLevels) -> int:
        """The probabilities of a message once any of these pairs was sampled, added up."""
        return sum(self.pair_weight(message, key, level) for key, level in held.items())

    def total(self, held: HeldLevels) -> int:
        return max(len(held), self.padding) * 2 * self.padding * self.pair_total

    @property
    @abstractmethod
    def pair_total(self) -> int:
        """What the weights of all messages sum to once a pair was sampled."""

    @abstractmethod
    def pair_weight(self, message: int, key: int, level: int) -> int:
        """The probability of a message once this pair was sampled, out of `pair_total`."""

    @property
    def dummy_levels(self) -> tuple[int, int]:
        """The two equally likely levels of a dummy: the first two, or twice the only one."""
        return 0, min(1, self.levels - 1)

    @abstractmethod
    def dummy_weight(self, message: int) -> int:
        """The same once a dummy was sampled, summed over all ℓ dummies with each of their two levels.

        A dummy has either of the first two levels, with equal chances: where there is one, it counts twice.
        """


class AllocatedLaw(SamplingLaw):
    """A mechanism of the paper: ε is split between the sampled key and its value."""

    options = frozenset({"allocation"})
    # Only PCKV-GRR gains privacy from padding; PCKV-UE's budgets are those of padding 1.
    padding_amplifies: ClassVar[bool]

    def __init__(
        self,
        keys: int,
        padding: int,
        epsilon: Fraction,
        allocation: str = "optimized",
        *,
        levels: int = 2,
        bits: int = THRESHOLD_BITS,
    ) -> None:
        super().__init__(keys, padding, epsilon, levels=levels, bits=bits)
        if levels != MIN_LEVELS and allocation != "optimized":
            raise ParameterError(f"allocation {allocation!r} has two levels, not {levels}: take 'optimized'")
        self.allocation = allocation
        self.amplification = padding if self.padding_amplifies else 1
        self.budget = allocate(allocation, epsilon, self.amplification)

    @classmethod
    def read(cls, parameters: Mapping[str, object]) -> dict[str, Any]:
        return {"allocation": str(parameters.get("allocation", "optimized"))}

    @property
    def parameters(self) -> dict[str, str | int]:
        return {"allocation": self.allocation}

    @property
    def claim(self) -> Fraction:
        return self.budget.composed(self.amplification)

    @property
    def budgets(self) -> dict[str, float]:
        """How ε is split between key and value; without values, all of it is the key's."""
        if self.levels == ONE_LEVEL:
            return {"key": epsilon_of(self.budget.value)}
        return {"key": epsilon_of(self.budget.key), "value": epsilon_of(self.budget.value)}


def response_threshold(one: int, bound: Fraction, symbols: int, true: int = 1) -> int:
    """Plain randomized response: the threshold out of `one` of answering one of the true symbols.

    Each of those is `bound` times as likely as any other of all symbols, or a little less: rounded down.
    """
    return floor(one * true * bound / (true * bound + symbols - true))
