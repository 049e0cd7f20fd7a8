"""Write the test vectors of format version 1: `make vectors`.

Once a version is released its files never change; this script must go on giving the same bytes
(a test compares them). A new format gets a folder of its own.
"""

from __future__ import annotations

import itertools
import json
import struct
import sys
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import wider

from pckv.budget import ALLOCATIONS, PRECISION_BITS, exp_lower
from pckv.canonical import base64url
from pckv.channels import Channel
from pckv.channels.buckets import BucketsChannel
from pckv.channels.collision import CollisionChannel
from pckv.channels.grr import GrrChannel
from pckv.channels.ue import UeChannel
from pckv.channels.ue_compact import UeCompactChannel
from pckv.device.perturb import perturb_from
from pckv.estimators.estimate import estimate
from pckv.files.reports.writer import write_reports
from pckv.randomness import Tape, fixed_source
from pckv.seeded import seeded_source
from pckv.tally import Tally
from pckv.task import Task
from pckv.wire import Report

HERE = Path(__file__).parent / "v1"
EPSILONS = ("0.01", "0.1", "0.5", "1", "3.14159", "8", "20")

TASKS = (
    Task(name="movies", keys=["alien", "heat", "up"], values=(1, 5), epsilon=1, padding=2, mechanism="ue"),
    Task(name="movies", keys=["alien", "heat", "up"], values=(1, 5), epsilon=1, padding=2, mechanism="grr"),
    Task(name="numbered", keys=20, values=("-0.5", "2.25"), epsilon="0.3", padding=3, mechanism="grr"),
    Task(name="numbered", keys=20, values=("-0.5", "2.25"), epsilon="0.3", padding=3, mechanism="ue"),
    Task(
        name="größe",
        keys=["größe", "日本", "😀"],
        values=(0, 1),
        epsilon=4,
        mechanism={"name": "ue", "allocation": "naive"},
    ),
    Task(
        name="a week",
        keys=["a b", '"quoted"', "back\\slash"],
        values=(-10, 10),
        epsilon="12.5",
        padding=2,
        mechanism={"name": "grr", "allocation": "non-optimized"},
        opens="2026-01-05",
        closes="2026-01-12",
    ),
    Task(name="large", keys=2**31, values=(0, 100), epsilon=2, padding=10, mechanism="grr"),
)
# What is made of these stands after what the tasks above gave first.
COMPACT_TASKS = (
    Task(
        name="movies",
        keys=["alien", "heat", "up"],
        values=(1, 5),
        epsilon=1,
        padding=2,
        mechanism={"name": "ue-compact", "q": 3},
    ),
    Task(
        name="movies",
        keys=["alien", "heat", "up"],
        values=(1, 5),
        epsilon=1,
        mechanism={"name": "ue-compact", "q": 5},
    ),
    Task(
        name="numbered",
        keys=20,
        values=("-0.5", "2.25"),
        epsilon="0.3",
        padding=3,
        mechanism={"name": "ue-compact", "q": 5},
    ),
    Task(name="one key", keys=1, values=(0, 1), epsilon="6", mechanism={"name": "ue-compact", "q": 307}),
    Task(
        name="large",
        keys=249_274,
        values=(0, 100),
        epsilon=4,
        padding=10,
        mechanism={"name": "ue-compact", "q": 67},
    ),
    Task(
        name="huge",
        keys=2**31,
        values=(0, 100),
        epsilon=2,
        padding=10,
        mechanism={"name": "ue-compact", "q": 11},
    ),
)
# And of these after all the rest.
TUNED_TASKS = (
    Task(
        name="movies",
        keys=["alien", "heat", "up"],
        values=(1, 5),
        epsilon=1,
        padding=2,
        mechanism={"name": "ue-compact", "q": 3, "r": 2, "o": 1},
    ),
    Task(
        name="numbered",
        keys=20,
        values=("-0.5", "2.25"),
        epsilon="0.1",
        padding=3,
        mechanism={"name": "ue-compact", "q": 19, "r": 9, "o": 3},
    ),
    Task(
        name="large",
        keys=249_274,
        values=(0, 100),
        epsilon="0.5",
        mechanism={"name": "ue-compact", "q": 37, "r": 14},
    ),
    Task(
        name="movies",
        keys=["alien", "heat", "up"],
        values=(1, 5),
        epsilon=1,
        padding=2,
        mechanism={"name": "ue", "allocation": "tuned", "beta": "0.2"},
    ),
)
# And after those again.
COLLISION_TASKS = (
    Task(
        name="movies",
        keys=["alien", "heat", "up"],
        values=(1, 5),
        epsilon=1,
        padding=2,
        mechanism="collision",
    ),
    Task(
        name="movies",
        keys=["alien", "heat", "up"],
        values=(1, 5),
        epsilon=1,
        mechanism={"name": "collision", "symbols": 2},
    ),
    Task(name="numbered", keys=20, values=("-0.5", "2.25"), epsilon="0.3", padding=3, mechanism="collision"),
    Task(name="many", keys=10_000, values=(0, 100), epsilon=4, padding=100, mechanism="collision"),
    Task(
        name="huge",
        keys=2**31,
        values=(0, 100),
        epsilon=2,
        padding=2,
        mechanism={"name": "collision", "symbols": 2**31 - 1},
    ),
)
# And after those.
SIZES_TASKS = tuple(
    Task(name=name, keys=keys, values=(1, 5), epsilon=epsilon, padding=padding, kind="sizes")
    for name, keys, epsilon, padding in (
        ("movies", ["alien", "heat", "up"], "1", 512),
        ("movies", ["alien", "heat", "up"], "1", 1),
        ("movies", ["alien", "heat", "up"], "0.3", 3),
        ("numbered", 100, "4", 40),
        ("large", 2**31, "0.000001", 2**14),
    )
)
PAIRS: tuple[dict[int, float], ...] = ({}, {0: 0.0}, {1: 1.0}, {0: 0.25, 2: 0.75}, {0: 1.0, 1: 0.5, 2: 0.0})


