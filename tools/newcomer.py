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
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
# The first of them that has commands is what newcomers follow.
PAGES = ("docs/tutorial.md", "README.md")
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
# What a newcomer's machine does not have.
LEFT_OUT = re.compile(
    r"VIRTUAL_ENV|PYTHON(PATH|HOME|DONTWRITEBYTECODE)|XDG_|PCKV_|UV_CACHE|PIP_CACHE|MAKE|MFLAGS"
)
MAX_SECONDS = {"make demo, with set-up": 90.0, "the demo alone": 30.0, "the tutorial's commands": 60.0}
SECONDS_TO_START = 60
READY_ADDRESS = "http://127.0.0.1:8000/readyz"


class Step(NamedTuple):
    """How long something took."""

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
        demo, set_up = ["make", "--no-print-directory", "demo"], clone / ".venv" / "bin"
        steps = [timed(demo, clone, environment), timed(demo, clone, environment)]
        environment["PATH"] = os.pathsep.join((str(set_up), environment["PATH"]))
        page, commands = next((page, found) for page in PAGES if (found := page_commands(clone / page)))
        steps.append(timed_commands(commands, work, environment))
    print(f"The commands are those of {page}; {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}.")
    table = dict(zip(MAX_SECONDS, steps, strict=True))
    for line in result_lines(table):
        print(line)
    return int(any(step.seconds > MAX_SECONDS[name] for name, step in table.items()))


def newcomer_environment(environment: os._Environ[str] | dict[str, str], home: Path) -> dict[str, str]:
    """Return an environment in which nothing was set up before."""
    kept = {name: value for name, value in environment.items() if not LEFT_OUT.match(name)}
    return kept | {"HOME": str(home)}


def page_commands(page: Path) -> list[str]:
    """Return the commands of a page's code blocks, in order."""
    if not page.exists():
        return []
    blocks = BLOCK.findall(page.read_text(encoding="utf-8"))
    lines = [line for language, block in blocks if not language for line in block.splitlines()]
    return [line for line in lines if line.startswith("pckv ")]


def result_lines(table: dict[str, Step]) -> Iterator[str]:
    """Yield a line per step."""
    yield f"{'step':<26}{'seconds':>9}{'limit':>7}{'processor seconds':>19}"
    for name, step in table.items():
        limit = MAX_SECONDS[name]
        mark = "  above the limit" if step.seconds > limit else ""
        yield f"{name:<26}{step.seconds:>9.1f}{limit:>7.0f}{step.processor_seconds:>19.1f}{mark}"


def timed(command: Sequence[str], folder: Path, environment: dict[str, str]) -> Step:
    """Run a command that must succeed; return how long it took."""
    started, used = time.monotonic(), processor_seconds()
    run(command, folder, environment)
    return Step(time.monotonic() - started, processor_seconds() - used)


def timed_commands(commands: Sequence[str], folder: Path, environment: dict[str, str]) -> Step:
    """Run the commands of a page in order; a collector runs beside those that follow it."""
    started, used = time.monotonic(), processor_seconds()
    with ExitStack() as running:
        for command in commands:
            words = shlex.split(command)
            if words[:2] == ["pckv", "serve"]:
                running.enter_context(serving(words, folder, environment))
            else:
                run(words, folder, environment)
    return Step(time.monotonic() - started, processor_seconds() - used)


def run(command: Sequence[str], folder: Path, environment: dict[str, str]) -> None:
    """Run a command that must succeed."""
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{shlex.join(command)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")


@contextmanager
def serving(command: Sequence[str], folder: Path, environment: dict[str, str]) -> Iterator[None]:
    """Run a collector until the end of the block."""
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, cwd=folder, env=environment, stdout=log, stderr=log)
    with process:
        try:
            wait_until_ready(process)
            yield
        finally:
            process.terminate()


def wait_until_ready(process: subprocess.Popen[bytes]) -> None:
    """Wait until the collector answers."""
    ends = time.monotonic() + SECONDS_TO_START
    while time.monotonic() < ends and process.poll() is None:
        try:
            with urllib.request.urlopen(READY_ADDRESS, timeout=5):
                return
        except OSError:
            time.sleep(0.2)
    sys.exit("the collector did not start")


def processor_seconds() -> float:
    """Return the processor time of all processes that have ended, with those that they started."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    sys.exit(main())
