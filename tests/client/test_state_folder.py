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
import pckv.client.reports
from pckv import Report, Task
from pckv.base.days import utc_today
from pckv.base.errors import ClientError, DataError
from support.client_collector import FakeCollector, Reply, problem
from support.client_devices import MOVIES, PAIRS, device, reply_with, stored_files


def test_files_are_private_to_their_owner(collector: FakeCollector, state: Path) -> None:
    before = os.umask(0)
    try:
        device(collector, state).submit(MOVIES.id, PAIRS)
    finally:
        os.umask(before)
    assert [path.stat().st_mode & 0o777 for path in (state, state.parent)] == [0o700, 0o700]
    suffixes = (".task", ".report", ".spent", ".outcome")
    assert set(stored_files(state)) == {"lock", *(MOVIES.id + suffix for suffix in suffixes)}
    assert {path.stat().st_mode & 0o777 for path in state.iterdir()} == {0o600}


def test_a_folder_that_others_may_write_to_is_refused(
    collector: FakeCollector, state: Path, perturbed_reports: list[Report]
) -> None:
    state.mkdir(parents=True)
    state.chmod(0o777)
    with pytest.raises(ClientError, match="others may write") as caught:
        device(collector, state).submit(MOVIES.id, PAIRS)
    assert (caught.value.code, perturbed_reports, collector.sent) == ("not_sent", [], [])