# Which integers of a channel are its thresholds.
THRESHOLDS = {
    "ue": ("kept", "flipped", "fake"),
    "grr": ("kept", "flipped", "spread"),
    "ue-compact": ("kept", "functions"),
    "collision": ("hit", "functions"),
    "buckets": ("kept", "rows"),
}


def thresholds() -> Iterator[dict[str, Any]]:
    """The integers behind every probability, from the decimal text of ε alone."""
    for epsilon, allocation in product(EPSILONS, ALLOCATIONS):
        for keys, padding in ((1, 1), (3, 2), (1000, 5), (2**31, 100)):
            ue = UeChannel(keys, padding, Fraction(epsilon), allocation)
            grr = GrrChannel(keys, padding, Fraction(epsilon), allocation)
            yield _thresholds(epsilon, ue, grr, allocation=allocation)
    sizes = ((1, None), (3, 3), (3, None), (1000, 31), (1000, None), (2**31, 3), (2**31, None))
    for epsilon, (keys, q) in product(EPSILONS, sizes):
        compact = UeCompactChannel(keys, 1, Fraction(epsilon), q)
        yield _thresholds(epsilon, compact, q=compact.q, q_is_chosen=q is None)
    for epsilon in EPSILONS:
        for keys, q, r, o in ((3, 3, 2, 1), (20, 19, 9, 3), (1000, 37, 14, 0), (2**31, 109, 29, 8)):
            sets = UeCompactChannel(keys, 1, Fraction(epsilon), q, r, o)
            yield _thresholds(epsilon, sets, **sets.parameters)
        for beta in ("0.000001", "0.12", "0.3", "0.499999"):
            tuned = UeChannel(100, 1, Fraction(epsilon), "tuned", beta=beta)
            yield _thresholds(epsilon, tuned, **tuned.parameters)
    pairs = ((1, None), (2, 3), (2, None), (100, None), (100, 2**31 - 1))
    for epsilon, (padding, symbols) in product(EPSILONS, pairs):
        collision = CollisionChannel(1000, padding, Fraction(epsilon), symbols)
        stated = {"symbols": collision.symbols, "symbols_are_chosen": symbols is None}
        yield _thresholds(epsilon, collision, **stated)
    for epsilon, padding in product(EPSILONS, (1, 2, 3, 5, 512, 2**14)):
        yield _thresholds(epsilon, BucketsChannel(1000, padding, Fraction(epsilon)))


