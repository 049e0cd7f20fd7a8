"""Tasks and series of all kinds, and what participants may hold of each: devices that differ in that alone must look alike.

Texts are of all lengths and kinds that code may treat apart, alone and in company; sets have up to four times as many
pairs as the padding.
"""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import product
from typing import Any, NamedTuple

from pckv import Task
from pckv.base.canonical import base64url, from_base64url
from pckv.base.errors import AuditFailure
from pckv.base.limits import DISCOVERY, REFUSE, REFUSE_BETWEEN
from pckv.contract.series import Series
from pckv.mechanisms.derivation import Segment
from pckv.sealing.opening import EntryOpener
from pckv.sealing.recipient_key import RecipientKey
from support.sealing import SECRETS
from support.tasks import a_mixed_task

# Pairs, or texts; where it is wrong, anything.
Held = Any


class Labelled(NamedTuple):
    """Pairs, and the label of a participant where a task has a segment."""

    pairs: Held
    segment: Any


# Names that languages and libraries read as something else than a text.
ODD_NAMES = ("nan", "NaN", "-inf", "null", "undefined", "true", "0", "-0", "1e3", "__proto__", "constructor", "é", " ")
LISTED = [*ODD_NAMES, *(f"key {number}" for number in range(9))]
# Texts that people hold where any text is taken: some are in another form of Unicode, or cannot be keys.
ODD_TEXTS = (
    *ODD_NAMES, "e\u0301", "a\tb", "\0", "\u0085", "\ud800", "\u0958" * 43, "😀" * 64, "日本", "ÄẞΣİ", "</script>", "other",
)  # fmt: skip
# Around the limits of discoveries, of fields and of names.
LENGTHS = (0, 1, 24, 25, 39, 40, 41, 64, 65, 66, 100, 130, 256, 257, 1000)
ALL_LENGTHS = tuple(range(131))
PADDING, MAX_TIMES = 3, 4
# Sealed reports go there, and only they.
MIXER_URL = "http://localhost:9"
PANELS, ROUNDS, PERIOD, FIRST = 3, 6, 7, "2030-01-07"
DAY_SECONDS = 86_400
# Times are seconds from the start of round 0, the week before the first.
START = dt.datetime.fromisoformat(FIRST).replace(tzinfo=dt.UTC) - dt.timedelta(days=PERIOD)
END_SECONDS = (ROUNDS + 1) * PERIOD * DAY_SECONDS
# The shares of a round at which a device starts.
STARTS = (0.3, 0.99)
# Which answers are lost (0), temporary (503) or refusals (403, because the task is closed): those to the requests of a
# kind, one after another; all later ones are right. In the second way there is no answer about admission while one call
# lasts; then no report is to be made at first, and in the last one that is made is refused.
FAILURES: tuple[dict[str, list[int]], ...] = (
    {"contract": [0], "admission": [503], "reports": [503, 0, 0, 503]},
    {"contract": [503], "admission": [0, 503, 0], "reports": []},
    {"contract": [], "admission": [403], "reports": []},
    {"contract": [], "admission": [], "reports": [0, 403]},
)
CLOSED = '{"type":"urn:pckv:problem:closed","detail":"at noon"}'
# Of every run, the draws of a report are one number, with this highest byte times the seed: at either side of a half, and
# below where draws are rejected.
SEEDS, HIGHEST_BYTE = (1, 2, 3), 0x35
# Subjects that differ in what a client does with pairs before a mechanism gets them; the others differ in that alone.
THOROUGH = (
    "ue", "levels", "sizes", "coin", "refuse", "numbers", "other", "other of numbers", "other, refuse", "hashed",
    "hashed, refuse", "discovery", "series of grr", "series of other and sizes", "series of hashed, refuse", "mixed",
    "by group", "together", "series of by group",
)  # fmt: skip
# One task of each kind that takes any text.
ALL_LENGTHS_OF = ("other", "hashed", "discovery")
# Some subjects of each kind for every run of the tests, and the same for wrong pairs.
SHORT, SHORT_REFUSALS = (
    ("other", "hashed and sizes", "long discovery", "series of grr", "mixed", "by group"),
    ("other", "levels", "discovery", "by group"),
)


def _task(name: str, **members: Any) -> Task:
    usual: dict[str, Any] = {"keys": LISTED, "values": (0, 4), "epsilon": 2, "padding": PADDING, "size_share": "0"}
    return Task(name=name, **(usual | members))


