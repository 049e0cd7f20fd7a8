"""Levels: large sizes on intervals of draws, means that stay, ids that bind, and planted faults of all of these."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest

from audit.batches import check_batch_equals_single
from audit.interval_checks import check_interval_loss, level_tasks
from audit.level_checks import (
    check_ids_bind_contracts,
    check_levels_keep_the_mean,
    one_level_too_low,
    rounded_down,
    wrong_neighbour,
)
from audit.smaller_laws import enumerable
from pckv import audit
from pckv.auditing.audit import audited_task
from pckv.auditing.exact import input_sets
from pckv.auditing.sampler_loss import DeviceCode
from pckv.auditing.variants import LEVEL_VARIANTS
from pckv.base.canonical import dump
from pckv.base.errors import AuditFailure
from pckv.contract.task import Task
from pckv.device import vectorised
from pckv.mechanisms.grr import device as device_grr
from pckv.mechanisms.registry import LAWS, build
from pckv.mechanisms.ue_compact import device as device_compact
from support.tasks import a_task

WITH_LEVELS = [name for name, variants in LEVEL_VARIANTS.items() if variants]


def test_every_mechanism_with_words_has_levels() -> None:
    assert [name for name in LAWS if name != "ue"] == WITH_LEVELS
    for variants in LEVEL_VARIANTS.values():
        assert {variant.levels for variant in variants} in ({3, 5}, set())


@pytest.mark.parametrize("name", WITH_LEVELS)
def test_intervals(name: str) -> None:
    check_interval_loss(level_tasks(name))


def test_means_stay() -> None:
    check_levels_keep_the_mean()


def test_ids_bind_contracts() -> None:
    check_ids_bind_contracts()


def test_an_audit_says_how_many_levels_there_are() -> None:
    task = a_task(keys=2, values=(1, 5), levels=5, padding=1, mechanism="grr", size_share=0)
    found = audit(task)
    assert (found.levels, found.holds, found.sets) == (5, True, 38)
    assert found.enumerated == found.closed_form == found.claimed == 1.0


@pytest.mark.parametrize("placed", [wrong_neighbour, rounded_down, one_level_too_low])
def test_a_biased_rounding_is_caught(placed: Callable[[float, Sequence[float]], tuple[int, int]]) -> None:
    with pytest.raises(AuditFailure, match="levels keep the mean"):
        check_levels_keep_the_mean(placed)
    with pytest.raises(AuditFailure, match="another chance than stated"):
        check_interval_loss([audited_task({"name": "grr"}, 3, 1, "1", levels=5)], DeviceCode(placed=placed))


def test_a_level_that_is_not_added_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sampler sets a bit where it should add one: right with two levels, and wrong from the second on."""
    for module in (device_grr, device_compact):
        monkeypatch.setattr(module, "draw_level", lambda _law, pair, tape: pair[1] | tape.bernoulli(pair[2]))
    for name in ("grr", "ue-compact"):
        check_interval_loss([audited_task({"name": name}, 3, 1, "1")])
        with pytest.raises(AuditFailure):
            check_interval_loss([audited_task({"name": name}, 3, 1, "1", levels=3)])


@pytest.mark.parametrize("name", WITH_LEVELS)
def test_a_batch_with_other_levels_is_caught(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    right = vectorised._placed

    def placed(task: Task, values: Any) -> Any:
        below, chances = right(task, values)
        return np.minimum(below, 1), chances

    monkeypatch.setattr(vectorised, "_placed", placed)
    with pytest.raises(AuditFailure, match="batch equals single"):
        partial(check_batch_equals_single, name, [(3, 2)] * 3)()


@pytest.mark.parametrize("member", ["levels", "between"])
def test_an_id_that_leaves_out_levels_is_caught(member: str, monkeypatch: pytest.MonkeyPatch) -> None:
    right = Task.to_json

    def without(task: Task) -> str:
        return dump({name: value for name, value in json.loads(right(task)).items() if name != member})

    monkeypatch.setattr(Task, "to_json", without)
    with pytest.raises(AuditFailure, match="two contracts have one id"):
        check_ids_bind_contracts()


@pytest.mark.parametrize("name", WITH_LEVELS)
def test_the_blanket_of_levels_is_exact(name: str) -> None:
    """What bounds of shuffled reports rest on: every law is from γ to γ·e^ε times the uniform one, and reaches γ."""
    for levels, parameters in LEVEL_VARIANTS[name]:
        keys = 2 if levels == 3 else 1
        for length in (1, 2):
            law = enumerable(build(name, keys, length, Fraction(1), parameters, levels))
            words = law.word_limit
            assert words is not None
            distributions = [law.distribution(held) for held in input_sets(keys, levels)]
            chances = [
                Fraction(weight * words, total) for weights, total in distributions for weight in weights.values()
            ]
            assert law.blanket <= min(chances)
            assert max(chances) <= law.blanket * law.realised
            if length == 1:
                assert law.blanket == min(chances)
