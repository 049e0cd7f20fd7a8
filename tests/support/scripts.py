"""Scripts that run in an interpreter of their own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def run_script(script: str, interpreter: str | Path = sys.executable) -> str:
    """What a script prints in an interpreter of its own."""
    done = subprocess.run([str(interpreter), "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout
