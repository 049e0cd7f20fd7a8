"""Set sizes from files: histograms, and the estimates of pilots."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.pilots import pilot, shares_of

from pckv.errors import DataError
from pckv.files.estimates import estimates_to_parquet
from pckv.files.set_sizes import read_set_sizes
from pckv.planning.set_sizes import SetSizes
from support.parts import ROOT


def test_files_of_sizes(tmp_path: Path) -> None:
    histogram = tmp_path / "sizes.csv"
    histogram.write_text("note,size,people\nx,1,600\ny,0,0\nz,12,400.5\n", encoding="utf-8-sig")
    assert shares_of(read_set_sizes(histogram)) == pytest.approx({1: 600 / 1000.5, 12: 400.5 / 1000.5})
    estimates = pilot([0, 0.6, 0.2, 0.1, 0.05, 0.03, 0.02], low=[0, 0.5, 0.1, 0.05, 0, 0, 0.01])
    (tmp_path / "pilot.csv").write_text(estimates.to_csv(), encoding="utf-8")
    (tmp_path / "pilot.json").write_text(estimates.to_json(), encoding="utf-8")
    (tmp_path / "pilot.parquet").write_bytes(estimates_to_parquet(estimates))
    expected = shares_of(SetSizes.of_pilot(estimates))
    for form in ("csv", "json", "parquet"):
        assert shares_of(read_set_sizes(tmp_path / f"pilot.{form}")) == expected
    shares_alone = tmp_path / "shares.csv"
    shares_alone.write_text("key,frequency\n0,0\n1,.5\n2+,.5\n", encoding="utf-8")
    assert shares_of(read_set_sizes(shares_alone)) == {1: 0.5, 2: 0.5}


COLUMNS = "there must be columns size and people, or the estimates of a pilot"


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("sizes.txt", b"size,people\n1,1\n", "a file of sizes is .csv, .json, .parquet"),
        ("sizes.csv", b"", COLUMNS),
        ("sizes.csv", b"user,movie\nann,alien\n", COLUMNS),
        ("sizes.csv", b"size,people\n", "sizes of nobody: there must be people"),
        ("sizes.csv", b"size,people\n1,\n", "size 1: people must be at least 0 and at most 10^15, not ''"),
        ("sizes.csv", b"size,people\n1\n", "size 1: people must be at least 0 and at most 10^15, not None"),
        (
            "sizes.csv",
            b"size,people\n1.0,5\n",
            "a size must be a whole number of at least 0 and at most 2^31, not '1.0'",
        ),
        ("sizes.csv", b"size,people\n1,5\n2,3\n1,9\n", "size 1 is there twice"),
        ("sizes.csv", b"size,people\n1,\xff\n", "not UTF-8"),
        ("sizes.csv", b'size,people\n1,"5\n', "not CSV (unexpected end of data)"),
        (
            "pilot.csv",
            b"key,frequency\nalien,.5\n",
            "'alien' is not a bucket of sizes such as 2, 3-4 or 257+",
        ),
        ("pilot.csv", b"key,frequency\n0,.5\n1+,x\n", "size 1+: people must be at least 0 and at most 10^15, not 'x'"),
        ("pilot.json", b"{", "not the JSON of a pilot's estimates"),
        ("pilot.json", b"[1, 2]", "not the JSON of a pilot's estimates"),
        ("pilot.json", b'{"estimates": [{"key": "0"}]}', "not the JSON of a pilot's estimates"),
        ("pilot.json", b'{"estimates": 3}', "not the JSON of a pilot's estimates"),
        ("pilot.json", b'{"estimates": []}', "sizes of nobody: there must be people"),
        ("pilot.json", b"[" * 100_000, "not the JSON of a pilot's estimates"),
        ("pilot.parquet", b"PAR1", "not a Parquet file that can be read"),
        ("pilot.parquet", {"word": [1, 2]}, COLUMNS),
        ("sizes.parquet", {"size": [1, -2], "people": [1, 2]}, "a size must be a whole number of at least 0 and at most 2^31, not -2"),
    ],
)  # fmt: skip
def test_bad_files_of_sizes(tmp_path: Path, name: str, data: Any, message: str) -> None:
    path = tmp_path / name
    if isinstance(data, bytes):
        path.write_bytes(data)
    else:
        pq.write_table(pa.table(data), path)
    with pytest.raises(DataError) as refusal:
        read_set_sizes(path)
    assert str(refusal.value) == f"{path}: {message}"


def test_the_golden_estimates_of_a_pilot() -> None:
    assert shares_of(read_set_sizes(ROOT / "vectors/v1/golden/buckets/estimates.json")) == {1: 1}
