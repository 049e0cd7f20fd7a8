"""What every mechanism must do: `check_*` functions that raise `AuditFailure` when it does not.

A `Subject` is a mechanism taken apart, so that a planted fault can stand in for any of its parts
and be seen to fail the check that it must fail.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from audit.exhaustive import ExhaustiveTape, OneDraw, in_weights, sampler_law
from audit.smaller_laws import enumerable
from pckv.auditing.exact import Values, held_levels, input_sets, scale
from pckv.auditing.variants import LEVEL_VARIANTS, ONE_LEVEL_VARIANTS, VARIANTS, LevelVariant, with_law
from pckv.base.budget import epsilon_of, exp_lower
from pckv.base.errors import AuditFailure, ReportError, TallyError
from pckv.base.limits import MIN_LEVELS, ONE_LEVEL
from pckv.base.randomness import Tape
from pckv.base.seeded import seeded_source
from pckv.base.wire import BitPlanes, Report
from pckv.contract.task import Task
from pckv.device.perturb import Sampler, perturb_from
from pckv.mechanisms import padding
from pckv.mechanisms.base import THRESHOLD_BITS, CountLaw, HeldLevels, Law, MessageDistribution
from pckv.mechanisms.padding import Pair
from pckv.mechanisms.registry import LAWS, load_part
from pckv.tally import Tally
from pckv.tally.decode.support import KeySupport, key_support
from support.worst_ratio import worst_ratio

EPSILONS = tuple(Fraction(text) for text in ("0.1", "0.5", "1", "2", "4"))
# Toy thresholds: (bits, keys), small enough that every value of every draw can be run.
TOYS = ((10, 1), (5, 2))
# With words a report takes few draws, so that three keys can be run too: in base 3 they and the
# dummy have two digits.
WORD_TOYS = ((4, 3),)
# The same for more than two levels.
LEVEL_TOYS = ((6, 1), (4, 2))
TOY_LENGTHS = (1, 2)
# How many levels are enumerated with few keys; with more keys, two.
MAX_LEVELS_BY_KEYS = {1: 5, 2: 3}
# The loss may stay below the claim by this much, and no more, at any size.
CLOSE_TO_CLAIM = 1e-9
# The default parameters with the two levels of the paper.
DEFAULT_VARIANT = LevelVariant(2, {})


def all_variants(name: str, max_levels: int) -> Iterator[LevelVariant]:
    """Yield a mechanism's variants of two levels and of one, and those of more up to a number."""
    yield from (LevelVariant(2, parameters) for parameters in VARIANTS[name])
    yield from ONE_LEVEL_VARIANTS[name]
    yield from (variant for variant in LEVEL_VARIANTS[name] if variant.levels <= max_levels)


@dataclass(frozen=True)
class Subject:
    """A mechanism in parts."""

    name: str
    law: type[Law]
    sampler: Sampler
    placed: Callable[[float, Sequence[float]], tuple[int, int]] = padding.placed
    primitives: type[OneDraw] = OneDraw
    support: Callable[[Tally], KeySupport] = key_support

    def laws(self, keys: int, padding_length: int, epsilon: Fraction, bits: int = 64) -> Iterator[Law]:
        """The mechanism in every variant, as enumeration takes it."""
        for levels, variant in all_variants(self.name, most_levels(keys)):
            law = self.law.from_parameters(keys, padding_length, epsilon, variant, levels=levels, bits=bits)
            yield enumerable(law)


def most_levels(keys: int) -> int:
    """Return how many levels are enumerated: the sets of many levels of many keys would be too many."""
    return MAX_LEVELS_BY_KEYS.get(keys, MIN_LEVELS)


SUBJECTS = tuple(Subject(name, law, load_part(name, "sampler")) for name, law in LAWS.items())


def check_law_sums_to_one(subject: Subject) -> None:
    """The exact law is a probability law for every input set."""
    for keys, length in itertools.product((1, 2, 3), (1, 2)):
        for law in subject.laws(keys, length, Fraction(1)):
            for held in input_sets(keys, law.levels):
                weights, total = law.distribution(held)
                if sum(weights.values()) != total or min(weights.values()) < 0:
                    raise AuditFailure(f"law sums to 1: not for {held} with {keys} keys, padding {length}")


def check_exact_epsilon(subject: Subject, max_keys: int = 3) -> None:
    """The enumerated loss is within the closed form, that within the claim, and that within ε."""
    for keys, length, epsilon in itertools.product(range(1, max_keys + 1), (1, 2, 3), EPSILONS):
        for law in subject.laws(keys, length, epsilon):
            exact = worst_ratio(law.distribution, keys, law.levels)
            if not exact <= law.realised <= law.claim <= exp_lower(epsilon):
                raise AuditFailure(
                    f"exact ε: {epsilon_of(exact)} enumerated, {epsilon_of(law.realised)} in closed form, "
                    f"{epsilon_of(law.claim)} claimed, {epsilon} asked ({keys} keys, padding {length})"
                )


