"""What device and server must agree on for one mechanism.

A channel carries its claim and its exact law, in integers: the sampler draws from the
thresholds that the law is written in, and the audit runs the sampler against the law.
"""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import FrozenInstanceError, dataclass
from fractions import Fraction
from functools import cached_property
from math import floor
from typing import Any, ClassVar, NamedTuple, Self

from pckv.budget import allocate, epsilon_of
from pckv.errors import ParameterError
from pckv.limits import MAX_KEYS
from pckv.wire import MessageFormat

# Probabilities are integers out of 2^64; other sizes exist for exhaustive tests only.
THRESHOLD_BITS = 64

# A message is what a report says, as one integer; its bytes are the report's body.
Signs = Mapping[int, int]


class FunctionCount(int):
    """The number of public hash functions. A type of its own lets an audit tell the draw of a function from others."""


class Law(NamedTuple):
    """An exact distribution of messages: integer weights out of a total."""

    weights: Mapping[int, int]
    total: int


@dataclass(frozen=True, slots=True)
class Support:
    """Chances that one report supports ⟨key, +⟩ alone, ⟨key, -⟩ alone, or both."""

    plus: Fraction
    minus: Fraction
    both: Fraction = Fraction(0)

    def mirrored(self) -> Support:
        """The same law for the other sign."""
        return Support(self.minus, self.plus, self.both)


@dataclass(frozen=True, slots=True)
class CountLaw:
    """The joint law of a key's counts (n1, n2), one report at a time, sampling included.

    `holder_plus` is the law for a holder of the key with sign + (the reported pair may be
    another of theirs), `absent` for somebody who does not hold it. Holders are assumed to hold
    at most as many pairs as the padding.
    """

    holder_plus: Support
    absent: Support

    @property
    def holder_minus(self) -> Support:
        """The law for a holder with sign -: every mechanism treats the signs alike."""
        return self.holder_plus.mirrored()


class Probabilities(NamedTuple):
    """The paper's a, b and p, exactly as the integers realise them.

    Where a report may support both signs, a and b count it twice.
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


class Channel(metaclass=_FrozenWhenBuilt):
    """One mechanism for given numbers of keys and padding at a given ε: a value, like the task that holds it."""

    name: ClassVar[str]
    # The parameters that a task may give.
    options: ClassVar[frozenset[str]]
    # The most keys that it takes.
    max_keys: ClassVar[int] = MAX_KEYS
    # Whether the count law is exact, or leaves out what is measured.
    exactly_uniform = True
    # How many public functions there are, where a report names one: its word is then function·symbols + symbol.
    functions: FunctionCount | None = None

    def __init__(self, keys: int, padding: int, epsilon: Fraction, bits: int = THRESHOLD_BITS) -> None:
        self.keys = keys
        self.padding = padding
        self.epsilon = epsilon
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
        bits: int = THRESHOLD_BITS,
    ) -> Self:
        """Build the channel from a task's parameters; what is not given takes its default."""
        for unknown in sorted(set(parameters) - cls.options):
            raise ParameterError(f"mechanism {cls.name!r} has no parameter {unknown!r}")
        return cls(keys, padding, epsilon, bits=bits, **cls.read(parameters))

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
        """γ of the integers: every law of a report is from γ to γ·`realised` times one law (proofs/shuffling.md)."""

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
        """The exact law of a key's two counts."""

    @property
    @abstractmethod
    def probabilities(self) -> Probabilities:
        """The paper's a, b and p."""

    @property
    @abstractmethod
    def budgets(self) -> dict[str, float]:
        """How ε is spent, by purpose."""

    def law(self, signs: Signs) -> Law:
        """The exact law of the message of somebody who holds these signed keys, message by message."""
        return Law({message: self.weight(signs, message) for message in self.messages()}, self.total(signs))

    def chance(self, signs: Signs, message: int) -> Fraction:
        """The exact probability of one message of somebody who holds these signed keys."""
        return Fraction(self.weight(signs, message), self.total(signs))

    def messages(self) -> Iterable[int]:
        """All messages."""
        return range(self.word_limit or 0)

    @abstractmethod
    def weight(self, signs: Signs, message: int) -> int:
        """The probability of a message of somebody who holds these signed keys, out of `total`."""

    @abstractmethod
    def total(self, signs: Signs) -> int:
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
        """How much one hostile report can add to the counts n1 + n2 of these target keys together."""


class SamplingChannel(Channel):
    """A mechanism that pads, samples one pair and perturbs it."""

    @property
    @abstractmethod
    def sampled(self) -> Support:
        """How a report supports the pair that was sampled, given its sign is +."""

    @property
    @abstractmethod
    def unsampled(self) -> Support:
        """How a report supports any key that was not sampled."""

    @cached_property
    def probabilities(self) -> Probabilities:
        plus, minus = self.sampled.plus + self.sampled.both, self.sampled.minus + self.sampled.both
        noise = 2 * (self.unsampled.plus + self.unsampled.both)
        return Probabilities(a=plus + minus, b=noise, p=plus / (plus + minus))

    @cached_property
    def count_law(self) -> CountLaw:
        chosen, other = Fraction(1, self.padding), self.unsampled
        holder = Support(
            plus=chosen * self.sampled.plus + (1 - chosen) * other.plus,
            minus=chosen * self.sampled.minus + (1 - chosen) * other.minus,
            both=chosen * self.sampled.both + (1 - chosen) * other.both,
        )
        return CountLaw(holder_plus=holder, absent=other)

    def weight(self, signs: Signs, message: int) -> int:
        """Mix the probabilities of everything that padding-and-sampling may pick."""
        dummies = max(self.padding - len(signs), 0)
        of_dummies = dummies * self.dummy_weight(message) if dummies else 0
        return 2 * self.padding * self.pairs_weight(message, signs) + of_dummies

    def pairs_weight(self, message: int, signs: Signs) -> int:
        """The probabilities of a message once any of these pairs was sampled, added up."""
        return sum(self.pair_weight(message, key, sign) for key, sign in signs.items())

    def total(self, signs: Signs) -> int:
        return max(len(signs), self.padding) * 2 * self.padding * self.pair_total

    @property
    @abstractmethod
    def pair_total(self) -> int:
        """What the weights of all messages sum to once a pair was sampled."""

    @abstractmethod
    def pair_weight(self, message: int, key: int, sign: int) -> int:
        """The probability of a message once this pair was sampled, out of `pair_total`."""

    @abstractmethod
    def dummy_weight(self, message: int) -> int:
        """The same once a dummy was sampled, summed over all 2ℓ signed dummies."""


class AllocatedChannel(SamplingChannel):
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
        bits: int = THRESHOLD_BITS,
    ) -> None:
        super().__init__(keys, padding, epsilon, bits)
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
        return {"key": epsilon_of(self.budget.key), "value": epsilon_of(self.budget.value)}


def response_threshold(one: int, bound: Fraction, symbols: int, true: int = 1) -> int:
    """Plain randomized response: the threshold out of `one` of answering one of the true symbols.

    Each of those is `bound` times as likely as any other of all symbols, or a little less: rounded down.
    """
    return floor(one * true * bound / (true * bound + symbols - true))
