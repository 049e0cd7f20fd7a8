"""What the commands that count make of `-`."""

from __future__ import annotations

from pathlib import Path

import pytest

from pckv.cli.counting import count_named
from pckv.counting.run import CountOptions
from pckv.errors import DataError
from support.made_reports import GRR


def test_standard_input_is_counted_once() -> None:
    with pytest.raises(DataError, match=r"^-: standard input was given twice$"):
        count_named(GRR, [Path("-"), Path("-")], CountOptions())
