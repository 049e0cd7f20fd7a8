"""What devices must do with keys that a task does not list: `check_*` functions that raise `AuditFailure` when they do not.

Where all such keys are one, a report's law is the mixture over them, each as likely, of the stated laws. Where keys are
hashed, the loss of texts is that of their numbers, whatever texts share one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from itertools import combinations, permutations, product
from typing import Any

from audit.interval_checks import check_interval_loss, check_reports
from audit.level_checks import BASE, OTHERS
from audit.smaller_laws import enumerable
from pckv.auditing.exact import held_levels, scale
from pckv.auditing.interval_tape import PiecewiseLaw, explore, turning_points, worst_ratio_at
from pckv.auditing.sampler_loss import DeviceCode
from pckv.auditing.variants import with_law
from pckv.base.budget import epsilon_of
from pckv.base.errors import AuditFailure
from pckv.base.limits import DEVICE_COIN, HASHED, HASHED_MECHANISM, REFUSE, SAMPLE, SERVER_COIN
from pckv.base.randomness import Tape
from pckv.base.wire import Report
from pckv.contract.task import Task
from pckv.device.perturb import choose_other, make_message, perturb_from, read_pairs
from pckv.mechanisms.collision.law import CollisionLaw
from pckv.mechanisms.padding import Pair
from pckv.mechanisms.size_question.law import SizeQuestion

# Listed keys, padding, levels, and what happens to larger sets: few, so that all sets are visited.
OTHER_SETTINGS = ((1, 1, 2, SAMPLE), (2, 1, 2, SAMPLE), (2, 2, 2, REFUSE), (3, 2, 3, SAMPLE))
# Texts of which numbers are checked: one letter, many bytes, two planes of Unicode, and texts that are nearly the same.
TEXTS = ("a", "alien", "Alien", "alien ", "日本", "😀" * 64, "x" * 256, "0", "other")
# Hashed keys over this many numbers, with as many texts of each.
TOY_KEYS, TOY_PADDING, TOY_FUNCTIONS, TEXTS_PER_NUMBER = 3, 2, 2, 2

# Takes a task, texts with values, and returns numbered pairs.
Read = Callable[[Task, Mapping[str, float]], list[Pair]]
ReportMaker = Callable[[Tape, Task, Mapping[str, float], bytes | None], Report]


def other_tasks(mechanism: str, coins: tuple[str, ...] = (DEVICE_COIN,)) -> Iterator[Task]:
    """Yield tasks with a key for all that are not listed, with and without the size question."""
    for (listed, padding, levels, more), coin in product(OTHER_SETTINGS, coins):
        if mechanism == "ue" and (levels > 2 or listed > 2):
            continue
        yield Task(
            name="audit",
            keys=listed,
            other="other",
            values=(1 - levels, levels - 1),
            levels=levels,
            epsilon="1",
            padding=padding,
            mechanism=mechanism,
            more=more,
            size_share=0 if mechanism == "ue" or more == REFUSE else "0.5",
            coin=coin,
        )


def check_others(mechanism: str, code: DeviceCode | None = None) -> None:
    """The law of reports is the stated mixture over keys that are not listed, at the shipped thresholds, and within ε."""
    check_interval_loss(other_tasks(mechanism), code)


def check_coins_of_others(mechanism: str, code: DeviceCode | None = None) -> None:
    """The same where the collector gives coins: which key is chosen is drawn by the device in any case."""
    check_interval_loss(list(other_tasks(mechanism, (SERVER_COIN,)))[1:2], code)


def check_reports_of_others(mechanism: str, make_report: ReportMaker = perturb_from) -> None:
    """Texts and a real tape of bytes make the same reports, at the corners of every path: each draw is where it must be."""
    check_reports(list(other_tasks(mechanism))[:2], make_report)


def check_key_numbers(number: Callable[[Task, str], int] = Task.key_index) -> None:
    """The number of a text is the stated hash of it and of all of the contract: another task has other numbers."""
    known: dict[tuple[int, ...], Task] = {}
    for task in _hashed_tasks():
        found = tuple(number(task, text) for text in TEXTS)
        if found != tuple(stated_number(task, text) for text in TEXTS):
            raise AuditFailure(f"key numbers: not the stated hashes under {task!r}")
        if found in known:
            raise AuditFailure(f"key numbers: those of {known[found]!r} are those of {task!r}, too")
        known[found] = task
        if len(set(found)) < len(TEXTS):
            raise AuditFailure(f"key numbers: different texts have the same one under {task!r}")


def _hashed_tasks() -> Iterator[Task]:
    """Yield tasks that differ in one member each."""
    hashed: dict[str, Any] = {"keys": HASHED, "mechanism": {"name": HASHED_MECHANISM, "symbols": 13}}
    yield Task(**(BASE | hashed))
    yield Task(**(BASE | hashed | {"mechanism": {"name": HASHED_MECHANISM, "symbols": 14}}))
    yield from (Task(**(BASE | hashed | changes)) for changes in OTHERS if not changes.keys() & hashed.keys())


def stated_number(task: Task, text: str) -> int:
    """Return the number of a text, computed in another way than a device does."""
    digest = hashlib.sha256(b"pckv key")
    digest.update(hashlib.sha256(task.to_json().encode("utf-8")).digest())
    digest.update(text.encode("utf-8"))
    return int(digest.hexdigest()[:16], 16) % ((2**30 - 2) // task.level_count)


def check_hashed_texts(read: Read = read_pairs) -> None:
    """Over few numbers: the law of texts is that of their numbers, the first text of each counts, and the loss is within ε."""
    task = _toy_task()
    texts = _texts_by_number(task)
    sets = list(_text_sets([text for found in texts.values() for text in found]))
    numbers = {text: number for number, found in texts.items() for text in found}
    worst = Fraction(1)
    for function in range(TOY_FUNCTIONS):
        distributions = [_law(task, read(task, held), function) for held in sets]
        messages = turning_points(distributions, task.word_limit or 0)
        for held, distribution in zip(sets, distributions, strict=True):
            first: dict[int, float] = {}
            for text, value in held.items():
                first.setdefault(numbers[text], value)
            stated = _stated(task, first, function)
            if any(distribution.chance(message) != stated(message) for message in messages):
                raise AuditFailure(f"hashed texts: {len(held)} texts of {len(first)} numbers have another law")
        worst = max(worst, worst_ratio_at([law.chance for law in distributions], messages))
    if worst > task.realised:
        raise AuditFailure(f"hashed texts: ε = {epsilon_of(worst)} found, {task.realised_epsilon} stated")


def _toy_task() -> Task:
    """Return a task whose hashes are among few numbers; its other parts are those of a task that may be."""
    task = Task(
        name="hashed",
        keys=HASHED,
        values=(-1, 1),
        epsilon="1",
        padding=TOY_PADDING,
        mechanism=HASHED_MECHANISM,
        size_share="0.5",
    )
    epsilon = Fraction(1)
    law = enumerable(CollisionLaw(TOY_KEYS, TOY_PADDING, epsilon))
    toy = with_law(task, law, SizeQuestion(TOY_KEYS, TOY_PADDING, epsilon, Fraction(1, 2)))
    vars(toy).update(key_count=TOY_KEYS)
    return toy


def _texts_by_number(task: Task) -> dict[int, list[str]]:
    """Return as many texts of every number as are tried."""
    texts: dict[int, list[str]] = {number: [] for number in range(task.key_count)}
    for count in range(1000):
        found = texts[task.key_index(f"text {count}")]
        if len(found) < TEXTS_PER_NUMBER:
            found.append(f"text {count}")
    return texts


def _text_sets(texts: list[str]) -> Iterator[dict[str, float]]:
    """Yield all sets of up to two texts, with both values and in both orders, and all of three texts."""
    for order in ((), *permutations(texts, 1), *permutations(texts, 2)):
        for values in product((-1.0, 1.0), repeat=len(order)):
            yield dict(zip(order, values, strict=True))
    for three in combinations(texts, 3):
        yield dict(zip(three, (1.0, -1.0, 1.0), strict=True))


def _law(task: Task, pairs: list[Pair], function: int) -> PiecewiseLaw:
    return PiecewiseLaw(explore(lambda tape: make_message(task, choose_other(task, pairs, tape), tape), function))


def _stated(task: Task, values: Mapping[int, float], function: int) -> Callable[[int], Fraction]:
    """Return the law of reports of numbered keys, as it is stated, given a function."""
    [(held, _)] = held_levels({key: value * scale(2)[1] for key, value in values.items()}, 2)
    question, first = task.size_question, task.law.word_limit
    assert question is not None and first is not None  # noqa: PT018
    asked = Fraction(question.asked, question.one)
    weights, total = question.distribution(len(held))
    functions = int(task.law.functions or 1)

    def chance(message: int) -> Fraction:
        if message >= first:
            return asked * Fraction(weights[message - first], total)
        of_function = functions if message // (first // functions) == function else 0
        return (1 - asked) * of_function * task.law.chance(held, message)

    return chance


UNLISTED_CHECKS: tuple[Callable[[str], None], ...] = (check_others, check_reports_of_others)
HASHED_CHECKS: tuple[Callable[[], None], ...] = (check_key_numbers, check_hashed_texts)