def _thresholds(epsilon: str, *channels: Channel, **stated: object) -> dict[str, Any]:
    return {
        "epsilon": epsilon,
        **stated,
        "keys": channels[0].keys,
        "padding": channels[0].padding,
        "exp_lower_times_2_256": str(int(exp_lower(Fraction(epsilon)) * 2**PRECISION_BITS)),
        **{
            channel.name: {part: str(getattr(channel, part)) for part in THRESHOLDS[channel.name]}
            for channel in channels
        },
    }


def tasks() -> Iterator[dict[str, Any]]:
    """Tasks with their ids, and texts that are no tasks."""
    yield from map(_described, TASKS)
    good = TASKS[0].to_json()
    yield from _refused(
        ("canonical", good + " "),
        ("canonical", good.replace(",", ", ")),
        ("canonical", good.replace("alien", "\\u0061lien")),
        ("unknown", good.replace('"version":1', '"version":1,"zeal":1')),
        ("missing", good.replace('"padding":2,', "")),
        ("twice", good.replace('"padding":2', '"padding":2,"padding":2')),
        ("plain decimal", good.replace('"epsilon":"1"', '"epsilon":"1.0"')),
        ("plain decimal", good.replace('"epsilon":"1"', '"epsilon":1')),
        ("at most 20", good.replace('"epsilon":"1"', '"epsilon":"20.5"')),
        ("above 0", good.replace('"epsilon":"1"', '"epsilon":"0"')),
        ("below high", good.replace('"high":"5"', '"high":"1"')),
        ("appears twice", good.replace("heat", "alien")),
        ("is empty", good.replace("heat", "")),
        ("at least 1", good.replace('"padding":2', '"padding":0')),
        ("not an integer", good.replace('"padding":2', '"padding":2.0')),
        ("version", good.replace('"version":1', '"version":2')),
        ("names a mechanism", good.replace('"name":"ue"', '"name":"oue"')),
        ("choose from", good.replace('"allocation":"optimized"', '"allocation":"best"')),
        ("not a task", good[:-1]),
    )
    yield from map(_described, COMPACT_TASKS)
    good = COMPACT_TASKS[0].to_json()
    yield from _refused(
        ("canonical", good.replace(',"q":3', "")),
        ("q must be a prime", good.replace('"q":3', '"q":9')),
        ("q must be a prime", good.replace('"q":3', '"q":2')),
        ("q must be a prime", good.replace('"q":3', '"q":-3')),
        ("q must be a prime", good.replace('"q":3', '"q":3037000507')),
        ("q must be a whole number", good.replace('"q":3', '"q":"3"')),
        ("q must be a whole number", good.replace('"q":3', '"q":true')),
        ("q must be a whole number", good.replace('"q":3', '"q":null')),
        ("not an integer", good.replace('"q":3', '"q":3.0')),
        ("no parameter 'allocation'", good.replace('{"name"', '{"allocation":"optimized","name"')),
        ("no parameter 'q'", good.replace('"ue-compact"', '"ue"')),
        (
            "more than 63 bits",
            good.replace('["alien","heat","up"]', "2147483648").replace('"q":3', '"q":2097169'),
        ),
    )
    yield from _tuned_tasks()
    yield from _collision_tasks()
    yield from _sizes_tasks()


def _tuned_tasks() -> Iterator[dict[str, Any]]:
    yield from map(_described, TUNED_TASKS)
    good = TUNED_TASKS[0].to_json()
    yield from _refused(
        ("canonical", good.replace('"o":1,"q":3,"r":2', '"o":0,"q":3,"r":1')),
        ("canonical", good.replace('"o":1,"q":3,"r":2', '"q":3,"r":1')),
        ("r must be at least 1", good.replace('"r":2', '"r":3')),
        ("o must be at least 1", good.replace('"o":1', '"o":0')),
        ("below r = 2", good.replace('"o":1', '"o":2')),
        ("r must be a whole number", good.replace('"r":2', '"r":"2"')),
        ("together with q", good.replace('"q":3,', "")),
    )
    good = TUNED_TASKS[3].to_json()
    yield from _refused(
        ("canonical", good.replace('"0.2"', '"0.20"')),
        ("canonical", good.replace('"beta":"0.2",', "")),
        ("beta go together", good.replace('"tuned"', '"optimized"')),
        ("beta must be at least 0.000001", good.replace('"0.2"', '"0"')),
        ("at most 0.499999", good.replace('"0.2"', '"0.5"')),
        ("beta must be a number", good.replace('"0.2"', "null")),
        ("not an integer", good.replace('"0.2"', "0.2")),
    )


