"""The JavaScript client in Node, where it answers requests."""

from __future__ import annotations

import atexit
import json
import os
import shutil
import subprocess
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

from pckv.mechanisms.base import Law
from pckv.mechanisms.size_question.law import SizeQuestion
from support.parts import missing_part

CLIENT = Path(__file__).parents[2] / "src" / "pckv" / "web" / "client"
SCRIPT = Path(__file__).parent / "javascript" / "process.mjs"
HOST = SCRIPT.with_name("host.mjs")
# Where it is tomorrow from 10:00 UTC on: days are those of UTC wherever a device is.
TIME_ZONE = "Pacific/Kiritimati"


class NodeProcess:
    """A client in a process, where it answers requests in batches."""

    def __init__(self, process: subprocess.Popen[str], client: Path) -> None:
        self._process, self._client = process, client

    def ask(self, *requests: dict[str, Any]) -> list[Any]:
        """Return the answers to some requests."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"client": str(self._client), "requests": requests}) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        assert line, f"the Node process ended: {self._process.wait()}"
        answers: list[Any] = json.loads(line)
        return answers


def node(client: Path = CLIENT, script: Path = SCRIPT) -> NodeProcess:
    """Return the client in a folder, which may not be that of an earlier client; a script has one process for all."""
    return NodeProcess(_process(script), client)


_processes: dict[Path, subprocess.Popen[str]] = {}


def run_module(script: str, *arguments: str, given: Any = None) -> Any:
    """Run a module in a Node process of its own, with arguments and JSON on standard input; return the JSON it prints."""
    done = subprocess.run(
        [_executable(), "--input-type=module", "--eval", script, *arguments],
        input=json.dumps(given),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def _executable() -> str:
    found = shutil.which("node")
    if found is None:
        missing_part("Node.js")
    return str(found)


def _process(script: Path) -> subprocess.Popen[str]:
    """Return the process of a script; one that a client has ended is replaced."""
    started = _processes.get(script)
    if started is None or started.poll() is not None:
        command = [_executable(), str(HOST), str(script)]
        surroundings = os.environ | {"TZ": TIME_ZONE}
        started = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=surroundings)
        _processes[script] = started
        atexit.register(_end, started)
    return started


def _end(process: subprocess.Popen[str]) -> None:
    with process:
        pass


def described(law: Law, question: SizeQuestion | None = None) -> dict[str, Any]:
    """Return the description from which the client builds the same law, with its size question."""
    return {
        "name": law.name,
        "keys": law.keys,
        "padding": law.padding,
        "epsilon": _decimal(law.epsilon),
        "parameters": law.parameters,
        "levels": law.levels,
        "share": _decimal(question.share) if question else "0",
    }


def _decimal(number: Fraction) -> str:
    return f"{Decimal(number.numerator) / number.denominator:f}"
