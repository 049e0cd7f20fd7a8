"""The JavaScript client in a Node process, and its samplers in the form that audits take."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

from pckv.auditing.conformance import Subject
from pckv.auditing.exhaustive import OneDraw
from pckv.channels import Channel
from pckv.channels.size_question import SizeQuestion
from pckv.device.padding import Pair
from pckv.device.perturb import Sampler
from pckv.randomness import BITS, Tape
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
        "bits": channel.bits,
        "functions": str(getattr(channel, "functions", "")),
        "share": _decimal(question.share) if question else "0",
    }


def _decimal(number: Fraction) -> str:
    return f"{Decimal(number.numerator) / number.denominator:f}"


def sampler(process: NodeProcess, question: SizeQuestion | None = None) -> Sampler:
    """Return the client's sampler; on toy channels it is run once over all draws, and tapes walk the resulting tree."""
    last: tuple[Channel, Sequence[Pair], Any] | None = None

    def perturb(channel: Channel, pairs: Sequence[Pair], tape: Tape) -> int:
        nonlocal last
        if last is not None and last[0] is channel and last[1] is pairs:
            return _walked(last[2], tape)
        request = {
            "channel": described(channel, question),
            "pairs": [[key, str(level)] for key, level in pairs],
        }
        if channel.bits == BITS:
            return _perturbed(process, request, [tape.draw() for _ in range(channel.draws)], tape)
        [tree] = process.ask({"do": "tree", **request})
        last = (channel, pairs, tree)
        return _walked(tree, tape)

    return perturb


def _perturbed(process: NodeProcess, request: dict[str, Any], draws: list[int], tape: Tape) -> int:
    while True:
        [message] = process.ask({"do": "perturb", "draws": [str(draw) for draw in draws], **request})
        if message is not None:
            return int(message)
        draws.append(tape.draw())


def _walked(tree: Any, tape: Tape) -> int:
    while not isinstance(tree, str):
        method, argument, branches = tree
        outcome = tape.draw() if method == "draw" else getattr(tape, method)(int(argument))
        tree = branches[str(int(outcome))]
    return int(tree)


def primitives(process: NodeProcess) -> type[OneDraw]:
    """Return a tape of one draw with the client's own primitives."""

    @cache
    def outcomes(method: str, argument: int, one: int) -> list[str | None]:
        request = {
            "do": "outcomes",
            "bits": one.bit_length() - 1,
            "method": method,
            "argument": str(argument),
        }
        answer: list[str | None] = process.ask(request)[0]
        return answer

    class ClientDraw(OneDraw):
        def below(self, count: int) -> int:
            return self._outcome("below", count)

        def bernoulli(self, threshold: int) -> bool:
            return bool(self._outcome("bernoulli", threshold))

        def _outcome(self, method: str, argument: int) -> int:
            outcome = outcomes(method, argument, self.one)[self.draw()]
            if outcome is None:
                raise IndexError
            return int(outcome)

    return ClientDraw


def level(process: NodeProcess) -> Callable[[float, float, float], int]:
    """Return the client's function from values to thresholds."""

    @cache
    def client_level(value: float, low: float, high: float) -> int:
        return int(process.ask({"do": "level", "value": value, "low": low, "high": high})[0])

    return client_level


def subject(process: NodeProcess, name: str, channel: type[Channel]) -> Subject:
    """Return a mechanism of the client in the form that the conformance suite takes."""
    return Subject(name, channel, sampler(process), level(process), primitives(process))
