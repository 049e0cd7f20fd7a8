"""Answers, metrics and logs of a mixer: none holds an address, or a time that is finer than a day."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import httpx2
import pytest

from pckv.collector.http import logs
from support.collectors import bearer
from support.faults import Fault, in_place
from support.mixers import OPERATOR_TOKEN, RunningMixer, mixed_task, new_store, running_mixer, sealed
from support.serving import CANARIES

# A time of day, or seconds since 1970 between 2020 and 2040.
TIME = re.compile(r"\b\d{1,2}:\d\d\b|\b(1[6-9]|2[01])\d{8}\b")
ADDRESSES = ("127.0.0.1", "::1", *CANARIES.values())
METRICS = {
    *("pckv_reports_accepted_total", "pckv_reports_refused_total", "pckv_task_alarms", "pckv_queue_reports"),
    *("pckv_commit_seconds_bucket", "pckv_commit_seconds_count", "pckv_commit_seconds_sum"),
}
LOGGED = {"event", "task", "series", "round", "day", "day_before"}


def answers(own: RunningMixer) -> list[httpx2.Response]:
    """Return what a mixer answers in the life of a task, to devices, to all, to its operator and to the recipient."""
    own.client.headers.update(CANARIES)
    task, late = mixed_task(2), mixed_task(2)
    accepted = own.accept(task)
    token = accepted.json()["token"]
    found = [accepted, own.accept(late), own.operate("POST", f"/tasks/{late.id}/invitations", count=1)]

    def look() -> None:
        found.extend(own.client.get(path) for path in ("/", "/tasks", f"/tasks/{task.id}", "/healthz", "/readyz"))
        found.extend(own.operate("GET", path) for path in ("/status", "/metrics"))
        found.extend(own.fetch(task, token, part) for part in ("", "/0"))
        found.append(own.client.post(f"/tasks/{task.id}/admission", json={}))
        # Taken, known, not sealed, and by no invitation.
        contents = (sealed(task, 1), sealed(task, 2), sealed(task, 1), b"")
        found.extend([*(own.send(task, content) for content in contents), own.send(late, sealed(late, 1), "unknown")])

    look()
    own.clock.pass_days(5)
    own.do_due()
    look()
    found.append(own.acknowledge(task, token, own.fetch(task, token).json()["sha256"]))
    look()
    found.append(own.client.delete(f"/tasks/{late.id}", headers=bearer(OPERATOR_TOKEN)))
    return found


def check_answers(own: RunningMixer, _: Callable[[], str]) -> None:
    """Check all that is answered but the time of the answer itself, which every server sends."""
    for answer in answers(own):
        headers = [f"{name}: {value}" for name, value in answer.headers.items() if name != "date"]
        if answer.headers.get("content-type") == "application/octet-stream":
            continue
        for text in (answer.text, *headers):
            assert TIME.search(text) is None, f"a time is told: {text}"
            assert not [address for address in ADDRESSES if address in text], f"an address is told: {text}"
    samples = [line for line in own.operate("GET", "/metrics").text.splitlines() if not line.startswith("#")]
    assert {re.split(r"[ {]", line)[0] for line in samples} == METRICS, "other metrics"


def check_logs(own: RunningMixer, logged: Callable[[], str]) -> None:
    """Check all that is logged."""
    answers(own)
    lines = [json.loads(line) for line in logged().splitlines()]
    assert "batch_released" in {line["event"] for line in lines}
    for line in lines:
        assert line.keys() <= LOGGED, f"more is logged: {line}"
        text = json.dumps(line)
        assert TIME.search(text) is None, f"a time is logged: {text}"
        assert not [address for address in ADDRESSES if address in text], f"an address is logged: {text}"


ROUTES = "mixing/public_routes.py"
STDERR = '__import__("sys").stderr.write(\'{"event": "%s"}\\n\' % request.client.host)'
FAULTS = (
    in_place("an answer tells the time", ROUTES, {"        return TAKEN\n": '        return JSONResponse({"at": __import__("time").time()})\n'}, check_answers, "a time is told"),
    in_place("an answer tells the address", ROUTES, {"        return TAKEN\n": '        return JSONResponse({"from": request.client.host})\n'}, check_answers, "an address is told"),
    in_place("addresses are logged", ROUTES, {"        return TAKEN\n": f"        {STDERR}\n        return TAKEN\n"}, check_logs, "an address is logged"),
    in_place("times are logged", "mixing/upkeep.py", {'"too_few_reports", task=batch.task)': '"too_few_reports", task=__import__("time").strftime("%H:%M"))'}, check_logs, "a time is logged"),
    in_place("a metric has its time of creation", "collector/http/metrics.py", {'"Reports stored, or known already", value=totals[_ACCEPTED])': '"Reports stored, or known already", value=totals[_ACCEPTED], created=1.0)'}, check_answers, "other metrics"),
)  # fmt: skip


@pytest.fixture(autouse=True)
def _every_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no line be left out because other tests logged many."""
    monkeypatch.setattr(logs, "_rate", logs.LogRate())


@pytest.mark.parametrize("check", [check_answers, check_logs])
def test_nothing_tells_addresses_or_times(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], check: Callable[..., None]
) -> None:
    with new_store("sqlite", tmp_path) as store, running_mixer(store) as own:
        check(own, lambda: capsys.readouterr().err)


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_a_fault_is_caught(tmp_path: Path, capsys: pytest.CaptureFixture[str], fault: Fault) -> None:
    with new_store("sqlite", tmp_path) as store, running_mixer(store) as own:
        fault.check_caught(tmp_path, own, lambda: capsys.readouterr().err, raises=AssertionError)
