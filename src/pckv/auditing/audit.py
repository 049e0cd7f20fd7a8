"""Audit the privacy guarantee of a task in exact arithmetic."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

from pckv.auditing.exact import MAX_CASES, cases, input_sets, visited_sizes, worst_ratio_of
from pckv.auditing.smaller_channels import smaller
from pckv.auditing.variants import VARIANTS
from pckv.budget import epsilon_of, exp_lower
from pckv.channels import CHANNELS, Channel, Law, build
from pckv.channels.size_question import SizeQuestion
from pckv.limits import check_epsilon
from pckv.progress import Progress, no_progress
from pckv.task import Task

__all__ = ["Audit", "audit", "audit_channel", "standard_audits"]

STANDARD_EPSILONS = ("0.1", "0.5", "1", "2", "4")
STANDARD_SIZE_SHARE = Fraction(1, 20)


@dataclass(frozen=True)
class AuditedReports:
    """Reports of pairs, and the size question that a share of them answers instead."""

    channel: Channel
    question: SizeQuestion | None

    @property
    def claim(self) -> Fraction:
        """e^ε as it is promised: which question a report answers is visible, so the larger one counts."""
        return max(part.claim for part in (self.channel, self.question) if part is not None)

    @property
    def realised(self) -> Fraction:
        """e^ε of the integers, in closed form."""
        return max(part.realised for part in (self.channel, self.question) if part is not None)

    @property
    def at_own_size(self) -> bool:
        """Whether the question is about sets of the channel's own keys, or about larger ones."""
        return self.question is None or self.question.keys == self.channel.keys

    @property
    def cases(self) -> int:
        """How many inputs times outputs enumeration visits."""
        answers = 0 if self.question is None else len(self.question.ends)
        sizes = 1 if self.question is None or self.at_own_size else len(visited_sizes(self.question))
        return sizes * cases(self.channel, answers)

    def smaller(self) -> AuditedReports | None:
        """Return the same question with a smaller channel, or None if this is a smallest one."""
        channel = smaller(self.channel)
        return None if channel is None else AuditedReports(channel, self.question)

    def laws(self) -> Iterator[Law]:
        """Yield the law of a report for every input.

        With a smaller channel an input is a set of its keys together with any size: more inputs than there are.
        """
        question, first = self.question, self.channel.word_limit
        for signs in input_sets(self.channel.keys):
            law = self.channel.law(signs)
            if question is None or first is None:
                yield law
                continue
            for size in [len(signs)] if self.at_own_size else visited_sizes(question):
                yield question.mix(law, size, first)


@dataclass(frozen=True)
class Audit:
    """The loss of the reports of one task, in exact arithmetic.

    `claimed` is what the theorem promises for the allocation, `closed_form` the worst case of the
    shipped integers at the task's own size, `enumerated` the exact loss found by visiting
    every input set and every output: at the same size where that is possible, otherwise at
    `enumerated_keys` keys with `enumerated_parameters`. All are rounded up.

    Where a share of the reports, `size_share`, answers the size question, these are of the mixture of both questions,
    and `size_answers` is the exact loss of an answer alone; otherwise both are 0.
    """

    mechanism: str
    parameters: dict[str, str | int]
    keys: int
    padding: int
    size_share: float
    asked: float
    claimed: float
    closed_form: float
    enumerated: float
    size_answers: float
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
    >>> task = Task(name="movies", keys=3, values=(1, 5), epsilon=1.0, padding=1, mechanism="grr")
    >>> result = audit(task)
    >>> result.holds, result.claimed, result.enumerated
    (True, 1.0, 1.0)
    """
    return audit_channel(task.channel, task.size_question)


def audit_channel(channel: Channel, question: SizeQuestion | None = None) -> Audit:
    """Audit a channel: exactly at its own size if that is small, else in closed form, and exactly at a smaller size.

    Args:
        channel: How pairs are reported.
        question: What a share of the reports answers instead; always audited with the task's own thresholds.
    """
    reports = AuditedReports(channel, question)
    small = reports
    while small.cases > MAX_CASES and (reduced := small.smaller()):
        small = reduced
    exact = worst_ratio_of(small.laws())
    of_sizes = Fraction(1) if question is None else worst_ratio_of(map(question.law, visited_sizes(question)))
    asked = exp_lower(channel.epsilon)
    return Audit(
        mechanism=channel.name,
        parameters=channel.parameters,
        keys=channel.keys,
        padding=channel.padding,
        size_share=0.0 if question is None else float(question.share),
        asked=float(channel.epsilon),
        claimed=epsilon_of(reports.claim),
        closed_form=epsilon_of(reports.realised),
        enumerated=epsilon_of(exact),
        size_answers=epsilon_of(of_sizes),
        enumerated_keys=small.channel.keys,
        enumerated_parameters=small.channel.parameters,
        cases=small.cases,
        holds=max(exact, of_sizes) <= small.realised <= small.claim <= asked
        and (question is None or of_sizes <= question.realised)
        and reports.realised <= reports.claim <= asked,
    )


def standard_audits(max_keys: int = 3, max_padding: int = 2, progress: Progress = no_progress) -> list[Audit]:
    """Audit every mechanism in every variant, over small numbers of keys and paddings.

    Where somebody may hold more pairs than the padding, a share of the reports answers the size question.
    """
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
        audits.append(audit_channel(channel, _standard_question(channel)))
        progress(len(audits) / len(channels))
    return audits


def _standard_question(channel: Channel) -> SizeQuestion | None:
    if channel.word_limit is None or channel.padding >= channel.keys:
        return None
    return SizeQuestion(channel.keys, channel.padding, channel.epsilon, STANDARD_SIZE_SHARE)
