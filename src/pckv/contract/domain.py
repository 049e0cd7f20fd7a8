"""What pairs of a task may be: the names of its keys, the range of its values, and their levels.

What the reports of a task are: their law, their ε and their format, whichever question they answer.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from fractions import Fraction
from functools import cached_property
from unicodedata import normalize

from pckv.base.budget import epsilon_of
from pckv.base.canonical import check_name
from pckv.base.errors import PairsError, ParameterError
from pckv.base.levels import Levels, level_count, level_values
from pckv.base.limits import DISCOVERY, HASHED, MAX_ITEMS, PAIRS, SAMPLE
from pckv.base.wire import MessageFormat, Words
from pckv.mechanisms.base import HeldLevels, Law, MessageDistribution
from pckv.mechanisms.discovery.prefix_tree import PrefixTree
from pckv.mechanisms.size_question.law import SizeQuestion

# The names of keys, how many numbered ones there are, `hashed`, or of a discovery the tree of all texts.
Keys = tuple[str, ...] | int | str | PrefixTree

_PREFIX = b"pckv key"
_HASH_BYTES = 8


class TaskDomain:
    """The part of a task that knows its keys and values."""

    name: str
    keys: Keys
    other: str | None
    levels: Levels
    # As decimal texts, exactly as the task's JSON has them.
    _low: str
    _high: str

    @cached_property
    def digest(self) -> bytes:
        """The SHA-256 of the task, which binds its hashes."""
        raise NotImplementedError

    @property
    def kind(self) -> str:
        """What the task collects: `pairs`, or unknown texts (`discovery`)."""
        return DISCOVERY if isinstance(self.keys, PrefixTree) else PAIRS

    @property
    def tree(self) -> PrefixTree:
        """The prefixes that a discovery asks about, or raise a `ParameterError` for other tasks."""
        if not isinstance(self.keys, PrefixTree):
            raise ParameterError(f"task {self.name!r} is not a discovery, but about {self.keys_text}")
        return self.keys

    @property
    def is_hashed(self) -> bool:
        """Whether any text is a key, whose number is a hash."""
        return self.keys == HASHED

    @cached_property
    def key_count(self) -> int:
        """The number of keys, d: with the one that stands for all others, or of all hashes."""
        if isinstance(self.keys, str | PrefixTree):
            return MAX_ITEMS // self.level_count
        listed = self.keys if isinstance(self.keys, int) else len(self.keys)
        return listed + (self.other is not None)

    @property
    def keys_text(self) -> str:
        """How many keys there are, in words."""
        if isinstance(self.keys, PrefixTree):
            return f"texts of up to {self.keys.characters} characters"
        return "hashed keys" if self.is_hashed else f"{self.key_count:,} keys"

    @property
    def lists_keys(self) -> bool:
        """Whether the keys are known beforehand, by names or by their number."""
        return isinstance(self.keys, tuple | int)

    @property
    def other_index(self) -> int | None:
        """The number of the key that stands for all that are not listed, the last one; None where there is none."""
        return None if self.other is None else self.key_count - 1

    @cached_property
    def _index(self) -> dict[str, int]:
        names = self.keys if isinstance(self.keys, tuple) else ()
        found = {key: index for index, key in enumerate(names)}
        return found if self.other is None else {**found, self.other: self.key_count - 1}

    def build_index(self) -> None:
        """Build the table that `key_index` finds keys in, unless that was done before."""
        self._index  # noqa: B018

    def key_index(self, key: str) -> int:
        """Return the number of the key called `key`, or raise a `PairsError` that names it."""
        if self.is_hashed:
            return self.key_hash(key) % self.key_count
        index = self._listed_index(key)
        if index is None:
            raise PairsError(f"key {key!r} is not a key of task {self.name!r}")
        return index

    def held_index(self, key: str) -> int:
        """Return the number of the key that somebody who holds `key` holds: where it is not listed, that of all others."""
        if self.other is None:
            return self.key_index(key)
        if not isinstance(key, str):
            raise PairsError(f"key {key!r} is not a text")
        # Otherwise a listed key in another form of Unicode would count as one that is not listed.
        index = self._listed_index(normalize("NFC", key))
        return self.key_count - 1 if index is None else index

    def _listed_index(self, key: str) -> int | None:
        try:
            found = self._index.get(key)
            if found is not None or not isinstance(self.keys, int):
                return found
            # Numbered keys are named by their number, written in the one plain way.
            index = int(key)
            return index if 0 <= index < self.keys and str(index) == key else None
        except (ValueError, TypeError):
            return None

    def key_hash(self, key: str) -> int:
        """Return 64 bits of the hash of a text, which is bound to this task; its number is their remainder."""
        try:
            text = check_name(key, "key")
        except ParameterError as error:
            raise PairsError(str(error)) from None
        digest = hashlib.sha256(_PREFIX + self.digest + text.encode()).digest()
        return int.from_bytes(digest[:_HASH_BYTES])

    def key_name(self, index: int) -> str:
        """Return the name of key number `index`; of a hash, which has none, its number."""
        if index == self.other_index:
            return str(self.other)
        return self.keys[index] if isinstance(self.keys, tuple) else str(index)

    def key_names(self, indices: Iterable[int]) -> list[str]:
        """Return the names of the keys with these `indices`, in the same order."""
        if self.other is not None:
            return list(map(self.key_name, indices))
        return list(map(self.keys.__getitem__ if isinstance(self.keys, tuple) else str, indices))

    @property
    def level_count(self) -> int:
        """The number of levels, L."""
        return level_count(self.levels)

    @cached_property
    def level_values(self) -> tuple[float, ...]:
        """What each level is worth, in the task's own units."""
        return level_values(self.levels, self._low, self._high)

    @cached_property
    def low(self) -> float:
        """The least value a key may have."""
        return float(self._low)

    @cached_property
    def high(self) -> float:
        """The largest value a key may have."""
        return float(self._high)


