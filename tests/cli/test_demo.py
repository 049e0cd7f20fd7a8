"""`pckv demo`: a whole collection, and how it ends."""

from __future__ import annotations

import csv
import io
import os
import re
import secrets
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from threading import Event

import pytest

from pckv import Task
from pckv.base.days import days_between
from pckv.base.errors import PckvError
from pckv.cli.demo import measured_step, say_step
from pckv.cli.moved_clock import MovedClock
from pckv.cli.remote import RemoteCollector
from pckv.cli.signals import held_signals
from pckv.collector.background import SteadyClock
from support.cli import contents, run, run_ok
from support.pseudo_terminal import on_a_terminal


def step_lines(errors: str) -> list[str]:
    """Return the lines of stderr, which must say nothing but how far the demo is."""
    lines = errors.splitlines()
    assert all(line.endswith(("…", "%")) for line in lines), errors
    return lines


def demo_error(command: str = "demo") -> str:
    """Run a demo that must fail without changing any file; return its one line."""
    before = contents()
    result = run(command)
    assert (result.exit_code, result.stdout, contents()) == (1, "", before)
    *steps, last = result.stderr.splitlines(keepends=True)
    assert step_lines("".join(steps))
    return last


def test_demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Settings for other collectors are ignored.
    monkeypatch.setenv("PCKV_RATE", "1")
    monkeypatch.setattr("pckv.cli.demo.USERS", 1000)
    result = run("demo --out new/demo")
    assert result.exit_code == 0, result.output
    assert step_lines(result.stderr)[-1] == "Drawing charts …"
    printed = result.stdout
    assert "1,000 participants" in printed
    assert "true mean" in printed
    rows = [line for line in printed.splitlines() if line.startswith("movie ")]
    assert len(rows) == 10
    true, estimated = max((float(row.split()[2]), float(row.split()[4])) for row in rows)
    # In percent: four standard errors of 1,000 reports.
    assert estimated == pytest.approx(true, abs=40)
    output = tmp_path / "new/demo"
    with (output / "estimates.csv").open(encoding="utf-8", newline="") as file:
        assert [row["key"] for row in csv.DictReader(file)] == [f"movie {key:03}" for key in range(100)]
    page = (output / "estimates.html").read_text(encoding="utf-8")
    assert "<svg" in page
    assert "<table>" in page
    assert "frequency intervals hold the truth" in page
    assert "10 sent by one client each, 990 in batches" in printed
    again = next(line for line in printed.splitlines() if line.startswith("Estimate again"))
    assert again == f"Estimate again with: pckv estimate {Path('new/demo/reports.parquet')} --task new/demo/task.json"
    run_ok(again.removeprefix("Estimate again with: pckv ") + " --out again.csv")
    assert Path("again.csv").read_bytes() == (output / "estimates.csv").read_bytes()


@pytest.mark.verify
def test_mixed_demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Device, mixer and collector are processes of their own; what was sealed is opened, counted and shown."""
    # Settings for other services are ignored.
    monkeypatch.setenv("PCKV_MIX_BATCHES_HELD", "1")
    monkeypatch.setattr("pckv.cli.demo.USERS", 400)
    result = run("demo --mixed --out mixed")
    assert result.exit_code == 0, result.output
    assert step_lines(result.stderr)[-1] == "Drawing charts …"
    printed = " ".join(result.stdout.split())
    show = "This is only a show: the promise needs two parties,"
    assert printed.startswith(show)
    assert printed.count("only a show") == 1
    task = Task.from_json((tmp_path / "mixed/task.json").read_bytes())
    assert task.mixer is not None
    assert (task.mixer.batch, task.mixer.honest) == (200, 150)
    # Wherever the central ε stands, its condition stands beside it.
    claim = re.escape(f"ε = {task.mixer.epsilon} with δ = {task.mixer.delta}")
    conditions = re.findall(
        rf"{claim}[a-z(), ]+if the mixer follows the protocol and [a-z ]+150 [a-z ]*honest", printed
    )
    assert len(conditions) == len(re.findall(claim, printed)) == 2
    assert "150 honest reports, and otherwise" in printed
    assert "4 by one client each, 396 by processes that stand for many" in printed
    assert "the clocks of mixer and collector were moved" in printed
    assert "400 reports came from the mixer of Demo Mixers. The mixer has deleted its batch." in printed
    assert f"400 participants, {task.mechanism}, ε = {task.epsilon:g}" in printed
    assert "true mean" in printed
    assert "only a show" in (tmp_path / "mixed/estimates.html").read_text(encoding="utf-8")
    run_ok("estimate mixed/reports.parquet --task mixed/task.json --out again.csv")
    assert Path("again.csv").read_bytes() == (tmp_path / "mixed/estimates.csv").read_bytes()


def test_a_moved_clock_counts_as_time_that_has_passed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A mixer releases nothing after a jump of its clock: a demo moves what has passed with it."""
    reading, writing = os.pipe()
    clock, moved = MovedClock(), Event()
    monkeypatch.setattr("pckv.cli.moved_clock.INPUT", reading)
    steady, before = SteadyClock(clock.seconds, 60, clock.elapsed), clock.day()
    assert not steady.is_steady
    clock.follow_input(moved.set)
    os.write(writing, b"172800\n")
    assert moved.wait(60)
    assert steady.is_steady
    assert days_between(before, clock.day()) in (2, 3)
    os.close(writing)


