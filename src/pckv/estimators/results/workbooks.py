"""Results as workbooks (XLSX) for people: headings in words, and no number for what does not stand out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from typing import Any, NamedTuple

from pckv.base.spreadsheet import BOLD, DECIMALS, PERCENTS, WRAPPED, Cell, Sheet, workbook
from pckv.base.table import ResultTable
from pckv.base.words import ENGLISH, TOO_RARE, Language, decimals, rounded_up
from pckv.contract.task import Task
from pckv.estimators.results.sheet_words import SheetWords

# What pages call a budget of this size.
PRIVACY_LEVELS = {"1": "Strong", "2": "Balanced", "3": "Light"}
# How many letters columns have room for.
NUMBER_WIDTH, MIN_TEXT_WIDTH, MAX_TEXT_WIDTH = 13, 14, 60
ABOUT_WIDTHS = (18, 90)


class SheetColumn(NamedTuple):
    """A column of a sheet: its heading, and one cell per row."""

    header: str
    cells: Sequence[Any]
    width: int = NUMBER_WIDTH

    @classmethod
    def of_texts(cls, header: str, texts: Sequence[str]) -> SheetColumn:
        """Return a column as wide as its longest text."""
        return cls(header, texts, min(max((MIN_TEXT_WIDTH, *map(len, texts))), MAX_TEXT_WIDTH))


class CountedReports(NamedTuple):
    """How many reports a table was computed from, the ε of each, and the confidence level of its intervals."""

    reports: int
    epsilon: float
    level: float


class PeopleTable(ResultTable, ABC):
    """A result that becomes a workbook, too, which people read without an analyst: CSV and Parquet have all columns."""

    @property
    @abstractmethod
    def counted(self) -> CountedReports:
        """The reports that the table was computed from."""

    @abstractmethod
    def _sheet_columns(self, words: SheetWords, task: Task | None) -> Sequence[SheetColumn]:
        """Return the columns of the sheet for people."""

    @abstractmethod
    def _findings(self, words: SheetWords) -> Iterable[str]:
        """Yield what the whole table says, in sentences for people."""

    def warned(self, words: SheetWords) -> tuple[str, ...]:
        """Return what is to be read before the numbers; normally nothing."""
        if not self.warning:
            return ()
        return (
            words("Do not use these numbers: honest responses do not give such counts, whatever people chose."),
            words(
                "Some responses were copied, made up, or made by a faulty program: find where they come from, and "
                "count again without them, or repeat the survey."
            ),
        )

    def to_xlsx(self, task: Task | None = None, language: Language = ENGLISH, day: str = "") -> bytes:
        """Return a workbook for people (XLSX): a sheet of results, and one on what they are and how to read them.

        Shares have the format of percentages. Where something does not stand out from the noise, its share is empty,
        and the end of its range is given; a mean that is not known is empty.

        Args:
            task: The task that the results are of: its name and question are told.
            language: The language of headings and sentences, "en" or "de".
            day: The day of the results, such as "2030-01-15".
        """
        words = SheetWords(language)
        columns = list(self._sheet_columns(words, task))
        if warned := self.warned(words):
            columns.append(SheetColumn(words("Warning"), [warned[0]] * len(columns[0].cells)))
        header = [Cell(column.header, BOLD) for column in columns]
        rows = zip(*(column.cells for column in columns), strict=True)
        about = [
            (Cell(name, BOLD), Cell(told, WRAPPED) if isinstance(told, str) else told)
            for name, told in self._about(words, task, day, [column.header for column in columns])
        ]
        return workbook(
            [
                Sheet(words("Results"), (header, *rows), [column.width for column in columns], header=True),
                Sheet(words("About this file"), about, ABOUT_WIDTHS),
            ]
        )

    def _about(
        self, words: SheetWords, task: Task | None, day: str, headers: Sequence[str]
    ) -> Iterator[tuple[str, Any]]:
        reports, epsilon, level = self.counted
        confidence = words.number(f"{100 * level:.6g} %")
        if task is not None:
            yield words("Survey"), task.name
            if task.about.question:
                yield words("Question"), task.about.question
        yield words("Responses"), reports
        if day:
            yield words("Day"), date.fromisoformat(day)
        yield words("Confidence"), confidence
        yield words("Privacy"), _privacy(words, task, epsilon)
        yield from _listed(words("Result"), (*self.warned(words), *self._findings(words)))
        yield from _listed(words("How to read it"), _reading(words, headers, confidence))


def _listed(name: str, lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield lines, the first beside their name."""
    for number, line in enumerate(lines):
        yield "" if number else name, line


