"""The loss of a task's reports as they are made: the device's own code, run on intervals of its 64-bit draws.

At the task's own size every path is followed for many sets of pairs. The law that is found is compared with
the stated one, message by message, and the largest ratio between any two sets is the loss.

Where the choices among pairs, unlisted keys or dummies are too many to visit, representatives of them are followed
(`choices.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import product
from typing import NamedTuple

from pckv.auditing.choices import FixedChoice, FollowedChoice, followed_choices
from pckv.auditing.derived import label_of, stated_items, with_labels, with_traced_items
from pckv.auditing.exact import (
    Values,
    input_sets,
    key_number,
    scale,
    spread_values,
    unlisted_sets,
    visited_sizes,
)
from pckv.auditing.interval_tape import Leaf, PiecewiseLaw, explore, turning_points, worst_ratio_at
from pckv.auditing.positions import MAX_POSITIONS, positions_loss
from pckv.auditing.traced import Held, Number, Seed, current
from pckv.auditing.variants import with_remembered_symbols
from pckv.base.errors import AuditFailure
from pckv.base.limits import MIN_LEVELS, REFUSE, SERVER_COIN
from pckv.base.progress import Progress, no_progress
from pckv.base.randomness import Tape
from pckv.contract.coins import CoinChoice
from pckv.contract.task import Task
from pckv.device.perturb import choose_other, make_message
from pckv.mechanisms import padding as device_padding
from pckv.mechanisms.collision.law import CollisionLaw
from pckv.mechanisms.padding import Pair
from pckv.mechanisms.size_question.device import answer
from pckv.mechanisms.size_question.law import SizeQuestion

# At most this many sets of keys with levels are all visited: those of three keys with two or three levels.
MAX_ALL_SETS = 64
# With more keys than this `ue`, which draws once per key, is followed position by position.
FEW_POSITIONS = 3
# Sets of up to this many pairs are visited. Where a slot is sampled, sets up to one more pair than the padding are,
# too, unless that is beyond all reason.
MAX_SIZE, MAX_PADDING = 101, 1_000
# `collision` has paths through all pairs, as many as there are pairs. Sets of more than this many pairs are followed
# with the last function only. Sets about the padding are visited up to this padding, and one of as many pairs as the
# padding, which the function sends apart, up to that one.
MANY_PAIRS, MAX_TAKEN, MAX_SENT_APART = 25, 101, 300
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


@dataclass(frozen=True)
class DeviceCode:
    """The parts of a device that are audited, so that a planted fault can stand in for any of them."""

    # Takes a task, pairs and a tape; where there are coins, also the choice of one, and with a segment a label.
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
    """What running the sampler found: e^ε of reports and of answers about sizes, and how much was visited.

    `representatives` counts the choices that were given where all would be too many to visit.
    """

    reports: Fraction
    sizes: Fraction
    sets: int
    functions: int
    paths: int
    representatives: int


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
    sets = list(visited_sets(task)) if sets is None else sets
    sizes, size_paths = _sizes_loss(task, code)
    if task.law.word_limit is None and task.key_count > FEW_POSITIONS:
        # What is drawn before the positions is followed with few of them.
        sets = [values for values in sets if max(values, default=0) < task.key_count]
        reports, paths, representatives = positions_loss(
            task, sets, lambda values, tape: code.message(task, code.pairs(values, task.law.levels), tape), progress
        )
    else:
        reports, paths, representatives = _words_loss(task, code, sets, progress)
    functions = 0 if task.law.functions is None else len(tried_functions(task))
    return SamplerLoss(reports, sizes, len(sets), functions, paths + size_paths, representatives)


def _words_loss(task: Task, code: DeviceCode, sets: Sequence[Values], progress: Progress) -> tuple[Fraction, int, int]:
    """Return the loss of reports of words, or of few bit planes, and the numbers of paths and of given choices."""
    paths, representatives, worst = 0, 0, Fraction(1)
    task = with_remembered_symbols(task)
    conditions = list(_conditions(task))
    for place, given in enumerate(conditions):
        found: list[tuple[Values, FollowedChoice, PiecewiseLaw]] = []
        for number, values in enumerate(_followed_sets(task, sets, given)):
            for followed in followed_choices(task, values):
                leaves = message_leaves(task, values, given, code, followed.fixed)
                found.append((values, followed, PiecewiseLaw(leaves)))
                paths += len(leaves)
                representatives += bool(followed.fixed)
            progress((place + number / len(sets)) / len(conditions))
        messages = _messages(task, [distribution for _, _, distribution in found])
        for values, followed, distribution in found:
            _check_law(task, values, followed, given, distribution, messages)
        worst = max(worst, worst_ratio_at(_compared(task, found, given), messages))
    return worst, paths, representatives


def _followed_sets(task: Task, sets: Sequence[Values], given: Given) -> Sequence[Values]:
    """Return the sets that are followed under a condition: those of many pairs only with the last function."""
    if not isinstance(task.law, CollisionLaw) or given.function == tried_functions(task)[-1]:
        return sets
    return [values for values in sets if len(values) <= MANY_PAIRS]


def _compared(
    task: Task, found: Sequence[tuple[Values, FollowedChoice, PiecewiseLaw]], given: Given
) -> list[Callable[[int], Fraction]]:
    """Return the laws whose ratios are the loss.

    Given the pairs that are taken, a report is one of a smaller set. Given a slot, it loses more than with
    all of them: what was found slot by slot is put together by the law, which what was found follows.
    """
    laws: list[Callable[[int], Fraction]] = [law.chance for _, followed, law in found if not followed.is_sampled]
    slot_by_slot = {
        (id(values), *(followed.items or ())): (followed, values)
        for values, followed, _ in found
        if followed.is_sampled
    }
    together = (followed.all_slots(task, values) for followed, values in slot_by_slot.values())
    return [*laws, *(partial(_stated_chance, task, each, given) for each in together)]


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
    task: Task,
    values: Values,
    given: Given | None = None,
    code: DeviceCode | None = None,
    choices: Sequence[FixedChoice] = (),
) -> list[Leaf]:
    """Return all paths of making a report of these values, under a condition or with given choices if there are any."""
    given = given or Given()
    code = code or DeviceCode()
    placed = code.pairs(values, task.law.levels)
    read = [(key_number(task, key), below, threshold) for key, below, threshold in placed]
    functions, pairs_limit = task.law.functions, task.law.word_limit
    label = {} if task.segment is None else {"label": Held(label_of(values))}
    task = with_traced_items(task)

    def run(tape: Tape) -> Number:
        pairs = code.choose(task, read, tape)
        # Bit planes are made key by key, so there every position is compared with the sampled key.
        message = code.message(task, pairs if task.word_limit is None else _held(pairs), tape, *given.choice, **label)
        for limit in getattr(tape, "function_limits", ()):
            if given.choice:
                raise AuditFailure("interval tape: a function is drawn, though a coin chose one")
            if limit != functions:
                raise AuditFailure(f"interval tape: a function is drawn below {limit:,}, not {functions:,}")
        if choices and pairs_limit is not None and current(message) < pairs_limit:
            check_choices_made(tape, choices, len(values))
        return message

    return explore(run, given.function, task.law.bits, choices)


def check_choices_made(tape: Tape, choices: Sequence[FixedChoice], held: int) -> None:
    """Refuse a report that was made without choosing among as many as stated, one after another."""
    if getattr(tape, "choices_made", 0) != len(choices):
        limits = ", ".join(f"{limit:,}" for limit, _ in choices[:3])
        raise AuditFailure(f"choice of pairs: what is reported of {held:,} pairs is not one of {limits}, … as stated")


def visited_sets(task: Task) -> Iterator[dict[int, float]]:
    """Yield sets of all kinds that a report may be made from: no pairs, few, about the padding, and many."""
    return with_labels(task, _visited_sets(task), with_all_labels=_visits_all(task))


def _visits_all(task: Task) -> bool:
    """Return whether all sets of keys with levels are visited."""
    return bool((task.level_count + 1) ** min(task.key_count, MAX_ALL_SETS) <= MAX_ALL_SETS)


def _visited_sets(task: Task) -> Iterator[dict[int, float]]:
    keys, most, levels = task.key_count, task.padding, task.level_count
    is_collision = isinstance(task.law, CollisionLaw)
    sizes: tuple[int, ...]
    if keys > MANY_POSITIONS and task.word_limit is None:
        sizes = (0, 2, min(most + 1, MAX_SIZE)) if keys <= MAX_POSITIONS else (0, 2)
        yield from (spread_values(keys, size, levels) for size in sizes)
        return
    if _visits_all(task):
        for held in input_sets(keys, levels):
            if task.more != REFUSE or len(held) <= most:
                yield {key: scale(levels)[level] for key, level in held.items()}
        sizes = ()
    else:
        about_padding = most + 1 if most <= (MAX_TAKEN if is_collision else MAX_PADDING) else 0
        largest = min(keys, max(MAX_SIZE, about_padding), most if task.more == REFUSE else keys)
        wanted = {0, 1, 2, 3, 5, 6, most - 1, most, most + 1, 2 * most, min(largest, MAX_SIZE)}
        sizes = tuple(sorted(size for size in wanted if 0 <= size <= largest))
        for key, value in product((0, keys - 1), reversed(scale(levels))):
            yield {key: value}
        if isinstance(task.law, CollisionLaw) and most <= MAX_SENT_APART:
            yield _sent_apart(task, task.law, tried_functions(task)[-1])
    yield from (spread_values(keys, size, levels) for size in sizes)
    yield from unlisted_sets(task)
    if levels >= MIN_LEVELS:
        yield {keys // 2: scale(levels)[-1] - BELOW_HIGHEST}
    if levels > MIN_LEVELS:
        yield {keys // 2: scale(levels)[0] + ABOVE_LOWEST}


def _sent_apart(task: Task, law: CollisionLaw, function: int) -> dict[int, float]:
    """Return pairs whose items a function sends to distinct symbols, none that of the first key: the most is lost.

    There are as many as the padding, unless there are too few keys.
    """
    highest = law.levels - 1

    def symbols(keys: Sequence[int]) -> list[Number]:
        items = stated_items(task, dict.fromkeys(keys, highest), 0)
        return [law.symbol(function, law.item(*item)) for item in items.items()]

    taken, apart = set(symbols([0])), list[int]()
    # What is shared with the first key, such as a label, is no difference.
    shared = len(symbols([])) if task.segment is not None else 0
    for key in range(1, min(task.key_count, KEYS_PER_PAIR * task.padding)):
        if len(apart) == task.padding:
            break
        found = symbols([*apart, key])
        if len(set(found)) == len(found) and len(taken.intersection(found)) == shared:
            apart.append(key)
    return dict.fromkeys(apart, scale(law.levels)[highest])


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


def _check_law(  # noqa: PLR0917
    task: Task, values: Values, followed: FollowedChoice, given: Given, distribution: PiecewiseLaw, messages: list[int]
) -> None:
    if distribution.mass != 1:
        raise AuditFailure(
            f"interval tape: the paths of {_shown(values)} have chance {float(distribution.mass)} together"
        )
    where = "choice of pairs" if followed.fixed else "interval tape"
    for message in messages:
        if distribution.chance(message) != _stated_chance(task, followed, given, message):
            raise AuditFailure(f"{where}: message {message} of {_shown(values)} has another chance than stated")


def _stated_chance(task: Task, followed: FollowedChoice, given: Given, message: int) -> Fraction:
    """Return the probability of a message as the law states it, under a condition."""
    functions, first, question = task.law.functions, task.law.word_limit, task.size_question
    asked = Fraction(0) if question is None else Fraction(question.asked, question.one)
    if given.asks_size is not None:
        asked = Fraction(given.asks_size)
    if question is not None and first is not None and message >= first:
        weights, total = question.distribution(followed.size)
        return asked * Fraction(weights[message - first], total)
    share = 1 - asked
    if functions is not None and first is not None:
        share *= functions if message // (first // functions) == given.function else 0
    return share * followed.chance(task, message) if share else Fraction(0)


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
    return worst_ratio_at([distribution.chance for distribution in distributions], messages), paths


def _shown(values: Values) -> str:
    return f"{len(values)} pairs from key {min(values)} on" if values else "no pairs"
