"""What reviews attacked the collector with, beside 200 honest uploads per second."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import re
from pathlib import Path

import pytest

from pckv import Task
from support.collectors import bearer, new_task
from support.serving import ServeProcess, serving
from support.soak import ATTACKS, Target, run_attack, upload_honestly

SECONDS, SLOW_SECONDS = 6.0, 60.0
# The attackers begin before the honest participants do.
WARM_UP_SECONDS = 3.0
CONTROL_SECONDS = 1.0
MAX_HONEST_SECONDS, MAX_RESIDENT_MIB = 1.0, 700.0
LARGE_KEYS = 250_000
TOKEN = "the token of the administrator, long enough"  # noqa: S105


def resident_mib(collector: ServeProcess) -> float:
    """Return the most memory that a collector has had resident."""
    status = Path(f"/proc/{collector.process.pid}/status").read_text(encoding="ascii")
    [peak] = re.findall(r"VmHWM:\s+(\d+) kB", status)
    return int(peak) / 1024


def percentile(durations: list[float]) -> float:
    """Return what 99 % of the durations do not exceed."""
    return sorted(durations)[int(len(durations) * 0.99)]


@pytest.mark.parametrize("attack", ATTACKS)
def test_honest_uploads_under_attack(attack: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    asked = float(request.config.getoption("--soak-seconds") or 0)
    # How long honest uploads take is asserted where the machine is said to do nothing else.
    is_measured = asked > 0 or request.config.getoption("--slow")
    seconds = asked or (SLOW_SECONDS if is_measured else SECONDS)
    small = new_task()
    large = Task(
        name="large",
        keys=[f"the key with the number {number}" for number in range(LARGE_KEYS)],
        values=(0, 1),
        epsilon=1,
        mechanism="ue-compact",
    )
    with serving(tmp_path, admin_token=TOKEN) as collector:
        for task in (small, large):
            created = collector.ask("POST", "/tasks", task.to_json().encode(), bearer(TOKEN))
            assert json.loads(created) == {"id": task.id}
        target = Target(collector.port, small.id, large.id, large.to_json(), TOKEN)
        undisturbed = percentile(asyncio.run(_after(0, target, small, CONTROL_SECONDS))[0])
        spawn = multiprocessing.get_context("spawn")
        receiving, sending = spawn.Pipe(duplex=False)
        attackers = spawn.Process(target=run_attack, args=(attack, target, WARM_UP_SECONDS + seconds, sending))
        attackers.start()
        try:
            assert receiving.recv() == "ready"
            durations, honest = asyncio.run(_after(WARM_UP_SECONDS, target, small, seconds))
            hostile = receiving.recv()
        finally:
            attackers.kill()
            attackers.join()
        memory = resident_mib(collector)
        log = collector.errors.read_text()
    slowest = percentile(durations)
    found = f"p99 {slowest:.3f} s ({undisturbed:.3f} s without attacks), {memory:.0f} MiB, honest {dict(honest)}, hostile {dict(hostile)}"
    print(found)  # noqa: T201
    assert set(honest) == {200}, found
    if is_measured:
        assert slowest <= MAX_HONEST_SECONDS, found
    assert memory < MAX_RESIDENT_MIB, found
    # 0: the connection ended without an answer.
    assert not {status for status in hostile if status >= 500} - {503}, found
    if attack == "all at once":
        assert hostile[400] + hostile[413], found
    assert len(log) < 100_000


async def _after(pause: float, target: Target, task: Task, seconds: float) -> tuple[list[float], dict[int, int]]:
    await asyncio.sleep(pause)
    return await upload_honestly(target, task, seconds)
