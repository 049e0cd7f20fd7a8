"""The JavaScript client on intervals of draws, against the Python sampler: the same messages on the same boxes.

Python's boxes cover all draws of 64 bits. Where the client's box around a draw contains Python's, and both
make the same messages at its corners and inside, they agree on every draw in it.
"""

from __future__ import annotations

import random
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass, field
from pathlib import Path
from typing import Any

from pckv import Task
from pckv.auditing.interval_tape import Box, IntervalTape, Leaf, explore
from pckv.auditing.traced import Seed
from pckv.base.errors import AuditFailure
from pckv.base.randomness import BITS, Tape
from pckv.contract.coins import coin_choice
from pckv.device.perturb import choose_other, make_message, read_label, read_pairs
from pckv.mechanisms.discovery import device as discovery
from pckv.mechanisms.discovery.device import read_texts
from pckv.mechanisms.discovery.law import DiscoveryLaw
from pckv.mechanisms.discovery.prefix_tree import PrefixTree
from support.node import CLIENT, NodeProcess, node
from support.rewriting import rewrite_client

SCRIPT = Path(__file__).parent / "javascript" / "traced.mjs"
ONE = 1 << BITS
# Few, so that a fault ends the run soon.
SETTINGS_PER_BATCH = 2


@contextmanager
def traced_node(client: Path = CLIENT) -> Iterator[NodeProcess]:
    """Run a rewritten copy of the client while the context lasts."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "client"
        shutil.copytree(client, copy)
        rewrite_client(copy)
        yield node(copy, SCRIPT)


class PublicGroups(PrefixTree):
    """The group of a function is public, and may decide how long prefixes are."""

    def prefix(self, text: str, group: Any) -> str:
        return super().prefix(text, group.value if isinstance(group, Seed) else group)

    def item(self, digest: bytes, prefix: str, group: Any) -> int:
        return super().item(digest, prefix, group.value if isinstance(group, Seed) else group)


@dataclass(frozen=True)
class Setting:
    """A task, a participant's pairs and label, and their coin where the server gives one.

    Of the pairs, discoveries and keys without values take the keys.
    """

    task: Task
    pairs: dict[str, float]
    coin: bytes | None = None
    segment: str | None = None

    @property
    def functions(self) -> int | None:
        """The number of hash functions that the mechanism draws from."""
        functions: int | None = getattr(self.task.law, "functions", None)
        return functions

    def message(self, tape: Tape) -> Any:
        """Return what Python makes of a tape."""
        choice = None if self.coin is None else coin_choice(self.task, self.coin)
        if isinstance(self.task.law, DiscoveryLaw):
            tree = PublicGroups(*astuple(self.task.tree))
            texts = read_texts(tree, self.pairs)
            function = None if choice is None else choice.function
            return discovery.perturb(self.task.law, tree, self.task.digest, texts, tape, function)
        pairs = choose_other(self.task, read_pairs(self.task, self.pairs), tape)
        return make_message(self.task, pairs, tape, choice, read_label(self.task, self.segment))

    def __str__(self) -> str:
        task = self.task
        return (
            f"{len(self.pairs)} pairs of {task.key_count} keys, {task.mechanism} {task.parameters}, "
            f"padding {task.padding}, ε = {task.epsilon}, size share {task.size_share}, coin {self.coin and self.coin.hex()}"
        )


@dataclass(frozen=True)
class Point:
    """Draws, the box around them in which Python does the same, and the body of Python's report."""

    draws: tuple[int, ...]
    boxes: tuple[Box, ...]
    body: str
    # Draws that `below` must reject.
    rejected: frozenset[int] = field(default_factory=frozenset)


class RecordingTape(Tape):
    """A tape of given draws that notes how many were used, and whether one was rejected."""

    __slots__ = ("draws", "rejected", "used")

    def __init__(self, draws: Sequence[int]) -> None:
        self.draws, self.used, self.rejected = draws, 0, False

    def draw(self) -> int:
        self.used += 1
        return self.draws[self.used - 1]

    def below(self, count: int) -> int:
        before = self.used
        result = super().below(count)
        self.rejected |= self.used - before > 1
        return result


def explored_points(setting: Setting, seeded: random.Random) -> list[Point]:
    """Return points in every box of draws, given a random hash function if the mechanism draws one."""
    leaves = explore(setting.message, seeded.randrange(setting.functions or 1))
    return [point for leaf in leaves for point in _points_of(setting, leaf, seeded)]


def _points_of(setting: Setting, leaf: Leaf, seeded: random.Random) -> Iterator[Point]:
    """Yield draws at two corners of a leaf and inside it, and the latter again after rejected draws."""
    inside = tuple(_inside(box, seeded) for box in leaf.boxes)
    for draws in (leaf.lowest, leaf.highest, inside):
        yield Point(draws, leaf.boxes, body_of(setting, RecordingTape(draws)))
    numbers: list[int] = []
    boxes: list[Box] = []
    rejected = set()
    for draw, box in zip(inside, leaf.boxes, strict=True):
        complete = complete_runs(box.modulus)
        if complete < ONE:
            rejected.add(len(numbers))
            numbers.append(seeded.choice((complete, ONE - 1)))
            boxes.append(Box(None, complete, ONE - 1))
        numbers.append(draw)
        boxes.append(box)
    if rejected:
        yield Point(tuple(numbers), tuple(boxes), body_of(setting, RecordingTape(numbers)), frozenset(rejected))


