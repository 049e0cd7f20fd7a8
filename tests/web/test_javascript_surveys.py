"""Surveys in the JavaScript client: the same identity as in Python, and no report for a closed task."""

from __future__ import annotations

import unicodedata
from typing import Any

import pytest

from pckv import Task
from pckv.client.caps import DEFAULT_CAP, DEFAULT_LOCAL_CAP
from pckv.client.ledger import DELTA_CAP
from pckv.contract.survey import survey_of
from support.ledger_checks import VARIANTS
from support.mixed_tasks import a_mixed_task
from support.node import CLIENT, run_module

# Unassigned in the Unicode version of this Python, not characters, or private: nothing is known about their case.
LEFT_OUT = {"Cn", "Cs", "Cc", "Co"}


def run(script: str, given: Any) -> Any:
    """Run a module in Node that turns `given` into `result`; return the result."""
    whole = (
        f'import {{ readFileSync }} from "node:fs"; const given = JSON.parse(readFileSync(0, "utf8")); let result;'
        f"{script}; console.log(JSON.stringify(result));"
    )
    return run_module(whole, given=given)


def test_surveys_are_those_of_python() -> None:
    """Every character but plain ideographs and Hangul syllables, alone and between others."""
    letters = [
        letter
        for letter in map(chr, range(0x110000))
        if unicodedata.category(letter) not in LEFT_OUT
        and not unicodedata.name(letter, "").startswith(("CJK UNIFIED IDEOGRAPH", "HANGUL SYLLABLE"))
    ]
    names = [f"A {letter}\N{COMBINING ACUTE ACCENT}b" for letter in letters] + letters + [*VARIANTS]
    script = f'import {{ surveyOf }} from "{CLIENT.as_uri()}/formats.js"; result = given.map(surveyOf)'
    surveys = run(script, names)
    assert [name for name, survey in zip(names, surveys, strict=True) if survey_of(name) != survey] == []
    # Nothing is left to change: two spellings of one survey meet in one text.
    assert [survey for survey in surveys if survey_of(survey) != survey] == []


def test_the_default_caps_are_those_of_python() -> None:
    text = (CLIENT / "ledger.js").read_text(encoding="utf-8")
    assert f'{{ cap: {{ epsilon: "{DEFAULT_CAP}" }}, localCap: {{ epsilon: "{DEFAULT_LOCAL_CAP}" }} }}' in text
    assert f'DELTA_CAP = "{DELTA_CAP:f}"' in text


@pytest.mark.parametrize(("closes", "code"), [("2020-01-01", "not_sent"), ("2999-01-01", "none"), (None, "none")])
def test_perturb_refuses_a_closed_task(closes: str | None, code: str) -> None:
    assert perturbed(Task(name="t", keys=["a"], values=(0, 1), epsilon=1, mechanism="grr", closes=closes)) == code


def test_perturb_refuses_a_mixed_task_that_never_closes() -> None:
    assert [perturbed(a_mixed_task(keys=["a"], closes=day)) for day in (None, "2999-01-01")] == ["not_sent", "none"]


def perturbed(task: Task) -> str:
    """Return the code of the refusal to perturb; `none` if there is none."""
    script = f"""
        import {{ Task, perturb }} from "{CLIENT.as_uri()}/index.js";
        const task = await Task.fromJson(given);
        try {{ perturb(task, {{ a: 1 }}); result = "none"; }} catch (error) {{ result = error.code; }}"""
    return str(run(script, task.to_json()))
