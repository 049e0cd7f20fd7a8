"""Commands that count: standard input as `-`, and hints at options."""

from __future__ import annotations

from pathlib import Path

import pytest

from pckv.base.errors import DataError
from pckv.cli.common import HINTS
from pckv.cli.inputs import count_named
from pckv.counting.run import CountOptions
from support.parts import ROOT
from support.sample_reports import GRR


def test_standard_input_is_counted_once() -> None:
    with pytest.raises(DataError, match=r"^-: standard input was given twice$"):
        count_named(GRR, [Path("-"), Path("-")], CountOptions())


def test_every_hint_is_for_a_code_that_the_library_has() -> None:
    """A renamed code would silently lose its hint."""
    sources = [path.read_text(encoding="utf-8") for path in (ROOT / "src/pckv").rglob("*.py")]
    library = "".join(text for text in sources if "HINTS" not in text)
    for code, hint in HINTS.items():
        assert f'"{code}"' in library
        assert "--" in hint