def check_sampler_epsilon(subject: Subject) -> None:
    """The loss of the sampler as it runs, over every value of a toy tape, is within the claim."""
    for length, epsilon in itertools.product((1, 2), (Fraction(1), Fraction(2))):
        for law in subject.laws(2, length, epsilon, bits=5):
            if worst_ratio(running_law(subject, law), law.keys, law.levels) > law.claim:
                raise AuditFailure(f"exact ε: the sampler loses more than it claims at ε = {epsilon}")


def running_law(subject: Subject, law: Law) -> Callable[[HeldLevels], MessageDistribution]:
    """The law of the sampler on a toy law, found by running it, in the form of the law's."""

    def distribution(held: HeldLevels) -> MessageDistribution:
        pairs = [(key, *toy_place(level, law)) for key, level in held.items()]
        tape = ExhaustiveTape(law.bits, subject.primitives)
        return in_weights(sampler_law(subject.sampler, law, pairs, tape))

    return distribution


def toy_place(level: int, law: Law) -> tuple[int, int]:
    """Return where a value lies that is a level: the level below it, and the threshold of the next."""
    if law.levels == ONE_LEVEL:
        return 0, 0
    return (level, 0) if level < law.levels - 1 else (level - 1, law.one)


def check_epsilon_is_used(subject: Subject) -> None:
    """The thresholds are fine enough: at any size the loss is within 1e-9 of the claim."""
    sizes = (1, 100, 10**6, subject.law.max_keys)
    for keys, length, epsilon in itertools.product(sizes, (1, 100), (Fraction("0.01"), *EPSILONS, Fraction(20))):
        for law in subject.laws(keys, length, epsilon):
            if epsilon_of(law.realised) < epsilon_of(law.claim) - CLOSE_TO_CLAIM:
                raise AuditFailure(f"ε is used: {epsilon_of(law.realised)} of {epsilon_of(law.claim)} with {keys} keys")


def check_sampler_equals_law(subject: Subject) -> None:
    """Run on every value of a toy tape, the sampler gives exactly the law, at every value."""
    for (bits, keys), length in itertools.product(TOYS + WORD_TOYS, TOY_LENGTHS):
        for law in subject.laws(keys, length, Fraction(1), bits):
            if isinstance(law.message_format, BitPlanes) and (bits, keys) in WORD_TOYS:
                continue
            if law.levels <= MIN_LEVELS:
                _check_toy(subject, law)


def check_levels_equal_law(subject: Subject) -> None:
    """The same with more than two levels."""
    for (bits, keys), length in itertools.product(LEVEL_TOYS, TOY_LENGTHS):
        for law in subject.laws(keys, length, Fraction(1), bits):
            if law.levels > MIN_LEVELS:
                _check_toy(subject, law)


def _check_toy(subject: Subject, law: Law) -> None:
    for values in value_sets(law.keys, law.levels):
        tape = ExhaustiveTape(law.bits, subject.primitives)
        pairs = toy_pairs(values, law, subject.placed)
        if sampler_law(subject.sampler, law, pairs, tape) != law_at(law, values):
            raise AuditFailure(f"sampler equals law: not for {values} with {law.keys} keys, padding {law.padding}")


def value_sets(keys: int, levels: int) -> Iterator[dict[int, float]]:
    """Yield sets of keys with values: the ends, between two levels, and where there are more than two, a level itself."""
    low, high = scale(levels)[0], scale(levels)[-1]
    if levels == ONE_LEVEL:
        yield from (
            dict.fromkeys(held, low) for size in range(keys + 1) for held in itertools.combinations(range(keys), size)
        )
        return
    inner = (high - 0.5,) if levels == MIN_LEVELS else (low + 0.5, low + 2, high - 0.5)
    for values in itertools.product((None, low, *inner, high), repeat=keys):
        yield {key: value for key, value in enumerate(values) if value is not None}


def toy_pairs(values: Values, law: Law, place: Callable[[float, Sequence[float]], tuple[int, int]]) -> list[Pair]:
    """Return pairs as the sampler of a toy law takes them: with thresholds of as many bits as its own."""
    placed = ((key, *place(value, scale(law.levels))) for key, value in values.items())
    return [(key, below, threshold >> THRESHOLD_BITS - law.bits) for key, below, threshold in placed]


