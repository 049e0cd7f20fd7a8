"""`pckv mix`: a mixed collection by hand, from the recipient's key to the report file, and one line per mistake."""

from __future__ import annotations

import json
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from pckv import Series, Task
from pckv.cli.mix import announcement
from pckv.collector.http.auth import AdministratorToken, TokenPlace
from pckv.device.perturb import perturb
from pckv.mixing.settings import MixerSettings, load_mixer_settings
from pckv.sealing.seal import seal
from support.cli import run, run_ok, run_refused
from support.mixers import (
    OPERATOR,
    OPERATOR_TOKEN,
    ORIGIN,
    SETTINGS,
    RunningMixer,
    entries_of,
    mixed_task,
    mixer_member,
    new_store,
    running_mixer,
)


@contextmanager
def operated(folder: Path) -> Iterator[tuple[RunningMixer, str]]:
    """Run a mixer; yield it, and the options that name it and its operator's token."""
    Path("operator.token").write_text(f"{OPERATOR_TOKEN}\n")
    with new_store("sqlite", folder) as store, running_mixer(store) as mixer:
        yield mixer, f"--url http://127.0.0.1:{mixer.port} --token-file operator.token"


def keyed_task(batch: int = 3) -> Task:
    """Make a key, and a task that is sealed for it."""
    key = run_ok("mix key --out task.key").strip()
    task = mixed_task(batch, mixer=mixer_member(batch, key=key))
    Path("task.json").write_text(task.to_json())
    return task


def test_a_mixed_collection_by_hand(tmp_path_factory: pytest.TempPathFactory) -> None:
    task = keyed_task()
    assert stat.S_IMODE(Path("task.key").stat().st_mode) == 0o600
    reports = [perturb(task, {str(number): 1.0}) for number in range(5)]
    with operated(tmp_path_factory.mktemp("mixer")) as (mixer, options):
        accepted = run_ok(f"mix accept task.json {options}").splitlines()
        assert accepted[0] == f"{task.id}  accepted"
        token = accepted[1].removeprefix("The recipient's token, shown this once: ")
        assert "was accepted before" in run_ok(f"mix accept task.json {options}")
        renewed = run_ok(f"mix accept task.json {options} --new-token")
        assert token not in renewed
        token = renewed.splitlines()[1].rpartition(" ")[2]
        for report in reports:
            assert mixer.send(task, seal(report.body, task.mixer.public_key, task.digest)).status_code == 200  # type: ignore[union-attr]
        [waiting] = json.loads(run_ok(f"mix status {options} --json"))
        assert (waiting["state"], waiting["waiting"]) == ("collecting", 0)
        mixer.clock.pass_days(5)
        mixer.do_due()
        table = run_ok(f"mix status {options}")
        assert task.id in table
        assert "released" in table
        batch = mixer.fetch(task, token, "/0").content
    strange = bytes(len(entries_of(task, batch)[0]))
    Path("batch.bin").write_bytes(batch + strange)
    said = run_ok("mix open batch.bin --task task.json --key task.key --out new.parquet")
    assert said == "5 reports written to new.parquet, 1 unreadable\n"
    words = pq.read_table("new.parquet").column("word").to_pylist()
    assert sorted(words) == sorted(int.from_bytes(report.body, "little") for report in reports)
    assert "5" in run_ok("tally new.parquet --task task.json --out new.tally")


def test_a_batch_that_is_none_is_one_line() -> None:
    task = keyed_task()
    run_ok("mix key --out other.key")
    entry = seal(perturb(task, {}).body, task.mixer.public_key, task.digest)  # type: ignore[union-attr]
    Path("cut.bin").write_bytes(entry[:-1])
    Path("twice.bin").write_bytes(entry * 2)
    Path("good.bin").write_bytes(entry)
    command = "mix open {} --task {} --key {} --out new.parquet"
    for batch, contract, key, reason in (
        ("cut.bin", "task.json", "task.key", "cut.bin: its length is no multiple of 56 bytes"),
        ("twice.bin", "task.json", "task.key", "twice.bin: has an entry twice"),
        ("good.bin", "task.json", "other.key", "other.key: this is not the key of task.json"),
        ("good.bin", "task.json", "task.json", "task.json: "),
        ("good.bin", "grr.json", "task.key", "grr.json: this task is not mixed"),
        ("none.bin", "task.json", "task.key", "none.bin: No such file"),
    ):
        assert run_refused(command.format(batch, contract, key)).startswith(f"pckv: {reason}")
    assert run_refused("mix key --out task.key").endswith("never replaces a file: name another one\n")
    result = run(command.format("good.bin", "task.json", "task.key"))
    assert result.exit_code == 0
    assert "warning: good.bin has 1 entries, and a batch of this task has at least 3" in result.stderr


