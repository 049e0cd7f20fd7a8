"""`collision`: its exact law and its parameters."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import pytest

from audit.supports import OnePairLaw
from pckv import Task, audit
from pckv.auditing.exact import input_sets
from pckv.base.errors import ParameterError, TaskError
from pckv.mechanisms.base import HeldLevels
from pckv.mechanisms.collision.affine import best_generator
from pckv.mechanisms.collision.law import MAX_SYMBOLS, CollisionLaw
from pckv.statistics.moments import CountMoments
from support.faults import faulty_module
from support.laws import collision_law
from support.tasks import a_task
from support.worst_ratio import worst_ratio

# Positions, keys and padding.
SMALL_FAMILIES = (
    *((5, 1, 1), (5, 2, 1), (5, 2, 2), (7, 3, 1), (7, 3, 2), (7, 3, 3)),
    *((11, 1, 1), (11, 2, 2), (11, 3, 2), (13, 1, 1), (13, 2, 2), (13, 3, 3)),
)
EPSILONS = ("0.000001", "0.01", "0.1", "0.5", "1", "2", "4", "10", "20")


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("padding", [1, 2, 3, 5])
def test_realised_is_the_worst_ratio_over_all_sizes_of_sets(epsilon: str, padding: int) -> None:
    """The chance of a word is that of an own symbol, or of another given 0 to s own ones: all pairs of these."""
    for symbols in sorted({padding + 1, padding + 2, 3 * padding, 8 * padding, 1000}):
        law = collision_law(5, padding, epsilon, symbols)
        chances = [Fraction(law.hit, law.one)]
        for own in range(padding + 1):
            left = Fraction(law.one - own * law.hit, law.one)
            chances.append(left / (symbols - own))
            assert left > 0
        assert max(chances) / min(chances) == law.realised <= law.claim


def every_small_family(epsilons: tuple[str, ...]) -> Iterator[CollisionLaw]:
    """All functions of few positions, with few or as many keys as there is room for."""
    for positions, keys, padding in SMALL_FAMILIES:
        for symbols, epsilon in itertools.product((padding + 1, padding + 3), epsilons):
            yield collision_law(keys, padding, epsilon, symbols, positions)


def tells_apart(law: CollisionLaw) -> bool:
    """Whether a function sends one pair to a symbol, and the pairs of another person to s others."""
    for function, signs in itertools.product(range(law.functions), itertools.product((0, 1), repeat=law.keys)):
        symbols = [law.symbol(function, item) for item in range(law.items)]
        for keys in itertools.combinations(range(law.keys), law.padding):
            own = {symbols[2 * key + signs[key]] for key in keys}
            if len(own) == law.padding and set(symbols) - own:
                return True
    return False


def test_enumeration_stays_within_the_closed_form_and_reaches_it_where_it_can() -> None:
    """Every function of four families: a word names its function, so that each is compared with itself alone."""
    reached = 0
    for law in every_small_family(("0.1", "4")):
        exact = worst_ratio(law.distribution, law.keys)
        assert exact <= law.realised <= law.claim
        assert (exact == law.realised) == tells_apart(law)
        reached += exact == law.realised
    assert reached >= 30


@pytest.mark.parametrize("bits", [4, 5, 8])
def test_toy_thresholds_keep_the_claim_too(bits: int) -> None:
    for padding, symbols, epsilon in itertools.product((1, 2, 3), (4, 5, 9), ("0.5", "1", "2")):
        keys = max(2, padding)
        law = collision_law(keys, padding, epsilon, symbols, 2 * keys + 1, bits)
        # A threshold so coarse that it is below 1/t loses the other way round; it is still what `realised` says.
        assert worst_ratio(law.distribution, keys) <= law.realised
        if law.hit * symbols >= law.one:
            assert law.realised <= law.claim


def supported_by_word(law: CollisionLaw) -> list[list[int]]:
    """The positions that every word supports."""
    found: list[list[int]] = [[] for _ in range(law.word_limit)]
    for function, position in itertools.product(range(law.functions), range(law.positions)):
        found[function * law.symbols + law.symbol_at(function, position)].append(position)
    return found


def supports(law: CollisionLaw, by_word: list[list[int]], held: HeldLevels) -> list[Fraction]:
    """How often a report of these pairs supports every position, over all functions."""
    counts = [0] * law.positions
    weights, total = law.distribution(held)
    for word, weight in weights.items():
        for position in by_word[word]:
            counts[position] += weight
    return [Fraction(count, total) for count in counts]


def test_what_is_held_is_supported_exactly_as_stated_and_all_else_alike() -> None:
    """With any pairs what is held has α. With one pair all other positions, unused ones too, have β₁; with none 1/t."""
    for law in every_small_family(("1",)):
        held, t, n = Fraction(law.hit, law.one), law.symbols, law.positions
        sizes = [len(range(symbol, n, t)) for symbol in range(t)]
        alike = Fraction(sum(size * (size - 1) for size in sizes), n * (n - 1))
        other = alike * held + (1 - alike) * (1 - held) / (t - 1)
        by_word = supported_by_word(law)
        for levels in input_sets(law.keys):
            if len(levels) > law.padding:
                continue
            own = {law.numbering.position(law.item(key, level)) for key, level in levels.items()}
            found = supports(law, by_word, levels)
            assert {found[position] for position in own} <= {held}
            if len(levels) <= 1:
                rest = {found[position] for position in range(n) if position not in own}
                assert rest == {other if levels else Fraction(1, t)}


def test_the_measured_law_is_that_of_one_pair_and_never_beyond_its_bounds() -> None:
    """By what unused positions show on average, and by any other number: a hostile one too."""
    for keys, padding, epsilon in ((1_000, 1, "1"), (1_000, 5, "0.01"), (300_000, 100, "4")):
        law = collision_law(keys, padding, epsilon)
        exact = OnePairLaw.of(law)
        unused = law.positions - law.items
        reports = exact.other.denominator
        distribution = law.measured_law(int(exact.other * reports) * unused, reports)
        assert distribution.absent.other == exact.other
        assert distribution.holder.own == exact.held
        most = Fraction(1, law.symbols)
        least = most - 2 * padding * (exact.held - most) / (law.positions - padding)
        for supported, bound in ((0, least), (unused, most), (10**9 * unused, most)):
            distribution = law.measured_law(supported, 1)
            assert distribution.absent.other == bound < exact.held
        assert least > 0
        assert law.measured_law(0, 0) == law.count_law


def test_the_most_that_one_report_supports_is_bounded_and_reached() -> None:
    """Of all words of small families: both signs of a key, and no more than a function sends to one symbol."""
    for law in every_small_family(("1",)):
        for targets in range(1, law.keys + 1):
            most = max(
                sum(law.symbol(function, item) == symbol for item in range(2 * targets))
                for function in range(law.functions)
                for symbol in range(law.symbols)
            )
            assert most <= law.max_support(targets)
            # Two positions are sent to any two places.
            if targets == 1 and law.steps_per_report > 1:
                assert most == law.max_support(targets) == 2
    assert collision_law(50, 1).max_support(50) == 100
    assert collision_law(100, 1, "4").max_support(100) == -(-4_099 // 55)


@pytest.mark.parametrize(
    "wrong", ["self.levels * targets", "self.steps_per_report", "min(targets, self.steps_per_report)"]
)
def test_a_wrong_bound_on_one_report_is_found(wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    right = "min(self.levels * targets, self.steps_per_report)"
    faulty = faulty_module("mechanisms/collision/law.py", {right: wrong}).CollisionLaw
    monkeypatch.setattr(CollisionLaw, "max_support", faulty.max_support)
    with pytest.raises(AssertionError):
        test_the_most_that_one_report_supports_is_bounded_and_reached()


@pytest.mark.parametrize("epsilon", ["0.1", "1", "4"])
@pytest.mark.parametrize("padding", [1, 2, 10, 100])
def test_variance_is_the_formula(epsilon: str, padding: int) -> None:
    law = collision_law(50, padding, epsilon)
    e = math.exp(float(epsilon))
    assert law.symbols == math.floor(padding * e + 2 * padding - 1)
    alpha, beta = e / (padding * e + law.symbols - padding), 1 / law.symbols
    a, b, p = map(float, law.probabilities)
    assert (a, b, p) == pytest.approx((alpha + beta, 2 * beta, alpha / (alpha + beta)), rel=1e-12)
    moments = CountMoments.of(law.count_law)
    for f in (0.0, 0.01, 0.3, 1.0):
        stated = 2 * beta * (1 - beta) + f * (alpha * (1 - alpha) - beta * (1 - beta))
        assert moments.frequency_variance(f) == pytest.approx(stated / (alpha - beta) ** 2, rel=1e-9)
        # The signs are independent, so that the counts' difference has the variance of their sum.
        constant, _, _ = moments.ratio_variance(f)
        held, other = alpha + beta - 2 * alpha * beta, 2 * beta * (1 - beta)
        assert constant == pytest.approx(f * held + (1 - f) * other, rel=1e-9)


def test_the_chosen_number_of_symbols_is_nearly_the_best_for_rare_keys() -> None:
    """Rounding down costs most where there are fewest: 5.4 % with 2 symbols instead of 3."""
    for padding, epsilon in itertools.product((1, 2, 5), ("0.5", "1", "2")):

        def variance(symbols: int, padding: int = padding, epsilon: str = epsilon) -> float:
            return CountMoments.of(collision_law(9, padding, epsilon, symbols).count_law).frequency_variance(0.0)

        chosen = collision_law(9, padding, epsilon).symbols
        best = min(range(padding + 1, 3 * chosen), key=variance)
        assert variance(chosen) <= 1.06 * variance(best)


# Parameters


BAD_PARAMETERS: tuple[tuple[dict[str, object], str], ...] = (
    ({"symbols": 2}, "symbols must be more than the padding, so that some say none of the pairs: 2 ≤ 2"),
    ({"symbols": 0}, "symbols must be more than the padding, so that some say none of the pairs: 0 ≤ 2"),
    ({"symbols": -4}, "symbols must be more than the padding, so that some say none of the pairs: -4 ≤ 2"),
    ({"symbols": 2**27}, "symbols must be at most 134,217,727, not 134,217,728"),
    ({"symbols": True}, "symbols must be a whole number, not True"),
    ({"symbols": 4.0}, "symbols must be a whole number, not 4.0"),
    ({"symbols": "4"}, "symbols must be a whole number, not '4'"),
    ({"symbols": None}, "symbols must be a whole number, not None"),
    ({"positions": 4_097}, "positions must be a prime number, not 4,097"),
    ({"positions": 4_093}, "positions must be from 4,096 to 2,147,483,647, not 4,093"),
    ({"positions": 2**31}, "positions must be from 4,096 to 2,147,483,647, not 2,147,483,648"),
    ({"positions": 4_099, "symbols": 257}, "positions must be from 4,112 to 2,147,483,647, not 4,099"),
    ({"positions": False}, "positions must be a whole number, not False"),
    ({"positions": "4099"}, "positions must be a whole number, not '4099'"),
    ({"positions": None}, "positions must be a whole number, not None"),
    ({"generator": 0}, "generator must be a primitive root modulo 65,537, not 0"),
    ({"generator": 1}, "generator must be a primitive root modulo 65,537, not 1"),
    ({"generator": -2}, "generator must be a primitive root modulo 65,537, not -2"),
    ({"generator": 65_536}, "generator must be a primitive root modulo 65,537, not 65,536"),
    # A primitive root, but of a number that is not a position.
    ({"generator": 65_540}, "generator must be a primitive root modulo 65,537, not 65,540"),
    ({"generator": True}, "generator must be a whole number, not True"),
    ({"generator": 2.0}, "generator must be a whole number, not 2.0"),
    ({"generator": None}, "generator must be a whole number, not None"),
    ({"functions": 2}, "mechanism 'collision' has no parameter 'functions'"),
)


def make_task(keys: int = 10, padding: int = 2, **parameters: Any) -> Task:
    mechanism = {"name": "collision", **parameters}
    return Task(name="t", keys=keys, values=(0, 1), epsilon=1, padding=padding, mechanism=mechanism)


def refused(error: type[Exception], make: Callable[[], object]) -> str:
    with pytest.raises(error) as raised:
        make()
    return str(raised.value)


@pytest.mark.parametrize(("parameters", "message"), BAD_PARAMETERS)
def test_bad_parameters(parameters: dict[str, Any], message: str) -> None:
    """One line, from the law, from a new task, and from the text of a task."""
    assert message == refused(ParameterError, lambda: CollisionLaw.from_parameters(10, 2, Fraction(1), parameters))
    assert message == refused(ParameterError, lambda: make_task(**parameters))
    members = json.loads(make_task().to_json())
    members["mechanism"].update(parameters)
    text = json.dumps(members, separators=(",", ":"), sort_keys=True, ensure_ascii=False)
    read = refused(TaskError, lambda: Task.from_json(text))
    # A text has no floating-point numbers.
    if not any(isinstance(value, float) for value in parameters.values()):
        assert read == f"not a task: {message}"


def test_too_many_keys() -> None:
    message = "collision takes at most 536,870,911 keys with 2 levels, not 536,870,912"
    assert message == refused(ParameterError, lambda: collision_law(2**29, 2))
    assert message == refused(ParameterError, lambda: make_task(2**29))
    text = make_task(2**29 - 1).to_json().replace('"keys":536870911', '"keys":536870912')
    assert refused(TaskError, lambda: Task.from_json(text)) == f"not a task: {message}"


def test_a_task_says_what_its_functions_are() -> None:
    """Positions and a generator of one's own are kept, and make another task."""
    default, other = make_task(), make_task(positions=10_007, generator=5)
    assert default.parameters == {"generator": best_generator(65_537), "positions": 65_537, "symbols": 8}
    assert other.parameters == {"generator": 5, "positions": 10_007, "symbols": 8}
    assert Task.from_json(other.to_json()) == other != default
    # What positions need follows the number of keys; few keys have more than they need.
    assert [make_task(keys).parameters["positions"] for keys in (64, 65)] == [65_537, 4_099]
    assert make_task(1_367).parameters["positions"] == 4_111
    assert "4,101" in refused(ParameterError, lambda: make_task(1_367, positions=4_099))


def test_words_always_fit() -> None:
    for epsilon, padding in itertools.product(EPSILONS, (1, 2, 1000, 2**24)):
        law = collision_law(CollisionLaw.max_keys, padding, epsilon)
        assert padding < law.symbols <= MAX_SYMBOLS
        assert law.word_limit <= 2**62
        assert law.realised <= law.claim
    assert "not 134,217,728" in refused(ParameterError, lambda: collision_law(2**28, 2**27 - 1, symbols=2**27))
    assert collision_law(9, 100, "20").symbols == MAX_SYMBOLS


def test_audits_at_any_size() -> None:
    for keys, padding, epsilon in (
        (2, 1, "1"),
        (5850, 3, "1"),
        (100, 20, "2"),
        (2**29 - 1, 5, "20"),
        (1, 1, "10"),
    ):
        task = a_task(keys=keys, epsilon=epsilon, padding=padding, mechanism="collision")
        result = audit(task)
        assert result.holds
        assert result.enumerated <= result.closed_form <= result.claimed <= float(epsilon)
        assert result.enumerated == pytest.approx(result.closed_form, abs=1e-9)
