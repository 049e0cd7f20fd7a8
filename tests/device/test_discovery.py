"""The exact law of a discovery's reports, found by running the device on every value of a small tape."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations

import pytest

from audit.exhaustive import ExhaustiveTape, in_weights, law_of_runs
from pckv import Task, perturb
from pckv.base.errors import PairsError
from pckv.base.randomness import Tape
from pckv.contract.coins import coin_choice
from pckv.device.perturb import perturb_from
from pckv.mechanisms.collision.device import choose
from pckv.mechanisms.discovery import device as discovery
from pckv.mechanisms.discovery.device import read_texts
from pckv.mechanisms.discovery.law import DiscoveryLaw, Path
from pckv.mechanisms.discovery.prefix_tree import PrefixTree, prefix_tree
from support.worst_ratio import worst_ratio_of

TREE = prefix_tree("ab", characters=2)
DIGEST = bytes(32)
# Enough functions for some to send two of the texts to one symbol, few enough to enumerate.
LAW = DiscoveryLaw(2, Fraction(1), groups=2, symbols=4, bits=5, indices=3)
TEXTS = ("a", "b", "aa", "ba", "bb")

Sampler = Callable[..., int]


def held_sets() -> Iterator[tuple[str, ...]]:
    """Yield all sets of up to three texts: one more than the padding."""
    for size in range(4):
        yield from combinations(TEXTS, size)


def path(text: str, tree: PrefixTree = TREE) -> Path:
    return tuple(tree.item(DIGEST, tree.prefix(text, group), group) for group in range(tree.groups))


def device_law(sampler: Sampler, texts: Sequence[str]) -> dict[int, Fraction]:
    tape = ExhaustiveTape(LAW.bits)
    return law_of_runs(lambda: sampler(LAW, TREE, DIGEST, texts, tape), tape)


def stated_law(texts: Sequence[str]) -> dict[int, Fraction]:
    weights, total = LAW.distribution({path(text): 0 for text in texts})  # type: ignore[misc]
    return {message: Fraction(weight, total) for message, weight in weights.items()}


@cache
def true_law(texts: tuple[str, ...]) -> dict[int, Fraction]:
    return device_law(discovery.perturb, texts)


def test_the_device_follows_the_stated_law_exactly() -> None:
    for texts in held_sets():
        assert true_law(texts) == stated_law(texts), texts


def test_the_loss_is_the_realised_one_and_within_the_claim() -> None:
    distributions = [in_weights(true_law(texts)) for texts in held_sets()]
    assert worst_ratio_of(distributions) == LAW.realised <= LAW.claim


def test_every_group_asks_equally_often() -> None:
    for texts in held_sets():
        distribution = stated_law(texts)
        for group in range(LAW.groups):
            asked = sum(chance for word, chance in distribution.items() if LAW.group_of(word // LAW.symbols) == group)
            assert asked == Fraction(1, LAW.groups)


def group_by_data(law: DiscoveryLaw, tree: PrefixTree, digest: bytes, texts: Sequence[str], tape: Tape) -> int:
    """A device that asks about long prefixes only where it holds long texts."""
    function = tape.below(law.functions)
    if all(len(text) == 1 for text in texts):
        function %= law.functions // law.groups
    return discovery.perturb(law, tree, digest, texts, tape, function)


def with_tree(changed: type[PrefixTree]) -> Sampler:
    tree = changed(TREE.alphabet, TREE.characters, TREE.groups)

    def sampler(law: DiscoveryLaw, _: PrefixTree, *rest: object) -> int:
        return discovery.perturb(law, tree, *rest)  # type: ignore[arg-type]

    return sampler


class WrongLength(PrefixTree):
    """The first group shows both characters."""

    def prefix(self, text: str, group: int) -> str:
        return text[:2].ljust(2, "\0") if group == 0 else super().prefix(text, group)


class NoEndMark(PrefixTree):
    """Texts are not filled up."""

    def prefix(self, text: str, group: int) -> str:
        return super().prefix(text, group).rstrip("\0")


class GroupNotHashed(PrefixTree):
    """One number for a prefix in all groups."""

    def item(self, digest: bytes, prefix: str, _group: int) -> int:
        return super().item(digest, prefix, 0)


class TaskNotHashed(PrefixTree):
    """One number for a prefix in all tasks."""

    def item(self, _digest: bytes, prefix: str, group: int) -> int:
        return super().item(b"", prefix, group)


def not_distinct(law: DiscoveryLaw, tree: PrefixTree, digest: bytes, texts: Sequence[str], tape: Tape) -> int:
    """A device that counts a symbol once per text that is sent to it."""
    chosen = choose(texts, law.padding, tape)
    function = tape.below(law.functions)
    group = law.group_of(function)
    items = [tree.item(digest, tree.prefix(text, group), group) for text in chosen]
    own: list[int] = sorted(law.symbol(function, item) for item in items)
    number = tape.draw()
    if number < len(own) * law.hit:
        return function * law.symbols + own[number // law.hit]
    others = [symbol for symbol in range(law.symbols) if symbol not in own]
    return function * law.symbols + others[tape.below(len(others))]


def test_a_group_that_depends_on_data_loses_more_than_stated() -> None:
    distributions = [in_weights(device_law(group_by_data, texts)) for texts in (("a",), ("a", "ba"))]
    with pytest.raises(Exception, match="possible for one input set"):
        worst_ratio_of(distributions)


@pytest.mark.parametrize(
    "mutant",
    [
        group_by_data,
        with_tree(WrongLength),
        with_tree(NoEndMark),
        with_tree(GroupNotHashed),
        with_tree(TaskNotHashed),
        not_distinct,
    ],
    ids=["group", "length", "end mark", "group hashed", "task hashed", "distinct"],
)
def test_mutants_are_found(mutant: Sampler) -> None:
    assert any(device_law(mutant, texts) != stated_law(texts) for texts in held_sets())


def test_texts_that_cannot_be_found_are_left_out_and_long_ones_cut() -> None:
    tree = prefix_tree("abc ", characters=3)
    assert read_texts(tree, ["abcb", "abcc", "", "ä", "a", "abÄ", "abc\0", "a", " b"]) == ["abc", "a", " b"]
    assert read_texts(tree, {"ab": 3.0}) == ["ab"]
    with pytest.raises(PairsError, match="key 5 is not a text"):
        read_texts(tree, [5])  # type: ignore[list-item]
    for held in ("abc", None, 5):
        with pytest.raises(PairsError, match="not one text or number"):
            read_texts(tree, held)  # type: ignore[arg-type]


def test_a_report_is_a_word_of_the_task_whoever_draws_its_function() -> None:
    task = Task.discovery(name="terms", epsilon=2, characters=4, padding=2, coin="server")
    for number in range(50):
        coin = number.to_bytes(16)
        report = perturb(task, ["heat", "alien"], coin)
        word = int.from_bytes(report.body, "little")
        assert word < (task.word_limit or 0) < 2**63
        assert word // (task.parameters["symbols"]) == coin_choice(task, coin).function  # type: ignore[operator]


def test_the_tape_holds_all_draws() -> None:
    task = Task.discovery(name="terms", epsilon=2, padding=2)
    taken: list[int] = []

    class Counting(Tape):
        def draw(self) -> int:
            taken.append(1)
            return super().draw()

    for _ in range(20):
        taken.clear()
        perturb_from(Counting(task.draws), task, ["a", "b", "c", "d"])
        assert len(taken) <= task.draws
    with pytest.raises(PairsError, match="takes a mapping"):
        perturb(Task(name="t", keys=2, values=(0, 1), epsilon=1), ["0"])
