"""How many frequent texts are found, and how fast, relative to pure-ldp's prefix method (only when named).

Both get the same people, of whom many hold one of ten texts of 12 bits, at the same ε and in as many groups,
and return ten texts: theirs needs a number or a threshold, so that the false discovery rate of ours is set
aside. Reports are made before the clock starts. Theirs counts every text that there may be, so that longer
ones would take it hours; it runs in the environment of the bench `peers`.
"""

from __future__ import annotations

import json
import random
import subprocess
import time
import warnings
from collections.abc import Iterator
from typing import NamedTuple

from bench.measurement import Measurement, ratio
from bench.peers import other_environment
from bench.processes import ROOT

BITS, BITS_PER_GROUP, USERS, EPSILON = 12, 2, 20_000, 3.0
TEXTS, HOLDERS, RUNS = 10, 1_040, 3
# Holders of a text are 1.5 times as many as the plan of ours says. As many texts are returned as are asked
# for, as long as they are as likely there as not.
ANY_RATE = 0.5


class TextsOfPeople(NamedTuple):
    """What each person holds, and which texts many do."""

    held: list[str]
    frequent: list[str]


class FoundTexts(NamedTuple):
    """How many frequent texts were found, and how long it took."""

    frequent: int
    seconds: float


def people(seed: int) -> TextsOfPeople:
    """Return people of whom many hold one of the frequent texts, and the others any."""
    source = random.Random(seed)
    texts = [f"{number:0{BITS}b}" for number in source.sample(range(2**BITS), 2**BITS)]
    frequent = texts[:TEXTS]
    held = frequent * HOLDERS + source.choices(texts[TEXTS:], k=USERS - TEXTS * HOLDERS)
    return TextsOfPeople(held, frequent)


def found_texts(found: list[str], frequent: list[str], start: float) -> FoundTexts:
    """Compare what was found with what many people hold."""
    seconds = time.perf_counter() - start
    return FoundTexts(len(set(found) & set(frequent)), seconds)


def theirs(seed: int) -> FoundTexts:
    """Find texts with their prefix method and its default oracle."""
    warnings.simplefilter("ignore")
    from pure_ldp.heavy_hitters.prefix_extending import PEMClient, PEMServer  # noqa: PLC0415

    held, frequent = people(seed)
    client, server = (kind(EPSILON, 0, BITS, BITS_PER_GROUP) for kind in (PEMClient, PEMServer))
    reports = [client.privatise(text) for text in held]
    start = time.perf_counter()
    for report in reports:
        server.aggregate(report)
    found, _ = server.find_heavy_hitters(k=TEXTS)
    return found_texts(list(found), frequent, start)


def ours(seed: int) -> FoundTexts:
    """Find texts with ours, from reports in memory."""
    import pckv  # noqa: PLC0415

    held, frequent = people(seed)
    groups = BITS // BITS_PER_GROUP
    task = pckv.Task.discovery(name="peers", epsilon=EPSILON, alphabet="01", characters=BITS, groups=groups)
    reports = [pckv.perturb(task, [text]) for text in held]
    start = time.perf_counter()
    tally = pckv.Tally(task)
    tally.add_many(reports)
    found = pckv.discover(tally, false_discovery_rate=ANY_RATE).top(TEXTS)
    return found_texts([key.key for key in found.keys], frequent, start)


def measurements() -> Iterator[Measurement]:
    """Measure both sides: at least as many texts found, in less time."""
    command = [other_environment(), "-m", "bench.heavy_hitters"]
    output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=ROOT).stdout
    other = [FoundTexts(*row) for row in json.loads(output.splitlines()[-1])]
    own = [ours(seed) for seed in range(RUNS)]
    found, baseline = ([float(sum(one.frequent for one in side))] for side in (own, other))
    yield ratio("frequent texts found", "texts", found, baseline, 1, at_most=False)
    seconds, their_seconds = ([one.seconds for one in side] for side in (own, other))
    yield ratio("time to find them", "s", seconds, their_seconds, 1, at_most=True)


if __name__ == "__main__":
    print(json.dumps([theirs(seed) for seed in range(RUNS)]))
