"""Packages from npm: the tools that tests run, in the versions of `npm_tools/package-lock.json`."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from support.parts import ROOT, SUPPORT, missing_part

TOOLS = SUPPORT / "npm_tools"
# What npm reports where there is no network, or no answer.
UNREACHABLE = re.compile(r"code E(NOTFOUND|AI_AGAIN|CONNREFUSED|CONNRESET|NETUNREACH|TIMEDOUT)\b")


def npm(*arguments: str, folder: Path) -> str:
    """Return what npm prints when it runs in a folder, without network unless a test needs packages."""
    executable = shutil.which("npm")
    if executable is None:
        missing_part("npm")
    quiet = ("--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error")
    command = [str(executable), *arguments, *quiet]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if UNREACHABLE.search(done.stderr):
        missing_part("a registry of npm")
    if done.returncode:
        pytest.fail(f"npm {' '.join(arguments)}: {done.stderr}")
    return done.stdout


def npm_tools() -> Path:
    """Return the folder of the installed tools; they are installed once per lock file, into `build/`."""
    lock = (TOOLS / "package-lock.json").read_bytes()
    folder = ROOT / "build" / f"npm-tools-{hashlib.sha256(lock).hexdigest()[:16]}"
    if not folder.exists():
        unfinished = folder.with_suffix(".unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        shutil.copytree(TOOLS, unfinished)
        npm("ci", "--ignore-scripts", "--prefer-offline", folder=unfinished)
        unfinished.rename(folder)
    return folder / "node_modules"


def run_tool(name: str, *arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a tool in a folder."""
    command = [str(npm_tools() / ".bin" / name), *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def run_node(script: str, given: Any, folder: Path) -> Any:
    """Return what a module prints as JSON, given a value as its only argument."""
    executable = shutil.which("node")
    if executable is None:
        missing_part("Node.js")
    command = [str(executable), script, json.dumps(given)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
