"""The time of a report with 250,000 keys, by what a person holds, in Python and JavaScript (SECURITY.md).

The bar: reports of late keys take at most 1.5 times as long as those of early keys. That reports of more
pairs take longer is stated, not bounded.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from statistics import median

from bench.measurement import PAIRS, Measurement, absolute, ratio, seconds
from bench.processes import ROOT
from pckv import Task, perturb

# The client's process that the tests use.
sys.path.insert(0, str(ROOT / "tests"))
from support.node import NodeProcess, node

KEYS, PAIRS_HELD = 250_000, 50
MECHANISMS = ("grr", "ue-compact", "collision")
CALLS = 1000
MAX_RATIO = 1.5

Cases = dict[str, dict[str, float]]
# Microseconds per report, by case, once per round.
Microseconds = dict[str, list[float]]


def measurements() -> Iterator[Measurement]:
    """Make every measurement, one at a time."""
    names = [f"film {number}" for number in range(KEYS)]
    cases = {
        "no pair": {},
        "one early key": {names[3]: 5.0},
        "one late key": {names[-3]: 5.0},
        f"{PAIRS_HELD} early keys": dict.fromkeys(names[:PAIRS_HELD], 5.0),
        f"{PAIRS_HELD} late keys": dict.fromkeys(names[-PAIRS_HELD:], 5.0),
    }
    process = node()
    for mechanism in MECHANISMS:
        task = Task(name="timing", keys=names, values=(1, 5), epsilon=1, padding=5, mechanism=mechanism)
        yield from compared(f"JavaScript, {mechanism}", in_node(process, task, cases))
        yield from compared(f"Python, {mechanism}", in_python(task, cases))


def compared(name: str, times: Microseconds) -> Iterator[Measurement]:
    """Report the time of every case, and compare late keys with early ones."""
    for case, values in times.items():
        yield absolute(f"{name}: {case}", "µs", values)
    for count in ("one", str(PAIRS_HELD)):
        keys = "key" if count == "one" else "keys"
        late, early = times[f"{count} late {keys}"], times[f"{count} early {keys}"]
        yield ratio(f"{name}: {count} late {keys} to early", "µs", late, early, MAX_RATIO, at_most=True)


def in_node(process: NodeProcess, task: Task, cases: Cases) -> Microseconds:
    """Time reports in Node, the cases in turns."""
    held = [list(pairs.items()) for pairs in cases.values()]
    request = {"do": "times", "task": task.to_json(), "cases": held, "calls": CALLS, "rounds": PAIRS}
    [times] = process.ask(request)
    return dict(zip(cases, times, strict=True))


def in_python(task: Task, cases: Cases) -> Microseconds:
    """Time reports in Python, the cases in turns; each time is the median of many calls."""
    for pairs in cases.values():
        perturb(task, pairs)
    rounds = [{case: microseconds(task, pairs) for case, pairs in cases.items()} for _ in range(PAIRS)]
    return {case: [each[case] for each in rounds] for case in cases}


def microseconds(task: Task, pairs: Mapping[str, float]) -> float:
    """Return the median time of a report."""
    return 1e6 * median(seconds(lambda: perturb(task, pairs)) for _ in range(CALLS))
