"""The device half for one participant: pairs in, one report out. Standard library only."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from decimal import Decimal
from numbers import Real

from pckv.base.errors import PairsError, ParameterError
from pckv.base.levels import KEY_ALONE, listed
from pckv.base.limits import DISCOVERY, REFUSE, REFUSE_BETWEEN, SERVER_COIN
from pckv.base.randomness import Tape
from pckv.base.wire import Report
from pckv.base.words import plural
from pckv.contract.coins import CoinChoice, coin_choice
from pckv.contract.task import Task
from pckv.mechanisms.collision.device import choose
from pckv.mechanisms.discovery import device as discovery
from pckv.mechanisms.discovery.device import read_texts
from pckv.mechanisms.discovery.law import DiscoveryLaw
from pckv.mechanisms.padding import Pair, placed
from pckv.mechanisms.registry import load_part
from pckv.mechanisms.size_question.device import answer

# Takes a law, pairs and a tape; where there are public functions, also the one to use.
Sampler = Callable[..., int]

# What a participant holds: keys with values, keys alone, or texts for a discovery.
Held = Mapping[str, float] | Collection[str]

# The kinds of numbers that values may be; the most frequent ones first.
_NUMBERS = (int, float, Real, Decimal)


def perturb(task: Task, pairs: Held, coin: bytes | None = None, *, segment: str | None = None) -> Report:
    """Return one participant's report, made with the operating system's randomness.

    Every call spends the task's ε: store the report and send the same bytes again on a retry.

    Args:
        task: The contract of the collection.
        pairs: The participant's keys and values; it may be empty. A value is an int, a float, a `Fraction`, a
            `Decimal` or a number of numpy's, and stands for the nearest float. Where keys have no values, a list of
            keys; for a discovery, of texts.
        coin: The 16 bytes that the collector gave for this report, where the task's coin is the server's.
            They are public, and fix the report's id, its function and which question it answers, but no noise.
        segment: The participant's label, where the task has a segment: it stays as private as the pairs.

    Raises:
        ParameterError: if the task needs a coin and none is given, or the other way round, or if it is mixed and has
            no day on which it closes.
        PairsError: if a key is not a text or not the task's, a value is not a number within the range or,
            where the task refuses that, lies between two levels, there are more pairs than a task that
            refuses them takes, or the label is not one of the segment's; nothing was perturbed. Whether a
            participant takes part at all must not depend on their pairs, which no ε covers: enforce that limit
            where pairs are entered.

    >>> from pckv import Task
    >>> task = Task(name="movies", keys=["alien", "heat"], values=(1, 5), epsilon=1.0)
    >>> report = perturb(task, {"alien": 5})
    >>> len(report.id), len(report.body)
    (16, 8)
    """
    task.check_collectable()
    return perturb_from(Tape(task.draws), task, pairs, coin, segment=segment)


def perturb_from(
    tape: Tape, task: Task, pairs: Held, coin: bytes | None = None, *, segment: str | None = None
) -> Report:
    """Return the report that is made from a given tape: for test vectors and audits."""
    if coin is None and task.coin == SERVER_COIN:
        raise ParameterError(f"task {task.name!r} needs a coin, which its collector gives for each report")
    choice = None if coin is None else coin_choice(task, coin)
    if isinstance(task.law, DiscoveryLaw):
        function = None if choice is None else choice.function
        texts = read_texts(task.tree, pairs)
        message = discovery.perturb(task.law, task.tree, task.digest, texts, tape, function)
    else:
        read = read_pairs(task, _as_pairs(task, pairs))
        label = read_label(task, segment)
        message = make_message(task, choose_other(task, read, tape), tape, choice, label)
    return Report(coin or tape.report_id, task.message_format.encode(message))


def check_held(task: Task, held: Held, segment: str | None = None) -> None:
    """Raise the `PairsError` that `perturb` would raise for what a participant holds."""
    if task.kind == DISCOVERY:
        read_texts(task.tree, held)
    else:
        read_pairs(task, _as_pairs(task, held))
        read_label(task, segment)


def _as_pairs(task: Task, held: Held) -> Mapping[str, float]:
    """Return keys with their values; keys without values count as 1, each once."""
    if task.has_values:
        if not isinstance(held, Mapping):
            raise PairsError(f"task {task.name!r} takes a mapping of keys to values")
        return held
    if isinstance(held, str | bytes | Mapping) or not isinstance(held, Iterable):
        raise PairsError(f"task {task.name!r} takes a list of keys, which have no values")
    keys = list(held)
    for key in keys:
        if not isinstance(key, str):
            raise PairsError(f"key {key!r} is not a text")
    return dict.fromkeys(keys, *KEY_ALONE)


def read_label(task: Task, segment: str | None) -> int:
    """Return the number of a participant's label; 0 where no segment is asked for."""
    if task.segment is not None:
        return task.segment.label_index(segment)
    if segment is not None:
        raise PairsError(f"task {task.name!r} has no segment, so that it takes no label")
    return 0


