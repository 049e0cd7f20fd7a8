"""The registry: every mechanism has all of its parts, and no part is left out of it."""

from __future__ import annotations

import inspect
from dataclasses import fields
from pathlib import Path

import pytest

from pckv.mechanisms.base import Law
from pckv.mechanisms.registry import REGISTRY, Mechanism, load_part
from support.parts import ROOT

CODE_PARTS = [field.name for field in fields(Mechanism) if field.name != "javascript"]
CLIENT = ROOT / "src" / "pckv" / "web" / "client"
# What reports say besides pairs: not chosen by a task's `mechanism`.
QUESTIONS = {"discovery", "size_question"}
SHARED_JAVASCRIPT = {"mechanisms/base.js", "mechanisms/budget.js"}
# Modules of these folders that belong to no single mechanism.
SHARED = {
    "src/pckv/device": {"__init__", "checked_pairs", "perturb", "vectorised"},
    "src/pckv/tally/decode": {"__init__", "support"},
}


@pytest.mark.parametrize("name", REGISTRY)
def test_every_part_of_a_mechanism_is_there(name: str) -> None:
    law = load_part(name, "law")
    assert issubclass(law, Law)
    assert law.name == name
    for part in CODE_PARTS:
        assert callable(load_part(name, part)), part
    assert (CLIENT / REGISTRY[name].javascript).is_file()


def test_every_mechanism_has_a_folder_with_its_law_and_its_sampler() -> None:
    folders = {path.parent for path in (ROOT / "src/pckv/mechanisms").glob("*/__init__.py")}
    assert {path.name for path in folders} == {name.replace("-", "_") for name in REGISTRY} | QUESTIONS
    for folder in folders:
        assert (folder / "law.py").is_file()
        assert (folder / "device.py").is_file()


@pytest.mark.parametrize("folder", SHARED)
def test_no_module_of_a_mechanism_is_left_out(folder: str) -> None:
    named = {Path(inspect.getfile(load_part(name, part))).resolve() for name in REGISTRY for part in CODE_PARTS}
    for path in (ROOT / folder).glob("*.py"):
        assert path.stem in SHARED[folder] or path.resolve() in named, path


def test_no_javascript_of_a_mechanism_is_left_out() -> None:
    files = {f"mechanisms/{path.name}" for path in (CLIENT / "mechanisms").glob("*.js")}
    assert files - SHARED_JAVASCRIPT == {mechanism.javascript for mechanism in REGISTRY.values()}


def test_a_missing_part_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = Mechanism(**{**vars(REGISTRY["grr"]), "decoder": "pckv.tally.decode.support:nothing"})
    monkeypatch.setattr("pckv.mechanisms.registry.REGISTRY", {**REGISTRY, "broken": broken})
    with pytest.raises(AttributeError, match="nothing"):
        load_part("broken", "decoder")