def _reading(words: SheetWords, headers: Sequence[str], confidence: str) -> Iterator[str]:
    """Yield how columns of these headings are read."""
    yield words(
        "Every number is an estimate, since answers were made noisy before they were sent. The range “from … to” "
        "holds the true number with a confidence of {level}: keep these columns when you pass the table on.",
        level=confidence,
    )
    if words("Clear?") in headers:
        yield words(
            "Where the share is empty, the answer is not distinguishable from noise: it may have been chosen by none, "
            "or by as many as the end of its range says."
        )
        yield words("Where a share has no “from”, it is above zero, by an unknown amount.")
    if any(header.startswith(words("Average")) for header in headers):
        yield words("An average that is empty is unknown.")


def _privacy(words: SheetWords, task: Task | None, realised: float) -> str:
    if task is None:
        return words("ε = {epsilon} per response", epsilon=words.number(rounded_up(realised)))
    local = task.reporting.epsilon
    if (mixer := task.mixer) is not None:
        epsilon, delta, own = (words.number(str(number)) for number in (mixer.epsilon, mixer.delta, local))
        return words(
            "ε = {epsilon} (δ = {delta}) towards a recipient who sees only the batch, if the mixer follows the "
            "protocol and at least {honest} responses are honest; ε = {local} of a response alone",
            epsilon=epsilon,
            delta=delta,
            honest=words.count(mixer.honest),
            local=own,
        )
    told = words("ε = {epsilon} per response", epsilon=words.number(local))
    return f"{words(PRIVACY_LEVELS[local])} ({told})" if local in PRIVACY_LEVELS else told


def share_columns(
    words: SheetWords, header: str, numbers: Iterable[tuple[float, float, float]], detected: Sequence[bool]
) -> list[SheetColumn]:
    """Return a share and the two ends of its range; what is not detected has no share, and a range from 0.

    What is detected is above zero, also where its range begins at 0: then it has no lower end.
    """
    rows = []
    for (value, low, high), is_clear in zip(numbers, detected, strict=True):
        style = PERCENTS[decimals(100 * low, 100 * high)]
        shown = (value, low if low > 0 else None, high) if is_clear else (None, 0.0, high)
        rows.append([Cell(number, style) for number in shown])
    return _range_columns(words, header, rows)


def number_columns(
    words: SheetWords, header: str, numbers: Iterable[tuple[Any, Any, Any]], known: Sequence[bool]
) -> list[SheetColumn]:
    """Return a number and the two ends of its range; all three are empty where it is not known."""
    rows: list[Sequence[Cell | None]] = []
    for (value, low, high), is_known in zip(numbers, known, strict=True):
        style = DECIMALS[decimals(low, high)] if is_known else ""
        rows.append([Cell(number, style) for number in (value, low, high)] if is_known else [None] * 3)
    return _range_columns(words, header, rows)


def _range_columns(words: SheetWords, header: str, rows: Sequence[Sequence[Cell | None]]) -> list[SheetColumn]:
    headers = (header, words("from"), words("to"))
    return [SheetColumn(name, [row[place] for row in rows]) for place, name in enumerate(headers)]


def clear_column(words: SheetWords, detected: Sequence[bool], highs: Sequence[float]) -> SheetColumn:
    """Return the column that says what stands out; a share that may be all is not known to be rare."""
    told = (
        "yes" if is_clear else TOO_RARE if high < 1 else "unknown"
        for is_clear, high in zip(detected, highs, strict=True)
    )
    return SheetColumn.of_texts(words("Clear?"), [words(each) for each in told])


def told_shares(numbers: Iterable[tuple[float, float, float]], detected: Sequence[bool]) -> list[bool]:
    """Return which shares are told: those that are detected, unless the range has all shares."""
    return [is_clear and (low, high) != (0, 1) for (_, low, high), is_clear in zip(numbers, detected, strict=True)]


def triples(table: Any, name: str, low: str = "", high: str = "") -> list[tuple[float, float, float]]:
    """Return a number of every row of a table with the ends of its range, by the names of the columns."""
    names = (name, low or f"{name}_low", high or f"{name}_high")
    return list(zip(*(getattr(table, each).tolist() for each in names), strict=True))


def clear_sentence(words: SheetWords, detected: Sequence[bool]) -> str:
    """Say how many of the rows stand out."""
    clear, everything = words.count(sum(detected)), words.count(len(detected))
    return words("Clearly above zero: {clear} of {all}.", clear=clear, all=everything)