def _of_texts(name: str, **members: Any) -> Task:
    return Task.discovery(name=name, epsilon=2, padding=PADDING, **members)


def _hashed(name: str, **members: Any) -> Task:
    return _task(name, **({"keys": "hashed"} | members))


def _mixed(task: Task) -> Task:
    return a_mixed_task(task, MIXER_URL)


COLLISION, COMPACT = {"name": "collision", "symbols": 8}, {"name": "ue-compact", "q": 5}
STARS = ("0", "1", "3", "4")
GROUPS = Segment("group", ["a", "nan", "é", "a" * 200])
TASKS = (
    _task("ue", mechanism="ue"),
    _task("grr", mechanism="grr"),
    _task("compact", mechanism=COMPACT),
    _task("collision", mechanism=COLLISION),
    _task("levels", mechanism="grr", levels=STARS),
    _task("levels of collision", mechanism=COLLISION, levels=5),
    _task("sizes", mechanism="grr", size_share="0.5"),
    _task("sizes of compact", mechanism=COMPACT, size_share="0.5"),
    _task("coin", mechanism=COLLISION, coin="server"),
    _task("coin and sizes", mechanism=COMPACT, coin="server", size_share="0.5"),
    _task("refuse", mechanism="grr", more="refuse"),
    _task("numbers", keys=20, mechanism="grr"),
    _task("other", mechanism="grr", other="other"),
    _task("other and sizes", mechanism=COLLISION, other="other", size_share="0.5", levels=3),
    _task("other of numbers", mechanism="ue", keys=20, other="other"),
    _task("other, refuse", mechanism=COMPACT, other="other", more="refuse"),
    _hashed("hashed", mechanism=COLLISION),
    _hashed("hashed and sizes", mechanism=COLLISION, size_share="0.5", coin="server"),
    _hashed("hashed, refuse", mechanism=COLLISION, more="refuse", levels=5),
    _task("keys alone", values=None, other="other", mechanism=COLLISION, size_share="0.5"),
    _hashed("hashed keys alone", values=None, mechanism=COLLISION),
    _of_texts("discovery", characters=24),
    _of_texts("discovery with coins", characters=24, coin="server"),
    _of_texts("long discovery", characters=64),
    _task("by group", mechanism=COLLISION, segment=GROUPS, size_share="0.5"),
    _task("by group, coin", mechanism=COLLISION, segment=GROUPS, other="other", coin="server"),
    _task("together", values=None, together=True, mechanism={"name": "collision", "symbols": 20}, size_share="0.5"),
    _mixed(_task("mixed by group", values=None, mechanism="grr", segment=GROUPS, closes="2999-01-01")),
    _mixed(_task("mixed", mechanism="ue", other="other", closes="2999-01-01")),
    _mixed(_hashed("mixed, hashed and sizes", mechanism=COLLISION, size_share="0.5", closes="2999-01-01")),
)


def _series(task: Task) -> Series:
    return Series(task=task, first=FIRST, period=PERIOD, panels=PANELS, rounds=ROUNDS)


SERIES = (
    *map(_series, (TASKS[1], TASKS[13], TASKS[16], TASKS[18])),
    _series(_mixed(_task("mixed grr", mechanism="grr"))),
    _series(next(task for task in TASKS if task.name == "by group")),
)
SUBJECTS: dict[str, Task | Series] = {task.name: task for task in TASKS} | {
    f"series of {series.task.name}": series for series in SERIES
}


def task_of(subject: Task | Series) -> Task:
    return subject.task if isinstance(subject, Series) else subject


def takes_any_text(task: Task) -> bool:
    return task.is_hashed or task.other is not None or task.kind == DISCOVERY


def _values(task: Task) -> tuple[float, ...]:
    """Return values at the ends, next to them and between, as far as a task takes them."""
    low, high = task.ends
    if task.between == REFUSE_BETWEEN:
        return task.level_values
    return (low, high, math.nextafter(low, high), math.nextafter(high, low), -0.0, (low + high) / 3)


def _held(task: Task, names: list[str], value: int = 0) -> Held:
    """Return some keys, with values in turn."""
    if not task.has_values:
        return list(names)
    values = _values(task)
    return {name: values[(value + place) % len(values)] for place, name in enumerate(names)}