SMALL_DEMO = """
from pckv.cli import demo, main
demo.USERS = 20
main(["demo"])
"""


def test_on_a_terminal_the_collector_stays_until_ctrl_c(tmp_path: Path) -> None:
    with on_a_terminal([sys.executable, "-c", SMALL_DEMO], tmp_path, os.environ) as program:
        shown = program.read_until("Ctrl-C stops")
        # No name of a key is broken into two lines.
        assert len(re.findall(r"^movie \d{3} .*%", shown, re.MULTILINE)) == 10
        address, task_id = re.findall(r"(http://\S+)/#/tasks/(\S+)", shown)[0]
        token = shown.partition("Sign in with this token:")[2].split()[0]
        answer = RemoteCollector(address, token).ask("GET", "/tasks")
        assert [task["id"] for task in answer["tasks"]] == [task_id]
        assert program.press_ctrl_c() == 0
        assert program.read_until("nothing more").endswith("\nStopped.\n")
    with pytest.raises(PckvError, match="refused"):
        RemoteCollector(address, token).ask("GET", "/tasks")


def test_a_pipe_shows_the_progress_in_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stderr", pipe := io.StringIO())
    say_step("Starting")
    with measured_step("Collecting") as progress:
        for share in (0.1, 0.2, 0.3, 0.31, 0.8, 1.0, 1.0):
            progress(share)
    assert pipe.getvalue().splitlines() == ["Starting …", "Collecting …", "  25 %", "  75 %", "  100 %"]


def test_a_collector_that_does_not_start_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pckv.cli.demo_processes.COLLECTOR", (sys.executable, "-c", "import sys; sys.exit('no room')"))
    assert demo_error() == "pckv: the collector does not start: no room\n"
    assert not Path("demo").exists()


@pytest.mark.verify
def test_a_mixer_that_does_not_start_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pckv.cli.demo.USERS", 8)
    monkeypatch.setattr("pckv.cli.mixed_demo.SERVICE", (sys.executable, "-c", "import sys; sys.exit('no room')"))
    assert demo_error("demo --mixed") == "pckv: the mixer does not start: no room\n"
    assert not Path("demo").exists()


