"""`pckv task`: make and show tasks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from pckv.cli.common import STREAM, FilePath, force_option, json_option
from pckv.cli.contract_options import contract_options, read_contract, write_contract
from pckv.cli.discovery_options import discovery_options, read_discovery_options
from pckv.cli.expected_people import coin_option
from pckv.cli.inputs import read_about_file, read_task, read_task_id
from pckv.cli.remote import ask, collected, read_token, token_option, understood, url_option
from pckv.cli.remote_tasks import list_command, status_command
from pckv.cli.table import print_facts
from pckv.cli.terminal import harmless, print_json
from pckv.levels import listed
from pckv.limits import HASHED, MIN_LEVELS, REPORT_ID_BYTES
from pckv.prefix_tree import PrefixTree
from pckv.task import Task

# The options of `task new` that a discovery may have.
DISCOVERY_OPTIONS = (
    "name",
    "epsilon",
    "padding",
    "symbols",
    "coin",
    "about_file",
    "opens",
    "closes",
    "out",
    "force",
)


@click.group("task", short_help="Make and show tasks, and run them on a collector.")
def task_group() -> None:
    """Make and show tasks, the public contracts of collections, and run them on a collector."""


task_group.add_command(list_command)
task_group.add_command(status_command)


@task_group.command("new", short_help="Make a task and write its canonical JSON.")
@contract_options
@coin_option
@discovery_options
@click.option("--opens", metavar="DAY", help="The first day on which reports are accepted (YYYY-MM-DD, UTC).")
@click.option("--closes", metavar="DAY", help="The first day on which they no longer are.")
@click.option(
    "--out", type=FilePath, required=True, help="Where to write the task's JSON; - for standard output."
)
@force_option
def new_command(out: Path, force: bool, **options: Any) -> None:
    """Make a task and write its canonical JSON.

    Padding and mechanism are chosen as `pckv plan` does, for the people that you expect, unless you name them.

    \b
    pckv task new --name movies --keys-file keys.txt --low 1 --high 5 \\
      --epsilon 1 --users 20000 --pairs 3 --out task.json
    pckv task new --discover --name terms --characters 12 --epsilon 4 \\
      --out discovery.json
    """
    tree = read_discovery_options(options, DISCOVERY_OPTIONS)
    if tree is not None:
        write_task(_new_discovery(tree, options), out, force=force)
        return
    contract = read_contract(**options)
    write_task(contract.task, out, force=force)
    if contract.choice:
        click.echo(contract.choice, err=out == STREAM)


def _new_discovery(tree: dict[str, Any], options: dict[str, Any]) -> Task:
    """Make the task of a discovery; what is not given takes its default."""
    about_file = options["about_file"]
    about = None if about_file is None else read_about_file(about_file)
    named = {
        name: options[name] for name in ("name", "epsilon", "padding", "symbols", "coin", "opens", "closes")
    }
    given = {name: value for name, value in named.items() if value is not None}
    return Task.discovery(**given, **tree, about=about)


def write_task(task: Task, out: Path, *, force: bool) -> None:
    """Write a task's JSON, and say what the task is."""
    report_bytes = REPORT_ID_BYTES + task.channel.body_bytes
    said = (
        f"{task.id}  {task.mechanism} with padding {task.padding:,}, realised ε {task.realised_epsilon}, "
        f"{report_bytes:,} bytes per report"
    )
    write_contract(task, out, said, force=force)


@task_group.command("show", short_help="Say in words what a task file promises.")
@click.argument("task_file", type=FilePath)
@json_option
def show_command(task_file: Path, as_json: bool) -> None:
    """Say in words what a task file promises."""
    task = read_task(task_file)
    facts: dict[str, object] = {
        "id": task.id,
        "name": task.name,
        "kind": task.kind,
        "keys": _shown_keys(task),
        "other": task.other,
        "low": task.low,
        "high": task.high,
        "levels": task.levels if isinstance(task.levels, int) else list(task.levels),
        "between": task.between,
        "epsilon": task.epsilon,
        "realised_epsilon": task.realised_epsilon,
        "mechanism": task.mechanism,
        "parameters": task.parameters,
        "padding": task.padding,
        "more": task.more,
        "size_share": task.size_share,
        "coin": task.coin,
        "word_limit": task.word_limit,
        "bytes_per_report": REPORT_ID_BYTES + task.channel.body_bytes,
        "opens": task.opens,
        "closes": task.closes,
        "series": None if task.series is None else task.series.to_dict(),
        "about": task.about.to_dict(),
    }
    if task.size_question is not None:
        facts["size_answers"] = list(task.size_question.labels)
    if task.level_count > MIN_LEVELS:
        facts["level_values"] = list(task.level_values)
    if as_json:
        print_json(facts)
        return
    del facts["about"]
    # Named levels are shown as they are named.
    facts.pop("level_values", None)
    if task.level_count > MIN_LEVELS and isinstance(task.levels, int):
        facts["level_values"] = listed(task.level_values)
    # What participants do not read is left out, and a text of several lines stands on one.
    facts |= {name: " ".join(text.split()) for name, text in task.about.to_dict().items() if text}
    print_facts(facts)


def _shown_keys(task: Task) -> object:
    """Return how many keys there are, or what stands in place of a list of them."""
    if isinstance(task.keys, PrefixTree):
        return task.keys.to_dict()
    return HASHED if task.is_hashed else task.key_count


@task_group.command("push", short_help="Give a task to a collector.")
@click.argument("task_file", type=FilePath)
@url_option
@token_option
def push_command(task_file: Path, url: str, token_file: Path | None) -> None:
    """Give a task to a collector, which accepts reports for it from then on."""
    task = read_task(task_file)
    answer = ask("POST", url, "/tasks", read_token(token_file), task.to_json().encode())
    with understood(url):
        line = f"{answer['id']}  link for participants: {url.rstrip('/')}/join/{answer['id']}"
    click.echo(harmless(line))


@task_group.command("close", short_help="Close a task early: no more reports are accepted.")
@click.argument("task_id", metavar="TASK")
@url_option
@token_option
def close_command(task_id: str, url: str, token_file: Path | None) -> None:
    """Close a task early: the collector accepts no more reports for TASK, an id or a task file."""
    task_id = read_task_id(task_id)
    answer = ask("POST", url, collected(task_id, "/close"), read_token(token_file))
    with understood(url):
        line = f"{answer['id']}  closed on {answer['closed']}"
    click.echo(harmless(line))


@task_group.command("delete", short_help="Delete a task with all its reports; it cannot be undone.")
@click.argument("task_id", metavar="TASK")
@url_option
@token_option
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
def delete_command(task_id: str, url: str, token_file: Path | None, yes: bool) -> None:
    """Delete TASK, an id or a task file, with all its reports; it cannot be undone.

    Nobody can read them through the collector any more. "Erasure done" means that they have left the database's files,
    too. If it is pending, run this again later; in PostgreSQL, rewrite the tables first (VACUUM FULL).
    """
    token, task_id = read_token(token_file), read_task_id(task_id)
    if not yes:
        click.confirm(f"Delete task {task_id} and all its reports for good?", abort=True)
    answer = ask("DELETE", url, collected(task_id), token)
    with understood(url):
        count = answer["reports"]
        reports = f"{count:,} report" + ("s" if count != 1 else "")
        line = f"{answer['task']}  deleted with {reports}, erasure {answer['erasure']}"
    click.echo(harmless(line))
