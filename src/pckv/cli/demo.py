"""`pckv demo`: a whole collection on this machine, with a real collector and participants who perturb their own pairs.

Its steps are shown on stderr, for terminals and logs.
"""

from __future__ import annotations

import html
import json
import os
import secrets
import selectors
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO

import click
import numpy as np

from pckv.base.errors import DataError, require
from pckv.base.population import Population
from pckv.base.progress import Progress
from pckv.charts.estimates import chart_svg, estimates_chart
from pckv.cli.common import force_option, progress_bar
from pckv.cli.inputs import count_named
from pckv.cli.remote import RemoteCollector
from pckv.cli.sample import HIGH, KEYS, LOW, MAX_PAIRS, USERS, movie, sample_movies
from pckv.cli.signals import EndSignals, held_signals
from pckv.cli.table import print_table
from pckv.collector.http.settings import PREFIX, TOKEN_VARIABLE
from pckv.contract.task import Task
from pckv.counting.run import CountOptions
from pckv.estimators.estimate import estimate
from pckv.estimators.results.estimates import UNKNOWN, Estimates
from pckv.files.outputs import check_free, whole_file

COLLECTOR = (sys.executable, "-m", "pckv", "serve")
PARTICIPANTS = (sys.executable, "-m", "pckv.cli.participants")
SECONDS_TO_START = 60
SECONDS_BETWEEN_CHECKS = 0.1
PROCESSES = 2
# A client per participant takes about 13 ms of processor time: three requests, and files on its device. So
# most reports are sent in batches, which take less than a tenth of a millisecond per report.
PARTICIPANTS_PER_CLIENT = 100
# All devices are on this machine: where files can be kept in memory, its disk need not be the bottleneck.
MEMORY = Path("/dev/shm")  # noqa: S108

Pairs = Mapping[str, float]


@contextmanager
def running_collector(signals: EndSignals) -> Iterator[RemoteCollector]:
    """Run a collector on a free loopback port, with its own store, which is deleted with it."""
    token = secrets.token_urlsafe(32)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(PREFIX)}
    with tempfile.TemporaryDirectory(prefix="pckv-") as folder, (Path(folder) / "log").open("w+") as log:
        process = subprocess.Popen(  # noqa: S603
            [*COLLECTOR, "--port", "0", "--store", f"sqlite:///{folder}/pckv.db"],
            env=environment | {TOKEN_VARIABLE: token},
            stderr=log,
            # Ctrl-C is not for the collector, which is needed until the participants have stopped.
            start_new_session=True,
        )
        try:
            yield RemoteCollector(f"http://127.0.0.1:{_port(process, log, signals)}", token)
        finally:
            process.terminate()
            process.wait()


def _port(process: subprocess.Popen[bytes], log: IO[str], signals: EndSignals) -> int:
    """Wait until the collector says which port it listens on."""
    deadline = time.monotonic() + SECONDS_TO_START
    while True:
        signals.check()
        waiting = process.poll() is None and time.monotonic() < deadline
        # The process writes through the same open file, whose position must not move.
        text = os.pread(log.fileno(), 2**16, 0).decode()
        for line in text.splitlines(keepends=True):
            if line.endswith("\n") and line.startswith("{") and "port" in (event := json.loads(line)):
                return int(event["port"])
        if not waiting:
            raise DataError(f"the collector does not start: {text.strip() or 'it says nothing'}")
        time.sleep(0.02)


