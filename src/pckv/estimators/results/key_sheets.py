"""The sheet of estimates in a workbook for people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pckv.contract.task import Task
from pckv.estimators.results.distributions import ABOVE, QUANTILE, Asked
from pckv.estimators.results.key_estimate import UNKNOWN_SPAN
from pckv.estimators.results.sheet_words import SheetWords
from pckv.estimators.results.workbooks import (
    SheetColumn,
    clear_column,
    clear_sentence,
    number_columns,
    share_columns,
    triples,
)

if TYPE_CHECKING:
    from pckv.estimators.results.estimates import Estimates


def estimate_columns(estimates: Estimates, words: SheetWords, task: Task | None) -> list[SheetColumn]:
    """Return a row per key: its share and mean, how its holders are spread, and what else was asked for."""
    detected = estimates.detected.tolist()
    columns = [
        SheetColumn.of_texts(words("Answer"), _names(estimates, words)),
        *share_columns(words, words("Share of people"), triples(estimates, "frequency"), detected),
    ]
    if estimates.has_means:
        header = average_header(words, task)
        columns += number_columns(words, header, triples(estimates, "mean"), estimates.mean_known.tolist())
    if (hidden := estimates.is_mean_hidden).any():
        reported = triples(estimates, "mean", "reported_mean_low", "reported_mean_high")
        header = words("Average of the reported answers")
        columns += number_columns(words, header, reported, hidden.tolist())
    columns.append(clear_column(words, detected, estimates.frequency_high.tolist()))
    for level, name in enumerate(_level_names(estimates, words, task)):
        columns += _level(estimates, words, level, name)
    for asked in estimates.asked:
        columns += _asked(asked, words, detected)
    return columns


def average_header(words: SheetWords, task: Task | None) -> str:
    """Return what stands above means, with the unit of the values."""
    unit = task.about.unit if task is not None else ""
    return words("Average ({unit})", unit=unit) if unit else words("Average")


def estimate_findings(estimates: Estimates, words: SheetWords) -> Iterator[str]:
    """Yield what the table says, in sentences for people."""
    if not estimates.reports:
        yield words("There are no responses yet.")
        return
    yield clear_sentence(words, estimates.listed.detected.tolist())
    if estimates.sets.larger_high:
        yield words(
            "Of one person, at most this many answers count: {padding}. If people have more, true shares are higher "
            "than these; the ranges include that.",
            padding=words.count(estimates.sets.padding),
        )
    if estimates.hostile:
        hostile = words.count(estimates.hostile)
        yield words("The ranges hold whatever {hostile} of the responses say.", hostile=hostile)


def _names(estimates: Estimates, words: SheetWords) -> list[str]:
    notes = {estimates.other: words("all other answers")}
    shared = words("responses do not tell it from another of these")
    found = zip(estimates.key, estimates.collides.tolist(), strict=True)
    noted = ((key, notes.get(key, shared if collides else "")) for key, collides in found)
    return [f"{key} ({note})" if note else key for key, note in noted]


def _level_names(estimates: Estimates, words: SheetWords, task: Task | None) -> list[str]:
    """Return the levels, the ends of the scale and its middle with what they mean: "1 (mild)", "2", "3 (severe)"."""
    names = [words.number(name) for name in estimates.distributions.names]
    about, last = (None if task is None else task.about), len(names) - 1
    labels = {} if about is None else {last / 2: about.middle_label, 0: about.low_label, last: about.high_label}
    return [f"{name} ({labels[place]})" if labels.get(place) else name for place, name in enumerate(names)]


def _level(estimates: Estimates, words: SheetWords, level: int, name: str) -> list[SheetColumn]:
    spread = estimates.distributions
    values, lows, highs = (each[:, level].tolist() for each in (spread.shares, spread.shares_low, spread.shares_high))
    numbers, detected = list(zip(values, lows, highs, strict=True)), estimates.detected.tolist()
    return _known_shares(words, words("Of these: {level}", level=name), numbers, detected)


def _known_shares(
    words: SheetWords, header: str, numbers: list[tuple[float, float, float]], detected: list[bool]
) -> list[SheetColumn]:
    """Return shares of the holders of keys; of a key that may have none, and where the range is wide, all is empty."""
    known = [is_clear and high - low < UNKNOWN_SPAN for (_, low, high), is_clear in zip(numbers, detected, strict=True)]
    columns = share_columns(words, header, numbers, known)
    return [
        column._replace(cells=[cell if told else None for cell, told in zip(column.cells, known, strict=True)])
        for column in columns
    ]


def _asked(asked: Asked, words: SheetWords, detected: list[bool]) -> list[SheetColumn]:
    numbers = list(zip(asked.answer.tolist(), asked.low.tolist(), asked.high.tolist(), strict=True))
    if asked.question == QUANTILE:
        share = words.number(f"{100 * asked.at:.6g} %")
        return number_columns(words, words("{share} say at most", share=share), numbers, detected)
    text = "Of these: above {value}" if asked.question == ABOVE else "Of these: below {value}"
    return _known_shares(words, words(text, value=words.number(f"{asked.at:.12g}")), numbers, detected)
