"""`pckv demo`: a whole collection on one machine, with its steps on stderr for terminals and logs."""

from __future__ import annotations

import html
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import click
import numpy as np

from pckv import Task, estimate
from pckv.base.errors import require
from pckv.base.population import Population
from pckv.base.progress import Progress
from pckv.charts.estimates import chart_svg, estimates_chart
from pckv.cli.common import force_option
from pckv.cli.inputs import count_named
from pckv.cli.remote import RemoteCollector
from pckv.cli.sample import HIGH, KEYS, LOW, MAX_PAIRS, USERS, movie, sample_movies
from pckv.cli.signals import EndSignals, held_signals
from pckv.cli.table import print_table
from pckv.cli.terminal import progress_bar
from pckv.cli.trial import Pairs, collect, running_collector
from pckv.counting.run import CountOptions
from pckv.estimators.results.estimates import UNKNOWN, Estimates
from pckv.files.outputs import check_free, whole_file

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

PAGE = """<!doctype html>
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
    files = _DemoFiles(out)
    if files.folder.exists():
        for path in files.all():
            check_free(path, force=force)
    with held_signals() as signals:
        _run_demo(files, serve=sys.stdout.isatty() if serve is None else serve, force=force, signals=signals)


def _run_demo(files: _DemoFiles, *, serve: bool, force: bool, signals: EndSignals) -> None:
    """Run the collection, and show and write what comes of it."""
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
    participants = [_with_key_names(task, population.pairs(user)) for user in range(len(population))]
    signals.check()
    with running_collector(signals) as collector:
        _collect_reports(collector, task, participants, signals)
        files.folder.mkdir(parents=True, exist_ok=True)
        with whole_file(files.reports, force=force) as part:
            collector.download(f"/tasks/{task.id}/reports", part)
        signals.check()
        _write_results(task, population, files, force=force)
        signals.check()
        click.echo(f"The whole collection took {time.monotonic() - started:.0f} seconds.")
        if serve:
            _keep_serving(collector, task, files, signals)
        else:
            click.echo(
                "On a terminal, or with --serve, the collector stays and you can look at its dashboard."
            )


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


def _keep_serving(collector: RemoteCollector, task: Task, files: _DemoFiles, signals: EndSignals) -> None:
    """Say where the dashboard is, and leave the collector running until a signal ends it."""
    click.echo(f"\nLook at it on the dashboard: {collector.url}/#/tasks/{task.id}")
    click.echo(f"Sign in with this token:     {collector.token}")
    click.echo(f"Ctrl-C stops the collector and deletes its store; the files in {files.folder} stay.")
    signals.wait()
    click.echo("\nStopped.")


class _DemoFiles:
    """What the demo writes."""

    def __init__(self, out: Path) -> None:
        self.folder = out
        self.task, self.reports = out / "task.json", out / "reports.parquet"
        self.table, self.page = out / "estimates.csv", out / "estimates.html"

    def all(self) -> tuple[Path, ...]:
        """Return all files."""
        return self.task, self.reports, self.table, self.page


def _with_key_names(task: Task, pairs: dict[int, float]) -> dict[str, float]:
    """Return pairs by the names of their keys."""
    return {task.key_name(key): value for key, value in pairs.items()}


def _write_results(task: Task, population: Population, files: _DemoFiles, *, force: bool) -> None:
    """Estimate from the downloaded reports, as any analyst can, and compare with the truth."""
    say_step("Counting and estimating")
    tally = count_named(task, [files.reports], CountOptions()).tally
    estimates = estimate(tally)
    frequency, mean = population.truth(KEYS)
    truth = {task.key_name(key): (frequency[key], mean[key]) for key in range(KEYS)}
    say_step("Drawing charts")
    for path, text in (
        (files.task, task.to_json()),
        (files.table, estimates.to_csv()),
        (files.page, _demo_page(task, estimates, truth)),
    ):
        with whole_file(path, force=force) as part:
            part.write_text(text, encoding="utf-8")
    _print_against_truth(estimates.top(TOP), truth)
    for sentence in estimates.verdict:
        click.echo(sentence)
    click.echo(f"\nWritten: {', '.join(map(str, files.all()))}")
    click.echo(f"Estimate again with: pckv estimate {files.reports} --task {files.task}")


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
        f"{covered.sum()} of {len(estimates)} frequency intervals hold the truth. "
        + " ".join(estimates.verdict)
    )
    return PAGE.format(
        reports=estimates.reports,
        story=html.escape(story),
        chart=chart_svg(estimates_chart(estimates, truth)),
        table=estimates._repr_html_(),
    )
