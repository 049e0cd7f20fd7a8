"""`pckv demo`: a whole collection on this machine, with a real collector and participants who perturb their own pairs.

With a mixer, the reports are sealed and go through it. Its steps are shown on stderr, for terminals and logs.
"""

from __future__ import annotations

import html
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
import numpy as np

from pckv.base.errors import require
from pckv.base.population import Population
from pckv.base.progress import Progress
from pckv.base.words import between
from pckv.charts.estimates import chart_svg, estimates_chart
from pckv.cli.common import force_option, print_paragraph, progress_bar
from pckv.cli.demo_processes import Pairs, collect, running_collector
from pckv.cli.inputs import count_named
from pckv.cli.remote import RemoteCollector
from pckv.cli.sample import HIGH, KEYS, LOW, MAX_PAIRS, USERS, movie, sample_movies
from pckv.cli.signals import EndSignals, held_signals
from pckv.cli.table import print_table
from pckv.contract.task import Task
from pckv.counting.run import CountOptions
from pckv.estimators.estimate import estimate
from pckv.estimators.results.estimates import Estimates
from pckv.estimators.results.key_estimate import UNKNOWN
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


# With a mixer, ε is that towards the recipient of the reports.
TYPICAL_PAIRS, EPSILON, MIXED_EPSILON, TOP = 3, 3, 1, 10
SHOW_TEXT = (
    "This is only a show: the promise needs two parties, and here one machine runs both the mixer and the collector."
)
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
@click.option(
    "--mixed",
    is_flag=True,
    help="Seal the reports and send them through a mixer, a process of its own, in a task as `pckv plan --mixed` "
    "proposes it. Only a show: the promise needs two parties.",
)
@force_option
def demo_command(out: Path, serve: bool | None, mixed: bool, force: bool) -> None:
    """Run a whole collection: 20,000 simulated participants, 100 keys, a collector and HTTP in between.

    Starts a collector on a free port of this machine. All participants perturb their own pairs, and each
    sends one report: 200 of them with their own client, the others in batches. Prints the estimates next to
    the truth, and writes the task, the reports as downloaded from the collector, a CSV table and a page with
    charts. On a terminal the collector keeps running, so that you can look at its dashboard.

    With --mixed, devices seal their reports for the collector and send each to a mixer, which holds them until the
    task closes: the clocks of both are moved to that day. The collector then fetches, opens and counts the batch.

    \b
    pckv demo
    pckv demo --mixed --out demo-mixed
    """
    require("altair", extra="charts")
    require("fastapi", extra="serve")
    if mixed:
        require("cryptography", extra="sealed")
    if out.exists():
        for name in FILES:
            check_free(out / name, force=force)
    with held_signals() as signals:
        stays = sys.stdout.isatty() if serve is None else serve
        _run_demo(out, mixed=mixed, serve=stays, force=force, signals=signals)


def _run_demo(out: Path, *, mixed: bool, serve: bool, force: bool, signals: EndSignals) -> None:
    started = time.monotonic()
    members = {"name": "demo", "keys": [movie(number) for number in range(KEYS)], "values": (LOW, HIGH), "about": ABOUT}
    population = sample_movies(USERS).population
    participants = [{movie(key): value for key, value in population.pairs(user).items()} for user in range(USERS)]
    signals.check()
    collection = _mixed_collection if mixed else _collection
    with collection(members, participants, signals) as (task, collector):
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


@contextmanager
def _collection(
    members: dict[str, Any], participants: Sequence[Pairs], signals: EndSignals
) -> Iterator[tuple[Task, RemoteCollector]]:
    """Run a collector, and let all participants send it a report."""
    say_step("Starting a collector on this machine")
    task = Task(**members, epsilon=EPSILON, pairs=TYPICAL_PAIRS, users=USERS)
    with running_collector(signals) as collector:
        collector.ask("POST", "/tasks", task.to_json().encode())
        clients, others = _send_reports(collector, task, participants, signals)
        click.echo(
            f"{len(participants):,} participants have perturbed their own pairs, and the collector has one report of "
            f"each: {clients:,} sent by one client each, {others:,} in batches.\n"
        )
        yield task, collector


