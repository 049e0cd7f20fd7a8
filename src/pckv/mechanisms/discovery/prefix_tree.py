"""The prefixes that a discovery asks about: an alphabet, and how much of a text each group reports.

Devices, the server and other languages compute the same numbers from the same texts.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import product

from pckv.base.errors import ParameterError
from pckv.base.limits import MAX_ITEMS, check_whole

# Fills up texts that are shorter than a prefix; no alphabet has it.
END = "\0"
DEFAULT_CHARACTERS, MAX_CHARACTERS = 24, 64
MIN_ALPHABET, MAX_ALPHABET = 2, 255
# With the end mark, 64 characters.
DEFAULT_ALPHABET = " !\"#$%&'()*+,-./0123456789:;<=>?@[]_abcdefghijklmnopqrstuvwxyz~"
# More continuations of one prefix than this would take too long to check.
MAX_CONTINUATIONS = 2**16
# Vowels and final consonants of Korean, which a text in normal form C may not have behind others.
_CONJOINING = range(0x1160, 0x1200)
_HASH_PREFIX, _HASH_BYTES = b"pckv prefix", 8


@dataclass(frozen=True)
class PrefixTree:
    """What is found out of unknown texts, and in which steps; made by `prefix_tree`, which checks it.

    Attributes:
        alphabet: The characters that texts consist of, in the order of their code points.
        characters: How many characters of a text are found at most.
        groups: How many groups of devices there are. Each reports prefixes of its own length.
    """

    alphabet: str
    characters: int
    groups: int

    @cached_property
    def lengths(self) -> tuple[int, ...]:
        """How many characters the prefixes of each group have, from the first group to the last.

        >>> prefix_tree("abc", characters=5, groups=3).lengths
        (2, 4, 5)
        """
        return tuple(-(-self.characters * (group + 1) // self.groups) for group in range(self.groups))

    @property
    def continuations(self) -> int:
        """The most prefixes of one group that begin with the same prefix of the group before."""
        length = -(-self.characters // self.groups)
        return sum(len(self.alphabet) ** shorter for shorter in range(length + 1))

    def cut(self, text: str) -> str:
        """Return what of a text can be found: nothing if a character of that is not in the alphabet.

        A text is brought into normal form C first, so that no character is cut in two. A capital letter that the
        alphabet does not have counts as its small letter, or else as the first one whose capital letter it is:
        as one character of the alphabet, if there is one.
        """
        shown = "".join(map(self._counted_as, unicodedata.normalize("NFC", text)[: self.characters]))
        return shown if self._characters.issuperset(shown) else ""

    def _counted_as(self, character: str) -> str:
        if character in self._characters:
            return character
        small = character.lower()
        return small if small in self._characters else self._small.get(character, character)

    @cached_property
    def _small(self) -> dict[str, str]:
        """The first character of the alphabet by its capital letter."""
        return {character.upper(): character for character in reversed(self.alphabet)}

    @cached_property
    def _characters(self) -> frozenset[str]:
        return frozenset(self.alphabet)

    def prefix(self, text: str, group: int) -> str:
        """Return what a group reports of a text; shorter ones are filled up."""
        return text[: self.lengths[group]].ljust(self.lengths[group], END)

    def continued(self, prefix: str, group: int) -> Iterator[str]:
        """Yield all prefixes of a group that continue a prefix of the group before; no text is empty."""
        step = self.lengths[group] - len(prefix)
        if prefix.endswith(END):
            yield prefix + END * step
            return
        for length in range(0 if prefix else 1, step + 1):
            for characters in product(self.alphabet, repeat=length):
                yield prefix + "".join(characters) + END * (step - length)

    def item(self, digest: bytes, prefix: str, group: int) -> int:
        """Return the number of a prefix of a group: a hash that is bound to the task with this digest."""
        hashed = hashlib.sha256(_HASH_PREFIX + digest + bytes([group]) + prefix.encode()).digest()
        return int.from_bytes(hashed[:_HASH_BYTES]) % MAX_ITEMS

    def to_dict(self) -> dict[str, str | int]:
        """Return the member `keys` of a task."""
        return asdict(self)


def prefix_tree(
    alphabet: str = DEFAULT_ALPHABET, characters: int = DEFAULT_CHARACTERS, groups: int | None = None
) -> PrefixTree:
    """Return the tree of texts of an alphabet, by default with one group per character.

    Raises:
        ParameterError: if any of these is outside its domain, or prefixes have too many continuations.
    """
    checked = _checked_alphabet(alphabet)
    _check_number(characters, "characters", MAX_CHARACTERS)
    groups = characters if groups is None else groups
    _check_number(groups, "groups", characters)
    tree = PrefixTree(checked, characters, groups)
    if tree.continuations > MAX_CONTINUATIONS:
        raise ParameterError(
            f"groups must be more: a prefix would have {tree.continuations:,} continuations, of at most "
            f"{MAX_CONTINUATIONS:,}"
        )
    return tree


def read_prefix_tree(members: object) -> PrefixTree:
    """Return the tree of the member `keys` of a discovery."""
    if not isinstance(members, dict) or members.keys() != {"alphabet", "characters", "groups"}:
        raise ParameterError("keys of a discovery must be an object of alphabet, characters and groups")
    if members["groups"] is None:
        raise ParameterError("groups must be a whole number, not None")
    return prefix_tree(**members)


def _checked_alphabet(alphabet: object) -> str:
    if not isinstance(alphabet, str):
        raise ParameterError(f"alphabet must be a text, not {alphabet!r}")
    if not MIN_ALPHABET <= len(alphabet) <= MAX_ALPHABET:
        raise ParameterError(
            f"alphabet must have from {MIN_ALPHABET} to {MAX_ALPHABET} characters, not {len(alphabet):,}"
        )
    for number, character in enumerate(alphabet):
        if fault := _character_fault(character, alphabet[:number]):
            raise ParameterError(f"alphabet must not have {character!a}: {fault}")
    return "".join(sorted(alphabet))


def _character_fault(character: str, before: str) -> str:
    """Return why a character is none that a text in normal form C may have anywhere, each once."""
    if character in before:
        return "it appears twice"
    category = unicodedata.category(character)
    if category in ("Cc", "Cs", "Zl", "Zp"):
        return "it is a control character"
    alone = unicodedata.is_normalized("NFC", character) and ord(character) not in _CONJOINING
    if alone and not category.startswith("M"):
        return ""
    return "it changes the character before it, or is changed"


def _check_number(number: object, what: str, most: int) -> None:
    if not 1 <= (whole := check_whole(number, what)) <= most:
        raise ParameterError(f"{what} must be from 1 to {most}, not {whole:,}")
