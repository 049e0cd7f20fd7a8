"""Items that are made of what a participant holds, before anything is perturbed (proofs/derived-items.md).

A mechanism reports items and knows nothing of how they were made, so that ε holds for whatever is derived here. Parents
are items within which shares are taken, and children are the crossings: keys within a label, or two keys together.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import isqrt
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from pckv.base.canonical import check_name, distinct_names
from pckv.base.errors import PairsError, ParameterError
from pckv.base.limits import MAX_ITEMS, ONE_LEVEL
from pckv.mechanisms import registry
from pckv.mechanisms.base import CountLaw, HeldLevels, Law, MessageDistribution

if TYPE_CHECKING:
    # Plans derive nothing: they need no code of devices.
    from pckv.mechanisms.padding import Pair

# Labels of a segment, and keys that are asked about together.
MIN_LABELS, MAX_LABELS = 2, 16
MIN_KEYS_TOGETHER, MAX_KEYS_TOGETHER = 2, 500

# Mechanisms that report items: all at once, or one that is sampled. With values it is the first alone: the other may
# flip a level more often than it names another item, by its allocation, and counts over all labels would not be alike.
MECHANISMS_WITH_VALUES = ("collision",)
MECHANISMS = (*MECHANISMS_WITH_VALUES, "grr")

# A number, or a numpy array of them.
Number: TypeAlias = Any


@dataclass(frozen=True)
class Segment:
    """A question with one answer, such as an age group, which stays private as the pairs do.

    Args:
        name: What is asked for.
        labels: The possible answers, from 2 to 16; one of them may be "no answer".
    """

    name: str
    labels: tuple[str, ...]

    def __init__(self, name: str, labels: Iterable[str]) -> None:
        check_name(name, "the segment's name")
        if isinstance(labels, str | bytes | Mapping) or not isinstance(labels, Iterable):
            raise ParameterError(f"labels must be a list of names, not {labels!r}")
        checked = distinct_names(labels, "label")
        check_labels(len(checked))
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "labels", checked)

    @classmethod
    def from_member(cls, member: object) -> Segment | None:
        """Return the segment that a task's `member` names, if any; a `ParameterError` refuses what names none."""
        if member is None:
            return None
        if not isinstance(member, dict) or sorted(member) != ["labels", "name"]:
            raise ParameterError("segment must be null or an object of labels and a name")
        return cls(member["name"], member["labels"])

    def to_member(self) -> dict[str, object]:
        """Return the member of the task."""
        return {"labels": list(self.labels), "name": self.name}

    def label_index(self, label: object) -> int:
        """Return the number of a `label`, or raise a `PairsError`."""
        if label is None:
            raise PairsError(f"the segment {self.name!r} needs a label: {self.choices}")
        if label not in self.labels:
            raise PairsError(f"label {label!r} is not one of the segment {self.name!r}: {self.choices}")
        return self.labels.index(str(label))

    @property
    def choices(self) -> str:
        """All labels, in words."""
        return ", ".join(self.labels)


def check_labels(labels: int) -> int:
    """Return how many labels a segment has, or refuse a number that none has."""
    if not MIN_LABELS <= labels <= MAX_LABELS:
        raise ParameterError(f"a segment takes {MIN_LABELS} to {MAX_LABELS} labels, not {labels:,}")
    return labels


@dataclass(frozen=True)
class Derivation(ABC):
    """How the keys of a task become the items that its mechanism reports.

    `keys` is the number of keys, d. Participants keep a random choice of their pairs, at most as many as the task's
    padding, and items are made of what is kept.
    """

    keys: int

    # How many keys of a participant the rarest kind of item depends on: what decides how sizes are rounded.
    order: ClassVar[int]
    # What a task has that makes it derive items.
    what: ClassVar[str]

    @property
    @abstractmethod
    def items(self) -> int:
        """The number of items."""

    @abstractmethod
    def padding(self, kept: int) -> int:
        """Return how many items a participant has at most who keeps this many pairs."""

    @abstractmethod
    def kept(self, padding: int) -> int:
        """Return how many pairs are kept where a participant has at most this many items: `padding` backwards."""

    @property
    def cells(self) -> int:
        """How many items a key is told by, of which a holder has one."""
        return 1

    @abstractmethod
    def derive(self, kept: Sequence[Pair], label: int) -> list[Pair]:
        """Return a participant's items, given the pairs that they keep and their label, where there is one."""

    def key_law(self, item_law: CountLaw, kept: int) -> CountLaw:
        """Return the law of a key's counts, given that of an item's and how many pairs are kept."""
        return item_law._replace(padding=kept)

    def distribution(self, law: Law, padding: int, held: HeldLevels, label: int) -> MessageDistribution:
        """Return the exact law of a message of a participant, any choice of `padding` of whose pairs is equally likely.

        `held` has the level of each of their keys.
        """
        choices = list(combinations(held, min(len(held), padding)))
        weights: Counter[int] = Counter()
        for kept in choices:
            items = self.derive([(key, held[key], 0) for key in kept], label)
            found, total = law.distribution({number: level for number, level, _ in items})
            weights.update(found)
        return MessageDistribution(weights, total * len(choices))