def test_what_operators_do(tmp_path_factory: pytest.TempPathFactory) -> None:
    task = keyed_task()
    template = mixed_task(2, opens=None, closes=None)
    series = Series(task=template, first="2030-01-14", period=7, panels=2)
    Path("series.json").write_text(series.to_json())
    with operated(tmp_path_factory.mktemp("mixer")) as (mixer, options):
        assert run_ok(f"mix status {options}") == "no tasks: none was accepted, or all were withdrawn\n"
        assert "is not mixed" in run_refused(f"mix accept grr.json {options}")
        assert "pairs.csv: not a task" in run_refused(f"mix accept pairs.csv {options}")
        assert run_ok(f"mix accept series.json {options}").startswith(f"{series.id}  accepted\n")
        run_ok(f"mix accept task.json {options}")
        said = run_ok(f"mix invitations task.json {options} --count 3 --out new.txt")
        assert said == "3 invitations written to new.txt; each takes one report\n"
        invitations = Path("new.txt").read_text().split()
        assert len(invitations) == 3
        assert stat.S_IMODE(Path("new.txt").stat().st_mode) == 0o600
        entry = seal(perturb(task, {}).body, task.mixer.public_key, task.digest)  # type: ignore[union-attr]
        assert mixer.send(task, entry).status_code == 403
        assert mixer.send(task, entry, invitations[0]).status_code == 200
        assert run_ok(f"mix withdraw task.json {options} --yes") == f"{task.id}  withdrawn\n"
        assert mixer.send(task, entry, invitations[1]).status_code == 410
        assert run_ok(f"mix withdraw series.json --series {options} --yes") == f"{series.id}  withdrawn\n"
        assert "There is no such task" in run_refused(f"mix withdraw {series.id} {options} --yes")


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ("", "a mixer needs the setting origin"),
        ("--origin https://mix.example", "a mixer needs the setting operator"),
        ("--origin https://mix.example/x --operator Us", "mixer.url must be an origin"),
        ("--origin https://mix.example --operator Us --batches-held 0", "a mixer holds at least 1 batch of a task"),
        ("--origin https://mix.example --operator Us --store x", "a store is sqlite:///PATH or postgresql://"),
        ("--origin https://mix.example --operator Us --workers 2", "several workers need a store in PostgreSQL"),
    ],
)
def test_a_bad_setting_is_one_line(options: str, reason: str) -> None:
    assert reason in run_refused(f"mix serve --port 0 {options}")


def test_settings_come_from_flags_then_the_environment_then_a_file(tmp_path: Path) -> None:
    file = tmp_path / "mixer.toml"
    file.write_text('origin = "https://file.example"\noperator = "File"\nport = 3\n')
    environment = {"PCKV_MIX_OPERATOR": "Environment", "PCKV_PORT": "9"}
    loaded = load_mixer_settings({"batches_held": 5}, environment, file)
    assert loaded == MixerSettings(origin="https://file.example", operator="Environment", port=3, batches_held=5)


def test_the_first_start_says_what_the_operator_promises() -> None:
    first = announcement(SETTINGS, 8001, AdministratorToken(TokenPlace.NEW, "a-new-token"))
    assert first[0] == f"Who runs this mixer, {OPERATOR}, promises:"
    assert "    a-new-token" in first
    assert any("central ε" in line and "if at least as many reports" in line for line in first)
    later = announcement(SETTINGS, 8001, AdministratorToken(TokenPlace.EARLIER))
    assert later[0] == f"The mixer listens at http://127.0.0.1:8001, for devices that reach it as {ORIGIN}"
    assert "The operator's token was shown or written at the first start." in later