def _collision_tasks() -> Iterator[dict[str, Any]]:
    yield from map(_described, COLLISION_TASKS)
    good = COLLISION_TASKS[0].to_json()
    yield from _refused(
        ("canonical", good.replace(',"symbols":8', "")),
        ("more than the padding", good.replace('"symbols":8', '"symbols":2')),
        ("more than the padding", good.replace('"symbols":8', '"symbols":-8')),
        ("at most 2^31 - 1", good.replace('"symbols":8', '"symbols":2147483648')),
        ("symbols must be a whole number", good.replace('"symbols":8', '"symbols":"8"')),
        ("symbols must be a whole number", good.replace('"symbols":8', '"symbols":true')),
        ("not an integer", good.replace('"symbols":8', '"symbols":8.0')),
        ("no parameter 'q'", good.replace('"symbols":8', '"q":3')),
    )


def _sizes_tasks() -> Iterator[dict[str, Any]]:
    yield from map(_described, SIZES_TASKS)
    good = SIZES_TASKS[0].to_json()
    yield from _refused(
        ("is for tasks of kind 'sizes'", good.replace('"sizes"', '"pairs"')),
        ("is for tasks of kind 'pairs'", TASKS[1].to_json().replace('"pairs"', '"sizes"')),
        ("is for tasks of kind 'pairs'", COMPACT_TASKS[0].to_json().replace('"pairs"', '"sizes"')),
        ("is for tasks of kind 'pairs'", COLLISION_TASKS[0].to_json().replace('"pairs"', '"sizes"')),
        ("kind", good.replace('"sizes"', '"size"')),
        ("kind", good.replace('"sizes"', '"Sizes"')),
        ("at most 2^14", good.replace('"padding":512', '"padding":16385')),
        ("at least 1", good.replace('"padding":512', '"padding":0')),
        ("no parameter 'q'", good.replace('"name":"buckets"', '"name":"buckets","q":3')),
        ("no parameter 'allocation'", good.replace('{"name"', '{"allocation":"optimized","name"')),
        ("names a mechanism", good.replace('"buckets"', '"bucket"')),
        ("missing", good.replace('"kind":"sizes",', "")),
        ("canonical", good.replace('{"name":"buckets"}', '{"name": "buckets"}')),
    )


def _refused(*cases: tuple[str, str]) -> Iterator[dict[str, Any]]:
    """Texts that are no task, and what the refusal says."""
    for reason, text in cases:
        yield {"json": text, "fails_at": "task", "reason": reason}


def _described(task: Task) -> dict[str, Any]:
    return {
        "json": task.to_json(),
        "id": task.id,
        "realised_epsilon": task.realised_epsilon,
        "word_limit": task.word_limit,
    }


