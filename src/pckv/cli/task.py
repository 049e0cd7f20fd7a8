"""`pckv task` and `pckv invitations`: make tasks, run them on a collector, and invite participants."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import click

from pckv.base.days import Phase
from pckv.base.errors import DataError
from pckv.base.words import percent, plural
from pckv.cli.common import FilePath, force_option, harmless, json_option, print_json, wide_option
from pckv.cli.contract_options import (
    coin_option,
    contract_options,
    discovery_options,
    read_contract,
    read_discovery_options,
    write_contract,
)
from pckv.cli.inputs import read_about_file, read_id, read_task
from pckv.cli.mixer_options import MIXER_OPTIONS, claim_member, claim_rows, read_mixer_options
from pckv.cli.remote import RemoteCollector, administered_collector, contract_path, read_collector
from pckv.cli.table import print_facts, print_table
from pckv.client.transport import checked_url
from pckv.contract.facts import Fact, fact_members, said
from pckv.contract.task import Task
from pckv.files.outputs import check_free, whole_file

NOTHING = "–"
# What is told of a task in a list, and of one alone, under the names that the collector gives it.
LISTED = ("id", "name", "phase", "reports", "target", "last_report", "created")
TOLD = (*LISTED, "opens", "closes", "closed", "by_invitation", "public_results", "alarms", "batch")
# What these members are called here.
NAMES = {"phase": "state"}


@click.group("task")
def task_command() -> None:
    """Make and show tasks, the public contracts of collections, and run them on a collector."""


@task_command.command("list", short_help="List the tasks of a collector, newest first.")
@read_collector
@click.option(
    "--search", default="", help="Only tasks with this text in their name; capital letters make no difference."
)
@click.option("--state", type=click.Choice(list(map(str, Phase))), help="Only tasks in this state.")
@json_option
@wide_option
def list_command(collector: RemoteCollector, search: str, state: str | None, as_json: bool) -> None:
    """List the tasks of a collector, newest first, with their reports counted."""
    filters = {"search": search} | ({} if state is None else {"state": state})
    with collector.understood():
        tasks = [_facts(task, LISTED) for task in collector.list_all("/overview", "tasks", **filters)]
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
        header = ("name", "state", "reports", "target", "last report", "id")
        # Other commands take the id.
        print_table("", header, rows, texts=2, less_important=(4, 3, 1, 2))
    else:
        click.echo("no tasks")


@task_command.command("status", short_help="Say how a task on a collector is doing.")
@click.argument("task_id", metavar="TASK")
@read_collector
@json_option
def status_command(task_id: str, collector: RemoteCollector, as_json: bool) -> None:
    """Show TASK, an id or a task file, on a collector: its state, its reports, and the last one's day."""
    path = contract_path("tasks", read_id(read_task, task_id), "/overview")
    with collector.understood():
        facts = _facts(collector.ask("GET", path), TOLD)
        rows = _status_rows(facts)
    if as_json:
        print_json(facts)
    else:
        print_facts(rows)


def _facts(answer: dict[str, Any], members: tuple[str, ...]) -> dict[str, Any]:
    """Return some members of an answer, under the names that they have here."""
    return {NAMES.get(name, name): answer[name] for name in members}


def _status_rows(facts: dict[str, Any]) -> list[tuple[str, str]]:
    reports, target, alarms = int(facts["reports"]), facts["target"], facts["alarms"]
    reached = "" if target is None else f" of {target:,} wanted ({percent(reports / target)})"
    state = f"{facts['state']}, closed early on {facts['closed']}" if facts["closed"] else facts["state"]
    batch = facts["batch"]
    invited = "people with an invitation" if facts["by_invitation"] else "anyone with the link"
    return [
        ("name", str(facts["name"])),
        ("id", str(facts["id"])),
        ("state", str(state)),
        ("reports", f"{reports:,}{reached}"),
        ("last report", facts["last_report"] or NOTHING),
        ("created", facts["created"] or NOTHING),
        ("opens", facts["opens"] or NOTHING),
        ("closes", facts["closes"] or NOTHING),
        *([] if batch is None else [("mixed reports", str(batch["sentence"]))]),
        ("who may take part", invited if batch is None else "whom the mixer admits"),
        ("results", "public" if facts["public_results"] else "not public"),
        ("alarms", " ".join(alarms["sentences"]) if alarms else "not checked yet"),
    ]


# As many as a collector makes at once.
MAX_INVITATIONS = 100_000
INVITATION = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)
# A reader of an invitation can answer in its owner's place.
PRIVATE_MODE = 0o600


