"""Fresh interpreters and the tools that a bench needs."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
# The kernel's count for this process alone: the maximum in getrusage includes the pages of the parent.
PRINT_PEAK = """
import re, pathlib
print(re.search(r"VmHWM:\\s+(\\d+)", pathlib.Path("/proc/self/status").read_text())[1])
"""


def interpret(code: str, *arguments: str) -> str:
    """Return what a fresh interpreter prints when it runs the code with these arguments."""
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=ROOT).stdout


def with_peak_memory(code: str, *arguments: str) -> tuple[str, float]:
    """Return what a fresh interpreter prints when it runs the code, and its peak memory in megabytes."""
    *printed, kilobytes = interpret(code + PRINT_PEAK, *arguments).splitlines()
    return "\n".join(printed), int(kilobytes) * 1024 / 1e6


def loaded_modules(code: str) -> list[str]:
    """Return the names of the modules that a fresh interpreter has loaded after it ran the code."""
    return interpret(f"{code}\nimport sys\nprint(*sys.modules)").split()


def require_tool(name: str) -> None:
    """Install a program with apt-get if it is missing; exit with one line if that fails."""
    if shutil.which(name) is None:
        install = shutil.which("apt-get")
        if install is None or subprocess.run([install, "install", "-y", "-q", name], check=False).returncode:
            sys.exit(f"please install {name}")
