"""Parquet files are recognised."""

from __future__ import annotations

from pathlib import Path

import pytest

from pckv.files.parquet import is_parquet


@pytest.mark.parametrize(
    ("data", "expected"), [(b"PAR1", True), (b"PAR", False), (b"", False), (b"user,key,value\n", False)]
)
def test_parquet_is_recognised_by_its_beginning(tmp_path: Path, data: bytes, expected: bool) -> None:
    (tmp_path / "a.csv").write_bytes(data)
    assert is_parquet(tmp_path / "a.csv") is expected
