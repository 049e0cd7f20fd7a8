"""Time a newcomer's first minutes: a clone in an empty folder, `make demo`, and the commands of the tutorial.

Run as `make newcomer`, with nothing but Python, git and make. What is not committed is not in the clone. The home
folder is empty, so that nothing was downloaded before. Prints seconds and processor seconds, and exits with 1 if a
command fails or a step takes longer than its limit; the limits are for two cores that do nothing else.
"""

from __future__ import annotations

import os
import re
import resource
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
# What newcomers follow.
PAGE = "docs/tutorial.md"
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
# What a newcomer's machine does not have.
LEFT_OUT = re.compile(r"VIRTUAL_ENV|PYTHON(PATH|HOME|DONTWRITEBYTECODE)|XDG_|PCKV_|UV_CACHE|PIP_CACHE|MAKE|MFLAGS")
MAX_SECONDS = {"make demo, with set-up": 90.0, "the demo alone": 30.0, "the tutorial's commands": 60.0}
HEADER = f"{'step':<26}{'seconds':>9}{'limit':>7}{'processor seconds':>19}"
SECONDS_TO_START = 60
# What the log of a collector says once it takes requests.
READY = b'"ready"'


class Step(NamedTuple):
    """How long something took."""

    name: str
    seconds: float
    processor_seconds: float


def main() -> int:
    """Time all steps; return the exit code."""
    with tempfile.TemporaryDirectory(prefix="newcomer-") as name:
        folder = Path(name)
        clone, home, work = (folder / part for part in ("pckv", "home", "work"))
        home.mkdir()
        work.mkdir()
        environment = newcomer_environment(os.environ, home)
        run(["git", "clone", "--quiet", str(ROOT), str(clone)], folder, environment)
        print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}\n{HEADER}", flush=True)
        kept_limits = [show(step) for step in steps(clone, work, environment)]
    return int(not all(kept_limits))


def steps(clone: Path, work: Path, environment: dict[str, str]) -> Iterator[Step]:
    """Do what a newcomer does, and yield how long each step took."""
    demo = ["make", "--no-print-directory", "demo"]
    with_set_up, alone, tutorial = MAX_SECONDS
    yield timed(with_set_up, lambda: run(demo, clone, environment))
    yield timed(alone, lambda: run(demo, clone, environment))
    path = os.pathsep.join((str(clone / ".venv" / "bin"), environment["PATH"]))
    commands = page_commands(clone / PAGE)
    yield timed(tutorial, lambda: run_page(commands, work, environment | {"PATH": path}))


def show(step: Step) -> bool:
    """Print how long a step took; return whether that is within its limit."""
    limit = MAX_SECONDS[step.name]
    mark = "" if step.seconds <= limit else "  above the limit"
    print(f"{step.name:<26}{step.seconds:>9.1f}{limit:>7.0f}{step.processor_seconds:>19.1f}{mark}", flush=True)
    return not mark


def newcomer_environment(environment: os._Environ[str] | dict[str, str], home: Path) -> dict[str, str]:
    """Return an environment in which nothing was set up before."""
    kept = {name: value for name, value in environment.items() if not LEFT_OUT.match(name)}
    return kept | {"HOME": str(home)}


def page_commands(page: Path) -> list[str]:
    """Return the commands of a page's code blocks, in order."""
    blocks = BLOCK.findall(page.read_text(encoding="utf-8"))
    lines = [line for language, block in blocks if not language for line in block.splitlines()]
    return [line for line in lines if line.startswith("pckv ")]


def timed(name: str, work: Callable[[], None]) -> Step:
    """Do something, and return how long it took."""
    started, used = time.monotonic(), processor_seconds()
    work()
    return Step(name, time.monotonic() - started, processor_seconds() - used)


def run_page(commands: Sequence[str], folder: Path, environment: dict[str, str]) -> None:
    """Run the commands of a page in order; a collector runs beside those that follow it."""
    with ExitStack() as running:
        for command in commands:
            words = shlex.split(command)
            if words[:2] == ["pckv", "serve"]:
                running.enter_context(serving(words, folder, environment))
            else:
                run(words, folder, environment)


def run(command: Sequence[str], folder: Path, environment: dict[str, str]) -> None:
    """Run a command that must succeed."""
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{shlex.join(command)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")


@contextmanager
def serving(command: Sequence[str], folder: Path, environment: dict[str, str]) -> Iterator[None]:
    """Run a collector until the end of the block."""
    path = folder / "log"
    with path.open("wb") as log:
        process = subprocess.Popen(command, cwd=folder, env=environment, stdout=log, stderr=log)
    with process:
        try:
            wait_until_ready(process, path)
            yield
        finally:
            process.terminate()


def wait_until_ready(process: subprocess.Popen[bytes], log: Path) -> None:
    """Wait until the collector takes requests: by its own log, since another one may listen at its address."""
    ends = time.monotonic() + SECONDS_TO_START
    while READY not in log.read_bytes():
        if process.poll() is not None or time.monotonic() > ends:
            sys.exit(f"the collector did not start: {log.read_text(encoding='utf-8')}")
        time.sleep(0.1)


def processor_seconds() -> float:
    """Return the processor time of all processes that have ended, with those that they started."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    sys.exit(main())