def holdings(task: Task, lengths: tuple[int, ...] = ()) -> Iterator[Held]:
    """Yield what participants may hold of a task, with texts of more lengths in company."""
    names = [task.key_name(key) for key in range(20)] if isinstance(task.keys, int) else LISTED
    most = task.padding if task.more == REFUSE else MAX_TIMES * task.padding
    for size in range(most + 1):
        yield _held(task, names[::-1][:size], size)
    for place in range(len(_values(task)) if task.has_values else 0):
        yield _held(task, names[3:4], place)
    texts = [*ODD_TEXTS, *("a" * length for length in LENGTHS)] if takes_any_text(task) else names[:13]
    for place, text in enumerate(texts):
        yield _held(task, [text], place)
        yield _held(task, ["key 1", text] if "key 1" in names else [names[-1], text], place)
    if takes_any_text(task):
        yield _held(task, ["e\u0301", "é"])
        if task.more != REFUSE:
            yield _held(task, texts)
    for length in lengths:
        yield _held(task, ["key 1", "é" * length], length)


# Values that are not numbers of a task, as JavaScript names them: what JSON has no word for is in a list.
WRONG_VALUES: tuple[Any, ...] = (-1, 5, ["NaN"], ["Infinity"], "nan", "NaN", "3", "", None, True, [], {}, ["1e400"])


def wrong_holdings(task: Task) -> Iterator[tuple[str, list[Held]]]:
    """Yield what is wrong with pairs, and pairs that are wrong in this way: alone, and in company before and behind."""
    names = ["1", "2"] if isinstance(task.keys, int) else ["key 1", "key 2"]
    good = dict.fromkeys(names, task.ends[0])
    yield from ((f"{wrong!r} as a whole", [wrong]) for wrong in ("key 1", 5, None))
    if not task.has_values:
        for wrong in (5, None, True):
            yield f"text {wrong!r}", [[wrong], [*names, wrong], [wrong, *names]]
        return
    yield "a list", [names, [], [[name, value] for name, value in good.items()]]
    for value in WRONG_VALUES:
        yield f"value {value!r}", [{"0": value}, {**good, "0": value}, {"0": value, **good}]
    if task.between == REFUSE_BETWEEN:
        yield "between levels", [{"0": 2.5}, {**good, "0": 2.5}, {"0": 2.5, **good}]
    if not takes_any_text(task):
        for key in ("unlisted", "", "e\u0301", "a" * 70):
            yield f"key {key!r}", [{key: 0}, {**good, key: 0}, {key: 0, **good}]
    if task.is_hashed:
        yield "the value of what is left out", [{"": 5}, {**good, "": 5}, {"": 5, **good}]
    if task.more == REFUSE:
        listed = LISTED[: PADDING + 1]
        yield "too many", [dict.fromkeys(listed, task.ends[0]), dict.fromkeys(listed[::-1], task.ends[1])]


def wrong_labels(segment: Segment, low: float) -> Iterator[tuple[str, list[Held]]]:
    """Yield what is wrong with labels, of participants with and without pairs, and with the values of others."""
    for label in (None, "b", "", "e\u0301", 5):
        yield f"label {label!r}", [Labelled({}, label), Labelled({"key 1": low}, label)]
    for value in WRONG_VALUES:
        yield f"value {value!r}", [Labelled({"0": value}, label) for label in segment.labels]


def few_holdings(task: Task) -> Iterator[Held]:
    """Yield some of what participants may hold: a full and the largest set, and the odd ones alone and in company."""
    most = PADDING if task.more == REFUSE else MAX_TIMES * PADDING
    names = [task.key_name(key) for key in range(20)] if isinstance(task.keys, int) else LISTED
    yield _held(task, names[-PADDING:], 1)
    yield _held(task, names if most > PADDING else names[:PADDING], 1)
    yield _held(task, names[:2], 1)
    if takes_any_text(task):
        yield _held(task, [""])
        yield _held(task, ["e\u0301", "é"])
        yield _held(task, ["a" * 41, "nan"])
        yield _held(task, ["a" * 130])


def moments(subject: Task | Series) -> list[float]:
    """Return when a device reports: a task twice, and a series in every round; in seconds from `START`."""
    if isinstance(subject, Task):
        return [0.0, DAY_SECONDS]
    return [(number + share) * PERIOD * DAY_SECONDS for number in range(ROUNDS + 1) for share in STARTS]


