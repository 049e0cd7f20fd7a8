"""Outputs are complete or absent, and replaced only by force."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from support.cli import ESTIMATE, NEW, PERTURB, SIMULATE, TALLY, put, run, run_refused

DEMO = "demo --out ."

WRITING = [
    (f"{NEW} --keys 3", "new.json"),
    (PERTURB, "new.parquet"),
    (TALLY, "new.tally"),
    (f"{ESTIMATE} --out new.csv", "new.csv"),
    (f"{ESTIMATE} --out new.parquet", "new.parquet"),
    (f"{ESTIMATE} --out new.json", "new.json"),
    (f"{ESTIMATE} --plot new.svg", "new.svg"),
    (f"{SIMULATE} --plot new.svg", "new.svg"),
]

WRITING_IDS = [f"{command.split()[0]}-{output}" for command, output in WRITING]


@pytest.mark.parametrize(
    ("command", "outputs"),
    [*((command, [output]) for command, output in WRITING), (DEMO, ["estimates.csv", "estimates.html"])],
)
def test_an_output_is_replaced_only_by_force(command: str, outputs: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pckv.cli.demo.USERS", 50)
    for output in outputs:
        put({output: b"old"})
        assert run_refused(command) == f"pckv: {output} exists: use --force to replace it\n"
        Path(output).unlink()
    put(dict.fromkeys(outputs, b"old"))
    # The demo also says how far it is, whose text has tests of its own.
    assert run(f"{command} --force").exit_code == 0
    assert all(len(Path(output).read_bytes()) > len(b"old") for output in outputs)
    assert not list(Path().glob("*.part"))


@pytest.mark.parametrize(
    ("command", "output"), [part for part in WRITING if "task new" not in part[0]], ids=WRITING_IDS[1:]
)
def test_an_existing_output_is_refused_before_any_work(command: str, output: str) -> None:
    put({output: b"old"})
    command = command.replace("pairs.csv", "gone").replace("words.parquet", "gone")
    assert run_refused(command) == f"pckv: {output} exists: use --force to replace it\n"


def test_one_existing_output_refuses_both() -> None:
    put({"new.svg": b"old"})
    assert run_refused(f"{ESTIMATE} --out new.csv --plot new.svg").startswith("pckv: new.svg exists")


@pytest.mark.parametrize(("command", "output"), WRITING, ids=WRITING_IDS)
def test_a_missing_folder_for_the_output_is_named(command: str, output: str) -> None:
    line = run_refused(command.replace(output, f"nowhere/{output}"))
    assert line.startswith("pckv: nowhere")
    assert ".part" not in line


@contextmanager
def full_disk() -> Iterator[None]:
    """No file can grow beyond sixteen bytes."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    with pytest.MonkeyPatch.context() as patch:
        # Modules that are imported meanwhile must not be cached in part.
        patch.setattr(sys, "dont_write_bytecode", True)
        resource.setrlimit(resource.RLIMIT_FSIZE, (16, before[1]))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("force", [False, True], ids=["fresh", "force"])
@pytest.mark.parametrize(("command", "output"), WRITING, ids=WRITING_IDS)
def test_a_failing_write_leaves_the_old_file(command: str, output: str, force: bool) -> None:
    if force:
        put({output: b"old"})
    with full_disk():
        line = run_refused(f"{command} --force" if force else command)
    assert "File too large" in line


@pytest.mark.parametrize(("command", "output"), WRITING, ids=WRITING_IDS)
def test_a_failing_write_names_the_output(command: str, output: str) -> None:
    with full_disk():
        line = run_refused(command)
    assert line.startswith(f"pckv: {output}: ")


def test_a_disk_that_is_full_half_way_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def half(path: Path, *_: object) -> int:
        path.write_bytes(b"PAR1 and then")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pckv.cli.inputs.write_reports", half)
    assert "No space left on device" in run_refused(PERTURB)


def test_no_output_is_written_if_another_one_cannot_be() -> None:
    line = run_refused(f"{ESTIMATE} --out new.csv --plot gone/new.svg")
    assert line == "pckv: gone/new.svg: there is no folder gone\n"
    assert not Path("new.csv").exists()
