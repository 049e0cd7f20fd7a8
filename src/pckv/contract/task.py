"""The task: the immutable public contract of one collection.

A task as HTML, for notebooks.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from pckv.base.budget import is_within
from pckv.base.canonical import base64url, check_name, decimal_text, dump
from pckv.base.days import Phase, checked_days, phase_on
from pckv.base.errors import ParameterError, PckvError, TaskError
from pckv.base.html import ROWS_SHOWN, html_table
from pckv.base.levels import Levels, checked_levels, listed
from pckv.base.limits import (
    AUTO,
    DEFAULT_OBJECTIVE,
    DEFAULT_USERS,
    DEVICE_COIN,
    HASHED,
    HASHED_MECHANISM,
    MAX_BODY_BYTES,
    MIN_LEVELS,
    ONE_LEVEL,
    REPORT_ID_BYTES,
    ROUND,
    SAMPLE,
    Numeric,
    check_between,
    check_epsilon,
    check_more,
    check_padding,
)
from pckv.contract.about import About, read_about
from pckv.contract.domain import Keys, TaskReports
from pckv.contract.members import (
    CONTRACT,
    VERSION,
    SeriesRound,
    build_law,
    checked_coin,
    checked_hashing,
    checked_keys,
    checked_other,
    checked_question,
    checked_range,
    read_members,
    read_series_round,
)
from pckv.mechanisms.base import Law
from pckv.mechanisms.discovery.law import DiscoveryLaw
from pckv.mechanisms.discovery.prefix_tree import (
    DEFAULT_ALPHABET,
    DEFAULT_CHARACTERS,
    PrefixTree,
    prefix_tree,
)
from pckv.mechanisms.size_question.law import SizeQuestion


def task_html(task: Task) -> str:
    """Return what a task promises and its first keys, and say how many keys are left out."""
    keys = 0 if task.is_hashed else task.key_count - (task.other is not None)
    shown = task.key_names(range(min(keys, ROWS_SHOWN)))
    parameters = "".join(f", {name} {value}" for name, value in task.parameters.items())
    facts = [
        ("id", task.id),
        *((name, text) for name, text in task.about.to_dict().items() if text),
        ("values", f"{task.low:g} to {task.high:g}"),
        *([("levels", listed(task.level_values))] if task.level_count > MIN_LEVELS else []),
        ("ε per person", f"{task.epsilon:g} (realised {task.realised_epsilon:g})"),
        ("mechanism", f"{task.mechanism}{parameters}"),
        ("padding", f"{task.padding:,}"),
        ("bytes per report", f"{REPORT_ID_BYTES + task.law.body_bytes:,}"),
        ("opens", task.opens or "–"),
        ("closes", task.closes or "–"),
        ("keys", "any text") if task.is_hashed else (f"{keys:,} keys", ", ".join(shown)),
        *([("all other keys", f"counted as “{task.other}”")] if task.other is not None else []),
    ]
    return html_table(f"Task “{task.name}”", (), facts, hidden=keys - len(shown), what="keys")


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Task(TaskReports):
    """What is collected, at which ε and how: a value that never changes, bound by its id.

    What is not given is chosen as `plan` does, from hints that are not part of the task: `pairs`, `most_pairs`,
    `sizes`, `users`, `frequency`, `objective` and `most_influence`, all of them as `plan` takes them.

    Args:
        name: What people read; it tells two runs of one survey apart.
        keys: The names of the keys, or how many there are (then they are named "0", "1", …), or `hashed`: any text up to
            256 bytes is a key, and those to estimate are named afterwards.
        values: The least and the largest value.
        epsilon: The privacy budget of a report, above 0 and at most 20.
        padding: How many pairs a report stands for at most; chosen by default.
        mechanism: A name, `auto`, or a mapping of a name and parameters.
        levels: How many levels values are reported as, equally spaced, or the value of each: from 2 to 16, the first of
            them `values[0]` and the last `values[1]`. With more than two, the whole distribution is estimated.
        between: What happens to a value between two levels: `round` (to one of them at random, so that means stay
            unbiased) or `refuse` (the contract is "levels only").
        other: The name of one more key, which stands for all that are not listed. Somebody holds it if they hold any
            such key, with the value of one of these, chosen at random.
        more: What happens to somebody with more pairs than the padding: `sample` (a random choice of them is
            reported) or `refuse` (the contract is "at most that many", enforced where pairs are entered).
        size_share: The probability that a device answers how many pairs it holds instead of which; chosen by default.
        coin: Who draws the public function of a report, with `ue-compact` and `collision`: the `device` itself, or the
            `server`, which hands out one coin per invitation, so that nobody can search for a function that suits them.
        about: What participants read: an `About`, or a mapping of its members to texts.
        opens: The first day, YYYY-MM-DD in UTC.
        closes: The first day on which no reports are taken any more.
        pairs: A hint: how many pairs people hold on average.
        most_pairs: A hint: how many pairs anybody holds at most.
        sizes: A hint, in place of these two: how many people hold how many pairs.
        users: A hint: how many people are expected.
        frequency: A hint: the share of people who hold a key that matters.
        objective: A hint: which error is to be small.
        most_influence: A hint: as how many people one hostile report may count for a key, at most.

    Raises:
        ParameterError: if any of these is outside its domain.

    >>> task = Task(name="movies", keys=["alien", "heat"], values=(1, 5), epsilon=1.0, padding=2)
    >>> task.mechanism, task.parameters
    ('grr', {'allocation': 'optimized'})
    >>> Task.from_json(task.to_json()) == task
    True
    """

    name: str
    keys: Keys
    other: str | None
    padding: int
    levels: Levels
    between: str
    more: str
    coin: str
    about: About
    opens: str | None
    closes: str | None
    # Which round of which series the task is; None if it stands alone.
    series: SeriesRound | None
    # How pairs are reported, and the question how many there are, where a share of the reports answers that.
    law: Law
    size_question: SizeQuestion | None
    # As decimal texts, exactly as the task's JSON has them.
    _low: str
    _high: str
    _epsilon: str
    _size_share: str

    def __init__(
        self,
        *,
        name: str,
        keys: Iterable[str] | int,
        values: tuple[Numeric, Numeric],
        epsilon: Numeric,
        padding: int | None = None,
        mechanism: str | Mapping[str, object] = AUTO,
        levels: Iterable[Numeric] | int = MIN_LEVELS,
        between: str = ROUND,
        other: str | None = None,
        more: str = SAMPLE,
        size_share: Numeric | None = None,
        coin: str = DEVICE_COIN,
        about: About | Mapping[str, str] | None = None,
        opens: str | None = None,
        closes: str | None = None,
        pairs: float | None = None,
        most_pairs: int | None = None,
        sizes: Any = None,
        users: int = DEFAULT_USERS,
        frequency: float | None = None,
        objective: str = DEFAULT_OBJECTIVE,
        most_influence: float | None = None,
    ) -> None:
        if isinstance(keys, PrefixTree):
            raise ParameterError(
                "keys must be a list of names or their number; Task.discovery finds unknown ones"
            )
        wanted = {"name": mechanism} if isinstance(mechanism, str) else dict(mechanism)
        if keys == HASHED and wanted == {"name": AUTO}:
            wanted = {"name": HASHED_MECHANISM}
        self._set_contract(
            name, keys, other, values, levels, between, epsilon, more, about or {}, opens, closes
        )
        # Only the author of a task has anything to choose: a device that reads one never loads the planner.
        from pckv.planning.assessment import planned_size_share  # noqa: PLC0415
        from pckv.planning.people import expect  # noqa: PLC0415
        from pckv.planning.selection import choose_law  # noqa: PLC0415

        expected = expect(
            self.key_count,
            levels=self.level_values,
            users=users,
            pairs=pairs,
            most_pairs=most_pairs,
            sizes=sizes,
            frequency=frequency,
            objective=objective,
            padding=None if padding is None else check_padding(padding),
            more=more,
            size_share=size_share,
            coin=coin,
            most_influence=most_influence,
        )
        law = choose_law(Fraction(self._epsilon), wanted, padding, expected)
        self._set_law(law, planned_size_share(law, expected), coin)

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
        about: About | Mapping[str, str] | None = None,
        opens: str | None = None,
        closes: str | None = None,
    ) -> Task:
        """Make the task of a discovery: which unknown texts do many people hold?

        Args:
            name: What people read.
            epsilon: The privacy budget of a report, above 0 and at most 20.
            characters: How many characters of a text are found at most, up to 64; longer ones are cut.
            alphabet: The characters that texts consist of. Nobody finds texts with any other.
            groups: How many groups of devices report prefixes, each of its own length; by default one per character.
            padding: How many texts a report stands for at most.
            symbols: The parameter of `collision`; chosen by default.
            coin: Who draws the public function of a report, `device` or `server`.
            about: What participants read: an `About`, or a mapping of its members to texts.
            opens: The first day, YYYY-MM-DD in UTC.
            closes: The first day on which no reports are taken any more.

        Returns:
            A task of kind `discovery`, which takes texts instead of pairs.

        Raises:
            ParameterError: if any of these is outside its domain.
        """
        task, tree = object.__new__(cls), prefix_tree(alphabet, characters, groups)
        about = about or {}
        task._set_contract(name, tree, None, (0, 1), ONE_LEVEL, ROUND, epsilon, SAMPLE, about, opens, closes)
        parameters = {} if symbols is None else {"symbols": symbols}
        law = DiscoveryLaw.of_groups(tree.groups, check_padding(padding), Fraction(task._epsilon), parameters)
        task._set_law(law, 0, coin)
        return task

    def _set_contract(  # noqa: PLR0917
        self,
        name: str,
        keys: Iterable[str] | int | PrefixTree,
        other: str | None,
        values: tuple[Numeric, Numeric],
        levels: Iterable[Numeric] | int,
        between: str,
        epsilon: Numeric,
        more: str,
        about: About | Mapping[str, str],
        opens: str | None,
        closes: str | None,
        series: object = None,
    ) -> None:
        low, high = checked_range(values)
        opens, closes = checked_days(opens, closes)
        # The instance is frozen: what is set here is set once, past `__setattr__`.
        vars(self).update(
            name=check_name(name, "the task's name"),
            keys=checked_keys(keys),
            other=None,
            levels=ONE_LEVEL if isinstance(keys, PrefixTree) else checked_levels(levels, low, high),
            between=check_between(between),
            more=check_more(more),
            about=read_about(about),
            opens=opens,
            closes=closes,
            series=read_series_round(series),
            _low=low,
            _high=high,
            _epsilon=check_epsilon(epsilon),
        )
        vars(self).update(other=checked_other(other, self.keys))
        if self.series is not None and not (self.name.endswith(self.series.suffix) and opens and closes):
            raise ParameterError(
                f"a round of a series has days, and a name that ends in {self.series.suffix!r}"
            )

    def _set_law(self, law: Law, size_share: Numeric, coin: str) -> None:
        checked_hashing(law, self.keys)
        if law.padding > self.key_count:
            raise ParameterError(
                f"padding must be at most the number of keys, {self.key_count:,}, not {law.padding:,}"
            )
        if law.body_bytes > MAX_BODY_BYTES:
            raise ParameterError(
                f"a report of {law.name!r} would have {law.body_bytes:,} bytes, of at most {MAX_BODY_BYTES:,}: "
                f"{self.key_count:,} keys need a mechanism whose reports are words"
            )
        text = decimal_text(size_share, "size_share")
        question = checked_question(law, Fraction(text), self.more)
        vars(self).update(
            padding=law.padding,
            law=law,
            coin=checked_coin(law, coin),
            size_question=question,
            _size_share=text,
        )
        if not is_within(self.realised, Fraction(self._epsilon)):
            raise ParameterError(f"the reports of this task would lose more than ε = {self._epsilon}")

    def as_round(self, series: SeriesRound, opens: str, closes: str) -> Task:
        """Return this task as a round of a `series`: named after the round, and with its days, `opens` and `closes`."""
        task = object.__new__(Task)
        vars(task).update(
            vars(self), name=self.name + series.suffix, opens=opens, closes=closes, series=series
        )
        vars(task).pop("digest", None)
        return task

    def phase(self, day: str) -> Phase:
        """Return whether the task takes reports on `day` (YYYY-MM-DD, UTC): from `opens` on, and before `closes`."""
        return phase_on(day, self.opens, self.closes)

    def to_json(self) -> str:
        """Return the canonical JSON text, which the id is the hash of."""
        return dump(
            {
                "about": self.about.to_dict(),
                "between": self.between,
                "closes": self.closes,
                "coin": self.coin,
                "epsilon": self._epsilon,
                "high": self._high,
                "keys": self.keys.to_dict() if isinstance(self.keys, PrefixTree) else self.keys,
                "kind": self.kind,
                "levels": self.levels if isinstance(self.levels, int) else list(self.levels),
                "low": self._low,
                "mechanism": {"name": self.mechanism, **self.parameters},
                "more": self.more,
                "name": self.name,
                "opens": self.opens,
                "other": self.other,
                "padding": self.padding,
                "series": None if self.series is None else self.series.to_dict(),
                "size_share": self._size_share,
                "version": VERSION,
            }
        )

    @cached_property
    def digest(self) -> bytes:
        """The SHA-256 of the canonical JSON."""
        return hashlib.sha256(self.to_json().encode()).digest()

    @property
    def id(self) -> str:
        """The digest in unpadded base64url."""
        return base64url(self.digest)

    @classmethod
    def from_json(cls, text: str | bytes) -> Task:
        """Return the task of a canonical JSON `text`; anything else is a `TaskError`."""
        text, members = read_members(text)
        task = object.__new__(cls)
        try:
            contract = {name: members[name] for name in CONTRACT}
            task._set_contract(values=(members["low"], members["high"]), **contract)
            padding, epsilon = check_padding(members["padding"]), Fraction(task._epsilon)
            law = build_law(
                task.keys, task.key_count, task.level_count, padding, epsilon, members["mechanism"]
            )
            task._set_law(law, members["size_share"], members["coin"])
        except PckvError as error:
            raise TaskError(f"not a task: {error}") from None
        if task.to_json() != text:
            raise TaskError("not a task: the JSON is not in canonical form (order, spacing, escapes)")
        return task

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Task) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        return (
            f"<Task {self.name!r}: {self.keys_text}, {self.mechanism}, "
            f"ε = {self.epsilon:g}, padding {self.padding}, id {self.id[:8]}…>"
        )

    def _repr_html_(self) -> str:
        from pckv.contract.task import task_html  # noqa: PLC0415

        return task_html(self)
