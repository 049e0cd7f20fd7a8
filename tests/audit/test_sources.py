"""Where randomness comes from, for every entry point: the public names, the client's methods and all commands."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import click
import pytest

import pckv
import pckv.cli.perturb
import pckv.client
from audit.client_sources import (
    check_demo,
    check_mixer,
    check_rounds,
    check_shuffle_command,
    check_submit,
    check_submit_command,
    check_submit_sealed,
)
from audit.sources import (
    check_batches,
    check_every_draw,
    check_frames,
    check_perturb,
    check_perturb_command,
)
from pckv.base.errors import AuditFailure
from pckv.cli import main, program
from support.elsewhere import Replaced, digests, digests_elsewhere

# Entry points that draw something for people's data, and the check of each.
DRAWING: dict[str, Callable[[Path], object]] = {
    "perturb": check_perturb,
    "perturb_frame": check_frames,
    "Client.submit": check_submit,
    "Client.report": check_rounds,
    "pckv demo": check_demo,
    "pckv mix serve": check_mixer,
    "pckv perturb": check_perturb_command,
    "pckv shuffle": check_shuffle_command,
    "pckv submit": check_submit_command,
}
# All others, by what they do instead.
OTHERS = {
    "contracts, records and errors": (
        "Dataset, Discovery, Estimates, Mixer, PckvError, Plan, Report, Segment, Series, Tally, Task, Trend, "
        "CentralClaim, LedgerEntry, PeriodCap, Receipt, RetryPolicy, RoundReceipt, RoundStatus, Status"
    ),
    "read reports, counts or pairs, and make no report": (
        "discover, estimate, read_ratings, tally_frame, trend, "
        "pckv discover, pckv estimate, pckv mix open, pckv tally, pckv trend"
    ),
    "plan, and compute privacy": (
        "audit, plan, plan_discovery, shuffled_privacy, pckv audit, pckv card, pckv plan"
    ),
    "simulate with a seed, and show errors alone": "simulate, pckv reproduce, pckv sample, pckv simulate",
    "send or show what was made before": (
        "Client.cap, Client.cap_per_period, Client.flush, Client.ledger, Client.ledger_summary, Client.local_cap, "
        "Client.local_spent, Client.series, Client.spent, Client.spent_delta, Client.task, Client.url, pckv ledger"
    ),
    "maintain contracts, keys, tokens, collectors and mixers": (
        "pckv mix accept, pckv mix invitations, pckv mix key, pckv mix status, pckv mix withdraw, "
        "pckv invitations new, pckv serve, pckv series close, pckv series list, pckv series new, "
        "pckv series push, pckv series reopen, pckv series show, pckv series task, pckv store backup, pckv store check, "
        "pckv task close, pckv task delete, pckv task list, pckv task new, pckv task push, pckv task reopen, "
        "pckv task restore, pckv task show, "
        "pckv task status, pckv token list, pckv token new, pckv token revoke"
    ),
}  # fmt: skip


def entry_points() -> Iterator[str]:
    """Yield the public names, the methods of the client, and the commands."""
    yield from pckv.__all__
    for name in pckv.client.__all__:
        kind = getattr(pckv.client, name)
        yield from (f"{name}.{each}" for each in vars(kind) if not each.startswith("_")) if name == "Client" else [name]
    yield from _commands(main, "pckv")


def _commands(group: click.Group, name: str) -> Iterator[str]:
    context = click.Context(group)
    for each in group.list_commands(context):
        command = group.get_command(context, each)
        if isinstance(command, click.Group):
            yield from _commands(command, f"{name} {each}")
        else:
            yield f"{name} {each}"


def check_surface() -> None:
    """Check that every entry point is known: a new one needs a check, or a reason why it draws nothing."""
    others = [name for names in OTHERS.values() for name in names.split(", ")]
    assert sorted(entry_points()) == sorted([*others, *DRAWING])


def test_every_entry_point_is_known() -> None:
    check_surface()


@pytest.mark.parametrize(
    ("owner", "name", "value"),
    [
        (pckv, "__all__", [*pckv.__all__, "perturb_all"]),
        (pckv.client.Client, "resubmit", pckv.client.Client.submit),
        (program, "COMMANDS", program.COMMANDS | {"perturb-all": ""}),
    ],
)
def test_an_unknown_entry_point_is_caught(owner: Any, name: str, value: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(owner, name, value, raising=False)
    monkeypatch.setitem(program.MODULES, "perturb-all", "perturb")
    monkeypatch.setattr(pckv.cli.perturb, "perturb-all_command", pckv.cli.perturb.perturb_command, raising=False)
    with pytest.raises(AssertionError):
        check_surface()


def test_entry_points_for_many_people(tmp_path: Path) -> None:
    """Every byte of their draws is the system's, and is used once."""
    for check in (check_batches, check_frames, check_perturb_command, check_shuffle_command, check_mixer):
        check(tmp_path)


def test_entry_points_for_one_person(tmp_path: Path) -> None:
    for check in (check_perturb, check_submit, check_submit_sealed, check_submit_command, check_rounds, check_demo):
        check(tmp_path)


def test_every_draw_matters(tmp_path: Path) -> None:
    check_every_draw(tmp_path)


def check_elsewhere(folder: Path, checks: Sequence[Callable[[Path], object]], fault: Replaced | None = None) -> None:
    """Check that equal bytes give equal results in any process, at any time, whatever hashes of texts are."""
    names = [check.__name__ for check in checks]
    here, there = digests(folder, names), digests_elsewhere(folder, names, fault)
    if here != there:
        raise AuditFailure(
            f"sources: {[name for name in names if here[name] != there[name]]} depend on the process or time"
        )


def test_nothing_else_is_read(tmp_path: Path) -> None:
    check_elsewhere(tmp_path, (check_perturb, check_batches))


@pytest.mark.verify
def test_no_entry_point_reads_anything_else(tmp_path: Path) -> None:
    check_elsewhere(tmp_path, [*DRAWING.values()])
