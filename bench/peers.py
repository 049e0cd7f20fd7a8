"""The server's speed relative to other packages for local differential privacy (only when named).

Reports per second at 5,000 keys, from reports in memory to an estimate of every key. Theirs are frequency
oracles only; ours recovers frequencies, means and intervals. They run in an environment of their own, with
the versions that they need. This module therefore imports other packages only where it uses them.
"""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from collections.abc import Iterator
from functools import partial

from bench.measurement import Measurement, ratio, seconds
from bench.processes import ROOT

KEYS = 5_000
EPSILON = 1.0
OURS, THEIRS = 10**7, 10**4
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


def theirs() -> Iterator[tuple[str, float]]:
    """Yield the reports per second of each of their oracles: add all reports, then estimate all keys."""
    warnings.simplefilter("ignore")
    import numpy as np  # noqa: PLC0415
    from multi_freq_ldpy.pure_frequency_oracles import LH, UE  # noqa: PLC0415
    from pure_ldp.frequency_oracles.local_hashing import LHClient, LHServer  # noqa: PLC0415
    from pure_ldp.frequency_oracles.unary_encoding import UEClient, UEServer  # noqa: PLC0415

    held = np.random.default_rng(0).integers(0, KEYS, THEIRS)
    for name, client, server in (
        ("pure-ldp OUE", UEClient(EPSILON, KEYS, use_oue=True), UEServer(EPSILON, KEYS, use_oue=True)),
        ("pure-ldp OLH", LHClient(EPSILON, KEYS, use_olh=True), LHServer(EPSILON, KEYS, use_olh=True)),
    ):
        # Their keys begin at 1.
        reports = [client.privatise(int(key) + 1) for key in held]

        def run(server: object = server, reports: list[object] = reports) -> None:
            server.aggregate_all(reports)  # type: ignore[attr-defined]
            server.estimate_all(range(1, KEYS + 1), suppress_warnings=True)  # type: ignore[attr-defined]

        yield name, THEIRS / seconds(run)
    for name, perturb, estimate in (
        ("multi-freq-ldpy OUE", UE.UE_Client, lambda reports: UE.UE_Aggregator_MI(reports, EPSILON)),
        ("multi-freq-ldpy OLH", LH.LH_Client, lambda reports: LH.LH_Aggregator_MI(reports, KEYS, EPSILON)),
    ):
        reports = [perturb(int(key), KEYS, EPSILON) for key in held]
        estimate(reports[:10])  # type: ignore[no-untyped-call]  # compiled on the first call
        yield name, THEIRS / seconds(partial(estimate, reports))


def ours() -> Iterator[tuple[str, float]]:
    """Yield the same for ours, from words in memory to estimates with intervals."""
    import numpy as np  # noqa: PLC0415

    import pckv  # noqa: PLC0415

    for mechanism in ("ue-compact", "grr"):
        task = pckv.Task(name="peers", keys=KEYS, values=(1, 5), epsilon=EPSILON, mechanism=mechanism)
        words = np.random.default_rng(0).integers(0, task.word_limit or 0, OURS)
        pckv.estimate(pckv.Tally(task))

        def run(task: pckv.Task = task, words: np.ndarray = words) -> None:
            tally = pckv.Tally(task)
            tally.add_many(words)
            pckv.estimate(tally)

        yield f"pckv {mechanism}", OURS / seconds(run)


def other_environment() -> str:
    """Return the interpreter of their environment, which is created on first use."""
    python = ENVIRONMENT / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(ENVIRONMENT)], check=True)
        subprocess.run([str(python), "-m", "pip", "install", "-q", *PACKAGES], check=True)
    return str(python)


def measurements() -> Iterator[Measurement]:
    """Measure both sides; the baseline is the fastest of theirs."""
    command = [other_environment(), "-m", "bench.peers"]
    output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=ROOT).stdout
    peers = json.loads(output.splitlines()[-1])
    best = max(rate for _, rate in peers)
    for name, rate in [*peers, *ours()]:
        bar = BAR if name == BARRED else None
        yield ratio(name, "reports/s", [rate], [best], bar, at_most=False)


if __name__ == "__main__":
    print(json.dumps(list(theirs())))
