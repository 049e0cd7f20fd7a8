"""The task: the immutable public contract of one collection."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from pckv.base.budget import epsilon_of
from pckv.base.canonical import check_name, dump, id_of_digest, is_name, read_object
from pckv.base.errors import PairsError, ParameterError, PckvError, TaskError
from pckv.base.html import html_table
from pckv.base.limits import (
    AUTO,
    DEFAULT_USERS,
    DEVICE_COIN,
    KINDS,
    SAMPLE,
    Numeric,
    check_epsilon,
)
from pckv.base.records import plain
from pckv.base.wire import MessageFormat
from pckv.contract.about import About, read_about
from pckv.contract.choice import choose_reporting, discovery_reporting
from pckv.contract.domain import NO_VALUES, Domain, Keys, Values, normal_form, text_hash
from pckv.contract.facts import Fact, facts_of, said
from pckv.contract.members import Dates, SeriesRound, read_series_round
from pckv.contract.mixer import Mixer, read_mixer
from pckv.contract.reporting import Reporting
from pckv.mechanisms.base import HeldLevels, Law, MessageDistribution, SamplingLaw
from pckv.mechanisms.derivation import Derivation, Segment
from pckv.mechanisms.discovery.prefix_tree import (
    DEFAULT_ALPHABET,
    DEFAULT_CHARACTERS,
    PrefixTree,
    prefix_tree,
)
from pckv.mechanisms.size_question.law import SizeQuestion

VERSION = 1
MEMBERS = ("version", "name", *Domain.MEMBERS, *Reporting.MEMBERS, *Dates.MEMBERS, "about", "mixer", "series")


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Task:
    """What is collected, at which ε and how: a value that never changes, bound by its id.

    What is not given is chosen as `plan` does, from hints that are not part of the task: `pairs`,
    `most_pairs`, `holding`, `sizes`, `users`, `frequency`, `objective` and `most_influence`, as `plan` takes them.

    Args:
        name: What people read; it tells two runs of one survey apart.
        keys: The names of the keys, or how many there are (then they are named "0", "1", …), or `hashed`: any
            text up to 256 bytes is a key, and those to estimate are named afterwards.
        values: The least and the largest value; by default keys have none, and participants only hold them.
        epsilon: The privacy budget of a report, above 0 and at most 20.
        padding: How many pairs a report stands for at most; chosen by default.
        mechanism: A name, `auto`, or a mapping of a name and parameters.
        levels: How many levels values are reported as, equally spaced, or the value of each: from 2 to 16,
            by default 2, from `values[0]` to `values[1]`. With more than two, the whole distribution is estimated.
        between: What happens to a value between two levels: `round` (to one of them at random, so that means
            stay unbiased) or `refuse` (the contract is "levels only"). By default `refuse` where the values of
            the levels are named, and otherwise `round`.
        other: The name of one more key, which stands for all that are not listed. A participant holds it if
            they hold any such key, with the value of one of these, chosen at random.
        segment: A question with one answer, such as an age group: results are then also within each label.
        together: Whether it is also asked which keys people hold together, of at most 500 keys without values.
        more: What happens to participants with more pairs than the padding: `sample` (a random choice of them
            is reported) or `refuse` (the contract is "at most that many", enforced where pairs are entered).
        size_share: The chance that a device answers how many pairs it holds, not which; chosen by default.
        coin: Who draws the public function of a report, with `ue-compact` and `collision`: the `device`
            itself, or the `server`, which hands out one coin per invitation, so that no participant can
            search for a function that suits them.
        about: What participants read: an `About`, or a mapping of its members to texts.
        mixer: The second party that reports are sealed for and sent to, and the central claim: a `Mixer`, or a
            mapping of its members. The claim is checked at its `honest` reports.
        opens: The first day, YYYY-MM-DD in UTC.
        closes: The first day on which no reports are taken any more. A mixed task needs it, unless it is the
            task of a series: its batch is handed over on that day.
        pairs: A hint: how many pairs people hold on average, those without any included. Where nothing is said of
            them, a report stands for one pair, and some reports say how many pairs their senders hold, so that
            results show what is missing.
        most_pairs: A hint: how many pairs a person holds at most.
        holding: A hint: the share of people who hold any pair.
        sizes: A hint, in place of these three: how many people hold how many pairs.
        users: A hint: how many people are expected; 10,000 where nothing is said.
        frequency: A hint: the share of people who hold a key that matters.
        objective: A hint: which error is to be small.
        most_influence: A hint: the most people that one hostile report may count as, for one key.

    Raises:
        ParameterError: if any of these is outside its domain.

    >>> task = Task(name="movies", keys=["alien", "heat"], values=(1, 5), epsilon=1.0, padding=2)
    >>> task.mechanism, task.parameters
    ('grr', {'allocation': 'optimized'})
    >>> Task.from_json(task.to_json()) == task
    True
    """

    name: str
    domain: Domain
    reporting: Reporting
    dates: Dates
    about: About
    # The second party that holds the sealed reports; None if reports go to the collector.
    mixer: Mixer | None
    # Which round of which series the task is; None if it stands alone.
    series: SeriesRound | None

    def __init__(
        self,
        *,
        name: str,
        keys: Iterable[str] | int,
        values: tuple[Numeric, Numeric] | None = None,
        epsilon: Numeric,
        padding: int | None = None,
        mechanism: str | Mapping[str, object] = AUTO,
        levels: Iterable[Numeric] | int | None = None,
        between: str | None = None,
        other: str | None = None,
        segment: Segment | None = None,
        together: bool = False,
        more: str = SAMPLE,
        size_share: Numeric | None = None,
        coin: str = DEVICE_COIN,
        about: About | Mapping[str, object] | None = None,
        mixer: Mixer | Mapping[str, object] | None = None,
        opens: str | None = None,
        closes: str | None = None,
        pairs: float | None = None,
        most_pairs: int | None = None,
        holding: float | None = None,
        sizes: Any = None,
        users: int = DEFAULT_USERS,
        frequency: float | None = None,
        objective: str | None = None,
        most_influence: float | None = None,
    ) -> None:
        domain = Domain.of(keys, other, Values.of(values, levels, between), segment=segment, together=together)
        reporting = choose_reporting(
            domain,
            check_epsilon(epsilon),
            mechanism,
            padding,
            more=more,
            coin=coin,
            size_share=size_share,
            pairs=pairs,
            most_pairs=most_pairs,
            holding=holding,
            sizes=sizes,
            users=users,
            frequency=frequency,
            objective=objective,
            most_influence=most_influence,
        )
        self._set(name, domain, reporting, Dates(opens, closes), read_about(about or {}), read_mixer(mixer))
        self.check_claim()

    @classmethod
    def discovery(
        cls,
        *,
        name: str,
        epsilon: Numeric,
        characters: int = DEFAULT_CHARACTERS,
        alphabet: str = DEFAULT_ALPHABET,
        groups: int | None = None,
        padding: int = 1,
        symbols: int | None = None,
        coin: str = DEVICE_COIN,
        about: About | Mapping[str, object] | None = None,
        mixer: Mixer | Mapping[str, object] | None = None,
        opens: str | None = None,
        closes: str | None = None,
    ) -> Task:
        """Make the task of a discovery: which unknown texts do many people hold?

        Args:
            name: What people read.
            epsilon: The privacy budget of a report, above 0 and at most 20.
            characters: How many characters of a text are found at most, up to 64; longer ones are cut.
            alphabet: The characters that texts consist of. Texts with any other are not found; capital letters
                that it lacks count as small ones.
            groups: How many groups of devices report prefixes of their own length; one per character by default.
            padding: How many texts a report stands for at most.
            symbols: The parameter of `collision`; chosen by default.
            coin: Who draws the public function of a report, `device` or `server`.
            about: What participants read: an `About`, or a mapping of its members to texts.
            mixer: The second party that reports are sealed for and sent to, and the central claim.
            opens: The first day, YYYY-MM-DD in UTC.
            closes: The first day on which no reports are taken any more.

        Returns:
            A task of kind `discovery`, which takes texts instead of pairs.

        Raises:
            ParameterError: if any of these is outside its domain.
        """
        tree = prefix_tree(alphabet, characters, groups)
        domain, parameters = Domain(tree, None, NO_VALUES), {} if symbols is None else {"symbols": symbols}
        reporting = discovery_reporting(domain, tree.groups, check_epsilon(epsilon), padding, parameters, coin=coin)
        task = cls._of(name, domain, reporting, Dates(opens, closes), read_about(about or {}), read_mixer(mixer))
        task.check_claim()
        return task

    @classmethod
    def _of(cls, *parts: Any) -> Task:
        task = object.__new__(cls)
        task._set(*parts)
        return task

    def _set(  # noqa: PLR0917
        self,
        name: str,
        domain: Domain,
        reporting: Reporting,
        dates: Dates,
        about: About,
        mixer: Mixer | None = None,
        series: SeriesRound | None = None,
    ) -> None:
        check_name(name, "the task's name")
        if series is not None and not (name.endswith(series.suffix) and dates.opens and dates.closes):
            raise ParameterError(f"a round of a series has days, and a name that ends in {series.suffix!r}")
        named, segment = domain.key_count if isinstance(domain.keys, tuple) else None, domain.segment
        about.check_names(named, None if segment is None else len(segment.labels))
        if mixer is not None:
            mixer.check_reporting(reporting)
        # The instance is frozen: what is set here is set once, past `__setattr__`.
        vars(self).update(
            name=name, domain=domain, reporting=reporting, dates=dates, about=about, mixer=mixer, series=series
        )

    def as_round(self, series: SeriesRound, opens: str, closes: str) -> Task:
        """Return this task as a round of a `series` from the day `opens` to before `closes`, named after it."""
        name, dates = self.name + series.suffix, Dates(opens, closes)
        return self._of(name, self.domain, self.reporting, dates, self.about, self.mixer, series)

    def check_claim(self) -> None:
        """Raise a `ParameterError` if the central claim of a mixed task does not hold at its `honest` reports."""
        if self.mixer is not None:
            self.mixer.check_claim(self.reporting)

    def check_collectable(self) -> None:
        """Raise a `ParameterError` if no reports can be collected: a mixed task has a day on which it closes."""
        if self.mixer is not None and self.closes is None:
            needed = "a day on which it closes: its batch leaves then"
            raise ParameterError(f"task {self.name!r} is mixed and needs {needed}")

    @classmethod
    def from_json(cls, text: str | bytes) -> Task:
        """Return the task of a canonical JSON `text`; anything else is a `TaskError`."""
        text, members = read_object(text, "a task", MEMBERS, VERSION, TaskError)
        if members["kind"] not in KINDS:
            raise TaskError(f"not a task this release reads: kind {members['kind']!r}")
        try:
            domain = Domain.from_members(members)
            task = cls._of(
                members["name"],
                domain,
                Reporting.from_members(members, domain),
                Dates.from_members(members),
                About.from_members(members),
                Mixer.from_member(members["mixer"]),
                read_series_round(members["series"]),
            )
        except PckvError as error:
            raise TaskError(f"not a task: {error}") from None
        if task.to_json() != text:
            raise TaskError("not a task: the JSON is not in canonical form (order, spacing, escapes)")
        return task

    def to_json(self) -> str:
        """Return the canonical JSON text, which the id is the hash of."""
        return dump(
            {
                "version": VERSION,
                "name": self.name,
                **self.domain.to_members(),
                **self.reporting.to_members(),
                **self.dates.to_members(),
                "about": self.about.to_dict(),
                "mixer": None if self.mixer is None else self.mixer.to_member(),
                "series": None if self.series is None else self.series.to_dict(),
            }
        )

    @cached_property
    def digest(self) -> bytes:
        """The SHA-256 of the canonical JSON."""
        return hashlib.sha256(self.to_json().encode()).digest()

    @property
    def id(self) -> str:
        """The digest as text."""
        return id_of_digest(self.digest)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Task) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        return (
            f"<Task {self.name!r}: {self.keys_text}, {self.mechanism}, "
            f"ε = {self.epsilon:g}, padding {self.padding}, id {self.id[:8]}…>"
        )

    def facts(self) -> list[Fact]:
        """Return what the task promises, what participants read first."""
        return facts_of(self)

    def members(self, *names: str) -> dict[str, Any]:
        """Return plain values of the task by `names`, those that JSON has."""
        return {name: plain(_PLAIN[name](self) if name in _PLAIN else getattr(self, name)) for name in names}

    def _repr_html_(self) -> str:
        return html_table(f"Task “{self.name}”", (), said(self.facts())[1:])

    @property
    def kind(self) -> str:
        """What the task collects: `pairs`, or unknown texts (`discovery`)."""
        return self.domain.kind

    @cached_property
    def keys(self) -> Keys:
        """The names of the keys, how many numbered ones there are, `hashed`, or the tree of a discovery."""
        return self.domain.keys

    @cached_property
    def other(self) -> str | None:
        """The name of the key that stands for all that are not listed; None where there is none."""
        return self.domain.other

    @property
    def tree(self) -> PrefixTree:
        """The prefixes that a discovery asks about, or raise a `ParameterError` for other tasks."""
        if not isinstance(self.keys, PrefixTree):
            raise ParameterError(f"task {self.name!r} is not a discovery, but about {self.keys_text}")
        return self.keys

    @cached_property
    def is_hashed(self) -> bool:
        """Whether any text is a key, whose number is a hash."""
        return self.domain.is_hashed

    @property
    def lists_keys(self) -> bool:
        """Whether the keys are known beforehand, by names or by their number."""
        return isinstance(self.keys, tuple | int)

    @cached_property
    def key_count(self) -> int:
        """The number of keys, d: with the one that stands for all others, or of all hashes."""
        return self.domain.key_count

    @property
    def keys_text(self) -> str:
        """How many keys there are, in words."""
        return self.domain.keys_text

    @cached_property
    def other_index(self) -> int | None:
        """The number of the key that stands for all unlisted ones, the last; None where there is none."""
        return self.domain.other_index

    def key_index(self, key: str) -> int:
        """Return the number of the key called `key`, or raise a `PairsError` that names it."""
        if self.is_hashed:
            return self.key_hash(key) % self.key_count
        index = self.domain.find(key)
        if index is None:
            raise PairsError(f"key {key!r} is not a key of task {self.name!r}")
        return index

    def held_index(self, key: str) -> int | None:
        """Return the number that a participant's `key` counts as: if it is not listed, that of all others.

        Where keys are hashed, None stands for a text that cannot be a key, and is left out.

        Raises:
            PairsError: if it is not a text, or is unknown to a task with listed keys alone.
        """
        if self.is_hashed:
            hashed = self.held_hash(key)
            return None if hashed is None else hashed % self.key_count
        if self.other_index is None:
            return self.key_index(key)
        # Otherwise a listed key in another form of Unicode would count as one that is not listed.
        index = self.domain.find(normal_form(key))
        return self.other_index if index is None else index

    def held_hash(self, key: str) -> int | None:
        """Return 64 bits of the hash of a participant's `key` in normal form C; None if that cannot be a key.

        A refusal would tell what the participant holds: only what is not a text at all is refused.

        Raises:
            PairsError: if it is not a text.
        """
        text = normal_form(key)
        return text_hash(self.digest, text) if is_name(text) else None

    def key_hash(self, key: str) -> int:
        """Return 64 bits of the hash of a `key`, bound to this task; its number is their remainder.

        Raises:
            PairsError: if it cannot be a key.
        """
        try:
            text = check_name(key, "key")
        except ParameterError as error:
            raise PairsError(str(error)) from None
        return text_hash(self.digest, text)

    def key_name(self, index: int) -> str:
        """Return the name of key number `index`; of a hash, which has none, its number."""
        return self.domain.key_name(index)

    def key_names(self, indices: Iterable[int]) -> list[str]:
        """Return the names of the keys with these `indices`, in the same order."""
        return self.domain.key_names(indices)

    @cached_property
    def has_values(self) -> bool:
        """Whether keys have values, or are only held."""
        return self.domain.has_values

    @property
    def low(self) -> float | None:
        """The least value a key may have; None without values."""
        return self.ends[0] if self.has_values else None

    @property
    def high(self) -> float | None:
        """The largest value a key may have; None without values."""
        return self.ends[1] if self.has_values else None

    @cached_property
    def ends(self) -> tuple[float, float]:
        """The least and the largest value a key may have; of keys without values, twice what one counts for."""
        return self.level_values[0], self.level_values[-1]

    @property
    def level_count(self) -> int:
        """The number of levels, L."""
        return self.domain.values.level_count

    @cached_property
    def level_values(self) -> tuple[float, ...]:
        """What each level is worth, in the task's own units."""
        return self.domain.values.level_values

    @property
    def between(self) -> str | None:
        """What happens to a value between two levels: `round` or `refuse`; None without values."""
        return self.domain.values.between

    @cached_property
    def law(self) -> Law:
        """How pairs are reported: integers, exact probabilities and the realised ε."""
        return self.reporting.law

    @property
    def mechanism(self) -> str:
        """The name of the mechanism."""
        return self.law.name

    @property
    def parameters(self) -> dict[str, str | int]:
        """What the mechanism fixes besides its name."""
        return self.law.parameters

    @property
    def padding(self) -> int:
        """How many pairs a report stands for at most."""
        return self.reporting.padding

    @cached_property
    def segment(self) -> Segment | None:
        """The question with one answer that is asked besides the keys; None where there is none."""
        return self.domain.segment

    @property
    def together(self) -> bool:
        """Whether it is also asked which keys people hold together."""
        return self.domain.together

    @cached_property
    def derivation(self) -> Derivation | None:
        """How items are made of the keys; None where the keys themselves are the items."""
        return self.domain.derivation

    @property
    def more(self) -> str:
        """What happens to participants with more pairs than the padding: `sample` or `refuse`."""
        return self.reporting.more

    @property
    def can_truncate(self) -> bool:
        """Whether a participant may hold more pairs than their report stands for."""
        return self.more == SAMPLE and self.padding < self.key_count

    @cached_property
    def size_question(self) -> SizeQuestion | None:
        """The question how many pairs a participant holds; None where no report answers it."""
        return self.reporting.size_question

    @property
    def size_share(self) -> float:
        """The probability that a report answers the size question."""
        return float(self.reporting.size_share)

    @property
    def coin(self) -> str:
        """Who draws the public function of a report: `device` or `server`."""
        return self.reporting.coin

    @property
    def epsilon(self) -> float:
        """The ε that was asked for."""
        return float(self.reporting.epsilon)

    @cached_property
    def realised_epsilon(self) -> float:
        """The ε that the shipped integers give, rounded up; never above the one asked for."""
        return epsilon_of(self.realised)

    @property
    def realised(self) -> Fraction:
        """e^ε of the shipped integers: the larger, since it is public which question a report answers."""
        return self.reporting.realised

    @property
    def claim(self) -> Fraction:
        """e^ε as it is proved: of the pairs or of the size question, whichever loses more."""
        return self.reporting.claim

    @property
    def word_limit(self) -> int | None:
        """Words, with those that answer the size question, are below this; None where a report is bit planes."""
        return self.reporting.word_limit

    @cached_property
    def message_format(self) -> MessageFormat:
        """How a report's message is encoded."""
        return self.reporting.message_format

    @property
    def draws(self) -> int:
        """The 64-bit draws that making a report takes, unless one is rejected."""
        pairs, question = self.law.draws, self.size_question
        if self.derivation is not None and isinstance(self.law, SamplingLaw) and self.padding < self.key_count:
            # Which pairs are kept, before one of their items is sampled.
            pairs += self.padding
        return (self.other is not None) + (pairs if question is None else max(1 + pairs, question.draws))

    def distribution(self, held: HeldLevels, label: int = 0) -> MessageDistribution:
        """Return the exact law of the message of a participant who holds keys with these levels, `held`.

        Where there is a segment, `label` is the number of theirs.
        """
        law, question, first = self.law, self.size_question, self.law.word_limit
        made = None if self.derivation is None else self.derivation.distribution(law, self.padding, held, label)
        pairs = law.distribution(held) if made is None else made
        return pairs if question is None or first is None else question.mix(pairs, len(held), first)

    @property
    def opens(self) -> str | None:
        """The first day, YYYY-MM-DD in UTC; None where there is none."""
        return self.dates.opens

    @property
    def closes(self) -> str | None:
        """The first day on which no reports are taken any more; None where there is none."""
        return self.dates.closes


# The plain values that are not attributes of a task.
_PLAIN: dict[str, Callable[[Task], object]] = {
    "bytes_per_report": lambda task: task.reporting.report_bytes,
    "keys": lambda task: task.key_count if task.lists_keys else task.keys,
    "levels": lambda task: task.domain.values.levels,
    "size_answers": lambda task: () if task.size_question is None else task.size_question.labels,
}