def collect(
    collector: RemoteCollector,
    task: Task,
    participants: Sequence[Pairs],
    progress: Progress,
    signals: EndSignals,
) -> int:
    """Let all participants take part, alone or in batches, and return how many used their own client."""
    collector.ask("POST", "/tasks", task.to_json().encode())
    place = MEMORY if os.access(MEMORY, os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="pckv-", dir=place) as devices, ExitStack() as running:
        groups = [participants[number::PROCESSES] for number in range(PROCESSES)]
        clients = [-(-len(group) // PARTICIPANTS_PER_CLIENT) for group in groups]
        command = [*PARTICIPANTS, collector.url, task.id]
        processes = [
            running.enter_context(_participants(command, Path(devices) / str(number), group, clients[number]))
            for number, group in enumerate(groups)
        ]
        done = 0
        for reports in _finished(processes, signals):
            done += reports
            progress(done / len(participants))
        for number, process in enumerate(processes):
            if process.wait():
                problem = (Path(devices) / str(number) / "errors").read_text(encoding="utf-8").strip()
                raise DataError(problem or "a process of participants ended before its work was done")
    return sum(clients)


@contextmanager
def _participants(
    command: Sequence[str], folder: Path, participants: Sequence[Pairs], clients: int
) -> Iterator[subprocess.Popen[bytes]]:
    """Run a process of participants, and end it if it has not ended itself."""
    folder.mkdir()
    pairs, errors = folder / "pairs.jsonl", folder / "errors"
    pairs.write_text("".join(f"{json.dumps(each)}\n" for each in participants), encoding="utf-8")
    with pairs.open("rb") as given, errors.open("wb") as problems:
        process = subprocess.Popen(  # noqa: S603
            [*command, str(folder / "devices"), str(clients)],
            stdin=given,
            stdout=subprocess.PIPE,
            stderr=problems,
            # Ctrl-C is for the program that started this one.
            start_new_session=True,
        )
    with process:
        try:
            yield process
        finally:
            process.kill()


def _finished(processes: Sequence[subprocess.Popen[bytes]], signals: EndSignals) -> Iterator[int]:
    """Yield how many more participants are done, until all processes have ended."""
    with selectors.DefaultSelector() as selector:
        for process in processes:
            selector.register(process.stdout.fileno(), selectors.EVENT_READ)  # type: ignore[union-attr]
        while selector.get_map():
            signals.check()
            for key, _ in selector.select(SECONDS_BETWEEN_CHECKS):
                lines = os.read(key.fd, 2**12)
                if not lines:
                    selector.unregister(key.fd)
                yield len(lines)


LINES_PER_STEP = 4


def say_step(text: str) -> None:
    """Say in a line what is done now."""
    click.echo(f"{text} …", err=True)


@contextmanager
def measured_step(text: str) -> Iterator[Progress]:
    """Show how much of a step is done: a bar on a terminal, and a line for each quarter elsewhere."""
    if sys.stderr.isatty():
        with progress_bar(text) as progress:
            yield progress
        return
    say_step(text)
    shown = 0

    def show(share: float) -> None:
        nonlocal shown
        quarters = int(share * LINES_PER_STEP)
        if quarters > shown:
            shown = quarters
            click.echo(f"  {100 * quarters // LINES_PER_STEP} %", err=True)

    yield show


TYPICAL_PAIRS, EPSILON, TOP = 3, 3, 10
ABOUT = {
    "question": "Which of these movies have you seen, and how many stars do you give each of them?",
    "description": "A demo on this machine: its participants are simulated.",
    "unit": "stars",
    "low_label": "awful",
    "high_label": "great",
}

# What the demo writes.
FILES = TASK, REPORTS, TABLE, PAGE = "task.json", "reports.parquet", "estimates.csv", "estimates.html"
PAGE_TEXT = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>pckv demo</title>
<style>
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #222; }}
svg {{ max-width: 100%; height: auto; }}
table {{ border-collapse: collapse; }}
caption {{ text-align: left; padding: .5rem 0; color: #555; }}
th, td {{ padding: .2rem .8rem; text-align: right; border-bottom: 1px solid #ddd; }}
th:first-child, td:first-child {{ text-align: left; }}
</style>
</head>
<body>
<h1>What {reports:,} noisy reports tell</h1>
<p>{story}</p>
{chart}
{table}
</body>
</html>
"""


@click.command("demo")
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("demo"),
    show_default=True,
    help="The folder to write to.",
)
@click.option(
    "--serve/--no-serve",
    default=None,
    help="Leave the collector running at the end, until Ctrl-C. [default: on a terminal]",
)
@force_option
def demo_command(out: Path, serve: bool | None, force: bool) -> None:
    """Run a whole collection: 20,000 simulated participants, 100 keys, a collector and HTTP in between.

    Starts a collector on a free port of this machine. All participants perturb their own pairs, and each
    sends one report: 200 of them with their own client, the others in batches. Prints the estimates next to
    the truth, and writes the task, the reports as downloaded from the collector, a CSV table and a page with
    charts. On a terminal the collector keeps running, so that you can look at its dashboard.
    """
    require("altair", extra="charts")
    require("fastapi", extra="serve")
    if out.exists():
        for name in FILES:
            check_free(out / name, force=force)
    with held_signals() as signals:
        _run_demo(out, serve=sys.stdout.isatty() if serve is None else serve, force=force, signals=signals)


def _run_demo(out: Path, *, serve: bool, force: bool, signals: EndSignals) -> None:
    started = time.monotonic()
    say_step("Starting a collector on this machine")
    task = Task(
        name="demo",
        keys=[movie(number) for number in range(KEYS)],
        values=(LOW, HIGH),
        epsilon=EPSILON,
        pairs=TYPICAL_PAIRS,
        users=USERS,
        about=ABOUT,
    )
    population = sample_movies(USERS).population
    participants = [
        {task.key_name(key): value for key, value in population.pairs(user).items()} for user in range(len(population))
    ]
    signals.check()
    with running_collector(signals) as collector:
        _collect_reports(collector, task, participants, signals)
        out.mkdir(parents=True, exist_ok=True)
        with whole_file(out / REPORTS, force=force) as part:
            collector.download(f"/tasks/{task.id}/reports", part)
        signals.check()
        _write_results(task, population, out, force=force)
        signals.check()
        click.echo(f"The whole collection took {time.monotonic() - started:.0f} seconds.")
        if serve:
            click.echo(f"\nLook at it on the dashboard: {collector.url}/#/tasks/{task.id}")
            click.echo(f"Sign in with this token:     {collector.token}")
            click.echo(f"Ctrl-C stops the collector and deletes its store; the files in {out} stay.")
            signals.wait()
            click.echo("\nStopped.")
        else:
            click.echo("On a terminal, or with --serve, the collector stays and you can look at its dashboard.")


def _collect_reports(
    collector: RemoteCollector, task: Task, participants: Sequence[Pairs], signals: EndSignals
) -> None:
    """Let all participants take part, and say how their reports were sent."""
    people = len(participants)
    with measured_step(f"{people:,} participants perturb their pairs and send a report") as progress:
        clients = collect(collector, task, participants, progress, signals)
    click.echo(
        f"{people:,} participants have perturbed their own pairs, and the collector has one report of each: "
        f"{clients:,} sent by one client each, {people - clients:,} in batches.\n"
    )


def _write_results(task: Task, population: Population, out: Path, *, force: bool) -> None:
    """Estimate from the downloaded reports, as any analyst can, and compare with the truth."""
    say_step("Counting and estimating")
    tally = count_named(task, [out / REPORTS], CountOptions()).tally
    estimates = estimate(tally)
    frequency, mean = population.truth(KEYS)
    truth = {task.key_name(key): (frequency[key], mean[key]) for key in range(KEYS)}
    say_step("Drawing charts")
    texts = {TASK: task.to_json(), TABLE: estimates.to_csv(), PAGE: _demo_page(task, estimates, truth)}
    for name, text in texts.items():
        with whole_file(out / name, force=force) as part:
            part.write_text(text, encoding="utf-8")
    _print_against_truth(estimates.top(TOP), truth)
    for sentence in estimates.verdict:
        click.echo(sentence)
    click.echo(f"\nWritten: {', '.join(str(out / name) for name in FILES)}")
    click.echo(f"Estimate again with: pckv estimate {out / REPORTS} --task {out / TASK}")


def _print_against_truth(estimates: Estimates, truth: dict[str, tuple[float, float]]) -> None:
    """Print estimates with their intervals next to the truth, in a table that fits into 80 columns."""
    rows = [
        (
            row.key,
            f"{100 * truth[row.key][0]:.1f} %",
            f"{100 * row.frequency:.1f} %",
            f"{100 * row.frequency_low:.1f} – {100 * row.frequency_high:.1f} %",
            f"{truth[row.key][1]:.2f}",
            f"{row.mean:.2f}" if row.mean_known else UNKNOWN,
            f"{row.mean_low:.2f} – {row.mean_high:.2f}",
        )
        for row in estimates
    ]
    print_table(
        f"{estimates.reports:,} participants, {estimates.mechanism}, ε = {estimates.epsilon:g}: "
        f"frequency and mean of {len(estimates)} keys",
        ("key", "true", "estimated", "95 % interval", "true mean", "estimated", "95 % interval"),
        rows,
    )


def _demo_page(task: Task, estimates: Estimates, truth: dict[str, tuple[float, float]]) -> str:
    """Return a page that says what was done, with charts and a table."""
    known = np.array([truth[key] for key in estimates.key])
    covered = (estimates.frequency_low <= known[:, 0]) & (known[:, 0] <= estimates.frequency_high)
    story = (
        f"{estimates.reports:,} simulated participants each rate 1 to {MAX_PAIRS} of {task.key_count} movies "
        f"with 1 to 5 stars. They perturbed their own pairs with ε = {task.epsilon:g} "
        f"(realised {task.realised_epsilon}, mechanism {task.mechanism}) and sent one report each, of "
        f"{task.law.body_bytes} bytes. The collector never saw a true rating; "
        f"{covered.sum()} of {len(estimates)} frequency intervals hold the truth. " + " ".join(estimates.verdict)
    )
    return PAGE_TEXT.format(
        reports=estimates.reports,
        story=html.escape(story),
        chart=chart_svg(estimates_chart(estimates, truth)),
        table=estimates._repr_html_(),
    )
