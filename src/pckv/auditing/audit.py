"""Audit the privacy guarantee of a task in exact arithmetic, by running the code that makes its reports."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

from pckv.auditing.discovery import discovery_loss
from pckv.auditing.sampler_loss import sampler_loss
from pckv.auditing.variants import LEVEL_VARIANTS, ONE_LEVEL_VARIANTS, VARIANTS, LevelVariant
from pckv.base.budget import epsilon_of, is_within
from pckv.base.limits import DEVICE_COIN, DISCOVERY, MIN_LEVELS, ONE_LEVEL
from pckv.base.progress import Progress, no_progress
from pckv.contract.reporting import MIN_PADDING_TOGETHER
from pckv.contract.task import Task
from pckv.mechanisms.derivation import Segment, mechanisms_of_items
from pckv.mechanisms.registry import LAWS

__all__ = ["Audit", "audit", "standard_audits"]

STANDARD_EPSILONS = ("0.1", "1", "4")
LEVEL_EPSILONS = ("1",)
STANDARD_SIZE_SHARE = "0.05"


@dataclass(frozen=True)
class ClaimAudit:
    """The central claim of a mixed task, computed once more.

    `honest` reports that are mixed have the `found` δ at the claimed ε, rounded up; `delta` is the one claimed.
    """

    honest: int
    epsilon: float
    delta: float
    found: float
    holds: bool


@dataclass(frozen=True)
class Audit:
    """The loss of the reports of one task, in exact arithmetic.

    `claimed` is what the theorem promises for the allocation, `closed_form` the worst case of the shipped
    integers, `enumerated` the exact loss found by running the device's code on all of its 64-bit draws, for
    `sets` sets of pairs (all sets of keys with levels, where there are few) over `paths` paths. All are
    rounded up. Where choices among pairs, unlisted keys or slots are too many to visit, their draws are given
    instead: `representatives` is how often, 0 if everything was visited.

    Where reports name a public function, they are of each of `functions` functions alone, whichever it is. If
    `coin` is `server`, they are also of each of the two questions alone: a server that gives coins knows
    both, and may choose them.

    Where a share of the reports, `size_share`, answers the size question, these are of the mixture of both
    questions, and `size_answers` is the exact loss of an answer alone; otherwise both are 0.

    `items` says what reports are about: `keys`, or what is derived from these before they are perturbed, `by group` or
    `together`.

    `claim` is about the central ε and δ of a mixed task; None for other tasks.
    """

    mechanism: str
    parameters: dict[str, str | int]
    keys: int
    items: str
    levels: int
    padding: int
    size_share: float
    coin: str
    asked: float
    claimed: float
    closed_form: float
    enumerated: float
    size_answers: float
    sets: int
    functions: int
    paths: int
    representatives: int
    holds: bool
    claim: ClaimAudit | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the audit as plain values."""
        return asdict(self)


def audit(task: Task, progress: Progress = no_progress) -> Audit:
    """Return the exact ε of a task's reports, with the claimed one; `holds` says whether it is kept.

    e^ε is computed from the task's decimal in another way than its thresholds were.

    Args:
        task: The task.
        progress: Is told which share of the work is done.

    Raises:
        AuditFailure: if the code that makes reports does not follow the stated law exactly.

    >>> from pckv import Task
    >>> task = Task(name="movies", keys=3, values=(1, 5), epsilon=1.0, padding=1, mechanism="grr")
    >>> result = audit(task)
    >>> result.holds, result.claimed, result.enumerated
    (True, 1.0, 1.0)
    """
    law, question = task.law, task.size_question
    # The contract's own ε: a law that was built with another one would be within that.
    epsilon = Fraction(task.reporting.epsilon)
    audited = discovery_loss if task.kind == DISCOVERY else sampler_loss
    loss = audited(task, progress=progress)
    claim = _claim_audit(task)
    return Audit(
        mechanism=law.name,
        parameters=law.parameters,
        keys=law.keys if task.derivation is None else task.key_count,
        items=_items_text(task),
        levels=law.levels,
        padding=task.padding,
        size_share=0.0 if question is None else float(question.share),
        coin=task.coin,
        asked=float(epsilon),
        claimed=epsilon_of(task.claim),
        closed_form=epsilon_of(task.realised),
        enumerated=epsilon_of(loss.reports),
        size_answers=epsilon_of(loss.sizes),
        sets=loss.sets,
        functions=loss.functions,
        paths=loss.paths,
        representatives=loss.representatives,
        holds=loss.reports <= task.realised <= task.claim
        and (question is None or loss.sizes <= question.realised)
        and is_within(task.claim, epsilon)
        and (claim is None or claim.holds),
        claim=claim,
    )


