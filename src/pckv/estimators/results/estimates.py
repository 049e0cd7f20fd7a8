"""The result: for every key a frequency and a mean with intervals, and with more levels their shares."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from itertools import pairwise, repeat
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from pckv.base.arrays import Floats
from pckv.base.errors import DataError, ParameterError
from pckv.base.limits import BETWEEN, MIN_LEVELS, REFUSE_BETWEEN, ROUND
from pckv.base.records import plain, read_columns, read_members, read_value
from pckv.base.words import UNLISTED, percent, plural, sentence
from pckv.contract.facts import realised_text
from pckv.contract.task import Task
from pckv.estimators.alarms import AlarmTest
from pckv.estimators.results.columns import Origin
from pckv.estimators.results.distributions import (
    DEVIATIONS,
    Asked,
    Distributions,
    LevelShare,
    ValueSpread,
    ask,
)
from pckv.estimators.results.key_estimate import COLUMNS, MEANS, UNKNOWN, KeyEstimate, columns_of
from pckv.estimators.results.key_sheets import estimate_columns, estimate_findings
from pckv.estimators.results.segments import Segments
from pckv.estimators.results.sheet_words import SheetWords
from pckv.estimators.results.together import PairsTogether
from pckv.estimators.results.workbooks import CountedReports, PeopleTable, SheetColumn
from pckv.estimators.sets import SetSummary

SCALARS = ("task", "mechanism", "reports", "epsilon", "method", "level", "hostile")
# What only some tables have: the key that stands for all that are not listed; the rate of hashed keys, and the
# level of the intervals of those that are detected; what the mixer of a mixed task makes possible.
OPTIONAL = ("other", "false_discovery_rate", "detected_level", "mixed")
FLAGS = ("mean_known", "reported_mean_known", "detected", "mean_misfit", "collides")
# What is said of counts that are impossible, before and after they are named.
IMPOSSIBLE = "Do not use these numbers: honest reports do not give such counts, whatever people hold."
REMEDY = (
    "Some reports were copied, made up, or made by a faulty client: find where they come from, and count again "
    "without them, or collect again."
)
# So few that other threads need not wait long for their turn.
ROWS_PER_TEXT = 2**8


@dataclass(frozen=True, eq=False)
class Estimates(ValueSpread, PeopleTable):
    """Frequencies and means (in the task's own units) with intervals, never bare; without values, frequencies alone.

    A table of one `KeyEstimate` per key: `estimates["alien"]` is that of a key, iteration yields all, `len`
    counts them, and `"alien" in estimates` says whether there is one.

    Attributes:
        task: The id of the task, and `mechanism` that of its reports.
        reports: How many reports were counted.
        epsilon: The realised ε of a report, rounded up.
        method: What estimated them, with its postprocessing.
        level: The level of all intervals; of hashed keys that are detected, see `detected_level`.
        hostile: How many reports may say anything: intervals, `detected` and `sets` are those of the honest
            participants, and hold whatever this number of the reports say.
        sets: What is known of people who hold more pairs than the padding.
        impossible: The tests of counts that honest reports do not give, whatever people hold; normally none.
        verdict: What the estimates tell, in words, over all keys that were estimated; the `warning` comes first.
        key: The names of the keys; every member below has one entry per key.
        frequency: The share of people who hold the key, with its interval `frequency_low` to
            `frequency_high`.
        mean: The mean value that they give it, with its interval `mean_low` to `mean_high`. Where larger sets than
            the padding are possible, it is estimated by that of the reported pairs, whose own interval is
            `reported_mean_low` to `reported_mean_high`; the other one holds whatever values larger sets hide.
        detected: Whether the key stands out from the noise, whatever the method: its count is beyond what
            noise alone gives for any key of the task; of hashed keys, beyond what the false discovery rate
            allows.
        mean_known: False where the interval of a mean spans 95 % of the range or more, or the key is not
            detected; `reported_mean_known` is the same for the interval of the reported pairs.
        mean_misfit: Whether the data fit no mean of the task's range: the interval is that of the end of the
            range that the data point to, and contains the estimate.
        collides: Of hashed keys, which of them share their number with another one that was asked for:
            reports do not tell them apart.
        has_means: Whether keys have values. If not, everything that is named after means is not a number (NaN), or
            false, and left out of JSON, files and tables.
        distributions: How the holders are spread over the levels; its members are those of the estimates,
            too.
        asked: What was asked for besides: quantiles, and shares above or below a value.
        other: The name of the key that stands for all that are not listed, whose row is the last one of all
            keys; None where the table has no such row.
        false_discovery_rate: Of hashed keys, the share of keys without holders among those that are
            `detected`, on average, at most; None where keys are listed.
        detected_level: Of hashed keys, the level of each interval of those that are `detected`, 1 - R·(1 - level)/m
            for R of m keys: on average at most a share of 1 - level of them does not contain the truth, which is
            the false coverage rate. None where keys are listed, or none is detected.
        mixed: Of a mixed task, that the reports are one batch, and what holds towards whom, in words: the central ε
            with its condition, and the ε of a report. None for other tasks.
        segments: What is known within the labels of the task's segment; None where it has none.
        pairs: Which keys people hold together, where the task asks that; None where it does not.
    """

    REPEATED: ClassVar[tuple[str, ...]] = ("reports", "epsilon", "method", "level", "hostile", *OPTIONAL, "warning")
    MISSING: ClassVar[str] = "there is no estimate of key {!r}"

    task: str
    mechanism: str
    reports: int
    epsilon: float
    method: str
    level: float
    hostile: int
    sets: SetSummary
    impossible: tuple[AlarmTest, ...]
    verdict: tuple[str, ...]
    key: list[str]
    frequency: Floats
    frequency_low: Floats
    frequency_high: Floats
    mean: Floats
    mean_low: Floats
    mean_high: Floats
    detected: NDArray[np.bool_]
    mean_known: NDArray[np.bool_]
    reported_mean_low: Floats
    reported_mean_high: Floats
    reported_mean_known: NDArray[np.bool_]
    mean_misfit: NDArray[np.bool_]
    collides: NDArray[np.bool_]
    distributions: Distributions
    asked: tuple[Asked, ...] = ()
    other: str | None = None
    false_discovery_rate: float | None = None
    detected_level: float | None = None
    mixed: str | None = None
    has_means: bool = True
    segments: Segments | None = None
    pairs: PairsTogether | None = None

    def __getitem__(self, key: str) -> KeyEstimate:
        """Return what is known of a key.

        Raises:
            UnknownKey: if the table has no such key; it is a `KeyError`, too.
        """
        return next(iter(self._take(np.array([self.row_of(key)]))))

    def __iter__(self) -> Iterator[KeyEstimate]:
        """Yield what is known of every key, in the order of the table."""
        rows = zip(self.key, *(getattr(self, name).tolist() for name in COLUMNS[1:]), strict=True)
        deviations = (getattr(self, name).tolist() for name in DEVIATIONS)
        spread = (
            zip(self.distributions.rows(), *deviations, strict=True)
            if self.level_values
            else repeat(((), None, None, None))
        )
        shared = self.collides.tolist() if self.is_hashed else repeat(None)
        # Only the rows end.
        table = zip(rows, spread, shared, self.mean_misfit.tolist(), strict=False)
        return (KeyEstimate._make((*row, *more, *flags)) for row, more, *flags in table)

    @property
    def is_hashed(self) -> bool:
        """Whether any text is a key: the table has those that were asked for."""
        return self.false_discovery_rate is not None

    def ask(
        self, quantiles: Sequence[float] = (), above: Sequence[float] = (), below: Sequence[float] = ()
    ) -> Estimates:
        """Return the same table with further columns, which JSON, files and tables show.

        These are `quantiles` of these shares, and shares `above` and `below` these values, as the methods
        `quantile`, `share_above` and `share_below` return and refuse them.
        """
        return replace(self, asked=ask(self.distributions, quantiles, above, below))

    @property
    def hostile_note(self) -> str:
        """What the intervals hold against, in words; empty if all reports are taken to be honest."""
        return f"intervals hold whatever {self.hostile:,} of the reports say" if self.hostile else ""

    @property
    def other_note(self) -> str:
        """How many people hold keys that are not listed, in words; empty where the table has no such row."""
        if self.other is None:
            return ""
        row = self[self.other]
        low, high = percent(row.frequency_low), percent(row.frequency_high)
        if not row.detected:
            return f"Up to {high} of people may hold keys that are not listed"
        return f"{percent(row.frequency)} of people hold keys that are not listed ({low} to {high})"

    @property
    def warning(self) -> tuple[str, ...]:
        """What counts are impossible, and what to do; empty if none is."""
        return (IMPOSSIBLE, *(test.sentence for test in self.impossible), REMEDY) if self.impossible else ()

    @property
    def coverage_note(self) -> str:
        """What holds for the intervals of keys that are shown because they were detected; empty where none is."""
        if self.detected_level is None:
            return ""
        each, others = 100 * self.detected_level, 100 * self.level
        return (
            f"Of the intervals of keys that stand out, at most {percent(1 - self.level)} miss the truth by chance, "
            f"on average: each has the level {each:.6g} %, since these keys were selected. Others have {others:.6g} %"
        )

    def with_detected(self, other: Estimates) -> Estimates:
        """Return the same table with the rows of detected keys of the `other` one, of the same keys, at its level."""
        rows = np.where(self.detected, np.arange(len(self)) + len(self), np.arange(len(self)))
        both: dict[str, Any] = {
            name: np.concatenate([getattr(self, name), getattr(other, name)])[rows]
            for name in (*COLUMNS[1:], "mean_misfit")
            if name != "detected"
        }
        spread = self.distributions.joined(other.distributions).take(rows)
        return replace(self, detected_level=other.level, distributions=spread, **both)

    def with_verdict(self) -> Estimates:
        """Return the same table with the sentences that it ends in."""
        mixed = sentence(self.mixed) if self.mixed else ""
        if not self.reports:
            return replace(self, verdict=tuple(filter(None, ("There are no reports yet.", mixed))))
        listed, collisions = self.listed, int(self.collides.sum())
        detected = int(listed.detected.sum())
        larger_sets = (
            self.sets.sentence(has_shares=bool(self.level_values), has_means=self.has_means),
            listed.hidden_means_sentence(),
        )
        sentences = (
            *self.warning,
            *(larger_sets if self.sets.matters_most else ()),
            detection_sentence(
                detected,
                len(listed),
                self.hostile,
                self.false_discovery_rate,
                any_unknown=bool((~listed.detected & (listed.frequency_high >= 1)).any()),
            ),
            self.coverage_note and f"{self.coverage_note}.",
            self.other_note and f"{self.other_note}.",
            f"{collisions:,} of the keys share their numbers with each other: reports do not tell such keys "
            "apart, and the estimates of each are those of all that have its number."
            if collisions
            else "",
            *(() if self.segments is None else self.segments.sentences),
            *(() if self.pairs is None else self.pairs.sentences),
            *(() if self.sets.matters_most else larger_sets),
            mixed,
        )
        return replace(self, verdict=tuple(filter(None, sentences)))

    @property
    def is_mean_hidden(self) -> NDArray[np.bool_]:
        """Whose mean is unknown because of larger sets alone: that of the reported pairs is known."""
        return self.reported_mean_known & ~self.mean_known

    def hidden_means_sentence(self) -> str:
        """Return how many means are unknown because of larger sets, and what would help, in words; empty if none."""
        hidden = int(self.is_mean_hidden.sum())
        if not hidden:
            return ""
        which = "The mean of 1 key is" if hidden == 1 else f"The means of {hidden:,} keys are"
        enough = self.sets.sufficient_padding
        remedy = f" By the answers, a padding of {enough:,} would hide at most a tenth as much." if enough else ""
        return f"{which} unknown for that reason: the mean of the reported pairs stands beside.{remedy}"

    @property
    def title(self) -> str:
        """What stands above the table for people."""
        return (
            f"{plural(self.reports, 'report')}, {self.mechanism}, {realised_text(self.epsilon, self.mixed)}, "
            f"method {self.method}" + (f", {self.hostile_note}" if self.hostile else "")
        )

    def headers(self) -> tuple[str, ...]:
        """Return the headers of the table for people."""
        interval = f"{100 * self.level:.6g} % interval"
        levels = [f"at {name}" for name in self.distributions.names]
        spread = ["deviation", *levels] if levels else []
        asked = (header for each in self.asked for header in (each.header, interval))
        mean = ["mean", interval] if self.has_means else []
        reported = ["reported mean", interval] if self.is_mean_hidden.any() else []
        collides = ["collides"] if self.collides.any() else []
        return ("key", "frequency", interval, *mean, *spread, *asked, *reported, *collides)

    def cells(self) -> list[tuple[str, ...]]:
        """Return the rows of the table for people: rounded percent, or words where reports say nothing."""
        names = dict(zip(self.level_values, self.distributions.names, strict=True))
        asked = [each.cells(names) for each in self.asked]
        some_hidden, some_collide = bool(self.is_mean_hidden.any()), bool(self.collides.any())
        return [
            (
                f"{row.key} ({UNLISTED})" if row.key == self.other else row.key,
                *row.cells()[1:],
                *(
                    cell
                    for cells in asked
                    for cell in (cells[number].value if row.detected else UNKNOWN, cells[number].range)
                ),
                *(row.reported_cells() if some_hidden else []),
                *(["yes" if row.collides else ""] if some_collide else []),
            )
            for number, row in enumerate(self)
        ]

    @property
    def less_important(self) -> Sequence[int]:
        """The numbers of columns that are left out first: the spread over levels, where something was asked for."""
        first, levels = 5, len(self.level_values)
        return range(first + levels, first - 1, -1) if self.asked else ()

    @property
    def grey(self) -> list[bool]:
        """Which rows do not stand out from the noise."""
        return [not told for told in self.detected]

    def shown(self, count: int) -> tuple[Estimates, int]:
        """Return the most frequent of the listed keys, at most `count`, and how many more there are.

        The key that stands for all that are not listed comes after them, and is not counted.
        """
        return self.top(count), max(len(self.listed) - count, 0)

    def top(self, count: int) -> Estimates:
        """Return the rows of the `count` keys with the largest estimated frequencies, the most frequent first.

        The key that stands for all that are not listed is not counted: where the table has it, it comes after
        them, and `top(3)` has four rows.
        """
        order = np.argsort(-self.frequency, kind="stable")
        if self.other is None:
            return self.take(order[:count])
        others = self.row_of(self.other)
        return self.take(np.append(order[order != others][:count], others))

    @property
    def listed(self) -> Estimates:
        """The same table without the key that stands for all that are not listed, unless it has no other."""
        if self.other is None or len(self) == 1:
            return self
        return self.take(np.delete(np.arange(len(self)), self.row_of(self.other)))

    def take(self, rows: NDArray[np.int64]) -> Estimates:
        """Return some `rows` of the table, by their numbers from 0, in the order given, with what belongs to them."""
        taken = self._take(rows)
        keys = frozenset(taken.key)
        return replace(
            taken,
            segments=None if self.segments is None else self.segments.only(keys),
            pairs=None if self.pairs is None else self.pairs.only(keys),
        )

    def _take(self, rows: NDArray[np.int64]) -> Estimates:
        """Return some rows, without what they are within labels and together."""
        columns = {
            field.name: getattr(self, field.name)[rows]
            for field in fields(self)
            if isinstance(getattr(self, field.name), np.ndarray)
        }
        keys = [self.key[row] for row in rows]
        return replace(
            self,
            key=keys,
            other=self.other if self.other in keys else None,
            distributions=self.distributions.take(rows),
            asked=tuple(each.take(rows) for each in self.asked),
            segments=None,
            pairs=None,
            **columns,
        )

    def table(self) -> dict[str, Any]:
        """Return one sequence per column."""
        columns = {name: getattr(self, name) for name in columns_of(has_means=self.has_means)}
        columns |= self.distributions.columns()
        for each in self.asked:
            columns |= each.columns()
        return columns | ({"collides": self.collides} if self.is_hashed else {})

    @property
    def counted(self) -> CountedReports:
        """The reports that the table was computed from."""
        return CountedReports(self.reports, self.epsilon, self.level)

    def _sheet_columns(self, words: SheetWords, task: Task | None) -> list[SheetColumn]:
        """Return the columns of the sheet for people."""
        return estimate_columns(self, words, task)

    def _findings(self, words: SheetWords) -> Iterator[str]:
        """Yield what the table says, in sentences for people."""
        return estimate_findings(self, words)

    def facts(self) -> dict[str, Any]:
        """Return what the whole table has in common, as plain values."""
        optional = {name: getattr(self, name) for name in OPTIONAL if getattr(self, name) is not None}
        return (
            {name: getattr(self, name) for name in SCALARS}
            | optional
            | ({} if self.has_means else {"has_means": False})
            | ({"warning": list(self.warning)} if self.impossible else {})
            | {
                "impossible": plain(self.impossible),
                "estimand": self.sets.estimand(has_means=self.has_means),
                "verdict": list(self.verdict),
                "sizes": plain(self.sets),
            }
        )

    def to_dict(self) -> dict[str, Any]:
        """Return scalars and rows as plain values."""
        rows = [row.to_dict() for row in self]
        for each in self.asked:
            for row, answer in zip(rows, each.rows(), strict=True):
                row.setdefault(each.member, []).append(answer)
        return self._heading() | {"estimates": rows}

    def _heading(self) -> dict[str, Any]:
        """Return the facts, what is known within labels and together, and what is needed to read shares of levels."""
        parts = {"segments": self.segments, "pairs": self.pairs}
        facts = self.facts() | {name: part.members() for name, part in parts.items() if part is not None}
        if not self.level_values:
            return facts
        heading = facts | {
            "between": REFUSE_BETWEEN if self.distributions.exact else ROUND,
            "level_values": list(self.level_values),
        }
        asked: dict[str, list[float]] = {}
        for each in self.asked:
            asked.setdefault(each.member, []).append(each.at)
        return heading | ({"asked": asked} if asked else {})

    @classmethod
    def from_dict(cls, document: Any) -> Self:
        """Return the estimates that `to_dict` wrote, the `document`.

        A member that is missing, is not of its type, or contradicts others is a `DataError` that names it.
        """
        facts = read_members(cls, document, (*SCALARS, *OPTIONAL, "has_means", "impossible", "verdict"))
        told = read_value(_Heading, document)
        rows = document.get("estimates")
        named = columns_of(has_means=facts["has_means"])
        columns = read_columns(KeyEstimate, rows, (*named, "mean_misfit"), "estimates")
        keys = columns.pop("key")
        columns |= {name: [name not in FLAGS and math.nan] * len(keys) for name in MEANS if name not in named}
        if facts["other"] not in (None, *keys):
            raise DataError("not a key of the estimates", place="other")
        hashed = facts["false_discovery_rate"] is not None
        columns["collides"] = [False] * len(keys)
        if hashed:
            columns |= read_columns(_FurtherColumns, rows, ("collides",), "estimates")
        arrays: dict[str, Any] = {
            name: np.array(column, bool if name in FLAGS else float) for name, column in columns.items()
        }
        spread = _read_distributions(told, rows)
        try:
            asked = ask(spread, *told.asked)
        except ParameterError as error:
            raise DataError(str(error), place="asked") from None
        origin = Origin.of(facts)
        segments = Segments.read(document["segments"], origin) if "segments" in document else None
        pairs = PairsTogether.read(document["pairs"], origin) if "pairs" in document else None
        return cls(
            **facts,
            sets=told.sizes,
            key=keys,
            **arrays,
            distributions=spread,
            asked=asked,
            segments=segments,
            pairs=pairs,
        )

    def to_json(self) -> str:
        """Return the same as JSON text, made in parts: plain values of many keys may take gigabytes."""
        return "".join(self._json_texts())

    def _json_texts(self) -> Iterator[str]:
        yield json.dumps(self._heading(), ensure_ascii=False, allow_nan=False)[:-1] + ', "estimates": ['
        for start in range(0, len(self), ROWS_PER_TEXT):
            some = self._take(np.arange(start, min(start + ROWS_PER_TEXT, len(self))))
            rows = json.dumps(some.to_dict()["estimates"], ensure_ascii=False, allow_nan=False)
            yield (", " if start else "") + rows[1:-1]
        yield "]}"

    def __repr__(self) -> str:
        return (
            f"<Estimates of {plural(len(self.listed), 'key')} from {plural(self.reports, 'report')}: {self.mechanism}, "
            f"ε = {self.epsilon:g}{' of a report' if self.mixed else ''}, method {self.method}, level {self.level:g}"
            f"{(self.hostile and f', hostile {self.hostile:,}') or ''}"
            f"{(self.level_values and f', {len(self.level_values)} levels') or ''}>"
        )


def detection_sentence(
    detected: int, keys: int, hostile: int = 0, rate: float | None = None, *, any_unknown: bool = False
) -> str:
    """Say how many keys stand out from the noise, whatever some reports say; a `rate` is for hashed keys.

    Where all people may hold a key that does not stand out, it is not known to be rare.

    >>> detection_sentence(14, 100)
    '14 of 100 keys stand out from the noise; the others may be zero.'
    >>> detection_sentence(0, 1)
    'The key does not stand out from the noise: it may be zero. More people or a larger ε would help.'
    >>> detection_sentence(1, 1, hostile=20)
    'The key stands out from the noise, whatever 20 of the reports say.'
    """
    despite = f", whatever {hostile:,} of the reports say" if hostile else ""
    if not detected:
        # Where a share of the reports is hostile, more people do not help.
        remedy = "Fewer hostile reports" if hostile else "More people"
        if keys == 1:
            none = "The key does not stand out"
            told = "how frequent it is is unknown" if any_unknown else "it may be zero"
        else:
            none = "No key stands out"
            told = "how frequent they are is unknown" if any_unknown else "each may be zero"
        return f"{none} from the noise{despite}: {told}. {remedy} or a larger ε would help."
    if rate is not None:
        despite += f" (at most {100 * rate:g} % of such flags are false, on average)"
    if detected == keys:
        all_keys = {1: "The key stands", 2: "Both keys stand"}.get(keys, f"All {keys:,} keys stand")
        return f"{all_keys} out from the noise{despite}."
    # Not "the other": a task may have a key of that name.
    others = "the one that does not" if keys - detected == 1 else "the others"
    are = "is" if keys - detected == 1 else "are"
    told = f"how frequent {others} {are} is unknown" if any_unknown else f"{others} may be zero"
    stand = "stands" if detected == 1 else "stand"
    return f"{detected:,} of {keys:,} keys {stand} out from the noise{despite}; {told}."


class _Questions(NamedTuple):
    """What was asked for besides, by the members of rows that hold the answers."""

    quantiles: tuple[float, ...] = ()
    above: tuple[float, ...] = ()
    below: tuple[float, ...] = ()


class _Heading(NamedTuple):
    """What a document says of the whole table, besides its facts."""

    sizes: SetSummary
    between: str | None = None
    level_values: tuple[float, ...] = ()
    asked: _Questions = _Questions()


class _FurtherColumns(NamedTuple):
    """What a row has where keys are hashed, and where there are more than two levels, besides their shares."""

    collides: bool
    deviation: float
    deviation_low: float
    deviation_high: float


def _read_distributions(told: _Heading, rows: list[dict[str, Any]]) -> Distributions:
    """Return how holders are spread over the levels, where the rows tell it."""
    if told.between is None:
        return Distributions.none(len(rows))
    values = told.level_values
    if told.between not in BETWEEN:
        raise DataError(f"not {' or '.join(map(repr, BETWEEN))}", place="between")
    if len(values) <= MIN_LEVELS or any(high <= low for low, high in pairwise(values)):
        raise DataError("not the rising values of more than two levels", place="level_values")
    for number, row in enumerate(rows):
        if not isinstance(row.get("shares"), list) or len(row["shares"]) != len(values):
            raise DataError(f"not the shares of {len(values)} levels", place=f"estimates[{number}]")
    by_level = read_columns(LevelShare, [share for row in rows for share in row["shares"]], place="shares")
    levels, *shares = (np.array(each, float).reshape(len(rows), len(values)) for each in by_level.values())
    if (levels != values).any():
        raise DataError("levels of other values", place="estimates")
    deviations = read_columns(_FurtherColumns, rows, DEVIATIONS, "estimates").values()
    exact = told.between == REFUSE_BETWEEN
    return Distributions(values, exact, *shares, *(np.array(each, float) for each in deviations))