def reports() -> Iterator[dict[str, Any]]:
    """Reports from fixed tapes, pairs that cannot be perturbed, and bodies that are no reports."""
    for number, task in enumerate(TASKS):
        yield from _made_reports(number, task)
    yield from _rejected_draws(TASKS[2], "7")
    ue, grr = TASKS[0], TASKS[1]
    for task in (ue, grr):
        for reason, key, value in (
            ("not a key", "solaris", 3),
            ("within", "alien", 5.5),
            ("within", "heat", 0.5),
        ):
            yield {"task": task.to_json(), "pairs": {key: value}, "fails_at": "pairs", "reason": reason}
    for task, reason, body in (
        (ue, "wrong_length", b""),
        (ue, "wrong_length", bytes(1)),
        (ue, "wrong_length", bytes(3)),
        (ue, "bad_encoding", b"\x08\x00"),
        (ue, "bad_encoding", b"\x00\x01"),
        (ue, "bad_encoding", b"\x07\x08"),
        (grr, "wrong_length", bytes(7)),
        (grr, "wrong_length", bytes(9)),
        (grr, "out_of_range", (10).to_bytes(8, "little")),
        (grr, "out_of_range", b"\xff" * 8),
    ):
        yield {"task": task.to_json(), "body": base64url(body), "fails_at": "report", "reason": reason}
    for text in ("A", "AB==", "AB", "A B", "+/+/"):
        yield {"task": grr.to_json(), "body": text, "fails_at": "report", "reason": "bad_encoding"}
    for number, task in enumerate(COMPACT_TASKS, len(TASKS)):
        yield from _made_reports(number, task)
    yield from _rejected_draws(COMPACT_TASKS[2], "7")
    yield from _threshold_draws(COMPACT_TASKS[0])
    for task in COMPACT_TASKS[:2]:
        yield {"task": task.to_json(), "pairs": {"up": 0}, "fails_at": "pairs", "reason": "within"}
        for reason, body in (
            ("wrong_length", b""),
            ("wrong_length", bytes(7)),
            ("wrong_length", bytes(9)),
            ("out_of_range", (task.word_limit or 0).to_bytes(8, "little")),
            ("out_of_range", bytes(7) + b"\x80"),
            ("out_of_range", b"\xff" * 8),
        ):
            yield {"task": task.to_json(), "body": base64url(body), "fails_at": "report", "reason": reason}
    for number, task in enumerate(TUNED_TASKS, 100):
        yield from _made_reports(number, task)
    yield from _threshold_draws(TUNED_TASKS[0])

    yield from _collision_reports()
    yield from _sizes_reports()


def _collision_reports() -> Iterator[dict[str, Any]]:
    for number, task in enumerate(COLLISION_TASKS, len(TASKS) + len(COMPACT_TASKS)):
        yield from _made_reports(number, task)
    yield from _many_pairs(COLLISION_TASKS[3])
    yield from _symbol_draws(COLLISION_TASKS[0])
    for task in COLLISION_TASKS[:2]:
        yield {"task": task.to_json(), "pairs": {"up": 0}, "fails_at": "pairs", "reason": "within"}
        for reason, body in (
            ("wrong_length", bytes(7)),
            ("wrong_length", bytes(9)),
            ("out_of_range", (task.word_limit or 0).to_bytes(8, "little")),
            ("out_of_range", b"\xff" * 8),
        ):
            yield {"task": task.to_json(), "body": base64url(body), "fails_at": "report", "reason": reason}


def _sizes_reports() -> Iterator[dict[str, Any]]:
    for number, task in enumerate(SIZES_TASKS, 200):
        yield from _made_reports(number, task)
    yield from _every_bucket(SIZES_TASKS[3])
    yield from _bucket_draws(SIZES_TASKS[2])
    for task in SIZES_TASKS[:3]:
        for reason, pairs in (("within", {"up": 0}), ("not a key", {"solaris": 3})):
            yield {"task": task.to_json(), "pairs": pairs, "fails_at": "pairs", "reason": reason}
        for reason, body in (
            ("wrong_length", bytes(7)),
            ("wrong_length", bytes(9)),
            ("out_of_range", (task.word_limit or 0).to_bytes(8, "little")),
            ("out_of_range", b"\xff" * 8),
        ):
            yield {"task": task.to_json(), "body": base64url(body), "fails_at": "report", "reason": reason}


def _every_bucket(task: Task) -> Iterator[dict[str, Any]]:
    """The ends of every bucket, and more than the padding, on a tape that keeps what is true."""
    channel = task.channel
    assert isinstance(channel, BucketsChannel)  # noqa: S101
    for size in sorted({*channel.starts, *channel.ends, task.padding + 1, 100}):
        yield _made_report(task, {str(key): 3.0 for key in range(size)}, bytes(16 + 16))


def _bucket_draws(task: Task) -> Iterator[dict[str, Any]]:
    """Tapes that meet the threshold of a bucket from either side, every other bucket, and a draw that is rejected."""
    channel = task.channel
    assert isinstance(channel, BucketsChannel)  # noqa: S101
    others = channel.rows - 1
    # The one draw that the incomplete last run of three has.
    rejected = 2**64 - 1
    for pairs in ({}, {"heat": 3.0}, {"alien": 1.0, "heat": 3.0, "up": 5.0}):
        for draws in (
            (channel.kept - 1, 0),
            *((channel.kept, other) for other in range(others)),
            (channel.kept, rejected, others - 1),
        ):
            tape = bytes(16) + struct.pack(f"<{len(draws)}Q", *draws)
            yield _made_report(task, pairs, tape)