@click.group("invitations")
def invitations_command() -> None:
    """Invite people to a task on a collector."""


@invitations_command.command("new", short_help="Make invitations, and write their links to a file.")
@click.argument("task_id", metavar="TASK")
@administered_collector
@click.option("--count", type=click.IntRange(1, MAX_INVITATIONS), required=True, help="How many people are invited.")
@click.option("--out", type=FilePath, required=True, help="The file to write: one link per line, for its owner only.")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@force_option
def new_invitations_command(
    task_id: str, collector: RemoteCollector, count: int, out: Path, yes: bool, force: bool
) -> None:
    """Make invitations to TASK, an id or a task file, and write their links to a file (mode 0600).

    Each link takes one report. The collector keeps no copy that could be shown again. From the first
    invitation on, the task takes reports by invitation only; if anyone with the link could take part until
    then, the command asks first.

    \b
    pckv invitations new TASK --url https://collect.example.org \\
      --token-file admin.token --count 100 --out links.txt
    """
    task_id = read_id(read_task, task_id)
    check_free(out, force=force)
    with collector.understood():
        task = collector.ask("GET", contract_path("tasks", task_id, "/overview"))
        name, by_invitation, mixer = task["name"], task["by_invitation"], task["mixer"]
        place = None if mixer is None else str(mixer["url"])
    if place is not None:
        reason = f"{name}: the reports of this task are mixed, and its mixer, {place}, makes invitations"
        raise DataError(harmless(reason))
    if not by_invitation and not yes:
        question = f"{name}: anyone with the link can take part now. Take reports by invitation only, for good?"
        click.confirm(question, abort=True)
    with whole_file(out, force=force) as part:
        # The file is there before the invitations are: none is made that cannot be written.
        part.chmod(PRIVATE_MODE)
        with collector.understood():
            answer = collector.ask("POST", contract_path("tasks", task_id, f"/invitations?count={count}"))
            if not all(map(INVITATION.fullmatch, answer["invitations"])):
                raise ValueError("not an invitation")
            place = f"{checked_url(collector.url)}/join/{task_id}#invitation="
            text = "".join(f"{place}{invitation}\n" for invitation in answer["invitations"])
        part.write_text(text, encoding="ascii")
    click.echo(f"{plural(count, 'invitation')} to {name!r} written to {out}; each takes one report")


# The options of `task new` that are members of a discovery.
DISCOVERY_MEMBERS = ("name", "epsilon", "padding", "symbols", "coin", "opens", "closes")


@task_command.command("new", short_help="Make a task and write its canonical JSON.")
@contract_options
@coin_option
@discovery_options
@click.option("--opens", metavar="DAY", help="The first day on which reports are accepted (YYYY-MM-DD, UTC).")
@click.option("--closes", metavar="DAY", help="The first day on which they no longer are.")
@click.option("--out", type=FilePath, required=True, help="Where to write the task's JSON; - for standard output.")
@force_option
def new_command(out: Path, force: bool, **options: Any) -> None:
    """Make a task and write its canonical JSON.

    Padding and mechanism are chosen as `pckv plan` does, for the people you expect, unless you name them.

    \b
    pckv task new --name movies --keys-file keys.txt --low 1 --high 5 \\
      --epsilon 1 --users 20000 --pairs 3 --out task.json
    pckv task new --name pages --keys-file pages.txt --epsilon 2 \\
      --users 50000 --pairs 3 --segment "age=under 30,30 to 60,over 60" \\
      --out task.json
    pckv task new --name snacks --keys-file snacks.txt --epsilon 4 \\
      --users 100000 --pairs 4 --together --out task.json
    pckv task new --discover --name terms --characters 12 --epsilon 4 \\
      --out discovery.json
    pckv task new --name movies --keys-file keys.txt --low 1 --high 5 \\
      --epsilon 5 --users 20000 --pairs 3 --closes 2031-02-01 \\
      --mixer https://mix.example --mixer-operator "Statistics Office" \\
      --recipient-key recipient.key --batch 10000 --central 1 --delta 1e-6 \\
      --out task.json
    """
    tree = read_discovery_options(options, (*DISCOVERY_MEMBERS, *MIXER_OPTIONS, "about_file", "out", "force"))
    if tree is not None:
        given = {name: options[name] for name in DISCOVERY_MEMBERS if options[name] is not None}
        about_file = options["about_file"]
        about = None if about_file is None else read_about_file(about_file)
        mixer = read_mixer_options(options)
        task, choice = Task.discovery(**given, **tree, about=about, mixer=mixer), ""
    else:
        task, choice = read_contract(**options)
    task.check_collectable()
    write_task(task, choice, out=out, force=force)


