"""`pckv series`: make and show series, tasks that are repeated in rounds, and run them on a collector."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from pckv.base.days import Phase, days_after, utc_today
from pckv.base.errors import ParameterError
from pckv.base.limits import DEVICE_COIN
from pckv.base.words import plural
from pckv.cli.common import FilePath, force_option, harmless, json_option, print_json, print_paragraph, wide_option
from pckv.cli.contract_options import contract_options, read_contract, write_contract
from pckv.cli.inputs import read_id, read_series
from pckv.cli.mixer_options import claim_member, claim_rows
from pckv.cli.remote import RemoteCollector, administered_collector, contract_path, read_collector
from pckv.cli.table import print_facts, print_table
from pckv.cli.task import NOTHING, fact_rows, write_task
from pckv.contract.facts import fact_members
from pckv.contract.series import Series

DAYS_PER_YEAR = 365


@click.group("series")
def series_command() -> None:
    """Make and show series, tasks that are repeated in rounds, and run them on a collector."""


@series_command.command("push", short_help="Give a series to a collector.")
@click.argument("series_file", metavar="SERIES", type=FilePath)
@administered_collector
@click.option("--force", is_flag=True, help="Accept a first day in the past.")
def push_command(series_file: Path, collector: RemoteCollector, force: bool) -> None:
    """Give SERIES, a file, to a collector, which opens and closes its rounds automatically."""
    series = read_series(series_file)
    path = "/series?force=true" if force else "/series"
    # The collector asks the mixer of a mixed series, and computes its claim.
    answer = collector.ask("POST", path, series.to_json().encode(), estimates=series.task.mixer is not None)
    with collector.understood():
        line, warning = f"{answer['id']}  {_days(series, utc_today())}", answer["warning"]
    click.echo(harmless(line))
    if warning is not None:
        click.echo(harmless(f"pckv: warning: {warning}"), err=True)


def _days(series: Series, today: str) -> str:
    """Say when the first round opens; or that it has opened, or that no round is left."""
    if series.phase(today) is Phase.CLOSED:
        return "all rounds are over: it takes no reports"
    return f"round 1 {'opens' if today < series.first else 'opened'} on {series.first}"


@series_command.command("close", short_help="Close a series early: no more rounds open.")
@click.argument("series_id", metavar="SERIES")
@administered_collector
def close_command(series_id: str, collector: RemoteCollector) -> None:
    """Close SERIES, an id or a file, early: its current round takes no more reports, and no other opens."""
    collector.close(contract_path("series", read_id(read_series, series_id)))


@series_command.command("reopen", short_help="Undo the early close of a series, within seven days.")
@click.argument("series_id", metavar="SERIES")
@administered_collector
def reopen_command(series_id: str, collector: RemoteCollector) -> None:
    """Take reports again for SERIES, an id or a series file, that was closed early at most seven days ago."""
    collector.reopen(contract_path("series", read_id(read_series, series_id)))


@series_command.command("list", short_help="List the series of a collector, newest first.")
@read_collector
@json_option
@wide_option
def list_command(collector: RemoteCollector, as_json: bool) -> None:
    """List the series of a collector, newest first, with the reports of the last round that has begun."""
    with collector.understood():
        listed = list(collector.list_all("/series", "series"))
        rows = [_row(facts) for facts in listed]
    if as_json:
        print_json(listed)
    elif rows:
        header = ("name", "state", "next round opens", "round", "reports", "id")
        # Other commands take the id.
        print_table("", header, rows, texts=3, less_important=(2, 4, 3, 1))
    else:
        click.echo("no series")


def _row(facts: dict[str, Any]) -> tuple[str, ...]:
    last, upcoming = facts["last_round"], facts["next_round"]
    return (
        str(facts["name"]),
        str(facts["phase"]),
        NOTHING if upcoming is None else str(upcoming["opens"]),
        NOTHING if last is None else f"{last['number']:,}",
        NOTHING if last is None else f"{last['reports']:,}",
        str(facts["id"]),
    )


@series_command.command("new", short_help="Make a series and write its canonical JSON.")
@contract_options
@click.option("--first", metavar="DAY", required=True, help="The first day of the first round (YYYY-MM-DD, UTC).")
@click.option("--period", type=int, required=True, help="How many days a round takes.")
@click.option(
    "--panels",
    type=int,
    required=True,
    help="How many panels there are: a device reports in one round out of that many.",
)
@click.option("--rounds", type=int, help="How many rounds there are. [default: no end]")
@click.option(
    "--out",
    type=FilePath,
    required=True,
    help="Where to write the JSON of the series; - for standard output.",
)
@click.option("--force", is_flag=True, help="Replace outputs that exist, and accept a first day in the past.")
def new_command(
    *, first: str, period: int, panels: int, rounds: int | None, out: Path, force: bool, **options: Any
) -> None:
    """Make a series and write its canonical JSON.

    Padding and mechanism are chosen as `pckv plan` does, unless you name them: for the people of one round,
    which are those that you expect divided by the panels.

    \b
    pckv series new --name movies --keys-file keys.txt --low 1 --high 5 \\
      --epsilon 1 --users 80000 --first 2031-01-06 --period 7 --panels 4 \\
      --out series.json
    """
    if options["users"] is not None:
        options["users"] = max(1, options["users"] // max(1, panels))
    task, choice = read_contract(opens=None, closes=None, coin=DEVICE_COIN, **options)
    series = Series(task=task, first=first, period=period, panels=panels, rounds=rounds)
    if first < utc_today() and not force:
        raise ParameterError(f"the first day, {first}, is in the past: use --force if that is meant")
    said = f"{series.id}  {series.schedule}, {plural(panels, 'panel')}"
    write_contract(series, out, said, choice, force=force)


@series_command.command("show", short_help="Say in words what a file with a series promises.")
@click.argument("series_file", metavar="SERIES", type=FilePath)
@json_option
def show_command(series_file: Path, as_json: bool) -> None:
    """Say in words what SERIES, a file, promises."""
    series, today = read_series(series_file), utc_today()
    facts, number, phase = series.facts(), series.round_on(today), series.phase(today).value
    closes = None if number is None else series.closes(number)
    per_year = series.task.epsilon * reports_per_year(series)
    if as_json:
        state = {"state": phase, "round": number, "round_closes": closes, "epsilon_per_year": per_year}
        print_json(fact_members(facts) | claim_member(series.task) | state)
        return
    now = phase if closes is None else f"{phase}: round {number:,}, last day {days_after(closes, -1)}"
    print_facts([*fact_rows(facts), *claim_rows(series.task), ("state", now)])
    hold = "holds" if series.panels == 1 else "hold"
    window = "A round" if series.panels == 1 else f"Any {series.panels:,} rounds in a row"
    print_paragraph(
        f"{window} ({plural(series.panels * series.period, 'day')}) {hold} at most one report of a device, with "
        f"ε = {series.task.epsilon:g}; any {DAYS_PER_YEAR} days at most ε = {per_year:g} in total."
    )
    if series.task.mixer is not None:
        print_paragraph("That is the ε of reports alone. The fact “mixer” says what holds towards their recipient.")


def reports_per_year(series: Series) -> int:
    """Return the most reports of a device in any 365 days, which may begin on the last day of a round."""
    touched = (DAYS_PER_YEAR + series.period - 2) // series.period + 1
    touched = touched if series.rounds is None else min(touched, series.rounds)
    return -(-touched // series.panels)


@series_command.command("task", short_help="Write the task of a round.")
@click.argument("series_file", metavar="SERIES", type=FilePath)
@click.option("--round", "number", type=int, required=True, help="The number of the round, from 1.")
@click.option("--out", type=FilePath, required=True, help="Where to write the task's JSON; - for standard output.")
@force_option
def round_task_command(series_file: Path, number: int, out: Path, force: bool) -> None:
    """Write the task of a round of SERIES, a file: what perturb, tally and estimate work on.

    \b
    pckv series task series.json --round 3 --out round-3.json
    """
    write_task(read_series(series_file).task_of(number), out=out, force=force)
