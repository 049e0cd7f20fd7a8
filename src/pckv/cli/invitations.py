"""`pckv invitations`: links by which one person each takes part."""

from __future__ import annotations

import re
from pathlib import Path

import click

from pckv.cli.common import FilePath, force_option
from pckv.cli.inputs import read_task_id
from pckv.cli.remote import ask, collected, read_token, token_option, understood, url_option
from pckv.client.transport import checked_url
from pckv.files.outputs import check_free, whole_file

# As many as a collector makes at once.
MAX_INVITATIONS = 100_000
INVITATION = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)
# Whoever reads an invitation can answer in its owner's place.
PRIVATE_MODE = 0o600


@click.group("invitations", short_help="Invite people to a task on a collector.")
def invitations_group() -> None:
    """Invite people to a task on a collector."""


@invitations_group.command("new", short_help="Make invitations, and write their links to a file.")
@click.argument("task_id", metavar="TASK")
@url_option
@token_option
@click.option(
    "--count", type=click.IntRange(1, MAX_INVITATIONS), required=True, help="How many people are invited."
)
@click.option(
    "--out", type=FilePath, required=True, help="The file to write: one link per line, for its owner only."
)
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@force_option
def new_invitations_command(
    task_id: str, url: str, token_file: Path | None, count: int, out: Path, yes: bool, force: bool
) -> None:
    """Make invitations to TASK, an id or a task file, and write their links to a file (mode 0600).

    Each link takes one report. The collector keeps no copy that could be shown again. From the first invitation on,
    the task takes reports by invitation only; if everybody with the link may take part until then, this asks first.

    \b
    pckv invitations new TASK --url https://collect.example.org \\
      --token-file admin.token --count 100 --out links.txt
    """
    token, task_id = read_token(token_file), read_task_id(task_id)
    check_free(out, force=force)
    with understood(url):
        task = ask("GET", url, collected(task_id, "/overview"), token)
        name, by_invitation = task["name"], task["by_invitation"]
    if not by_invitation and not yes:
        question = (
            f"{name}: everybody with the link can take part now. Take reports by invitation only, for good?"
        )
        click.confirm(question, abort=True)
    with whole_file(out, force=force) as part:
        # The file is there before the invitations are: none is made that cannot be written.
        part.chmod(PRIVATE_MODE)
        with understood(url):
            answer = ask("POST", url, collected(task_id, f"/invitations?count={count}"), token)
            if not all(map(INVITATION.fullmatch, answer["invitations"])):
                raise ValueError("not an invitation")
            place = f"{checked_url(url)}/join/{task_id}#invitation="
            text = "".join(f"{place}{invitation}\n" for invitation in answer["invitations"])
        part.write_text(text, encoding="ascii")
    click.echo(f"{count:,} invitations to {name!r} written to {out}; each takes one report")