@dataclass(frozen=True)
class ByGroup(Derivation):
    """Parents are labels, 0 to G - 1; the child of label g and key k has the number G + g·d + k and the key's level."""

    labels: int

    order = 1
    what = "a segment"

    @property
    def items(self) -> int:
        """The number of labels and of keys within them."""
        return self.labels * (self.keys + 1)

    def padding(self, kept: int) -> int:
        """The label, and what is kept."""
        return kept + 1

    def kept(self, padding: int) -> int:
        """All but the label."""
        return padding - 1

    @property
    def cells(self) -> int:
        """A key is told by its crossings with all labels."""
        return self.labels

    def derive(self, kept: Sequence[Pair], label: int) -> list[Pair]:
        """The label itself, and every key within it."""
        # The parent is reported at the first level, whatever is held.
        children = ((self.child(label, key), below, threshold) for key, below, threshold in kept)
        return [(label, 0, 0), *children]

    def key_law(self, item_law: CountLaw, kept: int) -> CountLaw:
        """All labels together: a holder of a key holds it within one of them."""
        return super().key_law(item_law.pooled(self.labels), kept)

    def child(self, label: Number, key: Number) -> Number:
        """Return the number of a key within a label; numbers or numpy arrays alike."""
        return self.labels + label * self.keys + key


@dataclass(frozen=True)
class Together(Derivation):
    """Parents are the keys, 0 to d - 1; the child of keys j < k has the number d + j(2d - j - 1)/2 + k - j - 1."""

    order = 2
    what = "together"

    @property
    def items(self) -> int:
        """The number of keys and of pairs of them."""
        return self.keys * (self.keys + 1) // 2

    def padding(self, kept: int) -> int:
        """The keys that are kept, and their pairs."""
        return kept * (kept + 1) // 2

    def kept(self, padding: int) -> int:
        """The keys alone."""
        return (isqrt(8 * padding + 1) - 1) // 2

    def derive(self, kept: Sequence[Pair], label: int) -> list[Pair]:  # noqa: ARG002
        """The keys that are kept, and every two of them together."""
        # Numbers in order: which of two keys was entered or drawn first does not show.
        keys = sorted(key for key, _, _ in kept)
        crossed = (self.child(first, second) for first, second in combinations(keys, 2))
        return [*kept, *((number, 0, 0) for number in crossed)]

    def child(self, first: Number, second: Number) -> Number:
        """Return the number of two keys together, the smaller first; numbers or numpy arrays alike."""
        return self.keys + first * (2 * self.keys - first - 1) // 2 + second - first - 1


def checked_derivation(
    labels: int | None, together: object, keys: int, levels: int, *, listed: bool, has_other: bool
) -> Derivation | None:
    """Return how items are made, or None where keys are the items; refuse what cannot be.

    `labels` is how many a segment has, None where there is no segment.

    Raises:
        ParameterError: if these keys take no segment, or cannot be asked about together.
    """
    if not isinstance(together, bool):
        raise ParameterError(f"together must be true or false, not {together!r}")
    if not together and labels is None:
        return None
    if labels is not None and together:
        raise ParameterError("together must be false where there is a segment")
    what = Together.what if labels is None else ByGroup.what
    if not listed:
        raise ParameterError(f"{what} needs a list of keys: hashed keys and discoveries have none")
    if labels is not None:
        derivation = ByGroup(keys, labels)
        if derivation.items * levels > MAX_ITEMS:
            count = f"{labels} labels, {keys:,} keys and {levels} levels"
            raise ParameterError(f"a segment takes at most {MAX_ITEMS:,} items, not {count}")
        return derivation
    if levels > 1:
        raise ParameterError("together is for keys without values")
    if has_other:
        raise ParameterError("together takes no key for all that are not listed: leave out other")
    if not MIN_KEYS_TOGETHER <= keys <= MAX_KEYS_TOGETHER:
        raise ParameterError(f"together takes {MIN_KEYS_TOGETHER} to {MAX_KEYS_TOGETHER} keys, not {keys:,}")
    return Together(keys)


def build_law(  # noqa: PLR0917
    name: str,
    keys: int,
    padding: int,
    epsilon: Fraction,
    parameters: Mapping[str, object],
    levels: int,
    derivation: Derivation | None,
) -> Law:
    """Return the law of a mechanism for the items of these keys, of which a participant keeps `padding` pairs.

    Raises:
        ParameterError: if the mechanism does not take them.
    """
    if derivation is None:
        return registry.build(name, keys, padding, epsilon, parameters, levels)
    if name not in (able := mechanisms_of_items(levels)):
        of_values = " with values" if name in MECHANISMS else ""
        named = " or ".join(map(repr, able))
        raise ParameterError(f"{derivation.what}{of_values} needs mechanism {named}, not {name!r}")
    return registry.build(name, derivation.items, derivation.padding(padding), epsilon, parameters, levels)


def mechanisms_of_items(levels: int) -> tuple[str, ...]:
    """Return the mechanisms that report derived items of keys with this many levels."""
    return MECHANISMS if levels == ONE_LEVEL else MECHANISMS_WITH_VALUES


def key_law(item_law: CountLaw, derivation: Derivation | None) -> CountLaw:
    """Return the law of a key's counts, given that of an item's: the same where keys are the items."""
    return item_law if derivation is None else derivation.key_law(item_law, derivation.kept(item_law.padding))