def law_at(law: Law, values: Values) -> dict[int, Fraction]:
    """The exact law for values: the mixture over their levels."""
    return mixed_law(law.distribution, values, law.levels)


def mixed_law(
    distribution: Callable[[HeldLevels], MessageDistribution], values: Values, levels: int
) -> dict[int, Fraction]:
    """The mixture of laws over the levels that values may be reported as."""
    mixture: dict[int, Fraction] = {}
    for held, chance in held_levels(values, levels):
        weights, total = distribution(held)
        for message, weight in weights.items():
            mixture[message] = mixture.get(message, Fraction(0)) + chance * Fraction(weight, total)
    return {message: chance for message, chance in mixture.items() if chance}


def check_unbiased(subject: Subject) -> None:
    """A report's decoded expectation is the count law's and, corrected by it, the truth: exactly.

    A count law of which something is measured is left to `supports.check_supports`.
    """
    for keys, length in itertools.product((1, 2, 3), (1, 2, 3)):
        for law in subject.laws(keys, length, Fraction(1)):
            if not law.exactly_uniform:
                continue
            # More padding than keys makes a law, but no task.
            variant = LevelVariant(law.levels, dict(law.parameters))
            task = with_law(_task(subject, keys, min(length, keys), variant), law)
            for held in input_sets(keys, law.levels):
                if len(held) <= length:
                    for key, shown in enumerate(_expected_support(subject, task, held)):
                        _check_support(law.count_law, held, key, shown)


# The levels that reports support, and the chance of that.
Shown = Mapping[tuple[int, ...], Fraction]


def _check_support(distribution: CountLaw, held: HeldLevels, key: int, shown: Shown) -> None:
    """Raise an `AuditFailure` unless a key is supported as stated, and decodes to what is held of it."""
    stated, own = distribution.holder if key in held else distribution.absent, held.get(key)
    levels = range(stated.levels)
    chances = [_chance_of(shown, level) for level in levels]
    if chances != [stated.own if level == own else stated.other for level in levels]:
        raise AuditFailure(f"count law: not that of key {key} of {held}")
    for one, other in itertools.combinations(levels, 2):
        together = stated.own_and_other if own in {one, other} else stated.two_others
        if own is None:
            together = stated.own_and_other
        if _chance_of(shown, one, other) != together:
            raise AuditFailure(f"count law: levels {one} and {other} of key {key} of {held} together")
    for number, chance in enumerate(stated.numbers):
        if sum(each for found, each in shown.items() if sum(found) == number) != chance:
            raise AuditFailure(f"count law: {number} levels of key {key} of {held} at once")
    decoded = _decoded(distribution, chances)
    if decoded != [int(level == own) for level in levels]:
        raise AuditFailure(f"unbiased: key {key} of {held} decodes to {decoded}")


def _chance_of(shown: Shown, *levels: int) -> Fraction:
    """Return how often reports support all of these levels."""
    return sum((chance for found, chance in shown.items() if all(found[level] for level in levels)), Fraction(0))


def _decoded(distribution: CountLaw, chances: Sequence[Fraction]) -> list[Fraction]:
    """Return the share of every level that these chances are corrected to; together they are the frequency."""
    holder, noise = distribution.holder, distribution.absent.other
    signal = holder.own + (holder.levels - 1) * holder.other - holder.levels * noise
    frequency = (sum(chances) - holder.levels * noise) / signal
    expected = noise + frequency * (holder.other - noise)
    return [(chance - expected) / (holder.own - holder.other) for chance in chances]


def _expected_support(subject: Subject, task: Task, held: HeldLevels) -> list[Shown]:
    """For every key, how often a report decodes to which levels."""
    weights, total = task.law.distribution(held)
    expected = [Counter[tuple[int, ...]]() for _ in range(task.key_count)]
    for message, weight in weights.items():
        tally = Tally(task)
        tally.add(Report(bytes(16), task.message_format.encode(message)))
        for shown, levels in zip(expected, subject.support(tally).counts.T.tolist(), strict=True):
            shown[tuple(levels)] += weight
    return [{levels: Fraction(weight, total) for levels, weight in shown.items()} for shown in expected]


def check_one_is_many(subject: Subject) -> None:
    """Adding reports one by one, all at once or as an array gives the same bytes."""
    for keys, variant in itertools.product((1, 8, 13), _counted(subject)):
        task = _task(subject, keys, min(keys, 2), variant)
        reports = _reports(task, 40)
        singly, together, array = Tally(task), Tally(task), Tally(task)
        for report in reports:
            singly.add(report)
        together.add_many(reports)
        bodies = b"".join(report.body for report in reports)
        array.add_many(task.message_format.to_array(bodies))
        if not bytes(singly) == bytes(together) == bytes(array):
            raise AuditFailure(f"one is many: not with {keys} keys, {task.level_count} levels")


