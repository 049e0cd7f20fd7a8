"""`pckv series push`, `close` and `list`: the series of a collector."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import click

from pckv.cli.common import FilePath, json_option
from pckv.cli.inputs import read_series, read_series_id
from pckv.cli.remote import ask, read_token, reading_token_option, token_option, understood, url_option
from pckv.cli.table import print_table
from pckv.cli.terminal import harmless, print_json
from pckv.days import Phase, utc_today
from pckv.series import Series

SERIES_PER_PAGE = 1000
NOTHING = "–"


def series_path(series_id: str, part: str = "") -> str:
    """Return the path of a series on a collector, or of a part of it."""
    return f"/series/{quote(series_id, safe='')}{part}"


@click.command("push", short_help="Give a series to a collector.")
@click.argument("series_file", metavar="SERIES", type=FilePath)
@url_option
@token_option
@click.option("--force", is_flag=True, help="Accept a first day in the past.")
def push_command(series_file: Path, url: str, token_file: Path | None, force: bool) -> None:
    """Give SERIES, a file, to a collector, where its rounds open and close by themselves from then on."""
    series, token = read_series(series_file), read_token(token_file)
    answer = ask("POST", url, "/series?force=true" if force else "/series", token, series.to_json().encode())
    with understood(url):
        line, warning = f"{answer['id']}  {_days(series, utc_today())}", answer["warning"]
    click.echo(harmless(line))
    if warning is not None:
        click.echo(harmless(f"pckv: warning: {warning}"), err=True)


def _days(series: Series, today: str) -> str:
    """Say when the first round opens; or that it has opened, or that no round is left."""
    if series.phase(today) is Phase.CLOSED:
        return "all rounds are over: it takes no reports"
    return f"round 1 {'opens' if today < series.first else 'opened'} on {series.first}"


@click.command("close", short_help="Close a series early: no more rounds open.")
@click.argument("series_id", metavar="SERIES")
@url_option
@token_option
def close_command(series_id: str, url: str, token_file: Path | None) -> None:
    """Close SERIES, an id or a file, early: its current round takes no more reports, and no other opens."""
    series_id = read_series_id(series_id)
    answer = ask("POST", url, series_path(series_id, "/close"), read_token(token_file))
    with understood(url):
        line = f"{answer['id']}  closed on {answer['closed']}"
    click.echo(harmless(line))


@click.command("list", short_help="List the series of a collector, newest first.")
@url_option
@reading_token_option
@json_option
def list_command(url: str, token_file: Path | None, as_json: bool) -> None:
    """List the series of a collector, newest first, with the reports of the last round that has begun."""
    token = read_token(token_file)
    with understood(url):
        listed = list(_all_series(url, token))
        rows = [_row(facts) for facts in listed]
    if as_json:
        print_json(listed)
    elif rows:
        header = ("name", "state", "next round opens", "round", "reports", "id")
        print_table("", header, rows, texts=3)
    else:
        click.echo("no series")


def _all_series(url: str, token: str) -> Iterator[dict[str, Any]]:
    """Yield what a collector says of its series, one page after another."""
    query = {"limit": SERIES_PER_PAGE}
    while True:
        page = ask("GET", url, f"/series?{urlencode(query)}", token)["series"]
        yield from page
        if len(page) < SERIES_PER_PAGE:
            return
        query["after"] = page[-1]["number"]


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
