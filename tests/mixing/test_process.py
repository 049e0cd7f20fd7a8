"""`pckv mix serve` as a process: killed and started again, with several workers, and without traces of people."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest

from support.mixers import CLOSES, OPERATOR, ORIGIN, batch_bytes, entries_of, mixed_task, opened, sealed
from support.serving import CANARIES, SENDER, ServeProcess, serving
from support.stores import store_url

PROGRAM = "from pckv.cli.mix import mix_command; mix_command()"
FLAGS = ("--origin", ORIGIN, "--operator", OPERATOR)
TOKEN = "operator-" + "x" * 32


def send(mixer: ServeProcess, task_id: str, content: bytes) -> bytes:
    return mixer.ask("POST", f"/tasks/{task_id}/sealed", content, {"Content-Type": "application/octet-stream"})


@pytest.mark.verify
@pytest.mark.parametrize(("kind", "workers"), [("sqlite", 1), ("postgres", 2)])
def test_what_was_acknowledged_survives_and_nothing_else_is_left(kind: str, workers: int, tmp_path: Path) -> None:
    url = store_url(kind, tmp_path)
    # The clock of a process is the machine's.
    task = mixed_task(3, opens="2020-01-01", closes="2999-01-01")
    flags = (*FLAGS, "--store", url, "--workers", str(workers))
    operator = {"Authorization": f"Bearer {TOKEN}"}
    answers: list[bytes] = []
    # Workers whose supervisor was killed write their last lines: each start has a log of its own.
    folders = [tmp_path / "first", tmp_path / "second"]
    for folder in folders:
        folder.mkdir()

    def send_until_killed() -> None:
        with serving(folders[0], *flags, program=PROGRAM, admin_token=TOKEN) as mixer:
            answers.append(mixer.ask("POST", "/tasks", task.to_json().encode(), operator))
            answers.extend(send(mixer, task.id, sealed(task, number)) for number in range(4))
            mixer.process.send_signal(signal.SIGKILL)

    with pytest.raises(AssertionError):
        send_until_killed()
    accepted, *sent = answers
    assert sent == [b'{"held":true}'] * 4
    token = json.loads(accepted)["token"]
    with serving(folders[1], *flags, program=PROGRAM, admin_token=TOKEN) as mixer:
        assert [send(mixer, task.id, sealed(task, number)) for number in (0, 4)] == [b'{"held":true}'] * 2
        state = mixer.ask("GET", f"/tasks/{task.id}/batch", headers={"Authorization": f"Bearer {token}"})
        assert json.loads(state)["state"] == "collecting"
    with opened(url) as store:
        assert store.release(task.id, CLOSES) is None
        store.release(task.id, "2999-01-01")
        assert sorted(entries_of(task, batch_bytes(store, task))) == sorted(sealed(task, number) for number in range(5))
    kept = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    for trace in (SENDER, *CANARIES.values(), TOKEN, token):
        assert not any(trace.encode() in content for content in kept)
