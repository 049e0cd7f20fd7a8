"""What the code on a device must do with its 64-bit draws, at any size: checks that raise `AuditFailure`.

The tasks reach every branch of every mechanism, and the parameters that are chosen by default, from the
smallest ε to the largest, with up to 2^31 keys and a padding of up to 100.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import product

from pckv.auditing.audit import audited_task
from pckv.auditing.exact import Values, spread_values, unlisted_sets
from pckv.auditing.sampler_loss import DeviceCode, Given, message_leaves, sampler_loss
from pckv.auditing.variants import LEVEL_VARIANTS, VARIANTS
from pckv.base.budget import epsilon_of, is_within
from pckv.base.errors import AuditFailure
from pckv.base.limits import MAX_ITEMS, MAX_LEVELS, REFUSE, REPORT_ID_BYTES, SERVER_COIN
from pckv.base.randomness import DRAW_BYTES, Tape, fixed_source
from pckv.base.wire import BitPlanes, Report
from pckv.contract.coins import coin_choice
from pckv.contract.task import Task
from pckv.device.perturb import perturb_from
from pckv.mechanisms.base import Law
from pckv.mechanisms.registry import LAWS

# Keys and padding: few, where every branch is reached, and many.
SMALL_SIZES = ((1, 1), (2, 1), (4, 2), (7, 3))
LARGE_SIZES = ((100, 12), (5_000, 37), (2**31, 30))
# With more levels than two: many keys, and as many as there may be.
LARGE_LEVELS, LARGE_LEVEL_PADDING = 5, 2
MAX_KEYS_WITH_LEVELS = {"grr": 2**31, "ue-compact": 2**31, "collision": MAX_ITEMS // LARGE_LEVELS}
# `ue` draws once per key, and stays smaller.
POSITION_SIZES = ((120, 100), (4_200, 12))
POSITION_EPSILONS = ("0.000001", "20")
# The ends of what a task may have, and a decimal with as many places as it may have.
EPSILONS = ("0.000001", "2.71828182845904523536028747135266249775", "20")
# A report comes from a person with this many pairs, at most.
MAX_PAIRS = 6
# Where there are coins, reports are made with this many of these that ask for sizes, and with as many that do
# not.
COINS = tuple(bytes([number]) * REPORT_ID_BYTES for number in range(256))
COINS_PER_QUESTION = 2

# Texts of hashed keys: as many as the largest sets of hashed keys need.
TEXTS = 400

# The first bytes of every tape.
TAPE_ID = bytes(range(1, REPORT_ID_BYTES + 1))

# Makes a report from a tape, a task, a person's pairs, and a coin where there are coins.
ReportMaker = Callable[[Tape, Task, Mapping[str, float], bytes | None], Report]


@lru_cache(maxsize=16)
def known_texts(task: Task) -> dict[int, str]:
    """Return texts by their numbers, where keys are hashed."""
    return {task.key_index(text): text for text in (f"text {number}" for number in range(TEXTS))}


def key_text(task: Task, key: int) -> str:
    """Return what a person calls the key of a set."""
    if task.is_hashed:
        return known_texts(task)[key]
    return task.key_name(key) if key < task.key_count else f"not listed, {key}"


def small_tasks(name: str) -> Iterator[Task]:
    """Yield tasks of a mechanism in every variant, with few keys."""
    for variant, (keys, padding), epsilon in product(VARIANTS[name], SMALL_SIZES, EPSILONS):
        law = LAWS[name].from_parameters(keys, padding, Fraction(epsilon), variant)
        yield audited_task({"name": name, **law.parameters}, keys, padding, epsilon)


def large_tasks(name: str) -> Iterator[Task]:
    """Yield tasks of a mechanism with many keys, with the parameters that are chosen by default."""
    (small, _, large), (lowest, _, highest) = LARGE_SIZES, EPSILONS
    settings = [*product([small], EPSILONS), (large, lowest), (large, highest)]
    if isinstance(LAWS[name](2, 1, Fraction(1)).message_format, BitPlanes):
        settings = list(zip(POSITION_SIZES, POSITION_EPSILONS, strict=True))
    for (keys, padding), epsilon in settings:
        yield audited_task({"name": name}, keys, padding, epsilon)


def level_tasks(name: str) -> Iterator[Task]:
    """Yield tasks of a mechanism with sixteen levels of one key and five of many; `grids` has all with few keys."""
    if LEVEL_VARIANTS[name]:
        yield audited_task({"name": name}, 1, 1, EPSILONS[1], levels=MAX_LEVELS)
        # As many keys as there may be with as many levels.
        for keys, epsilon in ((100, EPSILONS[1]), (MAX_KEYS_WITH_LEVELS[name], EPSILONS[2])):
            yield audited_task({"name": name}, keys, LARGE_LEVEL_PADDING, epsilon, levels=LARGE_LEVELS)


def coin_tasks(name: str) -> Iterator[Task]:
    """Yield tasks of a mechanism with public functions and a server's coins, with few keys and with many."""
    parameters: dict[str, object] = {"symbols": 5, "positions": 4099} if name == "collision" else {"q": 3}
    for (keys, padding), epsilon in zip(SMALL_SIZES[1:], EPSILONS, strict=True):
        yield audited_task({"name": name, **parameters}, keys, padding, epsilon, coin=SERVER_COIN)
    yield audited_task({"name": name}, *LARGE_SIZES[0], EPSILONS[1], coin=SERVER_COIN)