def complete_runs(modulus: int | None) -> int:
    """Return the first draw that is in no complete run of a modulus."""
    return ONE if modulus is None else ONE // modulus * modulus


def _inside(box: Box, seeded: random.Random) -> int:
    number = seeded.randint(box.low, box.high)
    return number if box.modulus is None else number + box.modulus * seeded.randrange(ONE // box.modulus)


def random_points(setting: Setting, count: int, seeded: random.Random) -> list[Point]:
    """Return random draws, of which none is rejected, with the boxes around them."""
    points: list[Point] = []
    while len(points) < count:
        tape = RecordingTape([_random_draw(seeded, setting.task.draws) for _ in range(setting.task.draws + 9)])
        body = body_of(setting, tape)
        if tape.rejected:
            continue
        draws = tuple(tape.draws[: tape.used])
        traced = IntervalTape([part for draw in draws for part in (draw, 0)], 0, ONE)
        setting.message(traced)
        boxes = [
            Box(draw.remainder.count, draw.remainder.low, draw.remainder.high)
            if draw.remainder
            else Box(None, draw.low, draw.high)
            for draw in traced.variables
        ]
        points.append(Point(draws, tuple(boxes), body))
    return points


def _random_draw(seeded: random.Random, draws: int) -> int:
    """Return a uniform draw, or one near either end: branches of any chance are reached.

    Among many draws these are rarer, since one that is rejected spoils them all.
    """
    kind = seeded.randrange(max(4, draws // 8))
    if kind > 1:
        return seeded.randrange(ONE)
    small = seeded.getrandbits(seeded.randint(1, BITS))
    return small if kind == 1 else ONE - 1 - small


def body_of(setting: Setting, tape: Tape) -> str:
    """Return the body of Python's report in hexadecimal digits."""
    return setting.task.message_format.encode(setting.message(tape)).hex()


def comparison(requests: Callable[[], Sequence[tuple[Setting, Sequence[Point]]]]) -> Callable[[Path], None]:
    """Return the check of a client's folder that compares its messages with Python's at all points of some requests."""

    def check(client: Path) -> None:
        with traced_node(client) as process:
            check_points(process, requests())

    return check


def check_points(process: NodeProcess, requests: Sequence[tuple[Setting, Sequence[Point]]]) -> None:
    """Run the client on some points of some settings, and compare."""
    # A fault is found before all of them are run.
    for start in range(0, len(requests), SETTINGS_PER_BATCH):
        _check_batch(process, requests[start : start + SETTINGS_PER_BATCH])


def _check_batch(process: NodeProcess, requests: Sequence[tuple[Setting, Sequence[Point]]]) -> None:
    answers = process.ask(
        *(
            {
                "task": setting.task.to_json(),
                **(
                    {"pairs": list(setting.pairs.items())} if setting.task.has_values else {"keys": list(setting.pairs)}
                ),
                "coin": setting.coin and setting.coin.hex(),
                "segment": setting.segment,
                "runs": [[str(draw) for draw in point.draws] for point in points],
            }
            for setting, points in requests
        )
    )
    for (setting, points), runs in zip(requests, answers, strict=True):
        for point, run in zip(points, runs, strict=True):
            found = difference(point, run)
            if found:
                raise AuditFailure(f"traced client: {found} ({setting})")


def difference(point: Point, run: dict[str, Any]) -> str | None:
    """Return what the client does otherwise than Python, or None."""
    if "error" in run:
        return str(run["error"])
    if run["body"] != point.body:
        return "another message"
    if len(run["boxes"]) != len(point.boxes):
        return f"{len(run['boxes'])} draws, not {len(point.boxes)}"
    for number, (box, texts) in enumerate(zip(point.boxes, run["boxes"], strict=True)):
        low, high, *remainder = map(int, texts)
        if number in point.rejected:
            wrong = f"is rejected from {low} to {high}" if (low, high) != (box.low, box.high) else None
        else:
            wrong = _wrong_box(box, (low, high), remainder)
        if wrong:
            return f"draw {number} {wrong}"
    return None


def _wrong_box(box: Box, draw: tuple[int, int], remainder: list[int]) -> str | None:
    """Return why the box that the client found around a draw does not contain Python's, or None."""
    low, high = draw
    if box.modulus is not None:
        if remainder[:1] != [box.modulus] or draw != (0, complete_runs(box.modulus) - 1):
            return f"is not taken below {box.modulus}"
        _, low, high = remainder
    elif remainder:
        return f"is taken below {remainder[0]}"
    contained = low <= box.low and box.high <= high
    return None if contained else f"decides differently within {box.low} to {box.high}"
