"""A task of every kind, with people who hold none, one, several and too many pairs or texts of it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import cycle
from typing import Any, NamedTuple

from pckv import Series, Task
from pckv.auditing.variants import LEVEL_VARIANTS
from pckv.base.limits import HASHED, REPORT_ID_BYTES, SERVER_COIN
from pckv.device.perturb import Held
from pckv.mechanisms.registry import LAWS
from support.tasks import a_task
from support.traced_settings import WITH_FUNCTIONS

KEYS, PADDING, SHARE = ["up", "heat", "alien", "solaris", "stalker"], 2, "0.5"
TEXTS = ("a", "ab", "abba", "cab", "b")
LARGE_PADDING = 11
# More draws than one block of randomness holds.
MANY_KEYS = 8_300


class TaskKind(NamedTuple):
    """A kind of task, and what people hold; where the collector gives coins, every report gets one."""

    name: str
    task: Task
    people: tuple[Held, ...]

    def __str__(self) -> str:
        return self.name

    def coin(self, number: int) -> bytes | None:
        """Return the coin of a report."""
        return bytes([7 + number] * REPORT_ID_BYTES) if self.task.coin == SERVER_COIN else None


@lru_cache
def task_kinds() -> tuple[TaskKind, ...]:
    """Return every kind of task that there is."""
    return (*_listed(), *_unlisted(), *_discoveries(), _round(), *_large())


def _task(mechanism: str | dict[str, Any], **members: Any) -> Task:
    usual = {"keys": KEYS, "padding": PADDING, "mechanism": mechanism, "epsilon": 2, "size_share": 0}
    return a_task(**(usual | members))


def _people(*keys: str) -> tuple[Held, ...]:
    values = cycle((0.0, 0.3, 1.0, 0.6, 0.5, 0.9, 0.1))
    return tuple({key: next(values) for key in keys[:size]} for size in (0, 1, PADDING, len(keys)))


def _listed() -> Iterator[TaskKind]:
    people = _people(*KEYS)
    for name in LAWS:
        yield TaskKind(name, _task(name), people)
        for levels, parameters in LEVEL_VARIANTS[name][-1:]:
            yield TaskKind(f"{name}, levels", _task({"name": name, **parameters}, levels=levels), people)
        if name != "ue":
            yield TaskKind(f"{name}, sizes", _task(name, size_share=SHARE), people)
        if name in WITH_FUNCTIONS:
            yield TaskKind(f"{name}, coins", _task(name, size_share=SHARE, coin=SERVER_COIN), people)
    yield TaskKind("refusing", _task("grr", more="refuse", between="refuse", levels=(0, "0.3", 1)), people[:3])


def _unlisted() -> Iterator[TaskKind]:
    # The last ones hold several that are not listed, which count as one, so that a dummy may be reported.
    people = (*_people(*KEYS[:3], "ran", "ikiru", "pi"), {"ran": 0.3, "ikiru": 0.8})
    for name in LAWS:
        shares = {} if name == "ue" else {"size_share": SHARE}
        yield TaskKind(f"{name}, other", _task(name, keys=KEYS[:3], other="other", **shares), people)
    for coin in ("device", "server"):
        task = _task("collision", keys=HASHED, size_share=SHARE, coin=coin)
        yield TaskKind(f"hashed, {coin}", task, people)


def _discoveries() -> Iterator[TaskKind]:
    people = tuple(TEXTS[:size] for size in (0, 1, 2, 5))
    for coin, padding in (("device", 1), ("device", 3), ("server", 2)):
        task = Task.discovery(name="t", epsilon=2, alphabet="abc", characters=4, padding=padding, coin=coin)
        yield TaskKind(f"discovery, {coin}, {padding}", task, people)


def _round() -> TaskKind:
    series = Series(task=_task("collision", size_share=SHARE), first="2020-01-06", period=3660, panels=2)
    return TaskKind("round", series.task_of(1), _people(*KEYS))


def _large() -> Iterator[TaskKind]:
    """Yield tasks of larger sets, and one of whose draws there are several blocks."""
    for name in LAWS:
        task = _task(name, keys=90, padding=LARGE_PADDING, epsilon=6, **({} if name == "ue" else {"size_share": "0.2"}))
        yield TaskKind(f"{name}, larger sets", task, _people(*map(str, range(0, 90, 2))))
    yield TaskKind("ue, many keys", _task("ue", keys=MANY_KEYS), ({"3": 0.3, str(MANY_KEYS - 1): 1.0},))