def make_message(
    task: Task, pairs: Sequence[Pair], tape: Tape, choice: CoinChoice | None = None, label: int = 0
) -> int:
    """Draw which question is answered, before the pairs are looked at, and then the answer.

    A coin's choice stands in for the draws of the question and of the function; all others are the tape's.
    """
    law, question = task.law, task.size_question
    if question is not None and law.word_limit is not None:
        asks_size = tape.bernoulli(question.asked) if choice is None else choice.asks_size
        if asks_size:
            return law.word_limit + answer(question, len(pairs), tape)
    if task.derivation is not None:
        pairs = task.derivation.derive(choose(pairs, task.padding, tape), label)
    sampler: Sampler = load_part(law.name, "sampler")
    if choice is None:
        return sampler(law, pairs, tape)
    return sampler(law, pairs, tape, choice.function)


def choose_other(task: Task, pairs: list[Pair], tape: Tape) -> list[Pair]:
    """Keep one of the pairs with unlisted keys, chosen at random where there are several; it comes last."""
    others = [pair for pair in pairs if pair[0] == task.other_index]
    if len(others) <= 1:
        return pairs
    of_listed_keys = [pair for pair in pairs if pair[0] != task.other_index]
    return [*of_listed_keys, others[tape.below(len(others))]]


def read_pairs(task: Task, pairs: Mapping[str, float]) -> list[Pair]:
    """Check a participant's pairs against the task; keys as numbers, and values between levels.

    Every number comes once, except the one that stands for all unlisted keys. Where a task takes any text, no
    text is refused, which would tell what the participant holds: two texts with one hash, or two forms of one
    listed key, are one key with the value of the first, and what cannot be a key is left out. Their values are
    checked in any case.
    """
    # Built for all participants: with many keys, its time would tell that there are pairs to find.
    task.domain.index  # noqa: B018
    (low, high), values = task.ends, task.level_values
    other, refuses_between = task.other_index, task.between == REFUSE_BETWEEN
    takes_any_text = task.is_hashed or other is not None
    found: dict[int, Pair] = {}
    others: list[Pair] = []
    for key, value in pairs.items():
        index = task.held_index(key)
        if index in found and not takes_any_text:
            raise PairsError(f"key {key!r} appears twice")
        number = value if type(value) is float else _nearest_float(value)
        if number is None or not low <= number <= high:
            raise PairsError(f"value {_shown(value)} of key {key!r} is not a number within [{low:g}, {high:g}]")
        if refuses_between and number not in values:
            raise PairsError(f"value {_shown(value)} of key {key!r} is not one of {listed(values)}")
        if index is None:
            continue
        pair = (index, *placed(number, values))
        if index == other:
            others.append(pair)
        else:
            found.setdefault(index, pair)
    # What the mapping gives counts, whatever length it states.
    count = len(found) + bool(others)
    if count > task.padding and task.more == REFUSE:
        raise PairsError(f"task {task.name!r} takes at most {plural(task.padding, task.domain.noun)}, not {count:,}")
    return [*found.values(), *others]


def _nearest_float(value: object) -> float | None:
    """Return the float that a value stands for; None if it is not a number, or one beyond all floats."""
    if isinstance(value, bool) or not isinstance(value, _NUMBERS):
        return None
    try:
        return float(value)
    except (OverflowError, ValueError):
        return None


def _shown(value: object) -> str:
    try:
        return repr(value)
    except ValueError:
        # Python does not write out integers of thousands of digits.
        return "with too many digits"