def _items_text(task: Task) -> str:
    return "by group" if task.segment is not None else "together" if task.together else "keys"


def _claim_audit(task: Task) -> ClaimAudit | None:
    mixer = task.mixer
    if mixer is None:
        return None
    found = mixer.central_delta(task.reporting)
    delta = Fraction(str(mixer.delta))
    return ClaimAudit(mixer.honest, float(mixer.epsilon), float(delta), found, Fraction(found) <= delta)


def standard_audits(max_keys: int = 3, max_padding: int = 2, progress: Progress = no_progress) -> list[Audit]:
    """Audit every mechanism in every variant, over small numbers of keys and paddings.

    Where a person may hold more pairs than the padding, a share of the reports answers the size question. Derived
    items are audited at one ε.
    """
    tasks = [
        _standard_task(name, variant, keys, padding, epsilon)
        for name in LAWS
        for variant, epsilons in _standard_variants(name)
        for keys in range(1, max_keys + 1)
        for padding in range(1, min(max_padding, keys) + 1)
        for epsilon in epsilons
    ]
    tasks += _derived_tasks(max_keys, max_padding)
    audits = []
    for task in tasks:
        audits.append(audit(task))
        progress(len(audits) / len(tasks))
    return audits


def _standard_variants(name: str) -> Iterator[tuple[LevelVariant, tuple[str, ...]]]:
    """Yield all variants with two levels at several ε, and one each without values and with more levels at one."""
    yield from ((LevelVariant(2, parameters), STANDARD_EPSILONS) for parameters in VARIANTS[name])
    yield from ((variant, LEVEL_EPSILONS) for variant in ONE_LEVEL_VARIANTS[name][:1])
    yield from ((variant, LEVEL_EPSILONS) for variant in LEVEL_VARIANTS[name][-1:])


def _standard_task(name: str, variant: LevelVariant, keys: int, padding: int, epsilon: str) -> Task:
    levels, parameters = variant
    law = LAWS[name].from_parameters(keys, padding, Fraction(epsilon), parameters, levels=levels)
    mechanism = {"name": name, **law.parameters}
    return audited_task(mechanism, keys, padding, epsilon, STANDARD_SIZE_SHARE, levels=levels)


def _derived_tasks(max_keys: int, max_padding: int) -> Iterator[Task]:
    """Yield tasks by group, without and with values, and such about keys together."""
    stated: dict[str, Any] = {"epsilon": LEVEL_EPSILONS[0]}
    groups = Segment("group", ["a", "b"])
    for keys in range(1, max_keys + 1):
        for padding in range(1, min(max_padding, keys) + 1):
            stated |= {"keys": keys, "padding": padding, "share": STANDARD_SIZE_SHARE}
            for levels in (ONE_LEVEL, MIN_LEVELS):
                for name in mechanisms_of_items(levels):
                    yield audited_task({"name": name}, **stated, levels=levels, segment=groups)
            if padding >= MIN_PADDING_TOGETHER:
                for name in mechanisms_of_items(ONE_LEVEL):
                    yield audited_task({"name": name}, **stated, levels=ONE_LEVEL, together=True)


def audited_task(  # noqa: PLR0917
    mechanism: Mapping[str, object],
    keys: int,
    padding: int,
    epsilon: str,
    share: str = "0.5",
    coin: str = DEVICE_COIN,
    levels: int = 2,
    **derived: Any,
) -> Task:
    """Return a task with values on the scale of audits, none for one level; a share answers its size question, if any.

    It has at most as many keys as its mechanism takes.
    """
    law_class = LAWS[str(mechanism["name"])]
    keys = min(keys, law_class.max_keys)
    has_words = law_class(2, 1, Fraction(1)).word_limit is not None
    return Task(
        name="audit",
        keys=keys,
        values=(1 - levels, levels - 1) if levels > ONE_LEVEL else None,
        levels=levels,
        epsilon=epsilon,
        padding=padding,
        mechanism=mechanism,
        size_share=share if has_words and padding < keys else 0,
        coin=coin,
        **derived,
    )
