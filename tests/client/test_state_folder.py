"""The state folder: private, durable, and never silently repaired."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import pckv.client
import pckv.client.folder as folders
from pckv import Report, Task
from pckv.errors import ClientError, DataError
from support.client_collector import Double, Reply, problem
from support.client_devices import (
    MOVIES,
    PAIRS,
    device,
    files,
    tell,
)


def test_files_are_their_owners(double: Double, state: Path) -> None:
    before = os.umask(0)
    try:
        device(double, state).submit(MOVIES.id, PAIRS)
    finally:
        os.umask(before)
    assert [place.stat().st_mode & 0o777 for place in (state, state.parent)] == [0o700, 0o700]
    kinds = {"lock", f"{MOVIES.id}.task", f"{MOVIES.id}.report", f"{MOVIES.id}.outcome"}
    assert set(files(state)) == kinds
    assert {place.stat().st_mode & 0o777 for place in state.iterdir()} == {0o600}


def test_a_folder_that_others_may_write_to_is_refused(
    double: Double, state: Path, made: list[Report]
) -> None:
    state.mkdir(parents=True)
    state.chmod(0o777)
    with pytest.raises(ClientError, match="others may write") as caught:
        device(double, state).submit(MOVIES.id, PAIRS)
    assert (caught.value.code, made, double.sent) == ("not_sent", [], [])


def test_pairs_are_not_stored(double: Double, state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tell(double, Reply(500), monkeypatch, 99)
    canary = 3.14159265358979
    client = device(double, state)
    receipt = client.submit(MOVIES.id, {"heat": canary})
    stored = b"".join(files(state).values())
    assert receipt.status == "waiting"
    assert repr(canary)[:8].encode() not in stored
    assert canary.hex()[4:12].encode() not in stored
    text = files(state)[f"{MOVIES.id}.report"].splitlines()[0]
    members = json.loads(text)
    assert members.pop("task") == MOVIES.to_json()
    assert {members.pop("id"), members.pop("body")} == set(json.loads(double.sent[0])["reports"][0].values())
    epsilon = f"{receipt.epsilon:f}"
    assert members == {"epsilon": epsilon, "invitation": None, "url": client.url, "version": 1}


def test_bytes_are_on_the_disk_before_they_are_sent(
    double: Double, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = device(double, state)
    client.task(MOVIES.id)
    done: list[str] = []

    def watch(module: Any, name: str, say: Callable[..., str]) -> None:
        real = getattr(module, name)

        def watched(*arguments: Any, **options: Any) -> Any:
            done.append(say(*arguments))
            return real(*arguments, **options)

        monkeypatch.setattr(module, name, watched)

    def synced(handle: int) -> str:
        return "sync folder" if stat.S_ISDIR(os.fstat(handle).st_mode) else "sync file"

    watch(os, "fsync", synced)
    watch(os, "link", lambda _, place: f"link {place.suffix}")
    watch(pckv.client.client, "perturb", lambda *_: "perturb")
    watch(client._transport, "send", lambda *_: "send")
    tell(double, problem(401, "bad-token"), monkeypatch)
    client.submit(MOVIES.id, PAIRS)
    assert done == ["perturb", "sync file", "link .report", "sync folder", "sync folder", "send"]
    done.clear()
    # Whoever stored a report may have died before its name was on the disk.
    client.submit(MOVIES.id, PAIRS)
    assert done[:2] == ["sync folder", "send"]


def test_a_full_disk_spends_nothing(
    double: Double, state: Path, monkeypatch: pytest.MonkeyPatch, made: list[Report]
) -> None:
    client = device(double, state)
    client.task(MOVIES.id)

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("pckv.client.folder.os.fsync", full)
        with pytest.raises(OSError, match="No space"):
            client.submit(MOVIES.id, PAIRS)
    assert client.spent == 0
    assert double.sent == []
    assert set(files(state)) == {"lock", f"{MOVIES.id}.task"}
    assert client.submit(MOVIES.id, PAIRS).status == "sent"
    assert json.loads(double.sent[0])["reports"][0]["id"] == pckv.canonical.base64url(made[1].id)


def test_the_first_wins_where_locks_do_not_work(
    double: Double, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pckv.client.folder.fcntl.flock", lambda *_: None)
    first, second = device(double, state), device(double, state)

    def overtaken(task: Task, pairs: dict[str, float]) -> Report:
        monkeypatch.setattr("pckv.client.client.perturb", pckv.perturb)
        assert second.submit(MOVIES.id, PAIRS).perturbed
        return pckv.perturb(task, pairs)

    monkeypatch.setattr("pckv.client.client.perturb", overtaken)
    receipt = first.submit(MOVIES.id, PAIRS)
    assert (receipt.status, receipt.perturbed) == ("sent", False)
    assert len(set(double.sent)) == 1


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "truncated": lambda data: data[:-1],
    "halved": lambda data: data[: len(data) // 2],
    "emptied": lambda _: b"",
    "edited": lambda data: data.replace(b"1", b"2"),
    "not text": lambda data: b"\xff" + data,
    "longer": lambda data: data + b"\n",
    "another version": lambda data: folders._sealed(
        data[:-66].decode().replace('"version":1', '"version":2')
    ),
    "another ε": lambda data: folders._sealed(data[:-66].decode().replace('"epsilon":"', '"epsilon":"x')),
    "lenient base64": lambda data: folders._sealed(data[:-66].decode().replace('"body":"', '"body":"=')),
    "a short id": lambda data: folders._sealed(data[:-66].decode().replace('"id":"', '"id":"","x":"')),
    "another task": lambda data: folders._sealed(data[:-66].decode().replace("movies", "moviez")),
    "no JSON": lambda _: folders._sealed("{"),
    "no object": lambda _: folders._sealed("[]"),
}


WHOLE = ["truncated", "halved", "emptied", "edited", "not text", "longer"]


@pytest.mark.parametrize(
    ("suffix", "damage"),
    [(".report", name) for name in DAMAGE]
    + [(".outcome", name) for name in [*WHOLE, "no JSON", "no object"] if name != "edited"]
    + [(".task", name) for name in WHOLE],
)
def test_damage_is_told_and_never_mended_by_perturbing(
    double: Double, state: Path, suffix: str, damage: str, made: list[Report]
) -> None:
    client = device(double, state)
    client.submit(MOVIES.id, PAIRS)
    place = state / (MOVIES.id + suffix)
    place.write_bytes(DAMAGE[damage](place.read_bytes()))
    seen = len(double.received)
    calls: dict[str, Callable[[], object]] = {
        ".task": lambda: client.task(MOVIES.id),
        ".report": lambda: client.spent,
    }
    for call in (calls.get(suffix, client.flush), lambda: client.submit(MOVIES.id, PAIRS)):
        if suffix == ".task" and call is not calls[".task"]:
            continue  # The report holds its task: it needs no other copy.
        with pytest.raises(DataError) as caught:
            call()
        assert str(caught.value).startswith(f"{place}: ")
        assert "\n" not in str(caught.value)
    assert (len(made), len(double.received)) == (1, seen)


def test_a_report_that_was_removed_is_missed(double: Double, state: Path, made: list[Report]) -> None:
    client = device(double, state)
    client.submit(MOVIES.id, PAIRS)
    (state / f"{MOVIES.id}.report").unlink()
    with pytest.raises(DataError, match="missing, though the collector has decided"):
        client.submit(MOVIES.id, PAIRS)
    assert len(made) == 1