def _made_reports(number: int, task: Task) -> Iterator[dict[str, Any]]:
    for case, shares in enumerate(PAIRS):
        if max(shares, default=0) < task.key_count:
            pairs = {
                task.key_name(key): task.low + share * (task.high - task.low) for key, share in shares.items()
            }
            tape = seeded_source(100 * number + case)(16 + 8 * (task.channel.draws + 4))
            yield _made_report(task, pairs, tape)


def _made_report(task: Task, pairs: dict[str, float], tape: bytes) -> dict[str, Any]:
    report = perturb_from(Tape(task.channel.draws, fixed_source(tape)), task, pairs)
    return {
        "task": task.to_json(),
        "pairs": pairs,
        "tape": tape.hex(),
        "id": base64url(report.id),
        "body": base64url(report.body),
    }


def _rejected_draws(task: Task, key: str) -> Iterator[dict[str, Any]]:
    """A tape whose first draw falls into the incomplete last run of `below`."""
    tape = bytes(16) + b"\xff" * 8 + seeded_source(5)(8 * (task.channel.draws + 3))
    yield _made_report(task, {key: 1.5}, tape)


def _threshold_draws(task: Task) -> Iterator[dict[str, Any]]:
    """Tapes that meet the threshold of a compact report from either side, and a draw of φ that is rejected."""
    channel = task.channel
    assert isinstance(channel, UeCompactChannel)  # noqa: S101
    last_run = 2**64 - 2**64 % channel.functions
    for function, *rest in (
        (channel.functions - 1, channel.kept - 1, 0),
        (channel.functions - 1, channel.kept, 0),
        (channel.functions - 1, 2**64 - 1, channel.q - channel.r - 1),
        (last_run, channel.functions - 1, channel.kept - 1, 0),
    ):
        for sign in (2**63 - 1, 2**63):
            draws = [0, sign, function, *rest]
            yield _made_report(task, {"heat": 3.0}, bytes(16) + struct.pack(f"<{len(draws)}Q", *draws))


def _many_pairs(task: Task) -> Iterator[dict[str, Any]]:
    """As many pairs as a report takes, and more."""
    for count in (task.padding, task.padding + 1, 3 * task.padding):
        pairs = {str(7 * key): float(key % 101) for key in range(count)}
        yield _made_report(task, pairs, seeded_source(count)(16 + 8 * (task.channel.draws + 4)))


def _symbol_draws(task: Task) -> Iterator[dict[str, Any]]:
    """Tapes that meet the thresholds of a collision report from either side, for functions with and without a meeting."""
    channel = task.channel
    assert isinstance(channel, CollisionChannel)  # noqa: S101
    items = [channel.item(key, True) for key in (0, 1)]  # noqa: FBT003
    for own in (1, 2):
        function = next(i for i in range(2**32) if len(channel.own_symbols(i, items)) == own)
        thresholds = [channel.hit * count for count in range(1, own + 1)]
        for number in (0, *(edge + step for edge in thresholds for step in (-1, 0)), 2**64 - 1):
            for other in (0, channel.symbols - own - 1):
                draws = [0, 0, function, number, other]
                tape = bytes(16) + struct.pack(f"<{len(draws)}Q", *draws) + bytes(16)
                yield _made_report(task, {"alien": 5.0, "heat": 5.0}, tape)