def test_pairs_are_not_stored(collector: FakeCollector, state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reply_with(collector, Reply(500), monkeypatch, 99)
    canary = 3.14159265358979
    client = device(collector, state)
    receipt = client.submit(MOVIES.id, {"heat": canary})
    stored = b"".join(stored_files(state).values())
    assert receipt.status == "waiting"
    assert repr(canary)[:8].encode() not in stored
    assert canary.hex()[4:12].encode() not in stored
    text = stored_files(state)[f"{MOVIES.id}.report"].splitlines()[0]
    members = json.loads(text)
    assert members.pop("task") == MOVIES.to_json()
    assert {members.pop("id"), members.pop("body")} == set(json.loads(collector.sent[0])["reports"][0].values())
    epsilon = f"{receipt.epsilon:f}"
    assert members == {
        "day": utc_today(),
        "epsilon": epsilon,
        "invitation": None,
        "url": client.url,
        "sealed": None,
        "version": 2,
    }


def test_bytes_are_on_the_disk_before_they_are_sent(
    collector: FakeCollector, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = device(collector, state)
    client.task(MOVIES.id)
    events: list[str] = []

    def watch(module: Any, name: str, describe: Callable[..., str]) -> None:
        real = getattr(module, name)

        def recording(*arguments: Any, **options: Any) -> Any:
            events.append(describe(*arguments))
            return real(*arguments, **options)

        monkeypatch.setattr(module, name, recording)

    def synced(handle: int) -> str:
        return "sync folder" if stat.S_ISDIR(os.fstat(handle).st_mode) else "sync file"

    watch(os, "fsync", synced)
    watch(os, "link", lambda _, path: f"link {path.suffix}")
    watch(pckv.client.reports, "perturb", lambda *_: "perturb")
    watch(client._transport, "send", lambda *_: "send")
    reply_with(collector, problem(401, "bad-token"), monkeypatch)
    client.submit(MOVIES.id, PAIRS)
    stored = [step for name in ("report", "spent") for step in ("sync file", f"link .{name}", "sync folder")]
    assert events == ["perturb", *stored, "sync folder", "send"]
    events.clear()
    # The process that stored a report may have died before the folder was synced.
    client.submit(MOVIES.id, PAIRS)
    assert events[:2] == ["sync folder", "send"]


def test_a_full_disk_spends_nothing(
    collector: FakeCollector, state: Path, monkeypatch: pytest.MonkeyPatch, perturbed_reports: list[Report]
) -> None:
    client = device(collector, state)
    client.task(MOVIES.id)

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("pckv.client.folder.os.fsync", full)
        with pytest.raises(OSError, match="No space"):
            client.submit(MOVIES.id, PAIRS)
    assert client.spent == 0
    assert collector.sent == []
    assert set(stored_files(state)) == {"lock", f"{MOVIES.id}.task"}
    assert client.submit(MOVIES.id, PAIRS).status == "sent"
    assert json.loads(collector.sent[0])["reports"][0]["id"] == pckv.base.canonical.base64url(perturbed_reports[1].id)


def test_the_first_wins_where_locks_do_not_work(
    collector: FakeCollector, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pckv.client.folder.fcntl.flock", lambda *_: None)
    first, second = device(collector, state), device(collector, state)

    def overtaken(task: Task, pairs: dict[str, float], coin: bytes | None, *, segment: str | None) -> Report:
        monkeypatch.setattr("pckv.client.reports.perturb", pckv.perturb)
        assert second.submit(MOVIES.id, PAIRS).perturbed
        return pckv.perturb(task, pairs, coin, segment=segment)

    monkeypatch.setattr("pckv.client.reports.perturb", overtaken)
    receipt = first.submit(MOVIES.id, PAIRS)
    assert (receipt.status, receipt.perturbed) == ("sent", False)
    assert len(set(collector.sent)) == 1


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "truncated": lambda data: data[:-1],
    "halved": lambda data: data[: len(data) // 2],
    "emptied": lambda _: b"",
    "edited": lambda data: data.replace(b"1", b"2"),
    "not text": lambda data: b"\xff" + data,
    "longer": lambda data: data + b"\n",
    "another version": lambda data: folders._sealed(data[:-66].decode().replace('"version":2', '"version":1')),
    "another ε": lambda data: folders._sealed(data[:-66].decode().replace('"epsilon":"', '"epsilon":"x')),
    "another day": lambda data: folders._sealed(data[:-66].decode().replace('"day":"', '"day":"0')),
    "lenient base64": lambda data: folders._sealed(data[:-66].decode().replace('"body":"', '"body":"=')),
    "a short id": lambda data: folders._sealed(data[:-66].decode().replace('"id":"', '"id":"","x":"')),
    "another task": lambda data: folders._sealed(data[:-66].decode().replace("movies", "moviez")),
    "no JSON": lambda _: folders._sealed("{"),
    "no object": lambda _: folders._sealed("[]"),
}


ANY_FILE_DAMAGE = ["truncated", "halved", "emptied", "edited", "not text", "longer"]


@pytest.mark.parametrize(
    ("suffix", "damage"),
    [(".report", name) for name in DAMAGE]
    + [(".outcome", name) for name in [*ANY_FILE_DAMAGE, "no JSON", "no object"] if name != "edited"]
    + [
        (".spent", name)
        for name in [*ANY_FILE_DAMAGE, "no JSON", "no object", "another version", "another ε", "another day"]
    ]
    + [(".task", name) for name in ANY_FILE_DAMAGE],
)
def test_damage_is_reported_and_never_repaired_by_perturbing(
    collector: FakeCollector, state: Path, suffix: str, damage: str, perturbed_reports: list[Report]
) -> None:
    client = device(collector, state)
    client.submit(MOVIES.id, PAIRS)
    path = state / (MOVIES.id + suffix)
    path.write_bytes(DAMAGE[damage](path.read_bytes()))
    seen = len(collector.received)
    calls: dict[str, Callable[[], object]] = {
        ".task": lambda: client.task(MOVIES.id),
        ".report": lambda: client.spent,
        ".spent": lambda: client.spent,
    }
    for call in (calls.get(suffix, client.flush), lambda: client.submit(MOVIES.id, PAIRS)):
        if suffix in {".task", ".spent"} and call is not calls[suffix]:
            continue  # The report holds its task and its ε: sending it needs no other copy.
        with pytest.raises(DataError) as caught:
            call()
        assert str(caught.value).startswith(f"{path}: ")
        assert "\n" not in str(caught.value)
    assert (len(perturbed_reports), len(collector.received)) == (1, seen)


def test_a_removed_report_is_noticed(collector: FakeCollector, state: Path, perturbed_reports: list[Report]) -> None:
    client = device(collector, state)
    client.submit(MOVIES.id, PAIRS)
    (state / f"{MOVIES.id}.report").unlink()
    for left in (".outcome", ".spent"):
        with pytest.raises(DataError, match=f"{MOVIES.id}.report: removed, though its ε is spent"):
            client.submit(MOVIES.id, PAIRS)
        (state / (MOVIES.id + left)).rename(state / "elsewhere")
        with pytest.raises(DataError, match="removed, though its ε is spent"):
            client.submit(MOVIES.id, PAIRS)
        (state / "elsewhere").rename(state / (MOVIES.id + left))
    assert len(perturbed_reports) == 1
    assert client.flush() == []


def test_a_file_is_no_state_folder(tmp_path: Path) -> None:
    path = tmp_path / "state"
    path.write_text("not a folder")
    with pytest.raises(DataError, match=r"state: not a folder$"):
        pckv.client.Client("http://127.0.0.1:9", path)


def test_a_report_that_another_process_stores_meanwhile_is_not_taken_for_removed(
    collector: FakeCollector, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    get, name = folders.StateFolder.get, f"{MOVIES.id}.report"

    def late(folder: folders.StateFolder, wanted: str) -> str | None:
        """Look for the report just before another process makes it."""
        found = get(folder, wanted)
        if wanted == name and found is None:
            monkeypatch.undo()
            assert device(collector, state).submit(MOVIES.id, PAIRS).status == "sent"
        return found

    monkeypatch.setattr(folders.StateFolder, "get", late)
    receipt = device(collector, state).submit(MOVIES.id, PAIRS)
    assert (receipt.status, receipt.perturbed, len(collector.sent)) == ("sent", False, 1)