def without_private_part(task: Task, text: str) -> tuple[int, str]:
    """Return the length of a text, and the text with what is public of the body of the report in it, sealed or not."""
    shown = re.sub('"body": ?"([^"]*)"', lambda found: str(public_part(task, found[1])), text)
    return len(text), re.sub('"sealed": ?"([^"]*)"', lambda found: str(sealed_part(task, found[1])), shown)


@cache
def _opener(task: Task) -> EntryOpener:
    return EntryOpener(RecipientKey(SECRETS[0]), task.digest, task.message_format.body_bytes)


def sealed_part(task: Task, text: str) -> tuple[int, Any]:
    """Return what all but the recipient may know of a sealed report, its length, and what is public of its body."""
    entry = from_base64url(text)
    found = _opener(task).open(entry)
    return len(entry), None if found is None else public_part(task, base64url(found.body))


def public_part(task: Task, text: str) -> tuple[int, bool, int | None]:
    """Return what all may know of a report's body, as it travels: its length, whether it is about sizes, its function."""
    body = from_base64url(text)
    law = task.law
    if law.word_limit is None or law.functions is None:
        word = None if law.word_limit is None else int.from_bytes(body, "little")
        return len(body), word is not None and word >= (law.word_limit or 0), None
    word = int.from_bytes(body, "little")
    asks_size = word >= law.word_limit
    return len(body), asks_size, None if asks_size else word // (law.word_limit // law.functions)


def labelled(task: Task, pairs: Iterable[Held]) -> Iterator[Held]:
    """Yield pairs with all labels by turns, where a task has a segment."""
    labels = [] if task.segment is None else task.segment.labels[::-1]
    return (Labelled(held, labels[place % len(labels)]) if labels else held for place, held in enumerate(pairs))


def nothing(task: Task) -> Held:
    """Return what participants hold who hold nothing, with the first label where there is a segment."""
    held: Held = {} if task.has_values else []
    return held if task.segment is None else Labelled(held, task.segment.labels[0])


def parted(held: Held) -> tuple[Held, Any]:
    """Return pairs and the label, None where there is none."""
    return held if isinstance(held, Labelled) else (held, None)


class Run(NamedTuple):
    """What a new device holds, which answers it gets (a place in `FAILURES`), and the seed of its randomness."""

    held: Held
    way: int
    seed: int


# Returns what is seen of devices in some runs, by its parts.
Observer = Callable[[Task | Series, Sequence[Run]], Iterable[Mapping[str, Any]]]


def check_alike(observer: Observer, name: str, *, few: bool = True) -> None:
    """Check that all devices look like one that holds nothing, in the same run."""
    subject = SUBJECTS[name]
    task = task_of(subject)
    if few:
        runs = [Run(held, 0, seed) for held, seed in product(labelled(task, few_holdings(task)), SEEDS[::2])]
    else:
        lengths = ALL_LENGTHS if name in ALL_LENGTHS_OF else ()
        runs = [
            Run(held, number % len(FAILURES), SEEDS[number % len(SEEDS)])
            for number, held in enumerate(labelled(task, holdings(task, lengths)))
        ]
    others = sorted({run[1:] for run in runs})
    expected = dict(zip(others, observer(subject, [Run(nothing(task), *other) for other in others]), strict=True))
    for run, seen in zip(runs, observer(subject, runs), strict=True):
        for part, shown in expected[run[1:]].items():
            if shown != seen[part]:
                raise AuditFailure(
                    f"{name}: {part} differ between nothing and {str(run.held)[:60]}:\n{shown}\n{seen[part]}"
                )


# Returns the errors of wrong pairs in calls of a device that knows the contract, and whether anything else changed.
Refuser = Callable[[Task | Series, Held], tuple[list[Any], bool]]


def check_refusals(refuser: Refuser, name: str) -> None:
    """Check that wrong pairs are refused alone and in company, at all times, before anything is asked or stored."""
    subject = SUBJECTS[name]
    task = task_of(subject)
    wrong = wrong_holdings(task) if task.segment is None else wrong_labels(task.segment, task.ends[0])
    for fault, cases in wrong:
        seen = [refuser(subject, held) for held in cases]
        if any(changed for _, changed in seen):
            raise AuditFailure(f"{name}: {fault}: something was asked or stored")
        if any(error != seen[0][0][0] for errors, _ in seen for error in errors):
            raise AuditFailure(f"{name}: {fault}: errors differ: {seen}")