def tallies() -> Iterator[dict[str, Any]]:
    """Tallies of given bodies, and bytes that are no tallies."""
    for task in TASKS:
        yield from _counted(task)
    good = bytes(Tally(TASKS[0]))
    for reason, data in (
        ("begin", b""),
        ("begin", b"pckvtly2" + good[8:]),
        ("truncated or edited", good[:-1]),
        ("truncated or edited", good + b"\0"),
        ("truncated or edited", good[:50] + b"\1" + good[51:]),
        ("another task", bytes(Tally(TASKS[1]))),
    ):
        yield {"task": TASKS[0].to_json(), "tally": base64url(data), "fails_at": "tally", "reason": reason}
    for task in COMPACT_TASKS:
        yield from _counted(task)
    small, other = COMPACT_TASKS[:2]
    for reason, data in (
        ("truncated or edited", bytes(Tally(small))[:-1]),
        ("another task", bytes(Tally(other))),
        ("another task", bytes(Tally(TASKS[1]))),
    ):
        yield {"task": small.to_json(), "tally": base64url(data), "fails_at": "tally", "reason": reason}
    for task in TUNED_TASKS:
        yield from _counted(task)

    for task in COLLISION_TASKS:
        yield from _counted(task)
    small, other = COLLISION_TASKS[:2]
    for reason, data in (
        ("truncated or edited", bytes(Tally(small))[:-1]),
        ("another task", bytes(Tally(other))),
    ):
        yield {"task": small.to_json(), "tally": base64url(data), "fails_at": "tally", "reason": reason}

    for task in SIZES_TASKS:
        yield from _counted(task)
    small, other = SIZES_TASKS[:2]
    for reason, data in (
        ("truncated or edited", bytes(Tally(small))[:-1]),
        ("another task", bytes(Tally(other))),
    ):
        yield {"task": small.to_json(), "tally": base64url(data), "fails_at": "tally", "reason": reason}


def _counted(task: Task) -> Iterator[dict[str, Any]]:
    for count in (0, 3, 60):
        sent = list(_sent(task, count))
        tally = Tally(task)
        tally.add_many(sent)
        bodies = [base64url(report.body) for report in sent]
        yield {"task": task.to_json(), "bodies": bodies, "tally": base64url(bytes(tally))}


def _sent(task: Task, count: int) -> Iterator[Report]:
    source = seeded_source(count)
    for number in range(count):
        pairs = {task.key_name(number % min(3, task.key_count)): task.low}
        yield perturb_from(Tape(task.channel.draws, source), task, pairs)


def wider_tasks() -> Iterator[dict[str, Any]]:
    """Tasks at the edges of what is allowed, and beyond."""
    yield from map(_described, wider.allowed_tasks())
    yield from wider.refused_tasks()


def wider_reports() -> Iterator[dict[str, Any]]:
    """Reports of many sizes, and more that must be refused."""
    yield from itertools.starmap(_made_report, wider.made_reports())
    yield from wider.refused_reports()


def golden(folder: Path) -> None:
    """A task, a report file, a tally and its estimates, for later releases to read."""
    for task in (*TASKS[:2], COMPACT_TASKS[0], COLLISION_TASKS[0], SIZES_TASKS[0]):
        sent = list(_sent(task, 500))
        tally = Tally(task)
        tally.add_many(sent)
        place = folder / "golden" / task.mechanism
        place.mkdir(parents=True, exist_ok=True)
        (place / "task.json").write_bytes(task.to_json().encode())
        (place / "counts.tally").write_bytes(bytes(tally))
        # The paper's method does not change from release to release.
        method = "corrected" if task.mechanism != BucketsChannel.name else None
        (place / "estimates.json").write_text(estimate(tally, method).to_json() + "\n", encoding="utf-8")
        ids = np.frombuffer(b"".join(report.id for report in sent), np.uint8).reshape(-1, 16)
        bodies = np.frombuffer(b"".join(report.body for report in sent), np.uint8).reshape(500, -1)
        messages = bodies if task.word_limit is None else bodies.view("<i8").reshape(-1).astype(np.int64)
        # The bytes of Parquet are its writer's: a file that was released stays as it was.
        if not (place / "reports.parquet").exists():
            write_reports(place / "reports.parquet", task, [(ids, messages)])


def write(folder: Path) -> None:
    """Write all vectors below a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, cases in (
        ("thresholds", thresholds()),
        ("tasks", itertools.chain(tasks(), wider_tasks())),
        ("reports", itertools.chain(reports(), wider_reports())),
        ("tallies", tallies()),
    ):
        text = "[\n" + ",\n".join(json.dumps(case, ensure_ascii=False) for case in cases) + "\n]\n"
        (folder / f"{name}.json").write_text(text, encoding="utf-8")
    golden(folder)


if __name__ == "__main__":
    write(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
