"""The audit of discoveries: the device's own code on all of its 64-bit draws, and planted faults that it must find."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from pckv import Task, audit
from pckv.auditing.discovery import discovery_loss
from pckv.base.errors import AuditFailure, ParameterError
from pckv.base.randomness import Tape
from pckv.card.card import card_markdown, privacy_card
from pckv.mechanisms.collision.device import choose, send
from pckv.mechanisms.discovery import device as discovery
from pckv.mechanisms.discovery.law import DiscoveryLaw
from pckv.mechanisms.discovery.prefix_tree import PrefixTree


@pytest.mark.parametrize("coin", ["device", "server"])
@pytest.mark.parametrize(("padding", "epsilon", "groups"), [(1, "2", 3), (2, "0.1", 1), (2, "4", 2)])
def test_the_loss_is_exact_and_within_the_claim(coin: str, padding: int, epsilon: str, groups: int) -> None:
    task = Task.discovery(
        name="terms", epsilon=epsilon, alphabet="abc", characters=3, groups=groups, padding=padding, coin=coin
    )
    found = audit(task)
    assert found.holds
    assert found.enumerated == found.closed_form <= found.claimed
    assert (found.levels, found.functions) == (1, 3)


def test_a_discovery_of_the_usual_size() -> None:
    assert audit(Task.discovery(name="terms", epsilon=4)).holds
    with pytest.raises(ParameterError, match="is not a discovery"):
        discovery_loss(Task(name="t", keys=2, values=(0, 1), epsilon=1))


TASK = Task.discovery(name="terms", epsilon=1, alphabet="abc", characters=3, padding=2)


def sampler_with(items_of: Callable[..., Any]) -> Callable[..., Any]:
    """Return a device that reports other items than it should."""

    def sampler(law: DiscoveryLaw, tree: PrefixTree, digest: bytes, texts: Sequence[str], tape: Tape) -> int:
        chosen = choose(texts, law.padding, tape)
        function = tape.below(law.functions)
        return send(law, function, items_of(tree, digest, chosen, law.group_of(function)), tape)

    return sampler


def longer(tree: PrefixTree, digest: bytes, texts: Sequence[str], group: Any) -> list[int]:
    return [tree.item(digest, tree.prefix(text, 2), group) for text in texts]


def no_end_mark(tree: PrefixTree, digest: bytes, texts: Sequence[str], group: Any) -> list[int]:
    return [tree.item(digest, tree.prefix(text, group).rstrip("\0"), group) for text in texts]


def unbound(tree: PrefixTree, _digest: bytes, texts: Sequence[str], group: Any) -> list[int]:
    return [tree.item(bytes(32), tree.prefix(text, group), group) for text in texts]


def first_only(tree: PrefixTree, digest: bytes, texts: Sequence[str], group: Any) -> list[int]:
    return [tree.item(digest, tree.prefix(text, group), group) for text in texts[:1]]


def chooses_the_first(law: DiscoveryLaw, tree: PrefixTree, digest: bytes, texts: Any, tape: Tape) -> int:
    return discovery.perturb(law, tree, digest, texts[: law.padding], tape)


def group_by_data(law: DiscoveryLaw, tree: PrefixTree, digest: bytes, texts: Any, tape: Tape) -> int:
    function = tape.below(law.functions)
    return discovery.perturb(law, tree, digest, texts, tape, function if texts else 0)


def fewer_functions(law: DiscoveryLaw, tree: PrefixTree, digest: bytes, texts: Any, tape: Tape) -> int:
    return discovery.perturb(law, tree, digest, texts, tape, tape.below(2**32))


@pytest.mark.parametrize(
    "mutant",
    [
        *map(sampler_with, (longer, no_end_mark, unbound, first_only)),
        chooses_the_first,
        group_by_data,
        fewer_functions,
    ],
    ids=["longer", "no end mark", "unbound", "first only", "chooses", "group by data", "fewer functions"],
)
def test_mutants_are_found(mutant: Callable[..., Any]) -> None:
    with pytest.raises(AuditFailure):
        discovery_loss(TASK, mutant)


def test_the_card_says_that_texts_are_asked_for() -> None:
    text = card_markdown(privacy_card(TASK, audit=audit(TASK)))
    assert "| Keys | unknown; found up to 3 characters of these: “abc”" in text
    assert "| Texts per report | at most 2;" in text
    assert "pairs" not in text
    assert "The texts that many people hold" in text
