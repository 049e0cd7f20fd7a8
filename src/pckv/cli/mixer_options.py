"""Options that name the mixer of a task and its central claim: what `task new` and `series new` share."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from pckv.base.errors import DataError, ParameterError
from pckv.cli.common import with_options
from pckv.contract.mixer import Mixer
from pckv.contract.task import Task
from pckv.sealing.public_key import read_public_key, write_public_key

# What the options are called, and what they are in the contract; the first one says that there is a mixer.
MIXER_OPTIONS = {
    "mixer": "url",
    "mixer_operator": "operator",
    "recipient_key": "key",
    "batch": "batch",
    "honest": "honest",
    "central": "epsilon",
    "delta": "delta",
}
mixer_options = with_options(
    click.option(
        "--mixer",
        metavar="URL",
        help="Let a second party mix the reports: devices seal them for you and send them to the mixer at this origin, "
        "such as https://mix.example, which cannot read them and hands them over together, in a random order, on the "
        "day on which the task closes.",
    ),
    click.option("--mixer-operator", metavar="NAME", help="With --mixer: who runs it, as participants read it."),
    click.option(
        "--recipient-key",
        metavar="KEY",
        help="With --mixer: the public key that reports are sealed for, made for this task alone; its text, or a file "
        "with it or with the private key.",
    ),
    click.option(
        "--batch", type=int, help="With --mixer: fewer reports than this never leave it, and are deleted unread."
    ),
    click.option(
        "--honest",
        type=int,
        help="With --mixer: how many of these reports the central claim counts on: made as the task says, one per "
        "person, by people who do not work with you. [default: three quarters of --batch]",
    ),
    click.option(
        "--central",
        metavar="EPSILON",
        help="With --mixer: the ε towards you, who see only the batch, if the mixer follows the protocol and that many "
        "reports are honest; --epsilon holds in any case. Refused if the reports do not have it.",
    ),
    click.option(
        "--delta",
        metavar="DELTA",
        help="With --mixer: the probability that the central claim may fail, such as 1e-7, at most 1e-5.",
    ),
)


def read_mixer_options(options: dict[str, Any]) -> Mixer | None:
    """Return the mixer that options name, which are taken out of all `options`; None where none is named."""
    given = {name: options.pop(name) for name in MIXER_OPTIONS}
    if given["mixer"] is None:
        for name, value in given.items():
            if value is not None:
                raise click.UsageError(f"{_flag(name)} is for --mixer")
        return None
    if given["honest"] is None and given["batch"] is not None:
        given["honest"] = max(1, given["batch"] * 3 // 4)
    missing = [_flag(name) for name, value in given.items() if value is None and name != "honest"]
    if missing:
        raise click.UsageError(f"--mixer needs {', '.join(missing)}, too")
    given["recipient_key"] = _read_key(given["recipient_key"])
    return Mixer(**{member: given[name] for name, member in MIXER_OPTIONS.items()})


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _read_key(named: str) -> str:
    """Return the text of a public key, which is given, or in a file, or belongs to the private key in one."""
    path = Path(named)
    try:
        if not path.is_file():
            return write_public_key(read_public_key(named))
        text = path.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        raise DataError("not a key", place=named) from None
    except ParameterError as error:
        raise ParameterError(f"--recipient-key {named}: neither a file nor a key: {error}") from None
    # Only the owner of a private key loads what computes with it.
    from pckv.sealing.recipient_key import RecipientKey, is_private_key  # noqa: PLC0415

    if is_private_key(text):
        return write_public_key(RecipientKey.read(path).public_key)
    try:
        return write_public_key(read_public_key(text))
    except ParameterError as error:
        raise DataError(str(error), place=named) from None


def claim_rows(task: Task) -> list[tuple[str, str]]:
    """Say whether the central claim of a task holds, computed once more; nothing where there is none."""
    if task.mixer is None:
        return []
    fault = _claim_fault(task)
    return [("central claim", f"DOES NOT HOLD: {fault}" if fault else "computed once more: it holds")]


def claim_member(task: Task) -> dict[str, bool]:
    """Return the same as a member of JSON."""
    return {} if task.mixer is None else {"claim_holds": not _claim_fault(task)}


def _claim_fault(task: Task) -> str:
    """Return what is wrong with the central claim of a task; empty if it holds."""
    try:
        task.check_claim()
    except ParameterError as error:
        return str(error)
    return ""
