"""Audit the privacy guarantee of a mechanism in exact arithmetic."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

from pckv.auditing.exact import MAX_CASES, cases, worst_ratio
from pckv.auditing.smaller_channels import smaller
from pckv.auditing.variants import VARIANTS
from pckv.budget import epsilon_of, exp_lower
from pckv.channels import CHANNELS, Channel, build
from pckv.limits import check_epsilon
from pckv.progress import Progress, no_progress
from pckv.task import Task

__all__ = ["Audit", "audit", "audit_channel", "standard_audits"]

STANDARD_EPSILONS = ("0.1", "0.5", "1", "2", "4")


@dataclass(frozen=True)
class Audit:
    """The loss of one mechanism, in exact arithmetic.

    `claimed` is what the theorem promises for the allocation, `closed_form` the worst case of the
    shipped integers at the mechanism's own size, `enumerated` the exact loss found by visiting
    every input set and every output: at the same size where that is possible, otherwise at
    `enumerated_keys` keys with `enumerated_parameters`. All are rounded up.
    """

    mechanism: str
    parameters: dict[str, str | int]
    keys: int
    padding: int
    asked: float
    claimed: float
    closed_form: float
    enumerated: float
    enumerated_keys: int
    enumerated_parameters: dict[str, str | int]
    cases: int
    holds: bool

    def to_dict(self) -> dict[str, Any]:
        """Return the audit as plain values."""
        return asdict(self)


def audit(task: Task) -> Audit:
    """Return the exact ε of a task's integers, with the claimed one; `holds` says whether it is kept.

    >>> from pckv import Task
    >>> result = audit(Task(name="movies", keys=3, values=(1, 5), epsilon=1.0, mechanism="ue"))
    >>> result.holds, result.claimed, result.enumerated
    (True, 1.0, 1.0)
    """
    return audit_channel(task.channel)


def audit_channel(channel: Channel) -> Audit:
    """Audit a channel: exactly at its own size if that is small, else in closed form, and exactly at a smaller size."""
    small = channel
    while cases(small) > MAX_CASES and (reduced := smaller(small)):
        small = reduced
    exact = worst_ratio(small.law, small.keys)
    asked = exp_lower(channel.epsilon)
    return Audit(
        mechanism=channel.name,
        parameters=channel.parameters,
        keys=channel.keys,
        padding=channel.padding,
        asked=float(channel.epsilon),
        claimed=epsilon_of(channel.claim),
        closed_form=epsilon_of(channel.realised),
        enumerated=epsilon_of(exact),
        enumerated_keys=small.keys,
        enumerated_parameters=small.parameters,
        cases=cases(small),
        holds=exact <= small.realised <= small.claim <= asked and channel.realised <= channel.claim <= asked,
    )


def standard_audits(max_keys: int = 3, max_padding: int = 2, progress: Progress = no_progress) -> list[Audit]:
    """Audit every mechanism in every variant, over small numbers of keys and paddings."""
    channels = [
        build(name, keys, padding, Fraction(check_epsilon(epsilon)), variant)
        for name in CHANNELS
        for variant in VARIANTS[name]
        for keys in range(1, max_keys + 1)
        for padding in range(1, max_padding + 1)
        for epsilon in STANDARD_EPSILONS
    ]
    audits = []
    for channel in channels:
        audits.append(audit_channel(channel))
        progress(len(audits) / len(channels))
    return audits