def test_a_mixed_demo_needs_what_seals_reports(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cryptography", None)
    result = run("demo --mixed")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == "pckv: this needs 'cryptography': pip install 'pckv[sealed]'\n"


INTERRUPTED_DEMO = """
import sys
from pathlib import Path
from pckv.cli import demo, demo_processes, main
demo_processes.MEMORY, demo.USERS = Path(sys.argv[1]), int(sys.argv[3])
main(["demo", "--out", *sys.argv[2:3], *sys.argv[4:]], prog_name="pckv")
"""
# When a signal is sent: a path that exists at that moment.
MOMENTS = {
    "starting": "temporary/pckv-*/log",
    "collecting": "memory/pckv-*",
    "sending": "memory/pckv-*/*/devices/*",
    "estimating": "out/reports.parquet",
}


def exit_code(status: int) -> int:
    """Return the exit code that a shell sees: 128 plus its number if a signal ended the process."""
    return status if status >= 0 else 128 - status


def processes_with(mark: str) -> list[int]:
    """The processes that have a word in their environment."""
    numbers = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if mark.encode() in (folder / "environ").read_bytes():
                numbers.append(int(folder.name))
    return numbers


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="looks for processes in /proc")
@pytest.mark.parametrize(
    ("moment", "number", "whole_group", "options"),
    [
        ("starting", signal.SIGINT, True, ()),
        ("starting", signal.SIGTERM, False, ()),
        ("collecting", signal.SIGINT, True, ()),
        ("collecting", signal.SIGTERM, True, ()),
        ("sending", signal.SIGINT, False, ()),
        ("sending", signal.SIGTERM, True, ()),
        ("estimating", signal.SIGINT, True, ()),
        ("estimating", signal.SIGTERM, False, ()),
        ("starting", signal.SIGINT, True, ("--mixed",)),
        ("sending", signal.SIGTERM, False, ("--mixed",)),
        ("estimating", signal.SIGINT, True, ("--mixed",)),
    ],
)
def test_a_demo_that_is_interrupted_leaves_nothing(
    moment: str,
    number: signal.Signals,
    whole_group: bool,
    options: tuple[str, ...],
    tmp_path: Path,
) -> None:
    """Every moment twice, and every signal to one process and to all; with a mixer, too."""
    for name in ("memory", "temporary"):
        (tmp_path / name).mkdir()
    mark = f"interrupted-{secrets.token_hex(8)}"
    users = "100" if moment == "estimating" else "5000"
    with (
        (tmp_path / "errors").open("wb") as errors,
        subprocess.Popen(
            [sys.executable, "-c", INTERRUPTED_DEMO, str(tmp_path / "memory"), str(tmp_path / "out"), users, *options],
            stdout=subprocess.DEVNULL,
            stderr=errors,
            env=os.environ | {"TMPDIR": str(tmp_path / "temporary"), "MARK": mark},
            start_new_session=True,
        ) as process,
    ):
        try:
            while not list(tmp_path.glob(MOMENTS[moment])):
                assert process.poll() is None
                time.sleep(0.01)
            (os.killpg if whole_group else os.kill)(process.pid, number)
            process.wait(120)
        finally:
            left = processes_with(mark)
            for left_process in left:
                with suppress(ProcessLookupError):
                    os.kill(left_process, signal.SIGKILL)
    assert exit_code(process.returncode) == 128 + number
    *steps, last = (tmp_path / "errors").read_text(encoding="utf-8").splitlines()
    assert last == "pckv: interrupted"
    step_lines("\n".join(steps))
    assert not list((tmp_path / "memory").iterdir())
    assert not list((tmp_path / "temporary").iterdir())
    assert not list(tmp_path.rglob("*.part"))
    assert not left


def test_signals_are_held_until_they_are_checked_for() -> None:
    before = signal.getsignal(signal.SIGTERM)
    reached = []

    def end() -> None:
        with held_signals() as signals:
            signal.raise_signal(signal.SIGTERM)
            signal.raise_signal(signal.SIGINT)
            reached.append("held")
            signals.check()
            reached.append("checked")

    with pytest.raises(KeyboardInterrupt) as raised:
        end()
    assert reached == ["held"]
    assert raised.value.args == (signal.SIGTERM,)
    assert signal.getsignal(signal.SIGTERM) is before
    with held_signals() as signals:
        signal.raise_signal(signal.SIGINT)
        signals.wait()


def test_participants_that_fail_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pckv.cli.demo.USERS", 8)
    monkeypatch.setattr(
        "pckv.cli.demo_processes.PARTICIPANTS", (sys.executable, "-c", "import sys; sys.exit('no room')")
    )
    assert demo_error() == "pckv: no room\n"
    monkeypatch.setattr("pckv.cli.demo_processes.PARTICIPANTS", (sys.executable, "-c", "import os; os.abort()"))
    assert demo_error() == "pckv: a process of participants ended before its work was done\n"
