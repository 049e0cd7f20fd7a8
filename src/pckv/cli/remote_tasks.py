"""`pckv task list` and `pckv task status`: the tasks of a collector."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import click

from pckv.cli.common import json_option
from pckv.cli.inputs import read_task_id
from pckv.cli.remote import ask, collected, read_token, reading_token_option, understood, url_option
from pckv.cli.table import print_table
from pckv.cli.terminal import print_json
from pckv.days import Phase
from pckv.texts import percent

TASKS_PER_PAGE = 1000
NOTHING = "–"
# What is told of a task in a list, and of one alone, under the names that the collector gives it.
LISTED = ("id", "name", "phase", "reports", "target", "last_report", "created")
TOLD = (*LISTED, "opens", "closes", "closed", "by_invitation", "public_results", "alarms")
# What these members are called here.
NAMES = {"phase": "state"}


@click.command("list", short_help="List the tasks of a collector, newest first.")
@url_option
@reading_token_option
@click.option("--search", default="", help="Only tasks with this in their name, in capitals or not.")
@click.option("--state", type=click.Choice(list(map(str, Phase))), help="Only tasks in this state.")
@json_option
def list_command(url: str, token_file: Path | None, search: str, state: str | None, as_json: bool) -> None:
    """List the tasks of a collector, newest first, with their reports counted."""
    token = read_token(token_file)
    filters = {"search": search} | ({} if state is None else {"state": state})
    with understood(url):
        tasks = [_facts(task, LISTED) for task in _all_tasks(url, token, filters)]
        rows = [
            (
                str(task["name"]),
                str(task["state"]),
                f"{task['reports']:,}",
                NOTHING if task["target"] is None else f"{task['target']:,}",
                task["last_report"] or NOTHING,
                str(task["id"]),
            )
            for task in tasks
        ]
    if as_json:
        print_json(tasks)
    elif rows:
        print_table("", ("name", "state", "reports", "target", "last report", "id"), rows, texts=2)
    else:
        click.echo("no tasks")


def _all_tasks(url: str, token: str, filters: dict[str, str]) -> Iterator[dict[str, Any]]:
    """Yield what a collector says of its tasks, one page after another."""
    query: dict[str, str | int] = {**filters, "limit": TASKS_PER_PAGE}
    while True:
        page = ask("GET", url, f"/overview?{urlencode(query)}", token)["tasks"]
        yield from page
        if len(page) < TASKS_PER_PAGE:
            return
        query["after"] = page[-1]["number"]


@click.command("status", short_help="Say how a task on a collector is doing.")
@click.argument("task_id", metavar="TASK")
@url_option
@reading_token_option
@json_option
def status_command(task_id: str, url: str, token_file: Path | None, as_json: bool) -> None:
    """Say how TASK, an id or a task file, is doing on a collector: its state, its reports, and the last one's day."""
    token, task_id = read_token(token_file), read_task_id(task_id)
    with understood(url):
        facts = _facts(ask("GET", url, collected(task_id, "/overview"), token), TOLD)
        rows = _status_rows(facts)
    if as_json:
        print_json(facts)
    else:
        print_table("", ("", ""), rows, texts=2)


def _facts(answer: dict[str, Any], members: tuple[str, ...]) -> dict[str, Any]:
    """Return some members of an answer, under the names that they have here."""
    return {NAMES.get(name, name): answer[name] for name in members}


def _status_rows(facts: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the facts of a task in words."""
    reports, target, alarms = int(facts["reports"]), facts["target"], facts["alarms"]
    reached = "" if target is None else f" of {target:,} wanted ({percent(reports / target)})"
    state = f"{facts['state']}, closed early on {facts['closed']}" if facts["closed"] else facts["state"]
    return [
        ("name", str(facts["name"])),
        ("id", str(facts["id"])),
        ("state", str(state)),
        ("reports", f"{reports:,}{reached}"),
        ("last report", facts["last_report"] or NOTHING),
        ("created", facts["created"] or NOTHING),
        ("opens", facts["opens"] or NOTHING),
        ("closes", facts["closes"] or NOTHING),
        (
            "who may take part",
            "people with an invitation" if facts["by_invitation"] else "everybody with the link",
        ),
        ("results", "public" if facts["public_results"] else "not public"),
        ("alarms", " ".join(alarms["sentences"]) if alarms else "not checked yet"),
    ]
