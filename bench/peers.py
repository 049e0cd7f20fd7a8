"""Speed and error relative to other packages for local differential privacy (only when named).

Frequencies of 1,000 keys without values, one key per person: from reports in memory to an estimate of every key.
Errors are those of the same people, as each package returns its estimates, relative to that of the usual oracles,
unclipped: 4E/(E - 1)²/n. The other packages run in an environment of their own, with the versions that they need.
This module therefore imports what only one side has where it is used.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

from bench.measurement import Measurement, ratio, seconds
from bench.processes import ROOT

KEYS, RARE, HOLDERS = 1_000, 900, 1
EPSILON = 1.0
# So many people are asked, several times; ours is fast, and timed with more reports.
PEOPLE, RUNS, TIMED = 10_000, 5, 10**7
USUAL_ERROR = 4 * math.exp(EPSILON) / (math.exp(EPSILON) - 1) ** 2 / PEOPLE
BAR, BARRED = 100, "pckv ue-compact"
PACKAGES = (
    "pure-ldp==1.2.0",
    "multi-freq-ldpy==0.2.5",
    "scikit-learn",
    "statsmodels",
    "xxhash<4",
    "bitstring",
)
ENVIRONMENT = ROOT / ".venv" / "peers"


class Oracle(NamedTuple):
    """A way to collect: how a person's report is made, and what is estimated of all keys."""

    name: str
    perturb: Callable[[int], Any]
    estimate: Callable[[list[Any]], Any]


class OracleResult(NamedTuple):
    """Reports per second, and the mean squared error of all keys relative to 4E/(E - 1)²/n."""

    name: str
    rate: float
    error: float


def held_keys() -> list[int]:
    """Return the key of each person: 100 are frequent, the others have one holder each."""
    frequent = [number % (KEYS - RARE) for number in range(PEOPLE - RARE * HOLDERS)]
    return frequent + [key for key in range(KEYS - RARE, KEYS) for _ in range(HOLDERS)]


def relative_error(estimates: Any, held: list[int]) -> float:
    """Return the mean squared error of shares, relative to 4E/(E - 1)²/n."""
    errors = [float(estimate) - held.count(key) / PEOPLE for key, estimate in enumerate(estimates)]
    return sum(error**2 for error in errors) / KEYS / USUAL_ERROR


def their_oracles() -> Iterator[Oracle]:
    """Yield the oracles of the other packages that do not depend on the number of keys, with their default settings."""
    from multi_freq_ldpy.pure_frequency_oracles import LH, UE  # noqa: PLC0415
    from pure_ldp.frequency_oracles.local_hashing import LHClient, LHServer  # noqa: PLC0415
    from pure_ldp.frequency_oracles.unary_encoding import UEClient, UEServer  # noqa: PLC0415

    for name, client, server in (
        ("pure-ldp OUE", UEClient(EPSILON, KEYS, use_oue=True), UEServer(EPSILON, KEYS, use_oue=True)),
        ("pure-ldp OLH", LHClient(EPSILON, KEYS, use_olh=True), LHServer(EPSILON, KEYS, use_olh=True)),
    ):

        def estimate(reports: list[Any], server: Any = server) -> Any:
            server.reset()
            server.aggregate_all(reports)
            return server.estimate_all(range(1, KEYS + 1), suppress_warnings=True, normalization=0) / len(reports)

        # Their keys begin at 1.
        yield Oracle(name, lambda key, client=client: client.privatise(key + 1), estimate)  # type: ignore[misc]
    for name, perturb, aggregate in (
        ("multi-freq-ldpy OUE", UE.UE_Client, lambda reports: UE.UE_Aggregator_MI(reports, EPSILON)),
        ("multi-freq-ldpy OLH", LH.LH_Client, lambda reports: LH.LH_Aggregator_MI(reports, KEYS, EPSILON)),
    ):
        yield Oracle(name, lambda key, perturb=perturb: perturb(key, KEYS, EPSILON), aggregate)  # type: ignore[misc]


def theirs() -> Iterator[OracleResult]:
    """Measure the other packages: all reports are added, then all keys are estimated."""
    warnings.simplefilter("ignore")
    held = held_keys()
    for oracle in their_oracles():
        oracle.estimate([oracle.perturb(key) for key in held[:10]])  # compiled on the first call
        found = []
        for _ in range(RUNS):
            reports = [oracle.perturb(key) for key in held]
            start = time.process_time()
            estimates = oracle.estimate(reports)
            found.append((time.process_time() - start, relative_error(estimates, held)))
        taken, errors = zip(*found, strict=True)
        yield OracleResult(oracle.name, PEOPLE / min(taken), sum(errors) / RUNS)


def ours() -> Iterator[OracleResult]:
    """Measure ours, from words to estimates with intervals: unbiased ones, and those of the default method."""
    import numpy as np  # noqa: PLC0415

    import pckv  # noqa: PLC0415
    from pckv.base.population import Population  # noqa: PLC0415
    from pckv.device.vectorised import perturb_many  # noqa: PLC0415

    held = held_keys()
    people = Population(np.arange(PEOPLE + 1), np.array(held, np.int32), np.ones(PEOPLE))
    for mechanism in ("ue-compact", "collision"):
        task = pckv.Task(name="peers", keys=KEYS, epsilon=EPSILON, mechanism=mechanism, padding=1, size_share=0)
        words = np.random.default_rng(0).integers(0, task.word_limit or 0, TIMED)

        def run(task: pckv.Task = task, words: np.ndarray = words, method: str = "baseline") -> pckv.Estimates:
            tally = pckv.Tally(task)
            tally.add_many(words)
            return pckv.estimate(tally, method)

        run(words=words[:10])
        for method in ("baseline", "bayes"):
            errors = []
            for _ in range(RUNS):
                reports = np.concatenate([batch.messages for batch in perturb_many(task, people)])
                errors.append(relative_error(run(words=reports, method=method).frequency, held))
            name = f"pckv {mechanism}" if method == "bayes" else f"pckv {mechanism}, unbiased"
            yield OracleResult(
                name, TIMED / seconds(partial(run, method=method), time.process_time), sum(errors) / RUNS
            )


def other_environment() -> str:
    """Return the interpreter of their environment, which is created on first use."""
    python = ENVIRONMENT / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(ENVIRONMENT)], check=True)
        subprocess.run([str(python), "-m", "pip", "install", "-q", *PACKAGES], check=True)
    return str(python)


def measurements() -> Iterator[Measurement]:
    """Measure both sides; the baseline is the fastest of theirs, and for errors 4E/(E - 1)²/n."""
    command = [other_environment(), "-m", "bench.peers"]
    output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=ROOT).stdout
    peers = [OracleResult(*each) for each in json.loads(output.splitlines()[-1])]
    best = max(each.rate for each in peers)
    for each in [*peers, *ours()]:
        bar = BAR if each.name == BARRED else None
        yield ratio(each.name, "reports/s", [each.rate], [best], bar, at_most=False)
        yield ratio(f"{each.name}, squared error", "", [each.error * USUAL_ERROR], [USUAL_ERROR], None, at_most=True)


if __name__ == "__main__":
    print(json.dumps(list(theirs())))
