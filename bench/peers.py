"""Server speed beside other packages for local differential privacy: `make peers`.

Reports a second at 5,000 keys, from reports in memory to an estimate of every key. Theirs are
frequency oracles alone; ours recovers frequencies, means and intervals. They run in an
environment of their own, with what they need to run at all.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

KEYS = 5_000
EPSILON = 1.0
OURS, THEIRS = 10**7, 10**4
BAR = 100
PACKAGES = ("pure-ldp==1.2.0", "multi-freq-ldpy==0.2.5", "scikit-learn", "statsmodels", "xxhash<4")
ENVIRONMENT = Path(__file__).parents[1] / ".venv" / "peers"


def timed(action: Callable[[], object]) -> float:
    """Seconds of a call."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def theirs() -> Iterator[tuple[str, float]]:
    """Reports a second of each of their oracles: add all reports, then estimate all keys."""
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

        yield name, THEIRS / timed(run)
    for name, perturb, estimate in (
        ("multi-freq-ldpy OUE", UE.UE_Client, lambda reports: UE.UE_Aggregator_MI(reports, EPSILON)),
        ("multi-freq-ldpy OLH", LH.LH_Client, lambda reports: LH.LH_Aggregator_MI(reports, KEYS, EPSILON)),
    ):
        reports = [perturb(int(key), KEYS, EPSILON) for key in held]
        estimate(reports[:10])  # type: ignore[no-untyped-call]  # compiled on the first call
        yield name, THEIRS / timed(partial(estimate, reports))


def ours() -> Iterator[tuple[str, float]]:
    """The same of ours, from words in memory to estimates with intervals."""
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

        yield f"pckv {mechanism}", OURS / timed(run)


def other_environment() -> str:
    """The interpreter of the environment that theirs run in, made on first use."""
    python = ENVIRONMENT / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(ENVIRONMENT)], check=True)
        subprocess.run([str(python), "-m", "pip", "install", "-q", *PACKAGES], check=True)
    return str(python)


def main() -> None:
    """Measure both sides; exit code 1 if the bar is missed."""
    if sys.argv[1:] == ["theirs"]:
        print(json.dumps(list(theirs())))
        return
    command = [other_environment(), __file__, "theirs"]
    told = subprocess.run(command, check=True, capture_output=True, text=True, env=os.environ).stdout
    peers = json.loads(told.splitlines()[-1])
    best = max(rate for _, rate in peers)
    mine = list(ours())
    for name, rate in [*peers, *mine]:
        print(f"{name:24}{rate:>16,.0f} reports/s{rate / best:>12,.2f} × the best of theirs")
    sys.exit(mine[0][1] < BAR * best)


if __name__ == "__main__":
    main()
