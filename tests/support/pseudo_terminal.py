"""Programs on a terminal of their own, as people run them."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

SECONDS = 120


class TerminalProgram:
    """A program whose input, output and errors are a terminal."""

    def __init__(self, process: subprocess.Popen[bytes], terminal: int) -> None:
        self.process = process
        self._terminal = terminal
        self._shown = b""

    def read_until(self, text: str) -> str:
        """Return all that was shown, once it has some text or the program has ended."""
        ends = time.monotonic() + SECONDS
        while text.encode() not in self._shown:
            assert time.monotonic() < ends, self._shown
            try:
                self._shown += os.read(self._terminal, 2**16)
            except OSError:
                # The program has closed its side.
                break
        return self._shown.decode().replace("\r\n", "\n")

    def press_ctrl_c(self) -> int:
        """Press Ctrl-C; return the exit code."""
        os.write(self._terminal, b"\x03")
        self.read_until("nothing but the end")
        return self.process.wait(SECONDS)


@contextmanager
def on_a_terminal(command: Sequence[str], folder: Path, environment: Mapping[str, str]) -> Iterator[TerminalProgram]:
    """Run a program on a terminal of its own."""
    terminal, other_side = os.openpty()
    try:
        process = subprocess.Popen(
            ["setsid", "--ctty", *command],  # noqa: S607
            stdin=other_side,
            stdout=other_side,
            stderr=other_side,
            cwd=folder,
            env=environment,
        )
        os.close(other_side)
        with process:
            try:
                yield TerminalProgram(process, terminal)
            finally:
                process.kill()
    finally:
        os.close(terminal)
