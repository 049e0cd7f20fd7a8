"""The size question: its ends, thresholds, exact law, and what its answers estimate."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pckv.auditing.exact import visited_sizes
from pckv.base.budget import exp_lower
from pckv.base.errors import ParameterError
from pckv.mechanisms.base import MessageDistribution
from pckv.mechanisms.registry import build
from pckv.mechanisms.size_question.law import SizeQuestion, size_ends
from support.worst_ratio import worst_ratio_of


@st.composite
def questions(draw: st.DrawFn, largest: int = 2**31) -> SizeQuestion:
    keys = draw(st.integers(2, largest))
    padding = draw(st.integers(1, min(keys - 1, 2**20)))
    epsilon = Fraction(draw(st.decimals("0.01", "20", places=2)))
    share = Fraction(draw(st.decimals("0.001", "0.5", places=3)))
    return SizeQuestion(keys, padding, epsilon, share)


def ask(keys: int, padding: int, epsilon: str = "1", share: str = "0.05", bits: int = 64) -> SizeQuestion:
    return SizeQuestion(keys, padding, Fraction(epsilon), Fraction(share), bits=bits)


@pytest.mark.parametrize(
    ("keys", "padding", "ends"),
    [
        (2, 1, (1, 2)),
        (3, 1, (1, 2, 3)),
        (4, 1, (1, 2, 4)),
        (5, 1, (1, 2, 4, 5)),
        (12, 3, (3, 4, 12)),
        (13, 3, (3, 4, 12, 13)),
        (11, 3, (3, 4, 11)),
        (100, 5, (5, 6, 20, 100)),
        (100, 99, (99, 100)),
        (2**31, 100, (100, 101, 400, 2**31)),
    ],
)
def test_ends(keys: int, padding: int, ends: tuple[int, ...]) -> None:
    assert size_ends(keys, padding) == ask(keys, padding).ends == ends


@given(questions())
def test_ends_increase_from_the_padding_to_all_keys(question: SizeQuestion) -> None:
    ends = question.ends
    assert list(ends) == sorted(set(ends))
    assert (ends[0], ends[1], ends[-1]) == (question.padding, question.padding + 1, question.keys)
    assert 2 <= len(ends) <= 4


@given(questions(), st.data())
def test_rounding_keeps_the_mean_of_the_inverse(question: SizeQuestion, data: st.DataObject) -> None:
    size = data.draw(st.integers(question.padding, question.keys))
    answers = question.true_answers(size)
    assert sum(chance for _, chance in answers) == 1
    assert sum(chance / question.ends[answer] for answer, chance in answers) == Fraction(1, size)
    assert all(0 <= chance <= 1 for _, chance in answers)
    # What is drawn for it is below the limit of 64 bits.
    rounding = question.rounding(size)
    assert rounding is None or 0 < rounding.down < rounding.total < 2**64


@given(questions(), st.data())
def test_the_first_answer_is_exactly_that_of_small_sets(question: SizeQuestion, data: st.DataObject) -> None:
    small = data.draw(st.integers(0, question.padding))
    large = data.draw(st.integers(question.padding + 1, question.keys))
    assert question.true_answers(small) == [(0, Fraction(1))]
    assert 0 not in dict(question.true_answers(large))


@given(questions())
def test_the_loss_is_within_epsilon_and_reached(question: SizeQuestion) -> None:
    distributions = [question.distribution(size) for size in visited_sizes(question)]
    assert all(sum(distribution.weights.values()) == distribution.total for distribution in distributions)
    assert worst_ratio_of(distributions) == question.realised <= question.claim == exp_lower(question.epsilon)
    gap = question.claim - question.realised
    assert gap * 2**30 < question.claim


@given(questions(largest=40))
def test_a_size_between_ends_has_a_mixture_of_their_laws(question: SizeQuestion) -> None:
    """So the ends suffice for the loss, whatever the number of sizes."""
    ends = [question.distribution(end) for end in question.ends]
    for size in range(question.keys + 1):
        mixed = [
            sum(chance * _chance(ends[true], answer) for true, chance in question.true_answers(size))
            for answer in range(len(question.ends))
        ]
        distribution = question.distribution(size)
        assert [_chance(distribution, answer) for answer in range(len(question.ends))] == mixed


@given(questions())
def test_the_share_that_is_asked_is_rounded_down(question: SizeQuestion) -> None:
    asked = Fraction(question.asked, 2**64)
    assert question.share - Fraction(1, 2**64) < asked <= question.share


@given(questions())
def test_the_variance_of_the_hidden_share_is_that_of_the_law(question: SizeQuestion) -> None:
    distribution = question.distribution(0)
    chances = [float(_chance(distribution, answer)) for answer in range(len(question.ends))]
    weights = [float(weight) for weight in question.hidden]
    mean = sum(chance * weight for chance, weight in zip(chances, weights, strict=True))
    variance = sum(chance * (weight - mean) ** 2 for chance, weight in zip(chances, weights, strict=True))
    gain = float(question.true_chance - question.other_chance)
    assert question.hidden_variance == pytest.approx(variance / gain**2, rel=1e-6, abs=1e-12)


def test_the_mixture_keeps_both_laws_apart() -> None:
    law, question = build("grr", 4, 2, Fraction(1), {}), ask(4, 2, share="0.25")
    pairs, answers = law.distribution({0: 1, 1: 0, 2: 1}), question.distribution(3)
    mixed = question.mix(pairs, 3, law.word_limit or 0)
    asked = Fraction(question.asked, 2**64)
    for word in pairs.weights:
        assert _chance(mixed, word) == (1 - asked) * _chance(pairs, word)
    for answer in answers.weights:
        assert _chance(mixed, (law.word_limit or 0) + answer) == asked * _chance(answers, answer)


@pytest.mark.parametrize(
    ("keys", "padding", "share", "message"),
    [
        (10, 2, "0", "at least 0 and at most 0.5, not 0$"),
        (10, 2, "0.500001", "at least 0 and at most 0.5"),
        (10, 2, "-0.1", "at least 0 and at most 0.5"),
        (10, 10, "0.1", "nobody can hold more"),
        (10, 11, "0.1", "nobody can hold more"),
    ],
)
def test_questions_that_are_refused(keys: int, padding: int, share: str, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        ask(keys, padding, share=share)


def test_answers_in_words() -> None:
    assert ask(100, 5).labels == ("at most 5", "about 6", "about 20", "about 100")


def _chance(distribution: MessageDistribution, message: int) -> Fraction:
    return Fraction(distribution.weights[message], distribution.total)
