"""The program: help, usage, and how it is installed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import click
import pytest

from pckv import __version__
from pckv.cli import main
from pckv.cli.program import COMMANDS
from pckv.mechanisms.registry import LAWS
from support.cli import (
    ESTIMATE,
    GRR,
    NEW,
    PERTURB,
    SIMULATE,
    TALLY,
    commands,
    contents,
    program,
    program_command,
    read_json,
    run,
    run_ok,
    run_refused,
)


@pytest.mark.parametrize(("path", "command"), list(commands(main)), ids=lambda part: part or None)
def test_every_command_explains_itself(path: str, command: click.Command) -> None:
    assert command.help
    for option in ("--help", "-h"):
        printed = run_ok(f"{path} {option}")
        assert printed.startswith(f"Usage: main {path}".rstrip())
        assert " ".join(command.help.split("\n\n")[0].split()) in " ".join(printed.split())


def test_the_commands_of_a_collection_are_there() -> None:
    assert {path for path, _ in commands(main)} >= {
        "",
        "audit",
        "demo",
        "estimate",
        "perturb",
        "plan",
        "simulate",
        "tally",
        "task",
        "task new",
        "task show",
    }


@pytest.mark.parametrize(
    "command",
    [
        "",
        "task",
        "guess",
        "task new",
        f"{NEW} --keys-file keys.txt --keys 3",
        NEW,
        f"{NEW} --keys three",
        f"{PERTURB} --colour red",
        f"{PERTURB} --repeated first",
        "perturb pairs.csv --task grr.json --out new.parquet",
        "tally --task grr.json --out new.tally",
        "tally words.parquet --out new.tally",
        "tally words.parquet --task grr.json",
        f"{TALLY} --engine excel",
        f"{TALLY} --spark-master local[2]",
        f"{TALLY} --engine duckdb --spark-master local[2]",
        f"{ESTIMATE} --top 0",
        f"{ESTIMATE} --level high",
        f"{ESTIMATE} --level 0.9_5",
        f"{ESTIMATE} --method best",
        f"{ESTIMATE} --post oversize",
        f"{SIMULATE} --mechanism oue",
        f"{SIMULATE} --method best",
        f"{SIMULATE} --post best",
        f"{SIMULATE} --objective most",
        f"{NEW} --keys 3 --mechanism kvue",
        f"{NEW} --keys 3 --allocation best",
        "plan --keys 9 --users 9 --epsilon 1 --objective most",
        f"{SIMULATE} --low 0_1",
        f"{SIMULATE} --high １０",
        "plan --keys 10",
    ],
)
def test_wrong_usage_exits_2(command: str) -> None:
    before = contents()
    result = run(command)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "Usage: main" in result.stderr
    assert contents() == before


def test_the_installed_program() -> None:
    good = program("task", "show", "grr.json", "--json", stdout=subprocess.PIPE)
    assert (good.returncode, good.stderr) == (0, "")
    assert read_json(good.stdout)["id"] == GRR.id
    bad = program("task", "show", "gone.json", stdout=subprocess.PIPE)
    assert (bad.returncode, bad.stdout) == (1, "")
    assert bad.stderr == "pckv: gone.json: No such file or directory\n"
    version = program("--version", stdout=subprocess.PIPE)
    assert version.stdout == f"pckv, version {__version__}\n"


def test_a_closed_pipe_gives_no_traceback() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        result = program("task", "show", "grr.json", "--json", stdout=writer)
    finally:
        os.close(writer)
    assert (result.returncode, result.stderr) == (128 + signal.SIGPIPE, "")


@pytest.mark.parametrize(
    "command", ["plan --keys 1000 --users 20000 --epsilon 1", "estimate good.tally --task grr.json"]
)
def test_head_ends_a_command_quietly(command: str) -> None:
    """The first line is read, and then no more, as by `| head -1`."""
    with subprocess.Popen(
        program_command(*command.split()), stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0
    ) as process:
        assert process.stdout
        assert process.stderr
        process.stdout.read(1)
        process.stdout.close()
        assert process.stderr.read() == b""
    # All may have been written by then.
    assert process.returncode in (0, 128 + signal.SIGPIPE)


def test_a_terminal_without_greek_letters() -> None:
    environment = os.environ | {"PYTHONIOENCODING": "ascii"}
    result = program("estimate", "words.parquet", "--task", "grr.json", stdout=subprocess.PIPE, env=environment)
    assert (result.returncode, result.stderr) == (0, "")
    assert "alien" in result.stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_of_commands_names_each(name: str) -> None:
    command = main.get_command(click.Context(main), name)
    assert command is not None
    assert command.name == name
    assert command.short_help == COMMANDS[name]


@pytest.mark.parametrize("path", [path for path, _ in commands(main)], ids=lambda path: path or "pckv")
def test_no_line_of_help_is_cut_or_too_long(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    _, *lines = run_ok(f"{path} --help").splitlines()
    for line in lines:
        assert len(line) <= 80, line
        assert not line.endswith(("...", "…")), line


def test_help_lists_every_mechanism() -> None:
    """Wherever several mechanisms are listed, all of them are."""
    first, *others = LAWS
    for path, _ in commands(main):
        printed = " ".join(run_ok(f"{path} --help").split())
        if f"{first}, {others[0]}," in printed:
            assert ", ".join(LAWS) in printed, path


def test_help_loads_no_command_and_nothing_heavy() -> None:
    script = (
        "import sys\n"
        "from pckv.cli import main\n"
        "main(['--help'], standalone_mode=False)\n"
        "heavy = {'numpy', 'rich', 'altair', 'pyarrow', 'asyncio', 'multiprocessing', 'fractions'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)\n"
        "loaded = {name for name in sys.modules if name.startswith('pckv')}\n"
        "print(*sorted(loaded))\n"
    )
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    own = [
        "pckv",
        "pckv.base",
        "pckv.base.canonical",
        "pckv.base.errors",
        "pckv.base.progress",
        "pckv.cli",
        "pckv.cli.common",
        "pckv.cli.program",
    ]
    assert result.stdout.splitlines()[-1].split() == own


def test_the_administrators_commands_load_no_server() -> None:
    script = (
        "import sys\n"
        "from pckv.cli import main\n"
        "main(['task', 'push', '--help'], standalone_mode=False)\n"
        "print(*{'fastapi', 'uvicorn', 'pckv.collector.http.auth', 'pckv.store'} & set(sys.modules))\n"
    )
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    lines = result.stdout.splitlines()
    assert "PCKV_ADMIN_TOKEN" in result.stdout
    assert not lines[-1]


def test_the_package_runs() -> None:
    command = [sys.executable, "-m", "pckv"]
    version = subprocess.run([*command, "--version"], capture_output=True, text=True, check=True)
    assert version.stdout == f"pckv, version {__version__}\n"
    usage = subprocess.run([*command, "task", "new"], capture_output=True, text=True, check=False)
    assert usage.returncode == 2
    assert usage.stderr.startswith("Usage: pckv task new ")


def test_an_interrupt_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("pckv.cli.plan.plan", interrupt)
    result = run("plan --keys 3 --users 9 --epsilon 1")
    assert (result.exit_code, result.stdout, result.stderr) == (130, "", "pckv: interrupted\n")


def test_a_folder_is_no_output_and_force_does_not_help() -> None:
    Path("new.tally").mkdir()
    for force in ("", "--force"):
        assert run_refused(f"{TALLY} {force}") == "pckv: new.tally is a folder\n"