def check_merge_laws(subject: Subject) -> None:
    """Merging is exact, in any order and grouping, and an empty tally changes nothing."""
    task = _task(subject, 9, 2)
    parts = [_tally(task, _reports(task, size, seed)) for seed, size in enumerate((5, 0, 17, 1))]
    whole = _tally(task, [r for seed, size in enumerate((5, 0, 17, 1)) for r in _reports(task, size, seed)])
    for order in itertools.permutations(parts):
        merged = Tally(task)
        for part in order:
            merged.merge(part)
        if bytes(merged) != bytes(whole):
            raise AuditFailure("merge laws: a partition of the reports gives other bytes")
    other = Tally(_task(subject, 10, 2))
    if not _refused(TallyError, other.merge, whole):
        raise AuditFailure("merge laws: a tally of another task was merged")


def check_bytes_round_trip(subject: Subject) -> None:
    """A tally comes back from its bytes; shortened or edited bytes are refused."""
    for (keys, size), variant in itertools.product(((3, 0), (3, 50), (500, 4)), _counted(subject)):
        task = _task(subject, keys, 1, variant)
        data = bytes(_tally(task, _reports(task, size)))
        if bytes(Tally.from_bytes(task, data)) != data:
            raise AuditFailure("bytes round trip: a tally came back different")
        edits = [data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :] for place in range(0, len(data), 7)]
        for bad in (b"", data[:-1], data + b"\0", *edits):
            if not _refused(TallyError, Tally.from_bytes, task, bad):
                raise AuditFailure("bytes round trip: truncated or edited bytes were read")


def check_bad_bytes_refused(subject: Subject) -> None:
    """A body of another length, or of no message, is refused and changes nothing."""
    for keys in (1, 8, 13):
        task = _task(subject, keys, 1)
        body = _reports(task, 1)[0].body
        for bad in (b"", body[:-1], body + b"\0", b"\xff" * len(body), bytes(len(body) - 1) + b"\x80"):
            tally = Tally(task)
            refused = _refused(ReportError, tally.add_many, [Report(bytes(16), bad)])
            # All ones is a legal message of planes without spare bits.
            planes = isinstance(task.message_format, BitPlanes)
            legal = planes and keys % 8 == 0 and bad == b"\xff" * len(body)
            if refused == legal or tally.reports != legal:
                raise AuditFailure(f"bad bytes refused: {bad!r} with {keys} keys")


CHECKS: tuple[Callable[[Subject], None], ...] = (
    check_law_sums_to_one,
    check_exact_epsilon,
    check_sampler_epsilon,
    check_epsilon_is_used,
    check_sampler_equals_law,
    check_levels_equal_law,
    check_unbiased,
    check_one_is_many,
    check_merge_laws,
    check_bytes_round_trip,
    check_bad_bytes_refused,
)


def _task(subject: Subject, keys: int, length: int, variant: LevelVariant = DEFAULT_VARIANT) -> Task:
    """Return a task of which half of the reports answer the size question, where there is one."""
    # What a variant leaves open is the law's own default here, not what a task would choose.
    levels = variant.levels
    law = subject.law.from_parameters(keys, length, Fraction(1), variant.parameters, levels=levels)
    mechanism = {"name": subject.name, **law.parameters}
    asks_sizes = law.word_limit is not None and length < keys
    return Task(
        name="check",
        keys=keys,
        values=(1 - levels, levels - 1) if levels > ONE_LEVEL else None,
        levels=levels,
        epsilon=1,
        padding=length,
        mechanism=mechanism,
        size_share="0.5" if asks_sizes else 0,
    )


def _counted(subject: Subject) -> tuple[LevelVariant, ...]:
    """Return the mechanism with two levels, and with more where it has them."""
    return DEFAULT_VARIANT, *ONE_LEVEL_VARIANTS[subject.name], *LEVEL_VARIANTS[subject.name][-1:]


def _reports(task: Task, count: int, seed: int = 0) -> list[Report]:
    source = seeded_source(seed)
    first = task.key_name(0)
    pairs = {first: 0.5} if task.has_values else [first]
    return [perturb_from(Tape(task.draws, source), task, pairs) for _ in range(count)]


def _tally(task: Task, reports: list[Report]) -> Tally:
    tally = Tally(task)
    tally.add_many(reports)
    return tally


def _refused(error: type[Exception], action: Callable[..., object], *arguments: object) -> bool:
    try:
        action(*arguments)
    except error:
        return True
    return False
