"""Decimals as people type them: plain digits, and nothing else that Python would read as a number."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pckv import Task
from pckv.base.canonical import decimal_text
from pckv.base.errors import ParameterError
from pckv.base.limits import check_epsilon
from pckv.mechanisms.ue.law import checked_beta

NOT_TYPED = (
    "1_0",
    "1_0.5",
    " 1",
    "1 ",
    "1\n",
    "\t1",
    "\u00a01",
    "１",
    "١",
    "+1",
    "+.5",
    "1.0_1",
    "1e1_0",
    "𝟏",
)


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("1.0", "1"),
        ("0.50", "0.5"),
        (".5", "0.5"),
        ("5.", "5"),
        ("007", "7"),
        ("-0.0", "0"),
        ("-.25", "-0.25"),
        ("1e-3", "0.001"),
        ("1E+2", "100"),
    ],
)
def test_typed_numbers(text: str, plain: str) -> None:
    assert decimal_text(text, "x") == plain


@pytest.mark.parametrize("text", NOT_TYPED)
def test_what_nobody_types_is_refused(text: str) -> None:
    with pytest.raises(ParameterError, match="x must be a number in plain digits"):
        decimal_text(text, "x")
    with pytest.raises(ParameterError, match="epsilon must be a number in plain digits"):
        check_epsilon(text)
    with pytest.raises(ParameterError, match="beta must be a number in plain digits"):
        checked_beta(text)


@pytest.mark.parametrize("text", ["", "1__0", "1.2.3", "e5", "-", ".", "0x10", "1,5", "- 1", "½", "1e", "--1"])
def test_what_is_no_number_is_refused(text: str) -> None:
    with pytest.raises(ParameterError, match="x must be a number"):
        decimal_text(text, "x")


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"epsilon": "1_0"}, "epsilon"),
        ({"values": ("1_0", "20")}, "low"),
        ({"values": ("1", " 5")}, "high"),
        ({"size_share": "0.0_5"}, "size_share"),
    ],
)
def test_members_of_tasks(changes: dict[str, Any], what: str) -> None:
    members: dict[str, Any] = {"name": "t", "keys": 9, "values": (0, 1), "epsilon": 1, "padding": 2}
    with pytest.raises(ParameterError, match=f"{what} must be a number in plain digits"):
        Task(**(members | {"mechanism": "grr"} | changes))


def test_floats_of_numpy() -> None:
    assert decimal_text(np.float64(0.1), "x") == "0.1"
    for number in (np.float32(0.1), np.int64(1), np.True_):
        with pytest.raises(ParameterError, match="x must be a number"):
            decimal_text(number, "x")