def write_task(task: Task, choice: str = "", *, out: Path, force: bool) -> None:
    """Write a task's JSON, and say what the task is, and what was chosen for it."""
    line = (
        f"{task.id}  {task.mechanism} with padding {task.padding:,}, realised ε {task.realised_epsilon}"
        f"{'' if task.mixer is None else ' of a report alone'}, "
        f"{task.reporting.report_bytes:,} bytes per report"
    )
    write_contract(task, out, line, choice, force=force)


@task_command.command("show", short_help="Say in words what a task file promises.")
@click.argument("task_file", type=FilePath)
@json_option
def show_command(task_file: Path, as_json: bool) -> None:
    """Say in words what a task file promises."""
    task = read_task(task_file)
    if as_json:
        print_json(fact_members(task.facts()) | claim_member(task))
    else:
        print_facts([*fact_rows(task.facts()), *claim_rows(task)])


def fact_rows(facts: list[Fact]) -> list[tuple[str, str]]:
    """Return what facts say, as rows of a table; a text of several lines stands on one."""
    return [(name, " ".join(sentence.splitlines())) for name, sentence in said(facts)]


@task_command.command("push", short_help="Give a task to a collector.")
@click.argument("task_file", type=FilePath)
@administered_collector
def push_command(task_file: Path, collector: RemoteCollector) -> None:
    """Give a task to a collector, which accepts reports for it from then on.

    A mixed task needs its private key and the recipient's token in the collector's folder of keys, and a mixer that
    has accepted it.
    """
    task = read_task(task_file)
    # The collector asks the mixer of a mixed task, and computes its claim.
    answer = collector.ask("POST", "/tasks", task.to_json().encode(), estimates=task.mixer is not None)
    with collector.understood():
        line = f"{answer['id']}  link for participants: {collector.url.rstrip('/')}/join/{answer['id']}"
    click.echo(harmless(line))


@task_command.command("close", short_help="Close a task early: no more reports are accepted.")
@click.argument("task_id", metavar="TASK")
@administered_collector
def close_command(task_id: str, collector: RemoteCollector) -> None:
    """Close a task early: the collector accepts no more reports for TASK, an id or a task file."""
    collector.close(contract_path("tasks", read_id(read_task, task_id)))


@task_command.command("reopen", short_help="Undo the early close of a task, within seven days.")
@click.argument("task_id", metavar="TASK")
@administered_collector
def reopen_command(task_id: str, collector: RemoteCollector) -> None:
    """Take reports again for TASK, an id or a task file, that was closed early at most seven days ago."""
    collector.reopen(contract_path("tasks", read_id(read_task, task_id)))


@task_command.command("delete", short_help="Delete a task with all its reports, after seven days or now.")
@click.argument("task_id", metavar="TASK")
@administered_collector
@click.option("--now", is_flag=True, help="Delete it for good, at once.")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
def delete_command(task_id: str, collector: RemoteCollector, now: bool, yes: bool) -> None:
    """Delete TASK, an id or a task file, with all its reports.

    It takes no more reports and shows no results. For seven days `pckv task restore` takes it back; then, or at
    once with --now, it is deleted for good, which cannot be undone. "Erasure done" means that its reports have
    left the database's files, too. If it is pending, run this again later; in PostgreSQL, rewrite the tables first
    (VACUUM FULL), and let its log be overwritten.
    """
    task_id = read_id(read_task, task_id)
    if now and not yes:
        click.confirm(f"Delete task {task_id} and all its reports for good?", abort=True)
    answer = collector.ask("DELETE", contract_path("tasks", task_id) + ("?now=true" if now else ""))
    with collector.understood():
        if now:
            reports = plural(answer["reports"], "report")
            line = f"{answer['task']}  deleted with {reports}, erasure {answer['erasure']}"
        else:
            line = f"{answer['task']}  deleted; it can be restored until {answer['until']}"
    click.echo(harmless(line))


@task_command.command("restore", short_help="Take back a task that was deleted at most seven days ago.")
@click.argument("task_id", metavar="TASK")
@administered_collector
def restore_command(task_id: str, collector: RemoteCollector) -> None:
    """Take back TASK, an id or a task file, as it was before it was deleted."""
    answer = collector.ask("POST", f"{contract_path('tasks', read_id(read_task, task_id))}/restore")
    with collector.understood():
        line = f"{answer['id']}  restored"
    click.echo(harmless(line))
