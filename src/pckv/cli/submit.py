"""`pckv submit`: one participant's report, perturbed once and sent until the collector has it."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from pckv.base.canonical import RepeatedMember, refuse_repeated_members
from pckv.base.errors import ClientError, DataError
from pckv.cli.common import FilePath, json_option, print_json
from pckv.cli.inputs import read_id, read_task
from pckv.cli.ledger import cap_option, cap_per_period_option, default_state, local_cap_option, state_option
from pckv.cli.remote import warn_if_readable_on_the_way
from pckv.client import Client, Receipt, Status
from pckv.client.transport import explain


@click.command("submit")
@click.argument("pairs_file", metavar="[PAIRS.json]", type=FilePath, required=False)
@click.option("--url", required=True, help="The address of the collector, or of a mixed task's mixer.")
@click.option("--task", "task_id", metavar="TASK", help="The id of the task, or its file.")
@state_option
@cap_option
@cap_per_period_option
@local_cap_option
@click.option("--invitation", metavar="TOKEN", help="The one-time token, where the collector asks for one.")
@click.option("--segment", metavar="LABEL", help="The participant's label, where the task has a segment.")
@click.option("--flush", is_flag=True, help="Send the reports that wait, and perturb nothing.")
@json_option
def submit_command(
    pairs_file: Path | None,
    url: str,
    task_id: str | None,
    state: Path | None,
    cap: str | None,
    cap_per_period: tuple[str, int] | None,
    local_cap: str | None,
    invitation: str | None,
    segment: str | None,
    flush: bool,
    as_json: bool,
) -> None:
    """Perturb the pairs of PAIRS.json for a task and send the resulting report.

    PAIRS.json is an object from keys to numbers, or a list of texts: of keys without values, or for a
    discovery. It stays on this machine, and so does the label: what is stored and sent is perturbed. The
    collector is asked first: where it would take no report, nothing is perturbed or spent. Where the task
    needs a coin, the collector gives it for the invitation. The report of a mixed task is sealed, and its
    mixer is asked and sent to in place of the collector. Running this again never perturbs again, and sends
    the same bytes until the collector has them. A second task of the same name is refused: every answer to a
    survey spends ε. See pckv ledger.

    \b
    echo '{"alien": 5, "heat": 3}' > pairs.json
    pckv submit pairs.json --url https://collect.example.org --task ID
    pckv submit pairs.json --url https://collect.example.org --task ID \\
      --segment "under 30"
    pckv submit --flush --url https://collect.example.org
    """
    folder = state or default_state()
    given = (pairs_file, task_id, cap, cap_per_period, local_cap, invitation, segment)
    if flush:
        if given != (None,) * len(given):
            raise click.UsageError("--flush sends what waits: give it --url and --state only")
        _flush_waiting(_client(url, folder), as_json=as_json)
        return
    if pairs_file is None or task_id is None:
        raise click.UsageError("give PAIRS.json and --task, or --flush")
    client, task_id = _client(url, folder, cap, cap_per_period, local_cap), read_id(read_task, task_id)
    held = _read_pairs(pairs_file)
    receipt = client.submit(task_id, held, invitation=invitation, segment=segment)
    if as_json:
        print_json(_receipt_facts(receipt) | _spent_facts(client))
    elif receipt.status is Status.SENT:
        _print_sent(receipt, client, "pairs" if isinstance(held, dict) else "answers")
    if receipt.status is Status.WAITING:
        place = f" --state {state}" if state else ""
        raise ClientError(
            "not_sent",
            f"the report is stored and waits ({receipt.reason}): send it by pckv submit --flush --url {url}{place}",
        )


def _print_sent(receipt: Receipt, client: Client, held: str) -> None:
    """Say that a report was sent, and what all reports spent; `held` is what a report is made from."""
    done = "Sent." if receipt.perturbed else f"Already answered; these {held} were not used."
    click.echo(f"{receipt.task}  {done}")
    for sentence in client.ledger_summary():
        click.echo(sentence)


def _client(
    url: str,
    folder: Path,
    cap: str | None = None,
    cap_per_period: tuple[str, int] | None = None,
    local_cap: str | None = None,
) -> Client:
    """Return the client of a collector, after a warning if others can read what it sends."""
    client = Client(url, folder, cap=cap, cap_per_period=cap_per_period, local_cap=local_cap)
    warn_if_readable_on_the_way(client.url, "the report")
    return client


def _flush_waiting(client: Client, *, as_json: bool) -> None:
    """Send the reports that wait, and say what became of them."""
    receipts = client.flush()
    if as_json:
        print_json([_receipt_facts(receipt) for receipt in receipts])
    else:
        for receipt in receipts:
            click.echo(f"{receipt.task}  {receipt.status}{receipt.reason and ': '}{explain(receipt.reason)}")
    unsent = [receipt for receipt in receipts if receipt.status is not Status.SENT]
    if unsent:
        refused = sum(receipt.status is Status.REFUSED for receipt in unsent)
        code = "refused" if refused else "not_sent"
        raise ClientError(code, f"not everything was sent: {len(unsent) - refused} waiting, {refused} refused")
    if not receipts:
        click.echo(f"nothing waits for {client.url}", err=True)


def _spent_facts(client: Client) -> dict[str, object]:
    return {
        "spent": f"{client.spent:f}",
        "spent_delta": f"{client.spent_delta:f}",
        "local_spent": f"{client.local_spent:f}",
        "cap": f"{client.cap:f}",
        "local_cap": f"{client.local_cap:f}",
    }


def _receipt_facts(receipt: Receipt) -> dict[str, object]:
    return asdict(receipt) | {"epsilon": f"{receipt.epsilon:f}", "reason": receipt.reason or None}


def _read_pairs(path: Path) -> dict[str, float] | list[str]:
    """Read an object from keys to numbers, or a list of texts; the message names the file and the key."""
    pairs = _parsed(path)
    if isinstance(pairs, list) and all(isinstance(text, str) for text in pairs):
        return pairs
    if not isinstance(pairs, dict):
        raise DataError(f"{path}: not an object from keys to numbers, nor a list of texts")
    for key, value in pairs.items():
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise DataError(f"{path}: the value of key {key!r} is not a number")
    return pairs


def _parsed(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes().decode("utf-8-sig"), object_pairs_hook=refuse_repeated_members)
    except RepeatedMember as error:
        raise DataError(f"{path}: key {str(error)!r} appears twice") from None
    except json.JSONDecodeError as error:
        raise DataError(f"{path}: {error.msg} at line {error.lineno}, column {error.colno}") from None
    except UnicodeDecodeError:
        raise DataError(f"{path}: not UTF-8") from None
    except (RecursionError, ValueError):
        raise DataError(f"{path}: the JSON cannot be read") from None
