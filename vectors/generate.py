"""Write the test vectors of format version 1: `make vectors`.

Once a version is released its files never change; this script must go on giving the same bytes
(a test compares them). A new format gets a folder of its own.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from pckv.budget import ALLOCATIONS, PRECISION_BITS, exp_lower
from pckv.bulk.reports import write_reports
from pckv.channels.grr import GrrChannel
from pckv.channels.ue import UeChannel
from pckv.device import perturb_from
from pckv.estimators import estimate
from pckv.randomness import Tape, fixed_source
from pckv.report import Report, to_text, write_body
from pckv.seeded import seeded_source
from pckv.tally import Tally
from pckv.task import Task

HERE = Path(__file__).parent / "v1"

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
PAIRS: tuple[dict[int, float], ...] = ({}, {0: 0.0}, {1: 1.0}, {0: 0.25, 2: 0.75}, {0: 1.0, 1: 0.5, 2: 0.0})


def thresholds() -> Iterator[dict[str, Any]]:
    """The integers behind every probability, from the decimal text of ε alone."""
    for epsilon in ("0.01", "0.1", "0.5", "1", "3.14159", "8", "20"):
        bound = exp_lower(Fraction(epsilon))
        for allocation in ALLOCATIONS:
            for keys, padding in ((1, 1), (3, 2), (1000, 5), (2**31, 100)):
                ue = UeChannel(keys, padding, Fraction(epsilon), allocation)
                grr = GrrChannel(keys, padding, Fraction(epsilon), allocation)
                yield {
                    "epsilon": epsilon,
                    "allocation": allocation,
                    "keys": keys,
                    "padding": padding,
                    "exp_lower_times_2_256": str(int(bound * 2**PRECISION_BITS)),
                    "ue": {"kept": str(ue.kept), "flipped": str(ue.flipped), "fake": str(ue.fake)},
                    "grr": {"kept": str(grr.kept), "flipped": str(grr.flipped), "spread": str(grr.spread)},
                }


def tasks() -> Iterator[dict[str, Any]]:
    """Tasks with their ids, and texts that are no tasks."""
    for task in TASKS:
        yield {
            "json": task.to_json(),
            "id": task.id,
            "realised_epsilon": task.realised_epsilon,
            "word_limit": task.word_limit,
        }
    good = TASKS[0].to_json()
    for reason, text in (
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
    ):
        yield {"json": text, "fails_at": "task", "reason": reason}


def reports() -> Iterator[dict[str, Any]]:
    """Reports from fixed tapes, pairs that cannot be perturbed, and bodies that are no reports."""
    for number, task in enumerate(TASKS):
        for case, shares in enumerate(PAIRS):
            pairs = {
                task.key_name(key): task.low + share * (task.high - task.low) for key, share in shares.items()
            }
            tape = seeded_source(100 * number + case)(16 + 8 * (task.channel.draws + 4))
            report = perturb_from(Tape(task.channel.draws, fixed_source(tape)), task, pairs)
            yield {
                "task": task.to_json(),
                "pairs": pairs,
                "tape": tape.hex(),
                "id": to_text(report.id),
                "body": to_text(report.body),
            }
    yield from _rejected_draws()
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
        (grr, "out_of_range", write_body(10, 8)),
        (grr, "out_of_range", b"\xff" * 8),
    ):
        yield {"task": task.to_json(), "body": to_text(body), "fails_at": "report", "reason": reason}
    for text in ("A", "AB==", "AB", "A B", "+/+/"):
        yield {"task": grr.to_json(), "body": text, "fails_at": "report", "reason": "bad_encoding"}


def _rejected_draws() -> Iterator[dict[str, Any]]:
    """A tape whose first draw falls into the incomplete last run of `below`."""
    task = TASKS[2]
    tape = bytes(16) + b"\xff" * 8 + seeded_source(5)(8 * (task.channel.draws + 3))
    report = perturb_from(Tape(task.channel.draws, fixed_source(tape)), task, {"7": 1.5})
    yield {
        "task": task.to_json(),
        "pairs": {"7": 1.5},
        "tape": tape.hex(),
        "id": to_text(report.id),
        "body": to_text(report.body),
    }


def tallies() -> Iterator[dict[str, Any]]:
    """Tallies of given bodies, and bytes that are no tallies."""
    for task in TASKS:
        for count in (0, 3, 60):
            sent = list(_sent(task, count))
            tally = Tally(task)
            tally.add_many(sent)
            bodies = [to_text(report.body) for report in sent]
            yield {"task": task.to_json(), "bodies": bodies, "tally": to_text(bytes(tally))}
    good = bytes(Tally(TASKS[0]))
    for reason, data in (
        ("begin", b""),
        ("begin", b"pckvtly2" + good[8:]),
        ("truncated or edited", good[:-1]),
        ("truncated or edited", good + b"\0"),
        ("truncated or edited", good[:50] + b"\1" + good[51:]),
        ("another task", bytes(Tally(TASKS[1]))),
    ):
        yield {"task": TASKS[0].to_json(), "tally": to_text(data), "fails_at": "tally", "reason": reason}


def _sent(task: Task, count: int) -> Iterator[Report]:
    source = seeded_source(count)
    for number in range(count):
        pairs = {task.key_name(number % 3): task.low}
        yield perturb_from(Tape(task.channel.draws, source), task, pairs)


def golden(folder: Path) -> None:
    """A task, a report file, a tally and its estimates, for later releases to read."""
    for task in TASKS[:2]:
        sent = list(_sent(task, 500))
        tally = Tally(task)
        tally.add_many(sent)
        place = folder / "golden" / task.mechanism
        place.mkdir(parents=True, exist_ok=True)
        (place / "task.json").write_bytes(task.to_json().encode())
        (place / "counts.tally").write_bytes(bytes(tally))
        (place / "estimates.json").write_text(estimate(tally).to_json() + "\n", encoding="utf-8")
        ids = np.frombuffer(b"".join(report.id for report in sent), np.uint8).reshape(-1, 16)
        bodies = np.frombuffer(b"".join(report.body for report in sent), np.uint8).reshape(500, -1)
        messages = bodies if task.word_limit is None else bodies.view("<i8").reshape(-1).astype(np.int64)
        write_reports(place / "reports.parquet", task, [(ids, messages)])


def write(folder: Path) -> None:
    """Write all vectors below a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for make in (thresholds, tasks, reports, tallies):
        text = "[\n" + ",\n".join(json.dumps(case, ensure_ascii=False) for case in make()) + "\n]\n"
        (folder / f"{make.__name__}.json").write_text(text, encoding="utf-8")
    golden(folder)


if __name__ == "__main__":
    write(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
