"""Scripts that run in a separate interpreter."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from support.parts import ROOT


def run_script(script: str, interpreter: str | Path = sys.executable) -> str:
    """Run a script in a separate interpreter; return what it prints."""
    done = subprocess.run([str(interpreter), "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def printed_lines(*command: str) -> list[str]:
    """Return the lines that a command prints in the root folder."""
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()
