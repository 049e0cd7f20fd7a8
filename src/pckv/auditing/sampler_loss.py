"""The loss of a task's reports as they are made: the device's own code, run on intervals of its 64-bit draws.

At the task's own size every path is followed for many sets of pairs. The law that is found is compared with
the stated one, message by message, and the largest ratio between any two sets is the loss.

Sets that are larger than a report takes (`collision`): the choice among their pairs, which is too large to
visit.

Given choices are followed instead: the last pairs, and some between. Given the choice, a report must follow
the law of the chosen pairs, and every choice must be one of as many as are left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import product
from math import perm
from typing import NamedTuple

from pckv.auditing.exact import (
    Values,
    chosen_sets,
    held_levels,
    input_sets,
    key_number,
    scale,
    spread_values,
    unlisted_sets,
    visited_sizes,
)
from pckv.auditing.interval_tape import Leaf, PiecewiseLaw, explore, turning_points, worst_ratio_at
from pckv.auditing.positions import positions_loss
from pckv.auditing.traced import Held, Number, Seed
from pckv.auditing.variants import without_question
from pckv.base.errors import AuditFailure
from pckv.base.limits import MIN_LEVELS, REFUSE, SERVER_COIN
from pckv.base.progress import Progress, no_progress
from pckv.base.randomness import Tape
from pckv.contract.coins import CoinChoice
from pckv.contract.task import Task
from pckv.device.perturb import choose_other, make_message
from pckv.mechanisms import padding as device_padding
from pckv.mechanisms.base import HeldLevels, SamplingLaw
from pckv.mechanisms.collision.law import CollisionLaw
from pckv.mechanisms.padding import Pair
from pckv.mechanisms.size_question.device import answer
from pckv.mechanisms.size_question.law import SizeQuestion

# Makes a message of pairs from a tape.
Run = Callable[[Values, Tape], Number]

# The hash function that all reports are made with.
FUNCTION = 1


def check_choices(law: CollisionLaw, run: Run, sizes: Iterable[int]) -> int:
    """Check how reports of sets of these sizes, beyond the padding, are made; return the number of paths.

    Raises:
        AuditFailure: if a choice is not made place by place among the rest, or other pairs are reported than
            chosen.
    """
    most, paths = law.padding, 0
    if most > MAX_PADDING:
        return paths
    for size in sizes:
        if size > law.keys:
            continue
        limits = [size - place for place in range(most)]
        for choices in ([limit - 1 for limit in limits], [7 * limit // 13 for limit in limits]):
            paths += _check_choice(law, run, spread_values(law.keys, size, law.levels), choices, limits)
    return paths


def _check_choice(law: CollisionLaw, run: Run, values: Values, choices: Sequence[int], limits: list[int]) -> int:
    found: list[list[int]] = []

    def followed(tape: Tape) -> Number:
        message = run(values, tape)
        found.append(getattr(tape, "choice_limits", []))
        return message

    leaves = explore(followed, FUNCTION, law.bits, choices)
    if any(each != limits for each in found):
        raise AuditFailure(f"choice of pairs: {len(values)} pairs are not chosen one by one among the rest")
    left = list(values.items())
    for place, choice in enumerate(choices):
        left[place], left[place + choice] = left[place + choice], left[place]
    [(held, _)] = held_levels(dict(left[: law.padding]), law.levels)
    if not follows_stated_law(law, leaves, held, FUNCTION):
        raise AuditFailure(f"choice of pairs: of {len(values)} pairs others were reported than chosen")
    return len(leaves)


def follows_stated_law(law: CollisionLaw, leaves: Sequence[Leaf], held: HeldLevels, function: int) -> bool:
    """Return whether paths with one hash function have exactly the stated law for these levels of keys."""
    distribution = PiecewiseLaw(leaves)

    def stated(message: int) -> Fraction:
        of_function = law.functions if message // law.symbols == function else 0
        return of_function * law.chance(held, message)

    messages = turning_points([distribution], law.word_limit)
    return all(distribution.chance(message) == stated(message) for message in messages)


# At most this many sets of keys with levels are all visited: those of three keys with two or three levels.
MAX_ALL_SETS = 64
# With more keys than this `ue`, which draws once per key, is followed position by position.
FEW_POSITIONS = 3
# Sets of up to this many pairs are visited, and up to one more than the padding unless that is beyond all
# reason.
MAX_SIZE, MAX_PADDING = 101, 1_000
# The most ways to choose pairs of a set that are all visited.
MAX_CHOICES = 120
# With more keys than this `ue`, which draws once per key, is followed for a few sets only.
MANY_POSITIONS = 5_000
# `collision`: pairs that a function sends apart are looked for among this many keys per pair.
KEYS_PER_PAIR = 20
# Values between levels: three quarters of the way to the highest level, and a quarter of the way from the
# lowest.
BELOW_HIGHEST, ABOVE_LOWEST = 0.5, 0.5
# At most this many hash functions are all tried; of more, the first, the last and one between. A server that
# gives coins chooses among all functions, so that more are tried where there are coins.
FEW_SEEDS, FEW_COIN_FUNCTIONS = 3, 27

# The levels that pairs may be reported as, and the chance of that.
Reported = tuple[Mapping[int, int], Fraction]


@dataclass(frozen=True)
class DeviceCode:
    """The parts of a device that are audited, so that a planted fault can stand in for any of them."""

    # Takes a task, pairs and a tape; where there are coins, also the choice of one.
    message: Callable[..., Number] = make_message
    choose: Callable[[Task, list[Pair], Tape], list[Pair]] = choose_other
    answer: Callable[[SizeQuestion, int, Tape], Number] = answer
    placed: Callable[[float, Sequence[float]], tuple[int, int]] = device_padding.placed

    def pairs(self, values: Values, levels: int) -> list[Pair]:
        """Return pairs as the sampler takes them, each with one of that many levels."""
        return [(key, *self.placed(value, scale(levels))) for key, value in values.items()]


def _held(pairs: Sequence[Pair]) -> list[Pair]:
    """Return pairs such that a decision that depends on a key or a value fails."""
    return [(Held(key), Held(below), Held(threshold)) for key, below, threshold in pairs]


@dataclass(frozen=True)
class SamplerLoss:
    """What running the sampler found: e^ε of reports and of answers about sizes, and how much was visited."""

    reports: Fraction
    sizes: Fraction
    sets: int
    functions: int
    paths: int


class Given(NamedTuple):
    """What a law is conditional on: the hash function; with coins, also which question is answered."""

    function: int = 0
    asks_size: bool | None = None

    @property
    def choice(self) -> tuple[CoinChoice, ...]:
        """What device code is given besides its tape: the choice of a coin, where there are coins.

        A decision that depends on the function alone fails.
        """
        function: Number = Seed(self.function)
        return () if self.asks_size is None else (CoinChoice(self.asks_size, function),)


def sampler_loss(
    task: Task,
    code: DeviceCode | None = None,
    sets: Sequence[Values] | None = None,
    progress: Progress = no_progress,
) -> SamplerLoss:
    """Return the exact loss of a task's reports by running the device's code, or the code given.

    `sets` are those of pairs, with values on the scale of audits; by default sets of all kinds.

    Raises:
        AuditFailure: if a report does not follow the stated law exactly.
    """
    code = code or DeviceCode()
    all_kinds = sets is None
    sets = list(visited_sets(task)) if sets is None else sets
    sizes, size_paths = _sizes_loss(task, code)
    if task.law.word_limit is None and task.key_count > FEW_POSITIONS:
        # What is drawn before the positions is followed with few of them.
        sets = [values for values in sets if max(values, default=0) < task.key_count]
        reports, paths = positions_loss(
            task, sets, lambda values, tape: code.message(task, code.pairs(values, 2), tape), progress
        )
    else:
        reports, paths = _words_loss(task, code, sets, progress)
    if all_kinds and isinstance(task.law, CollisionLaw) and task.can_truncate:
        alone = without_question(task)
        given = Given(FUNCTION, None if task.coin != SERVER_COIN else False)
        paths += check_choices(
            task.law,
            lambda values, tape: code.message(alone, _held(code.pairs(values, task.level_count)), tape, *given.choice),
            (task.padding + 1, 2 * task.padding),
        )
    functions = 0 if task.law.functions is None else len(tried_functions(task))
    return SamplerLoss(reports, sizes, len(sets), functions, paths + size_paths)


def _words_loss(task: Task, code: DeviceCode, sets: Sequence[Values], progress: Progress) -> tuple[Fraction, int]:
    """Return the loss of reports of words, or of few bit planes, and the number of paths."""
    paths, worst = 0, Fraction(1)
    conditions = list(_conditions(task))
    for place, given in enumerate(conditions):
        distributions = []
        for number, values in enumerate(sets):
            leaves = message_leaves(task, values, given, code)
            distributions.append(PiecewiseLaw(leaves))
            paths += len(leaves)
            progress((place + number / len(sets)) / len(conditions))
        messages = _messages(task, distributions)
        for values, distribution in zip(sets, distributions, strict=True):
            _check_law(task, values, given, distribution, messages)
        worst = max(worst, worst_ratio_at(distributions, messages))
    return worst, paths


def _conditions(task: Task) -> Iterator[Given]:
    """Yield what laws are conditional on: a function, and with coins one of the two questions."""
    seeds = tried_functions(task)
    if task.coin != SERVER_COIN:
        yield from map(Given, seeds)
        return
    yield from (Given(seed, asks_size=False) for seed in seeds)
    if task.size_question is not None:
        yield Given(seeds[-1], asks_size=True)


def message_leaves(
    task: Task, values: Values, given: Given | None = None, code: DeviceCode | None = None
) -> list[Leaf]:
    """Return all paths of making a report of these values, under a condition where there is one."""
    given = given or Given()
    code = code or DeviceCode()
    placed = code.pairs(values, task.law.levels)
    read = [(key_number(task, key), below, threshold) for key, below, threshold in placed]
    functions = task.law.functions

    def run(tape: Tape) -> Number:
        pairs = code.choose(task, read, tape)
        # Bit planes are made key by key, so there every position is compared with the sampled key.
        message = code.message(task, pairs if task.word_limit is None else _held(pairs), tape, *given.choice)
        for limit in getattr(tape, "function_limits", ()):
            if given.choice:
                raise AuditFailure("interval tape: a function is drawn, though a coin chose one")
            if limit != functions:
                raise AuditFailure(f"interval tape: a function is drawn below {limit:,}, not {functions:,}")
        return message

    return explore(run, given.function, task.law.bits)


def visited_sets(task: Task) -> Iterator[dict[int, float]]:
    """Yield sets of all kinds that a report may be made from: no pairs, few, about the padding, and many."""
    keys, most, levels = task.key_count, task.padding, task.level_count
    if keys > MANY_POSITIONS and task.word_limit is None:
        yield from (spread_values(keys, size) for size in (0, 2, min(most + 1, MAX_SIZE)))
        return
    if (levels + 1) ** min(keys, MAX_ALL_SETS) <= MAX_ALL_SETS:
        for held in input_sets(keys, levels):
            if task.more != REFUSE or len(held) <= most:
                yield {key: scale(levels)[level] for key, level in held.items()}
        sizes: set[int] = set()
    else:
        about_padding = most + 1 if most <= MAX_PADDING else 0
        largest = min(keys, most if task.more == REFUSE else max(MAX_SIZE, about_padding))
        wanted = {0, 1, 2, 3, 5, 6, most - 1, most, most + 1, 2 * most, min(largest, MAX_SIZE)}
        sizes = {size for size in wanted if 0 <= size <= largest and _choices(task, size) <= MAX_CHOICES}
        for key, value in product((0, keys - 1), reversed(scale(levels))):
            yield {key: value}
        if isinstance(task.law, CollisionLaw) and most <= MAX_PADDING:
            yield _sent_apart(task.law, tried_functions(task)[-1])
    yield from (spread_values(keys, size, levels) for size in sorted(sizes))
    yield from unlisted_sets(task)
    yield {keys // 2: scale(levels)[-1] - BELOW_HIGHEST}
    if levels > MIN_LEVELS:
        yield {keys // 2: scale(levels)[0] + ABOVE_LOWEST}


def _sent_apart(law: CollisionLaw, function: int) -> dict[int, float]:
    """Return pairs that a function sends to distinct symbols, none that of the first key: the most is lost.

    There are as many as the padding, unless there are too few keys.
    """
    highest = law.levels - 1
    taken = {law.symbol(function, law.item(0, highest))}
    apart: dict[int, float] = {}
    for key in range(1, min(law.keys, KEYS_PER_PAIR * law.padding)):
        symbol = law.symbol(function, law.item(key, highest))
        if symbol not in taken and len(apart) < law.padding:
            apart[key] = scale(law.levels)[highest]
            taken.add(symbol)
    return apart


def _choices(task: Task, size: int) -> int:
    """Return in how many ways a report takes pairs of a set one after another."""
    sampled = isinstance(task.law, SamplingLaw) or size <= task.padding
    return 1 if sampled else perm(size, task.padding)


def tried_functions(task: Task) -> list[int]:
    """Return the hash functions that are tried: all of few, or the first, the last and one between."""
    functions = task.law.functions
    if functions is None:
        return [0]
    few = FEW_COIN_FUNCTIONS if task.coin == SERVER_COIN else FEW_SEEDS
    return list(range(functions)) if functions <= few else [0, functions * 618_034 // 10**6, functions - 1]


def _messages(task: Task, distributions: Sequence[PiecewiseLaw]) -> list[int]:
    """Return the messages at which laws are compared: all of few bit planes, words where laws change."""
    limit = task.word_limit
    return list(task.law.messages()) if limit is None else turning_points(distributions, limit)


def _check_law(task: Task, values: Values, given: Given, distribution: PiecewiseLaw, messages: list[int]) -> None:
    if distribution.mass != 1:
        raise AuditFailure(
            f"interval tape: the paths of {_shown(values)} have chance {float(distribution.mass)} together"
        )
    reported = [
        (held, chance * of_choice)
        for chosen, of_choice in chosen_sets(task, values)
        for held, chance in held_levels(chosen, task.law.levels)
    ]
    for message in messages:
        if distribution.chance(message) != _stated_chance(task, reported, message, given):
            raise AuditFailure(f"interval tape: message {message} of {_shown(values)} has another chance than stated")


def _stated_chance(task: Task, reported: Sequence[Reported], message: int, given: Given) -> Fraction:
    """Return the probability of a message as the law states it, under a condition."""
    functions, first, question = task.law.functions, task.law.word_limit, task.size_question
    asked = Fraction(0) if question is None else Fraction(question.asked, question.one)
    if given.asks_size is not None:
        asked = Fraction(given.asks_size)
    if question is not None and first is not None and message >= first:
        weights, total = question.distribution(len(reported[0][0]))
        return asked * Fraction(weights[message - first], total)
    share = 1 - asked
    if functions is not None and first is not None:
        share *= functions if message // (first // functions) == given.function else 0
    return share * sum(
        (chance * task.law.chance(held, message) for held, chance in reported if share),
        Fraction(0),
    )


def _sizes_loss(task: Task, code: DeviceCode) -> tuple[Fraction, int]:
    """Return the loss of answers about sizes, from none to all keys, and the paths that were followed."""
    question = task.size_question
    if question is None:
        return Fraction(1), 0
    distributions, paths = [], 0
    messages = range(len(question.ends))
    for size in visited_sizes(question):
        leaves = explore(partial(code.answer, question, size), bits=question.bits)
        paths += len(leaves)
        distributions.append(PiecewiseLaw(leaves))
        weights, total = question.distribution(size)
        if [distributions[-1].chance(number) for number in messages] != [Fraction(weights[n], total) for n in messages]:
            raise AuditFailure(f"interval tape: the answer of size {size} has another law than stated")
    return worst_ratio_at(distributions, messages), paths


def _shown(values: Values) -> str:
    return f"{len(values)} pairs from key {min(values)} on" if values else "no pairs"
