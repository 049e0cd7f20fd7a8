"""The JavaScript client in a Node process that answers requests."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

from pckv.channels import Channel
from pckv.channels.size_question import SizeQuestion
from support.parts import missing_part

CLIENT = Path(__file__).parents[2] / "src" / "pckv" / "web" / "client"
SCRIPT = Path(__file__).parent / "javascript" / "process.mjs"


class NodeProcess:
    """A process that answers requests in batches."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def ask(self, *requests: dict[str, Any]) -> list[Any]:
        """Return the answers to some requests."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(requests) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        assert line, "the Node process ended"
        answers: list[Any] = json.loads(line)
        return answers


@contextmanager
def node(client: Path = CLIENT, script: Path = SCRIPT) -> Iterator[NodeProcess]:
    """Run the client in a folder while the context lasts."""
    executable = shutil.which("node")
    if executable is None:
        missing_part("Node.js")
    command = [str(executable), str(script), str(client)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield NodeProcess(process)


def faulty_client(folder: Path, file: str, faults: dict[str, str], client: Path = CLIENT) -> Path:
    """Copy a client with some texts of one file replaced."""
    copy = folder / "client"
    shutil.copytree(client, copy)
    text = (copy / file).read_text(encoding="utf-8")
    for right, wrong in faults.items():
        assert right in text
        text = text.replace(right, wrong)
    (copy / file).write_text(text, encoding="utf-8")
    return copy


def described(channel: Channel, question: SizeQuestion | None = None) -> dict[str, Any]:
    """Return the description from which the client builds the same channel, with its size question."""
    return {
        "name": channel.name,
        "keys": channel.keys,
        "padding": channel.padding,
        "epsilon": _decimal(channel.epsilon),
        "parameters": channel.parameters,
        "levels": channel.levels,
        "share": _decimal(question.share) if question else "0",
    }


def _decimal(number: Fraction) -> str:
    return f"{Decimal(number.numerator) / number.denominator:f}"
