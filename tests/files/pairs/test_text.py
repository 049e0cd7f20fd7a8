"""Text files of pairs: separators, and compression."""

from __future__ import annotations

import gzip
import tracemalloc
from pathlib import Path

import pytest

from pckv.files.pairs import rows as rows_module
from pckv.files.pairs import sources as text_module
from pckv.files.pairs.population import population_of, read_populations
from pckv.files.pairs.rows import Columns
from pckv.files.pairs.sources import open_pairs
from support.pairs_files import MOVIES, NAMES, people, read, refusal

PEOPLE = [{0: 4, 2: 1.5}, {}, {1: 2}]
ROWS = [
    ("user", "key", "value"),
    ("ann", "alien", "4"),
    ("bob", "", ""),
    ("ann", "up", "1.5"),
    ("cat", "heat", "2"),
]


def text(separator: str) -> bytes:
    return "".join(separator.join(row) + "\n" for row in ROWS).encode()


@pytest.mark.parametrize("separator", [",", ";", "\t"], ids=["comma", "semicolon", "tab"])
@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.txt", "a"])
def test_separators_are_found_by_the_header(tmp_path: Path, separator: str, name: str) -> None:
    path, compressed = tmp_path / name, tmp_path / f"{name}.gz"
    path.write_bytes(text(separator))
    compressed.write_bytes(gzip.compress(path.read_bytes()))
    assert people(read(path).population) == people(read(compressed).population) == PEOPLE


def test_compression_is_found_by_the_first_bytes(tmp_path: Path) -> None:
    """Standard input has no name; two parts one after the other are one file, as for gzip itself."""
    path = tmp_path / "a"
    first, second = text(";")[:30], text(";")[30:]
    path.write_bytes(gzip.compress(first) + gzip.compress(second))
    assert people(read(path).population) == PEOPLE


@pytest.mark.parametrize(
    ("header", "ways"),
    [
        ("x;user;key;value;y,user,key,value", "commas as well as semicolons"),
        ("x\tuser\tkey\tvalue\ty,user,key,value", "commas as well as tabs"),
        ("x\tuser\tkey\tvalue\ty;user;key;value", "semicolons as well as tabs"),
    ],
)
def test_an_ambiguous_header_is_refused(tmp_path: Path, header: str, ways: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"{header}\nann,alien,4,x\n", encoding="utf-8")
    assert refusal(path) == f"{path}: the header has these columns if separated by {ways}: rename them"


def test_the_name_of_a_file_decides_a_draw_for_tabs(tmp_path: Path) -> None:
    content = b"x\tuser\tkey\tvalue\ty,user,key,value\nx\tann\talien\t4\ty\n"
    for name, data in (("a.tsv", content), ("a.TSV.GZ", gzip.compress(content))):
        (tmp_path / name).write_bytes(data)
        assert people(read(tmp_path / name).population) == [{0: 4}]


@pytest.mark.parametrize(("separator", "name"), [(";", "a.csv"), ("\t", "a.tsv"), (",", "a.csv")])
def test_a_missing_column_is_named_with_those_that_are_there(tmp_path: Path, separator: str, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(text(separator))
    with pytest.raises(ValueError, match=r"no column 'movie'; there are 'user', 'key', 'value'$"):
        population_of(open_pairs(path, Columns("user", "movie", "value")), MOVIES)


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        ("user;key;value\nann;alien;4,5\n", ", line 2: value '4,5' is not a number"),
        ("user;key;value\nann;alien\n", ", line 2: 2 fields where the header has 3"),
        ("user\tkey\tvalue\nann\talien\t9\n", ", line 2: value 9 is outside [1, 5]"),
        ('user;key;value\n"a;\nb";alien;9\n', ", line 3: value 9 is outside [1, 5]"),
        ("", ": the file is empty"),
    ],
    ids=["decimal-comma", "short", "range", "quotes", "empty"],
)
@pytest.mark.parametrize("compressed", [False, True], ids=["plain", "gzip"])
def test_places_are_named(tmp_path: Path, lines: str, problem: str, compressed: bool) -> None:
    path = tmp_path / ("a.csv.gz" if compressed else "a.csv")
    path.write_bytes(gzip.compress(lines.encode()) if compressed else lines.encode())
    assert refusal(path) == f"{path}{problem}"


def damaged(data: bytes) -> bytes:
    return data[:-6] + bytes([data[-6] ^ 1]) + data[-5:]


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (text(","), "not a gzip file"),
        (b"", "not a gzip file"),
        (gzip.compress(text(","))[:-9], "not a whole gzip file (Compressed file ended"),
        (gzip.compress(text(","))[:12], "not a whole gzip file (Compressed file ended"),
        (damaged(gzip.compress(text(","))), "not a whole gzip file (CRC check failed"),
        (gzip.compress(text(",")) + b"more", "not a whole gzip file (Not a gzipped file"),
    ],
    ids=["plain", "empty", "end", "beginning", "checksum", "more"],
)
def test_bad_compressed_files(tmp_path: Path, data: bytes, problem: str) -> None:
    path = tmp_path / "a.csv.gz"
    path.write_bytes(data)
    assert refusal(path).startswith(f"{path}: {problem}")


def test_a_large_compressed_file_is_streamed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.tsv.gz"
    path.write_bytes(gzip.compress(text("\t")))
    assert not open_pairs(path, NAMES).is_large
    monkeypatch.setattr(rows_module, "ROWS_IN_MEMORY", 20)
    monkeypatch.setattr(rows_module, "ROWS_PER_BATCH", 2)
    assert open_pairs(path, NAMES).is_large
    shares: list[float] = []
    parts = list(read_populations(open_pairs(path, NAMES), MOVIES, progress=shares.append))
    assert len(parts) > 1
    found = [pairs for part in parts for pairs in people(part.population)]
    assert sorted(found, key=str) == sorted(PEOPLE, key=str)
    assert shares[-1] == 1


@pytest.mark.parametrize("begin", [b"", b"user,key,value\n", b"user,key,value\nann,alien,"])
@pytest.mark.parametrize("letter", [b"x", b"\xff"], ids=["text", "not UTF-8"])
def test_a_small_file_with_a_huge_line_does_not_fill_the_memory(tmp_path: Path, begin: bytes, letter: bytes) -> None:
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress(begin + letter * 2**25))
    tracemalloc.start()
    try:
        line = refusal(path)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    number = begin.count(b"\n") + 1
    reason = "field larger than field limit (131072)" if letter == b"x" else "not UTF-8"
    assert line == f"{path}, line {number}: {reason}"
    assert peak < 2**24


@pytest.mark.parametrize("row", ["ann,alien,4,a long remark", "ann,alien,4,x,y,z,a,b,c,d,e,f,g,h,i"])
def test_a_line_that_is_too_long_is_never_two_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, row: str) -> None:
    header = "user,key,value" + ",more" * (row.count(",") - 2)
    path = tmp_path / "a.csv"
    path.write_text(f"{header}\n{row}\n", encoding="utf-8")
    assert people(read(path).population) == [{0: 4}]
    for length in range(len(header) // 2, len(header)):
        monkeypatch.setattr(text_module, "MAX_LINE_LENGTH", length)
        assert refusal(path)
    # Inside quotes a line may be in pieces.
    path.write_text('user,key,value,more\nann,alien,4,"a\nlong remark of several lines"\n', encoding="utf-8")
    monkeypatch.setattr(text_module, "MAX_LINE_LENGTH", 21)
    assert people(read(path).population) == [{0: 4}]
