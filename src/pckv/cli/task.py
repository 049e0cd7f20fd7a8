"""`pckv task`: make and show tasks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from pckv.about import MEMBERS
from pckv.budget import ALLOCATIONS
from pckv.channels import CHANNELS
from pckv.channels.ue import TUNED
from pckv.cli.common import STREAM, FilePath, force_option, json_option
from pckv.cli.expected_people import EXPECTED_PEOPLE, expected_people_options, read_expected_people
from pckv.cli.inputs import read_about_file, read_keys, read_task, read_task_id
from pckv.cli.remote import ask, collected, read_token, token_option, understood, url_option
from pckv.cli.remote_tasks import list_command, status_command
from pckv.cli.table import print_table
from pckv.cli.terminal import harmless, print_json
from pckv.files.outputs import whole_file
from pckv.limits import AUTO, DEFAULT_USERS, REPORT_ID_BYTES
from pckv.planning.expectations import expect
from pckv.task import Task


@click.group("task", short_help="Make and show tasks, and run them on a collector.")
def task_group() -> None:
    """Make and show tasks, the public contracts of collections, and run them on a collector."""


task_group.add_command(list_command)
task_group.add_command(status_command)


@task_group.command("new", short_help="Make a task and write its canonical JSON.")
@click.option("--name", required=True, help="The name that distinguishes this collection from others.")
@click.option("--keys-file", type=FilePath, help="A text file with one key name per line.")
@click.option(
    "--key-count", type=int, help="Instead of names: the keys are 0, 1, … up to this number minus 1."
)
@click.option("--low", required=True, help="The smallest value a key may have.")
@click.option("--high", required=True, help="The largest value a key may have.")
@click.option("--epsilon", required=True, help="The privacy budget, above 0 and at most 20.")
@click.option(
    "--users",
    type=int,
    default=DEFAULT_USERS,
    show_default=True,
    help="How many participants are expected; only used to choose.",
)
@expected_people_options
@click.option("--padding", type=int, help="How many pairs a report stands for at most. [default: chosen]")
@click.option(
    "--size-share",
    help="The share of reports that say how many pairs somebody holds instead of which, 0 to 0.5. [default: chosen]",
)
@click.option(
    "--mechanism",
    type=click.Choice([AUTO, *CHANNELS]),
    default=AUTO,
    show_default=True,
    help="How a report is made; auto is the mechanism with the least predicted error.",
)
@click.option(
    "--allocation",
    type=click.Choice([*ALLOCATIONS, TUNED]),
    help="How ue and grr split ε; tuned is for ue. [default: optimized]",
)
@click.option("--beta", help="The probability with which tuned ue fakes either sign. [default: chosen]")
@click.option("--q", type=int, help="The prime of ue-compact. [default: chosen]")
@click.option("--r", type=int, help="With --q: how many residues a sign has. [default: 1]")
@click.option("--o", type=int, help="With --q: how many of them the two signs share. [default: 0]")
@click.option("--symbols", type=int, help="How many symbols collision sends keys to. [default: chosen]")
@click.option("--positions", type=int, help="How many positions collision has, a prime. [default: chosen]")
@click.option(
    "--generator",
    type=int,
    help="The primitive root of these positions; others than the chosen one may bias estimates. [default: chosen]",
)
@click.option("--opens", metavar="DAY", help="The first day on which reports are accepted (YYYY-MM-DD, UTC).")
@click.option("--closes", metavar="DAY", help="The first day on which they no longer are.")
@click.option(
    "--about",
    "about_file",
    type=FilePath,
    help=f"What participants read: a .toml file of the texts {', '.join(MEMBERS)}, each of which may be left out.",
)
@click.option(
    "--out", type=FilePath, required=True, help="Where to write the task's JSON; - for standard output."
)
@force_option
def new_command(
    *,
    keys_file: Path | None,
    key_count: int | None,
    low: str,
    high: str,
    mechanism: str,
    allocation: str | None,
    beta: str | None,
    q: int | None,
    r: int | None,
    o: int | None,
    symbols: int | None,
    positions: int | None,
    generator: int | None,
    about_file: Path | None,
    out: Path,
    force: bool,
    **options: Any,
) -> None:
    """Make a task and write its canonical JSON.

    Padding and mechanism are chosen as `pckv plan` does, for the people that you expect, unless you name them.

    \b
    pckv task new --name movies --keys-file keys.txt --low 1 --high 5 \\
      --epsilon 1 --users 20000 --pairs 3 --out task.json
    """
    parameters = {"allocation": allocation, "beta": beta, "q": q, "r": r, "o": o}
    parameters |= {"symbols": symbols, "positions": positions, "generator": generator}
    given = {name: value for name, value in parameters.items() if value is not None}
    keys, people = named_keys(keys_file, key_count), read_expected_people(**options)
    about = None if about_file is None else read_about_file(about_file)
    task = Task(keys=keys, values=(low, high), mechanism={"name": mechanism, **given}, about=about, **people)
    write_task(task, out, force=force)
    if people["padding"] is None:
        expected = expect(
            task.key_count,
            **{name: people[name] for name in EXPECTED_PEOPLE},
        )
        click.echo(f"Padding {task.padding:,} was chosen. {expected.sentence}", err=out == STREAM)


def named_keys(keys_file: Path | None, key_count: int | None) -> list[str] | int:
    """Return the keys of a file, or how many there are."""
    if (keys_file is None) == (key_count is None):
        raise click.UsageError("give either --keys-file or --key-count")
    return read_keys(keys_file) if keys_file is not None else key_count or 0


def write_task(task: Task, out: Path, *, force: bool) -> None:
    """Write a task's JSON, exactly and without a newline, and say what the task is."""
    to_stdout = out == STREAM
    if to_stdout:
        # Bytes, so that no encoding of the terminal changes them.
        click.echo(task.to_json().encode(), nl=False)
    else:
        with whole_file(out, force=force) as part:
            part.write_bytes(task.to_json().encode())
    report_bytes = REPORT_ID_BYTES + task.channel.body_bytes
    click.echo(
        f"{task.id}  {task.mechanism} with padding {task.padding:,}, realised ε {task.realised_epsilon}, "
        f"{report_bytes:,} bytes per report, written to {'standard output' if to_stdout else out}",
        err=to_stdout,
    )


@task_group.command("show", short_help="Say in words what a task file promises.")
@click.argument("task_file", type=FilePath)
@json_option
def show_command(task_file: Path, as_json: bool) -> None:
    """Say in words what a task file promises."""
    task = read_task(task_file)
    facts: dict[str, object] = {
        "id": task.id,
        "name": task.name,
        "keys": task.key_count,
        "low": task.low,
        "high": task.high,
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
        "about": task.about.to_dict(),
    }
    if task.size_question is not None:
        facts["size_answers"] = list(task.size_question.labels)
    if as_json:
        print_json(facts)
        return
    del facts["about"]
    # What participants do not read is left out, and a text of several lines stands on one.
    facts |= {name: " ".join(text.split()) for name, text in task.about.to_dict().items() if text}
    print_table(
        "",
        ("", ""),
        [(name.replace("_", " "), _fact_text(value)) for name, value in facts.items()],
        texts=2,
    )


def _fact_text(fact: object) -> str:
    """Return a fact of a task on one line."""
    if isinstance(fact, dict):
        return ", ".join(f"{name} {value}" for name, value in fact.items()) or "–"
    if isinstance(fact, list):
        return ", ".join(fact)
    return "–" if fact is None else str(fact)


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
