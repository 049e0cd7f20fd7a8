"""`pckv mix`: run a mixer as a second party, and open its batches as their recipient."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pckv.base.durable import PRIVATE_MODE
from pckv.base.errors import DataError, ParameterError, ReportError, TaskError, require
from pckv.base.wire import Report
from pckv.base.words import plural
from pckv.cli.common import FilePath, force_option, harmless, json_option, print_json, print_paragraph, wide_option
from pckv.cli.inputs import ReportOutput, read_id, read_series, read_task, report_output_option
from pckv.cli.remote import RemoteCollector, contract_path, operated_mixer
from pckv.cli.serve import address_of, how_it_ends, token_lines
from pckv.cli.signals import interrupting_signals
from pckv.cli.table import print_table
from pckv.contract.series import Series
from pckv.contract.task import Task
from pckv.files.outputs import check_free, whole_file
from pckv.files.reports.writer import as_arrays

if TYPE_CHECKING:
    from pckv.collector.http.auth import AdministratorToken
    from pckv.mixing.settings import MixerSettings
    from pckv.sealing.opening import Opener

# Sealed reports that are read and opened together.
ENTRIES_PER_READ = 50_000
# Of the digest of an entry, what tells it from all others.
COPY_BYTES = 16
TASKS_PER_PAGE = 1000


@click.group("mix")
def mix_command() -> None:
    """Run a mixer, and open what it mixed.

    A mixer is a second party: it holds sealed reports, which it cannot read, until a task closes, and hands them to
    the recipient in a random order. The second party runs serve, accept, status, invitations and withdraw; the
    recipient runs key and open.

    \b
    pckv mix key --out task.key
    pckv mix serve --origin https://mix.example --operator "Example Mixers"
    pckv mix accept task.json --url https://mix.example \\
      --token-file operator.token
    pckv mix open batch.bin --task task.json --key task.key \\
      --out reports.parquet
    """


@mix_command.command("serve", short_help="Run a mixer.")
@click.option("--origin", help="The address by which devices reach it, as tasks name it: https://mix.example.")
@click.option("--operator", help="The name of the party that runs it, as tasks name it.")
@click.option("--store", help="sqlite:///FILE or postgresql://… [default: sqlite:///mixer.db]")
@click.option("--host", help="The address to listen on. [default: 127.0.0.1]")
@click.option("--port", type=int, help="The port to listen on; 0 for any free one. [default: 8001]")
@click.option("--workers", type=int, help="Processes that take requests; several need PostgreSQL. [default: 1]")
@click.option("--token-file", help="Write the operator's token here at the first start (mode 0600).")
@click.option("--batches-held", type=int, help="How many batches' worth of reports a task may have. [default: 4]")
@click.option(
    "--requests-per-second", type=int, help="Requests per second that an address may send; 0 for no limit. [default: 0]"
)
@click.option("--config", type=FilePath, help="A TOML file with any of the settings.")
def serve_command(config: Path | None, **flags: str | int | None) -> None:
    """Take sealed reports of accepted tasks over HTTP, and release one batch per task on its closing day.

    Settings come from flags, then the environment (PCKV_MIX_ORIGIN, …), then --config. The operator's token is
    PCKV_ADMIN_TOKEN, or is made at the first start and shown once. A batch leaves an hour after the start at the
    earliest, and only while the clock has not jumped.

    \b
    pckv mix serve --origin https://mix.example --operator "Example Mixers"
    """
    require("fastapi", extra="serve")
    require("uvicorn", extra="serve")
    from pckv.collector.server import log_listening, serve  # noqa: PLC0415
    from pckv.mixing.app import create_mixer  # noqa: PLC0415
    from pckv.mixing.open_store import open_mixer_store  # noqa: PLC0415
    from pckv.mixing.settings import load_mixer_settings  # noqa: PLC0415

    announce = _show if sys.stderr.isatty() else log_listening
    serve(load_mixer_settings(flags, file=config), create_mixer, announce, open_mixer_store)


def _show(settings: MixerSettings, port: int, token: AdministratorToken) -> None:
    for line in announcement(settings, port, token):
        click.echo(line, err=True)


def announcement(settings: MixerSettings, port: int, token: AdministratorToken) -> list[str]:
    """Return what people read when a mixer starts: at the first start also what its operator promises."""
    from pckv.collector.http.auth import TokenPlace  # noqa: PLC0415
    from pckv.mixing.promises import CONDITIONS, PROMISES  # noqa: PLC0415

    promises = [f"Who runs this mixer, {settings.operator}, promises:", *(f"  - {line}" for line in PROMISES)]
    conditions = ["What that is worth:", *(f"  - {line}" for line in CONDITIONS)]
    return [
        *([] if token.place is TokenPlace.EARLIER else promises + conditions),
        f"The mixer listens at {address_of(settings, port)}, for devices that reach it as {settings.origin}",
        *token_lines(settings, token, "The operator's token"),
        *how_it_ends(settings, port, "mixer"),
    ]


@mix_command.command("key", short_help="Make the recipient's key of a task or series.")
@click.option("--out", type=FilePath, required=True, help="The file for the private key (mode 0600).")
def key_command(out: Path) -> None:
    """Make a key pair: write the private key to a file, and print the public one for `pckv task new`.

    Make one per task or series. Keep the file outside the collector's store and its backups, and delete it once the
    batch is in: any party that has it can open the reports that were sealed for it.
    """
    from pckv.sealing.public_key import write_public_key  # noqa: PLC0415
    from pckv.sealing.recipient_key import RecipientKey  # noqa: PLC0415

    key = RecipientKey.generate()
    key.write(out)
    click.echo(write_public_key(key.public_key))


@mix_command.command("accept", short_help="Accept a task or series at a mixer.")
@click.argument("contract_file", metavar="TASK", type=FilePath)
@operated_mixer
@click.option("--new-token", is_flag=True, help="Make a new recipient's token in place of the one made before.")
def accept_command(contract_file: Path, mixer: RemoteCollector, new_token: bool) -> None:
    """Accept the file of a task or a series, and print its recipient's token, which is shown this once.

    The mixer computes the central claim again, and takes one task per survey name. Give the token to the recipient:
    it fetches the batch of this task, or of all rounds, and nothing else.
    """
    contract = _read_contract(contract_file)
    path = "/series" if isinstance(contract, Series) else "/tasks"
    query = "?new_recipient=true" if new_token else ""
    answer = mixer.ask("POST", path + query, contract.to_json().encode())
    with mixer.understood():
        token = answer["token"]
        lines = [f"{answer['id']}  accepted", f"The recipient's token, shown this once: {token}"]
    if token is None:
        lines = [f"{contract.id}  was accepted before; --new-token makes a new token for its recipient"]
    for line in lines:
        click.echo(harmless(line))


def _read_contract(path: Path) -> Task | Series:
    try:
        return Task.from_json(path.read_bytes())
    except TaskError as error:
        try:
            return Series.from_json(path.read_bytes())
        except ValueError:
            raise TaskError(f"{path}: {error}") from None


@mix_command.command("status", short_help="Say what waits at a mixer, by task.")
@operated_mixer
@json_option
@wide_option
def status_command(mixer: RemoteCollector, as_json: bool) -> None:
    """List the tasks that a mixer accepted; how many reports wait is as of the first moment of the day."""
    tasks: list[dict[str, Any]] = []
    while page := mixer.ask("GET", f"/status?limit={TASKS_PER_PAGE}&after={tasks[-1]['id'] if tasks else ''}")["tasks"]:
        tasks += page
        if len(page) < TASKS_PER_PAGE:
            break
    if as_json:
        print_json(tasks)
        return
    with mixer.understood():
        rows = [
            [
                harmless(str(task[name]) if task[name] is not None else "")
                for name in ("id", "name", "state", "closes", "erasure", "batch", "waiting")
            ]
            for task in tasks
        ]
    if not rows:
        click.echo("no tasks: none was accepted, or all were withdrawn")
        return
    header = ["task", "name", "state", "closes", "erasure", "batch", "waiting"]
    print_table("Tasks at the mixer", header, rows, texts=5)


@mix_command.command("invitations", short_help="Invite people to a task at a mixer.")
@click.argument("task_id", metavar="TASK")
@operated_mixer
@click.option("--count", type=click.IntRange(1, 100_000), required=True, help="How many invitations to make.")
@click.option("--out", type=FilePath, required=True, help="The file for them, one per line (mode 0600).")
@force_option
def invitations_command(task_id: str, mixer: RemoteCollector, count: int, out: Path, force: bool) -> None:
    """Make one-time invitations to TASK, an id or a task file, which from now on takes reports by invitation only.

    Send them yourself: where the collector makes or forwards invitations, it can fill a batch with its own reports.
    """
    task_id = read_id(read_task, task_id)
    check_free(out, force=force)
    with whole_file(out, force=force) as part:
        # The file is there before the invitations are: none is made that cannot be written.
        part.chmod(PRIVATE_MODE)
        answer = mixer.ask("POST", contract_path("tasks", task_id, f"/invitations?count={count}"))
        with mixer.understood():
            text = "".join(f"{harmless(invitation)}\n" for invitation in answer["invitations"])
        part.write_text(text, encoding="utf-8")
    click.echo(f"{plural(count, 'invitation')} written to {out}; each takes one report")


@mix_command.command("withdraw", short_help="Delete a task or series at a mixer, unread; it cannot be undone.")
@click.argument("contract_id", metavar="TASK")
@operated_mixer
@click.option("--series", "is_series", is_flag=True, help="TASK is a series: its rounds that wait are deleted.")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
def withdraw_command(contract_id: str, mixer: RemoteCollector, is_series: bool, yes: bool) -> None:
    """Delete the sealed reports of TASK, an id or a file, unread; no other task of its name is accepted."""
    contract_id = read_id(read_series if is_series else read_task, contract_id)
    if not yes:
        click.confirm(f"Delete {contract_id} and all its sealed reports for good?", abort=True)
    mixer.ask("DELETE", contract_path("series" if is_series else "tasks", contract_id))
    click.echo(harmless(f"{contract_id}  withdrawn"))


@mix_command.command("open", short_help="Open a batch of sealed reports.")
@click.argument("batch", type=FilePath)
@click.option("--task", "task_file", type=FilePath, required=True, help="The task's JSON.")
@click.option("--key", "key_file", type=FilePath, required=True, help="The private key that pckv mix key wrote.")
@report_output_option
@force_option
def open_command(batch: Path, task_file: Path, key_file: Path, out: Path, force: bool) -> None:
    """Open BATCH, the sealed reports of a batch one after the other, and write them as a report file.

    An entry that does not open, or is no report of the task, is counted as unreadable. A batch with copies of an
    entry is refused: a mixer that follows the protocol releases each once.

    \b
    pckv mix open batch.bin --task task.json --key task.key \\
      --out reports.parquet
    """
    from pckv.sealing.opening import Opener  # noqa: PLC0415
    from pckv.sealing.recipient_key import RecipientKey  # noqa: PLC0415

    task, key = read_task(task_file), RecipientKey.read(key_file)
    if task.mixer is None:
        raise ParameterError(f"{task_file}: this task is not mixed")
    if key.public_key != task.mixer.public_key:
        raise ParameterError(f"{key_file}: this is not the key of {task_file}")
    output = ReportOutput(out, force)
    output.check()
    counted = {"unreadable": 0}
    with interrupting_signals(), Opener(key, task.digest, task.message_format.body_bytes) as opener:
        blocks = (as_arrays(task, block) for block in _opened(batch, task, opener, counted))
        written = output.write(task, blocks)
    output.print_written(written, f", {counted['unreadable']:,} unreadable")
    if task.mixer.batch > written + counted["unreadable"]:
        entries = written + counted["unreadable"]
        text = f"{batch} has {entries:,} entries, and a batch of this task has at least {task.mixer.batch:,}"
        print_paragraph(f"pckv: warning: {text}", err=True)


def _opened(batch: Path, task: Task, opener: Opener, counted: dict[str, int]) -> Iterator[list[Report]]:
    """Yield the reports of a batch, block by block, and count what is unreadable."""
    seen: set[bytes] = set()
    read = 0
    for entries in _read_entries(batch, task):
        read += len(entries)
        seen.update(hashlib.sha256(entry).digest()[:COPY_BYTES] for entry in entries)
        if len(seen) < read:
            raise DataError("has an entry twice", place=batch)
        reports = [report for report in opener.open_many(entries) if report is not None and _is_report(task, report)]
        counted["unreadable"] += len(entries) - len(reports)
        if reports:
            yield reports


def _read_entries(batch: Path, task: Task) -> Iterator[list[bytes]]:
    from pckv.sealing.envelope import sealed_length  # noqa: PLC0415

    size = sealed_length(task.message_format.body_bytes)
    with batch.open("rb") as file:
        while block := file.read(size * ENTRIES_PER_READ):
            if len(block) % size:
                reason = f"its length is no multiple of {size:,} bytes, that of a sealed report of the task"
                raise DataError(reason, place=batch)
            yield [block[start : start + size] for start in range(0, len(block), size)]


def _is_report(task: Task, report: Report) -> bool:
    try:
        task.message_format.decode(report.body)
    except ReportError:
        return False
    return True