@contextmanager
def _mixed_collection(
    members: dict[str, Any], participants: Sequence[Pairs], signals: EndSignals
) -> Iterator[tuple[Task, RemoteCollector]]:
    """Run a mixer and a collector, let all participants seal a report, and have the batch handed over."""
    from pckv.cli.mixed_demo import OPEN_DAYS, mixed_services  # noqa: PLC0415

    say_step("Planning a mixed task, and starting a mixer and a collector on this machine")
    with mixed_services(members, MIXED_EPSILON, TYPICAL_PAIRS, len(participants), signals) as services:
        task, collector, planned = services.task, services.collector.remote, services.plan.mixed
        assert planned is not None  # noqa: S101
        mixer, people = planned.mixer, len(participants)
        print_paragraph(SHOW_TEXT)
        print_paragraph(
            f"The task is as `pckv plan --mixed {people}` proposes it: ε = {mixer.epsilon} with δ = {mixer.delta} "
            f"towards the recipient {mixer.condition}, and otherwise ε = {task.epsilon:g} of a report; fewer than "
            f"{mixer.batch:,} reports never leave the mixer."
        )
        clients, others = _send_reports(collector, task, participants, signals, "send it sealed to the mixer")
        say_step("Moving the clocks to the closing day: the mixer releases, the collector opens and counts")
        came = services.move_to_closing_day()
        print_paragraph(
            f"{people:,} participants have perturbed their own pairs, sealed their report for the collector and sent "
            f"it to the mixer: {clients:,} by one client each, {others:,} by processes that stand for many."
        )
        print_paragraph(
            f"The task closes {OPEN_DAYS} days from now: instead of waiting, the clocks of mixer and collector were "
            f"moved. {came} The mixer has deleted its batch."
        )
        click.echo()
        yield task, collector


def _send_reports(
    collector: RemoteCollector,
    task: Task,
    participants: Sequence[Pairs],
    signals: EndSignals,
    how: str = "send it",
) -> tuple[int, int]:
    """Let all participants take part; return how many sent their report by their own client, and how many did not."""
    people = len(participants)
    with measured_step(f"{people:,} participants perturb their pairs into a report and {how}") as progress:
        clients = collect(collector, task, participants, progress, signals)
    return clients, people - clients


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
            between(f"{100 * row.frequency_low:.1f}", f"{100 * row.frequency_high:.1f} %"),
            f"{truth[row.key][1]:.2f}",
            f"{row.mean:.2f}" if row.mean_known else UNKNOWN,
            between(f"{row.mean_low:.2f}", f"{row.mean_high:.2f}"),
        )
        for row in estimates
    ]
    print_table(
        f"{estimates.reports:,} participants, {estimates.mechanism}, "
        f"ε = {estimates.epsilon:g}{' of a report alone' if estimates.mixed else ''}: "
        f"frequency and mean of {len(estimates)} keys",
        ("key", "true", "estimated", "95 % interval", "true mean", "estimated", "95 % interval"),
        rows,
    )


def _demo_page(task: Task, estimates: Estimates, truth: dict[str, tuple[float, float]]) -> str:
    """Return a page that says what was done, with charts and a table."""
    known = np.array([truth[key] for key in estimates.key])
    covered = (estimates.frequency_low <= known[:, 0]) & (known[:, 0] <= estimates.frequency_high)
    way = "" if task.mixer is None else ", sealed and through a mixer (here on the same machine, which is only a show)"
    story = (
        f"{estimates.reports:,} simulated participants each rate 1 to {MAX_PAIRS} of {task.key_count} movies "
        f"with 1 to 5 stars. They perturbed their own pairs with ε = {task.epsilon:g} "
        f"(realised {task.realised_epsilon}, mechanism {task.mechanism}) and sent one report each, of "
        f"{task.law.body_bytes} bytes{way}. The collector never saw a true rating; "
        f"{covered.sum()} of {len(estimates)} frequency intervals hold the truth. " + " ".join(estimates.verdict)
    )
    return PAGE_TEXT.format(
        reports=estimates.reports,
        story=html.escape(story),
        chart=chart_svg(estimates_chart(estimates, truth)),
        table=estimates._repr_html_(),
    )
