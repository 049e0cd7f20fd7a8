"""`pckv card`: one page about a task for an ethics board or a privacy registry."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import click

from pckv.auditing.audit import audit
from pckv.base.days import Phase
from pckv.base.errors import AuditFailure, DataError, ParameterError, TallyError, TaskError
from pckv.card.card import card_markdown, privacy_card
from pckv.cli.common import FilePath, force_option, progress_bar
from pckv.cli.inputs import read_task
from pckv.cli.remote import RemoteCollector, contract_path, read_token, reading_token_option
from pckv.contract.task import Task
from pckv.files.outputs import check_free, whole_file
from pckv.tally import Tally


@click.command("card")
@click.argument("task_named", metavar="TASK")
@click.option("--url", help="The collector that runs the task: says its state, reports and retention, too.")
@reading_token_option
@click.option("--tally", "tally_file", type=FilePath, help="Instead: a tally, which says how many reports there are.")
@click.option("--no-audit", is_flag=True, help="Leave out the audit, which the card then says.")
@click.option("--out", type=FilePath, help="Write the card: .md, or .json with --json. [default: standard output]")
@click.option("--json", "as_json", is_flag=True, help="Write JSON instead of Markdown.")
@force_option
def card_command(
    task_named: str,
    url: str | None,
    token_file: Path | None,
    tally_file: Path | None,
    no_audit: bool,
    out: Path | None,
    as_json: bool,
    force: bool,
) -> None:
    """Write one page about TASK that an ethics board or a privacy registry can file.

    It says what is asked and what for, the ε per person and what that means in odds, whom people trust, what
    an audit of the code found, how long reports are kept, what is estimated, and what participants read. TASK
    is a task file or, with --url, an id. The same task and collection give the same card.

    \b
    pckv card task.json --out card.md
    pckv card task.json --url https://collect.example.org \\
      --token-file analyst.token --json
    """
    if url is not None and tally_file is not None:
        raise click.UsageError("give either --url or --tally")
    if token_file is not None and url is None:
        raise click.UsageError("--token-file is for --url")
    if out is not None:
        if out.suffix != (".json" if as_json else ".md"):
            raise ParameterError(f"{out}: a card is written as .md, or as .json with --json")
        check_free(out, force=force)
    task, collection = _read(task_named, url, token_file, tally_file)
    # Whether the card says an audit or not, it says the claim.
    task.check_claim()
    card = privacy_card(task, audit=None if no_audit else _audit(task), collection=collection)
    text = json.dumps(card, ensure_ascii=False, indent=2) + "\n" if as_json else card_markdown(card)
    if out is None:
        click.echo(text, nl=False)
        return
    with whole_file(out, force=force) as part:
        part.write_text(text, encoding="utf-8")
    click.echo(f"written to {out}")


def _read(
    named: str, url: str | None, token_file: Path | None, tally_file: Path | None
) -> tuple[Task, dict[str, Any] | None]:
    """Return a task, and what a collector or a tally says of its collection."""
    path = Path(named)
    if url is None:
        task = read_task(path)
        if tally_file is None:
            return task, None
        try:
            return task, {"reports": Tally.from_bytes(task, tally_file.read_bytes()).reports}
        except TallyError as error:
            raise TallyError(f"{tally_file}: {error}") from None
    collector = RemoteCollector(url, read_token(token_file))
    task = read_task(path) if path.is_file() else _fetched_task(collector, named)
    answer = collector.ask("GET", contract_path("tasks", task.id, "/overview"))
    with collector.understood():
        return task, _collection(answer)


def _collection(answer: dict[str, Any]) -> dict[str, Any]:
    """Return what a card says of a collection, in the types that a collector gives it."""
    target, kept, days = answer["target"], answer["keep_reports"], ("closed", "last_report")
    return {
        "reports": int(answer["reports"]),
        "phase": Phase(answer["phase"]).value,
        **{name: answer[name] and date.fromisoformat(answer[name]).isoformat() for name in days},
        "target": None if target is None else int(target),
        "by_invitation": bool(answer["by_invitation"]),
        "public_results": bool(answer["public_results"]),
        "keep_reports": None if kept is None else int(kept),
    }


def _fetched_task(collector: RemoteCollector, task_id: str) -> Task:
    """Return a task that a collector has; its id says that it is the one asked for."""
    try:
        task = Task.from_json(collector.fetch(contract_path("tasks", task_id)))
    except TaskError as error:
        raise DataError(f"{collector.url}: {error}") from None
    if task.id != task_id:
        raise DataError(f"{collector.url}: it answers with another task, {task.id}")
    return task


def _audit(task: Task) -> Any:
    """Audit a task; one that loses more than it claims gets no card."""
    with progress_bar("Auditing") as progress:
        result = audit(task, progress)
    if not result.holds:
        raise AuditFailure(f"task {task.id} loses more than it claims: there is no card for it")
    return result