class TaskReports(TaskDomain):
    """The part of a task that knows its law and its size question."""

    padding: int
    more: str
    # How pairs are reported, and the question how many there are, where a share of the reports answers that.
    law: Law
    size_question: SizeQuestion | None
    # As decimal texts, exactly as the task's JSON has them.
    _epsilon: str
    _size_share: str

    @property
    def epsilon(self) -> float:
        """The ε that was asked for."""
        return float(self._epsilon)

    @cached_property
    def realised_epsilon(self) -> float:
        """The ε that the shipped integers give, rounded up; never above the one asked for."""
        return epsilon_of(self.realised)

    @property
    def realised(self) -> Fraction:
        """e^ε of the shipped integers: which question a report answers is public, so the larger one counts."""
        of_pairs = self.law.realised
        return of_pairs if self.size_question is None else max(of_pairs, self.size_question.realised)

    @property
    def claim(self) -> Fraction:
        """e^ε as it is proved: of the pairs or of the size question, whichever loses more."""
        of_pairs = self.law.claim
        return of_pairs if self.size_question is None else max(of_pairs, self.size_question.claim)

    @property
    def mechanism(self) -> str:
        """The name of the mechanism."""
        return self.law.name

    @property
    def parameters(self) -> dict[str, str | int]:
        """What the mechanism fixes besides its name."""
        return self.law.parameters

    @property
    def size_share(self) -> float:
        """The probability that a report answers how many pairs somebody holds."""
        return float(self._size_share)

    @property
    def can_truncate(self) -> bool:
        """Whether somebody may hold more pairs than their report stands for."""
        return self.more == SAMPLE and self.padding < self.key_count

    @property
    def word_limit(self) -> int | None:
        """Words are below this; None where a report is two bit planes.

        Those that answer the size question are numbered after those of the law.
        """
        pairs = self.law.word_limit
        return pairs if pairs is None or self.size_question is None else pairs + len(self.size_question.ends)

    @cached_property
    def message_format(self) -> MessageFormat:
        """How a report's message is encoded."""
        limit = self.word_limit
        return self.law.message_format if limit is None else Words(limit)

    @property
    def draws(self) -> int:
        """The 64-bit draws that making a report takes, unless one is rejected."""
        pairs = self.law.draws
        of_others = self.other is not None
        return of_others + (pairs if self.size_question is None else max(1 + pairs, self.size_question.draws))

    def distribution(self, held: HeldLevels) -> MessageDistribution:
        """Return the exact law of the message of somebody who holds the keys `held` with these levels."""
        pairs, first = self.law.distribution(held), self.law.word_limit
        if self.size_question is None or first is None:
            return pairs
        return self.size_question.mix(pairs, len(held), first)