def check_interval_loss(tasks: Iterable[Task], code: DeviceCode | None = None) -> None:
    """On intervals of draws, the code follows the stated law; its loss is within the claim and within ε."""
    for task in tasks:
        loss = sampler_loss(task, code)
        if not max(loss.reports, loss.sizes) <= task.realised <= task.claim:
            raise AuditFailure(
                f"interval tape: ε = {epsilon_of(loss.reports)} found, {epsilon_of(task.realised)} in closed form, "
                f"{epsilon_of(task.claim)} claimed by {task!r}"
            )
        check_within_epsilon(task.law)


def check_within_epsilon(law: Law) -> None:
    """The loss and the claim in closed form are within e^ε, computed in another way."""
    if not law.realised <= law.claim or not is_within(law.claim, law.epsilon):
        raise AuditFailure(
            f"within ε: {epsilon_of(law.realised)} in closed form, {epsilon_of(law.claim)} claimed, "
            f"{float(law.epsilon)} asked by {law.name!r}, {law.keys} keys, padding {law.padding}"
        )


def check_reports(tasks: Iterable[Task], make_report: ReportMaker = perturb_from) -> None:
    """At the corners of every path a real tape of bytes makes the same message, under an id of its own bytes.

    Where there are coins, the id is the coin, and nothing else of the report comes from it but function and
    question.
    """
    for task in tasks:
        for coin, values in product(_visited_coins(task), _reported_sets(task)):
            _check_reports_of(task, values, coin, make_report)


def _reported_sets(task: Task) -> list[dict[int, float]]:
    """Return sets of no pair and of several, and of several keys that the task does not list."""
    keys = list(known_texts(task)) if task.is_hashed else range(task.key_count)
    sizes = range(min(task.key_count, MAX_PAIRS) + 1)
    if task.more == REFUSE:
        sizes = range(task.padding + 1)
    spread = (spread_values(len(keys), size, task.level_count) for size in sizes)
    return [
        *({keys[key]: value for key, value in values.items()} for values in spread),
        *unlisted_sets(task),
    ]


def _visited_coins(task: Task) -> Sequence[bytes | None]:
    """Return coins of either question, as far as there are any; None where there are no coins."""
    if task.coin != SERVER_COIN:
        return (None,)
    asking = [coin for coin in COINS if coin_choice(task, coin).asks_size]
    others = [coin for coin in COINS if not coin_choice(task, coin).asks_size]
    return [*others[:COINS_PER_QUESTION], *asking[:COINS_PER_QUESTION]]


def _check_reports_of(task: Task, values: Values, coin: bytes | None, make_report: ReportMaker) -> None:
    pairs = {key_text(task, key): value for key, value in values.items()}
    given = Given(1)
    if coin is not None:
        asks_size, function = coin_choice(task, coin)
        given = Given(function, asks_size)
    for leaf in message_leaves(task, values, given):
        for draws, message in ((leaf.lowest, leaf.first), (leaf.highest, leaf.last)):
            data = TAPE_ID + b"".join(draw.to_bytes(DRAW_BYTES, "little") for draw in draws)
            report = make_report(Tape(len(draws), fixed_source(data)), task, pairs, coin)
            if report.id != (coin or TAPE_ID):
                owner = "tape's own bytes" if coin is None else "coin"
                raise AuditFailure(f"report ids: that of {len(pairs)} pairs is not the {owner}")
            if report.body != task.message_format.encode(message):
                raise AuditFailure(f"reports: {len(pairs)} pairs make another message from bytes than from intervals")
