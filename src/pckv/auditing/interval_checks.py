"""What the code on a device must do with its 64-bit draws, at any size: checks that raise `AuditFailure`.

The tasks reach every branch of every mechanism, and the parameters that are chosen by default, from the smallest ε to
the largest, with up to 2^31 keys and a padding of up to 100.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import product

from pckv.auditing.exact import spread_values
from pckv.auditing.sampler_loss import DeviceCode, message_leaves, sampler_loss
from pckv.auditing.variants import VARIANTS
from pckv.budget import epsilon_of, is_within
from pckv.channels import CHANNELS, Channel
from pckv.device.perturb import perturb_from
from pckv.errors import AuditFailure
from pckv.limits import REPORT_ID_BYTES
from pckv.randomness import DRAW_BYTES, Tape, fixed_source
from pckv.task import Task
from pckv.wire import BitPlanes, Report

# Keys and padding: few, where every branch is reached, and many.
SMALL_SIZES = ((1, 1), (2, 1), (4, 2), (7, 3))
LARGE_SIZES = ((100, 12), (5_000, 37), (2**31, 30))
# `ue` draws once per key, and stays smaller.
POSITION_SIZES = ((120, 100), (4_200, 12))
POSITION_EPSILONS = ("0.000001", "20")
# The ends of what a task may have, and a decimal with as many places as it may have.
EPSILONS = ("0.000001", "2.71828182845904523536028747135266249775", "20")
# A report comes from somebody with this many pairs, at most.
MAX_PAIRS = 6

# Makes a report from a tape, a task and somebody's pairs.
ReportMaker = Callable[[Tape, Task, Mapping[str, float]], Report]


def small_tasks(name: str) -> Iterator[Task]:
    """Yield tasks of a mechanism in every variant, with few keys."""
    for variant, (keys, padding), epsilon in product(VARIANTS[name], SMALL_SIZES, EPSILONS):
        channel = CHANNELS[name].from_parameters(keys, padding, Fraction(epsilon), variant)
        yield audited_task({"name": name, **channel.parameters}, keys, padding, epsilon)


def large_tasks(name: str) -> Iterator[Task]:
    """Yield tasks of a mechanism with many keys, with the parameters that are chosen by default."""
    (small, medium, large), (lowest, usual, highest) = LARGE_SIZES, EPSILONS
    settings = [*product([small], EPSILONS), (medium, usual), (large, lowest), (large, highest)]
    if isinstance(CHANNELS[name](2, 1, Fraction(1)).message_format, BitPlanes):
        settings = list(zip(POSITION_SIZES, POSITION_EPSILONS, strict=True))
    for (keys, padding), epsilon in settings:
        yield audited_task({"name": name}, keys, padding, epsilon)


def audited_task(
    mechanism: Mapping[str, object], keys: int, padding: int, epsilon: str, share: str = "0.5"
) -> Task:
    """Return a task with values from -1 to 1; a share of its reports answer the size question, where there is one.

    It has at most as many keys as its mechanism takes.
    """
    channel_class = CHANNELS[str(mechanism["name"])]
    keys = min(keys, channel_class.max_keys)
    has_words = channel_class(2, 1, Fraction(1)).word_limit is not None
    return Task(
        name="audit",
        keys=keys,
        values=(-1, 1),
        epsilon=epsilon,
        padding=padding,
        mechanism=mechanism,
        size_share=share if has_words and padding < keys else 0,
    )


def check_interval_loss(tasks: Iterable[Task], code: DeviceCode | None = None) -> None:
    """Run on intervals of draws, the code follows the stated law, and its loss is within the claim and within ε."""
    for task in tasks:
        loss = sampler_loss(task, code)
        if not max(loss.reports, loss.sizes) <= task.realised <= task.claim:
            raise AuditFailure(
                f"interval tape: ε = {epsilon_of(loss.reports)} found, {epsilon_of(task.realised)} in closed form, "
                f"{epsilon_of(task.claim)} claimed by {task!r}"
            )
        check_within_epsilon(task.channel)


def check_within_epsilon(channel: Channel) -> None:
    """The loss and the claim in closed form are within e^ε, computed in another way."""
    if not channel.realised <= channel.claim or not is_within(channel.claim, channel.epsilon):
        raise AuditFailure(
            f"within ε: {epsilon_of(channel.realised)} in closed form, {epsilon_of(channel.claim)} claimed, "
            f"{float(channel.epsilon)} asked by {channel.name!r}, {channel.keys} keys, padding {channel.padding}"
        )


def check_reports(tasks: Iterable[Task], make_report: ReportMaker = perturb_from) -> None:
    """At the corners of every path a real tape of bytes makes the same message, under an id of its own bytes."""
    for task in tasks:
        for size in range(min(task.key_count, MAX_PAIRS) + 1):
            values = spread_values(task.key_count, size)
            pairs = {task.key_name(key): value for key, value in values.items()}
            for leaf in message_leaves(task, values, seed=1):
                for draws, message in ((leaf.lowest, leaf.first), (leaf.highest, leaf.last)):
                    _check_report(make_report, task, pairs, draws, message)


def _check_report(
    make_report: ReportMaker, task: Task, pairs: Mapping[str, float], draws: tuple[int, ...], message: int
) -> None:
    report_id = bytes(range(1, REPORT_ID_BYTES + 1))
    data = report_id + b"".join(draw.to_bytes(DRAW_BYTES, "little") for draw in draws)
    report = make_report(Tape(len(draws), fixed_source(data)), task, pairs)
    if report.id != report_id:
        raise AuditFailure(f"report ids: that of {len(pairs)} pairs is not the tape's own bytes")
    if report.body != task.message_format.encode(message):
        raise AuditFailure(f"reports: {len(pairs)} pairs make another message from bytes than from intervals")
