"""`pckv audit`: the exact ε, to compare with the claimed one."""

from __future__ import annotations

from dataclasses import asdict
from decimal import ROUND_CEILING, Decimal
from pathlib import Path
from typing import Any

import click

from pckv.auditing.audit import Audit, ClaimAudit, audit, standard_audits
from pckv.base.errors import AuditFailure
from pckv.cli.common import (
    FilePath,
    json_option,
    print_json,
    print_paragraph,
    progress_bar,
    wide_option,
    with_options,
)
from pckv.cli.inputs import read_task
from pckv.cli.table import print_sections, print_table
from pckv.shuffling.privacy import shuffled_privacy

# ε is shown to this many decimal places, rounded up.
DECIMAL_PLACES = 12

# About shuffled reports.
_shuffle_options = with_options(
    click.option(
        "--shuffled",
        type=int,
        help="How many reports a second party shuffles before the recipient sees them: say how private they are then.",
    ),
    click.option(
        "--delta",
        type=float,
        help="With --shuffled: the probability that the central guarantee may fail, such as 1e-7.",
    ),
    click.option(
        "--colluding",
        type=int,
        help="With --shuffled: how many of these reports come from people who collude with those who see "
        "the result. [default: 0]",
    ),
)


def _read_shuffle(*, shuffled: int | None, delta: float | None, colluding: int | None) -> dict[str, Any]:
    """Return what was given of a shuffle; options that only make sense together are given together."""
    if shuffled is None and (delta is not None or colluding is not None):
        raise click.UsageError("--delta and --colluding are about shuffled reports: give --shuffled, too")
    if shuffled is not None and delta is None:
        raise click.UsageError("--shuffled needs --delta: the central guarantee holds but for that probability")
    return {"shuffled": shuffled, "delta": delta, "colluding": colluding or 0}


@click.command("audit")
@click.option(
    "--task", "task_file", type=FilePath, help="Audit this task; without it, every mechanism at a small size."
)
@_shuffle_options
@json_option
@wide_option
def audit_command(*, task_file: Path | None, as_json: bool, **options: Any) -> None:
    """Compute the exact privacy loss in fractions, by running the code that makes reports.

    The code runs on intervals of its random draws, so that all values of 64 bits are visited, for sets of
    pairs of all kinds. Only choices among pairs that are too many to visit are given: representatives of
    them. What the code does must be the stated law, exactly, and its loss within e^ε. A report is
    about pairs or, for a share of the devices, about how many there are: the loss is that of both together.
    With --shuffled, the central ε of a task's shuffled reports is bounded, too. The central claim of a mixed
    task is computed once more, at the honest reports that it counts on.

    Where reports name a public function, the loss is that of each function alone. Where the collector chooses
    it, by a coin, it is also that of either question alone: no report loses more, with any coins.

    The columns: what the proof claims, the worst case of the task's own integers by its formula, what was
    found by running the code, and the same for answers about sizes alone; then how many sets of pairs and
    public functions were tried, and how many paths through the code were followed.

    \b
    pckv audit --task task.json
    pckv audit --task task.json --shuffled 100000 --delta 1e-7
    """
    shuffle = _read_shuffle(**options)
    if shuffle["shuffled"] is not None and task_file is None:
        raise click.UsageError("--shuffled is about the reports of one task: give --task, too")
    central = None
    if task_file is None:
        with progress_bar("Auditing") as progress:
            audits = standard_audits(progress=progress)
    else:
        task = read_task(task_file)
        if shuffle["shuffled"] is not None:
            central = shuffled_privacy(task, shuffle["shuffled"], shuffle["delta"], shuffle["colluding"])
        with progress_bar("Auditing") as progress:
            audits = [audit(task, progress)]
    holds = all(result.holds for result in audits)
    if as_json:
        # A central ε is computed from the loss of a report: where that is wrong there is none.
        added = {} if central is None or not holds else {"shuffled": asdict(central)}
        print_json([result.to_dict() | added for result in audits])
    else:
        _print_audits(audits)
        print_paragraph(" ".join(_claim_sentence(result.claim) for result in audits if result.claim is not None))
    if any(result.claim is not None and not result.claim.holds for result in audits):
        raise AuditFailure("the central claim of the task does not hold")
    if not holds:
        raise AuditFailure("a mechanism loses more than it claims")
    if central is not None and not as_json:
        click.echo()
        print_sections(central.sections())


def _claim_sentence(claim: ClaimAudit) -> str:
    """Say what the central claim of a mixed task is, what was found, and on which condition it rests."""
    verdict = "The central claim holds" if claim.holds else "THE CENTRAL CLAIM DOES NOT HOLD"
    return (
        f"{verdict}: {claim.honest:,} honest reports have δ = {claim.found:.3g} at ε = {claim.epsilon:g}, of "
        f"{claim.delta:g} claimed, towards a recipient who sees only a batch of a mixer that follows the protocol. "
        "In all other cases the ε of a report holds."
    )


def _print_audits(audits: list[Audit]) -> None:
    print_table(
        "Exact ε, rounded up (enumerated: found by running the sampler)",
        (
            "mechanism",
            "verdict",
            "keys",
            "items",
            "levels",
            "padding",
            "size share",
            "coin",
            "asked",
            "claimed",
            "closed form",
            "enumerated",
            "of sizes",
            "sets",
            "functions",
            "paths",
        ),
        [
            (
                f"{a.mechanism} {_short_parameters(a.parameters)}",
                "holds" if a.holds else "BROKEN",
                f"{a.keys:,}",
                a.items,
                str(a.levels),
                str(a.padding),
                f"{a.size_share:g}",
                a.coin,
                f"{a.asked:g}",
                *(_shown(epsilon) for epsilon in (a.claimed, a.closed_form, a.enumerated)),
                _shown(a.size_answers) if a.size_share else "",
                f"{a.sets:,}",
                f"{a.functions:,}" if a.functions else "",
                f"{a.paths:,}",
            )
            for a in audits
        ],
        texts=2,
        # What was tried, and what the task states itself, before the ε that was claimed and the one that was found.
        less_important=(15, 14, 13, 12, 10, 8, 7, 6, 4, 3, 5, 2),
    )


def _shown(epsilon: float) -> str:
    return f"{Decimal(repr(epsilon)).quantize(Decimal(1).scaleb(-DECIMAL_PLACES), ROUND_CEILING):f}"


def _short_parameters(parameters: dict[str, str | int]) -> str:
    """Return parameters in short: a word speaks for itself, a number has its name before it."""
    return " ".join(value if isinstance(value, str) else f"{name} {value}" for name, value in parameters.items())
