"""A tally: exact counts of reports of one task, in compiled loops where numba is installed.

The loops run without the interpreter's lock, so that threads with a tally each use all cores.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib.util import find_spec
from math import gcd

import numpy as np

from pckv.base.arrays import Bytes, Integers, Messages
from pckv.base.errors import ReportError, TallyError
from pckv.base.html import html_table
from pckv.base.wire import Report, check_id
from pckv.base.words import plural
from pckv.contract.task import Task
from pckv.mechanisms.base import CountLaw
from pckv.mechanisms.derivation import key_law
from pckv.tally import storage
from pckv.tally.counts import CELLS_FOR_PARTS, Counts, DenseCounts, empty_counts
from pckv.tally.layouts import Layout, PlaneLayout, SupportLayout, WordLayout, layout_of


class Tally:
    """Add reports, merge tallies, and keep nothing but counts.

    A cell is a counter: one per word, or one per level of a key where reports support several keys at once.

    Args:
        task: The task of the reports.
        counts: Counts to begin with; none unless a tally is restored.
        layout: Where each count stands, if that is known already.

    >>> from pckv import Task, perturb
    >>> task = Task(name="movies", keys=["alien", "heat"], values=(1, 5), epsilon=1.0)
    >>> tally = Tally(task)
    >>> tally.add_many(perturb(task, {"alien": 4}) for _ in range(10))
    >>> tally.reports
    10
    >>> Tally.from_bytes(task, bytes(tally)) == tally
    True
    """

    def __init__(self, task: Task, counts: Counts | None = None, layout: Layout | None = None) -> None:
        self.task = task
        self.reports = 0
        self._format = task.message_format
        self.layout = layout or layout_of(task)
        # The number of counters.
        self.cells = self.layout.cells
        self.counts = empty_counts(self.cells) if counts is None else counts

    @property
    def size_answers(self) -> Integers:
        """How many reports gave each answer to the size question; empty where the task does not ask it."""
        question = self.task.size_question
        if question is None:
            return np.zeros(0, np.int64)
        return self.counts.take(self.layout.first_answer + np.arange(len(question.ends)))

    @property
    def pair_reports(self) -> int:
        """How many reports are about pairs: all but the answers to the size question."""
        return self.reports - int(self.size_answers.sum())

    @property
    def people(self) -> int:
        """How many people the reports stand for: a round's are a random choice, those of one panel."""
        series = self.task.series
        return self.reports * (1 if series is None else series.panels)

    @property
    def count_law(self) -> CountLaw:
        """The law of a key's counts: the law's, with what the reports themselves tell of it."""
        return key_law(self.item_law, self.task.derivation)

    @property
    def item_law(self) -> CountLaw:
        """The law of the counts of an item: the key's own, unless items are derived."""
        layout = self.layout
        if not isinstance(layout, SupportLayout):
            return self.task.law.count_law
        return layout.law.measured_law(self._unused_supports(layout), self.pair_reports)

    def honest_laws(self, hostile: int) -> tuple[CountLaw, CountLaw]:
        """Return the laws of a key with the least and the most noise that all but `hostile` reports may tell of."""
        least, most = self.honest_item_laws(hostile)
        return key_law(least, self.task.derivation), key_law(most, self.task.derivation)

    def honest_item_laws(self, hostile: int) -> tuple[CountLaw, CountLaw]:
        """Return those of an item.

        At most `hostile` reports of pairs are not honest: they support unused positions as often as they can.
        """
        layout = self.layout
        if not isinstance(layout, SupportLayout):
            return self.task.law.count_law, self.task.law.count_law
        law, honest = layout.law, self.pair_reports - hostile
        unused = self._unused_supports(layout)
        added = hostile * min(law.steps_per_report, law.positions - law.items)
        return law.measured_law(max(unused - added, 0), honest), law.measured_law(unused, honest)

    def _unused_supports(self, layout: SupportLayout) -> int:
        """Return how often positions that belong to no key were supported."""
        return int(self.counts.take(np.array([layout.unused]))[0])

    def add(self, report: Report) -> None:
        """Count one `report` of the task; anything else is a `ReportError`, and nothing is counted."""
        check_id(report.id)
        self._format.decode(report.body)
        self._count(self._format.to_array(report.body))

    def add_many(self, reports: Iterable[Report] | Messages) -> None:
        """Count many reports.

        Args:
            reports: An iterable of `Report`, an array of words, or an array of plane rows.

        Raises:
            ReportError: if one of them is not a report of the task; then none is counted.
        """
        if isinstance(reports, np.ndarray):
            self._count(self._format.check_shape(reports))
            return
        bodies = bytearray()
        for number, report in enumerate(reports):
            try:
                check_id(report.id)
                self._format.decode(report.body)
            except ReportError as error:
                raise ReportError(error.code, f"report {number}: {error}") from None
            bodies += report.body
        self._count(self._format.to_array(bytes(bodies)))

    def _count(self, messages: Messages) -> None:
        reports = self._grown(len(messages))
        self.layout.add(self.counts, messages)
        self.reports = reports

    def add_counted(self, words: Integers, times: Integers) -> None:
        """Add different `words` that were counted elsewhere, each with the `times` that it was reported.

        Raises:
            TallyError: if cells are not words, a word comes twice, or a number is below 0.
            ReportError: if a word is not one of the task.
        """
        if not isinstance(self.layout, WordLayout):
            raise TallyError("a tally whose cells are not words takes reports one by one")
        if words.size and not 0 <= int(words.min()) <= int(words.max()) < self.cells:
            raise ReportError("out_of_range", f"a word is not below {self.cells}")
        if np.unique(words).size != words.size or int(times.min(initial=0)) < 0:
            raise TallyError("words that were counted come once each, and no times below zero")
        self.reports = self._grown(int(times.sum()))
        self.counts.add_counts(words, times)

    def merge(self, other: Tally) -> None:
        """Add the tally `other` to this one; one of another task, or too many reports, are a `TallyError`."""
        if other.task != self.task:
            raise TallyError(f"a tally of task {other.task.id} cannot be merged into one of {self.task.id}")
        self.reports = self._grown(other.reports)
        self.counts.merge(other.counts)

    def _grown(self, reports: int) -> int:
        if self.reports + reports > self.layout.max_reports:
            raise TallyError(f"a tally of this task holds at most {self.layout.max_reports:,} reports")
        return self.reports + reports

    def __bytes__(self) -> bytes:
        return storage.pack(self.task.digest, self.reports, self.cells, *self.counts.nonzero())

    @classmethod
    def from_bytes(cls, task: Task, data: bytes) -> Tally:
        """Return the tally of a `task` from `data`, which `bytes(tally)` gave.

        Returns:
            An equal tally.

        Raises:
            TallyError: if the bytes are truncated, edited or another task's.
        """
        tally = cls(task)
        tally.merge_bytes(data)
        return tally

    def merge_bytes(self, data: bytes) -> None:
        """Add `data`, which `bytes(tally)` gave, at a cost that depends on its size, not on all cells.

        A `TallyError` refuses what is truncated, edited, or another task's.
        """
        reports, cells, counts = storage.unpack(data, self.task.digest, self.cells)
        self.layout.check(cells, counts, reports)
        self.reports = self._grown(reports)
        self.counts.add_counts(cells, counts)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tally) and bytes(self) == bytes(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<Tally of {plural(self.reports, 'report')} of {self.task.name!r}>"

    def _repr_html_(self) -> str:
        question = self.task.size_question
        facts = [
            ("task", f"{self.task.name} ({self.task.id})"),
            ("reports", f"{self.reports:,}"),
            ("about pairs", f"{self.pair_reports:,}"),
        ]
        if question is not None:
            answers = zip(question.labels, self.size_answers.tolist(), strict=True)
            facts += [(f"answers “{label}” pairs", f"{count:,}") for label, count in answers]
        # A counter is noise until it is estimated from, so that none is shown.
        return html_table("Tally", (), facts, hidden=self.cells, what="counters")


# Rows are laid side by side to at least this many 64-bit lanes, which the processor adds together.
MIN_LANES = 64
LANE_BYTES = 8
# Loading the compiled loops takes half a second, in which plain ones count about this much.
BYTES_WORTH_COMPILING = 2**28


def fast_tally(task: Task, reports: int) -> Tally:
    """Return an empty tally for about this many reports, compiled where that pays for its start."""
    layout = layout_of(task)
    # Few cells stay in the cache, where numpy counts words as fast.
    slow = isinstance(layout, PlaneLayout) or layout.cells > CELLS_FOR_PARTS
    worth = slow and reports * task.law.body_bytes >= BYTES_WORTH_COMPILING
    return compiled_tally(task) if worth and find_spec("numba") else Tally(task)


def compiled_tally(task: Task) -> Tally:
    """Return an empty tally whose inner loops are compiled."""
    layout = layout_of(task)
    if isinstance(layout, WordLayout):
        layout = CompiledWordLayout(task, layout.message_format)
    elif isinstance(layout, PlaneLayout):
        layout = CompiledPlaneLayout(layout.message_format)
    return Tally(task, layout=layout)


class CompiledWordLayout(WordLayout):
    """Words, counted in a compiled loop."""

    def add(self, counts: Counts, messages: Integers) -> None:
        inside = not messages.size or int(messages.view(np.uint64).max()) < self.cells
        if not inside or not isinstance(counts, DenseCounts):
            super().add(counts, messages)
            return
        from pckv.tally.loops import count_words  # noqa: PLC0415

        count_words(messages, counts.array)


class CompiledPlaneLayout(PlaneLayout):
    """Bit planes, checked and counted in compiled loops."""

    def check_planes(self, rows: Bytes) -> None:
        from pckv.tally.loops import are_planes  # noqa: PLC0415

        if not are_planes(rows, self.keys):
            super().check_planes(rows)

    def count_bits(self, rows: Bytes) -> Integers:
        from pckv.tally.loops import count_bits  # noqa: PLC0415

        width = rows.shape[1]
        rows_per_lane_row = LANE_BYTES // gcd(width, LANE_BYTES)
        rows_per_lane_row *= -(-MIN_LANES * LANE_BYTES // (rows_per_lane_row * width))
        whole = rows.shape[0] // rows_per_lane_row * rows_per_lane_row
        lanes = np.ascontiguousarray(rows[:whole]).reshape(-1, rows_per_lane_row * width).view(np.uint64)
        totals = count_bits(lanes).reshape(rows_per_lane_row, 8 * width).sum(axis=0)
        return np.asarray(totals + super().count_bits(rows[whole:]))
