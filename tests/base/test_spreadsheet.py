"""Cells of spreadsheets: texts stay texts, no two become one, and numbers are numbers."""

from __future__ import annotations

import csv
import io
import re
from typing import Any
from xml.etree import ElementTree as ET
from zipfile import ZipFile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pckv import Task, estimate
from pckv.base import spreadsheet
from pckv.base.errors import ParameterError
from pckv.base.spreadsheet import Sheet, workbook
from pckv.base.table import csv_text
from support.derived import collect, people_who_hold

MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
TEXTS = st.text(st.characters() | st.sampled_from("'=+-@\t\r_x0041"), max_size=12)
CSV_TEXTS = st.text(st.characters() | st.sampled_from("'\"=+-@;|,\t\r\n"), max_size=8)
# The apostrophes that CSV files add.
HARMLESS = re.compile(r"(?:\A|(?<=[;|\t\r\n]))'(?=[\"']*[=+\-@\t\r])")
CELLS = TEXTS | st.booleans() | st.none() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)


def cell_of(cell: ET.Element) -> Any:
    """Return what a spreadsheet reads in a cell."""
    kind = cell.get("t", "n")
    if kind == "inlineStr":
        text = cell.findtext(f"{MAIN}is/{MAIN}t") or ""
        return re.sub("_x([0-9A-F]{4})_", lambda found: chr(int(found[1], 16)), text)
    value = cell.findtext(f"{MAIN}v")
    if value is None:
        return None
    return value == "1" if kind == "b" else float(value)


def read(content: bytes, sheet: int = 1) -> list[list[Any]]:
    """Return the rows of a sheet."""
    with ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
        for name in archive.namelist():
            ET.fromstring(archive.read(name))  # noqa: S314
        root = ET.fromstring(archive.read(f"xl/worksheets/sheet{sheet}.xml"))  # noqa: S314
    return [[cell_of(cell) for cell in row] for row in root.iter(f"{MAIN}row")]


@given(st.lists(st.lists(CELLS, max_size=4), max_size=4))
def test_a_workbook_is_read_back(rows: list[list[Any]]) -> None:
    content = workbook([Sheet("Results", rows), Sheet("A & B", [["=1+1"]])])
    # Whole numbers that no spreadsheet holds exactly are texts.
    expected = [[str(cell) if type(cell) is int and abs(cell) > 2**53 else cell for cell in row] for row in rows]
    assert read(content) == expected
    assert read(content, 2) == [["=1+1"]]
    assert content == workbook([Sheet("Results", rows), Sheet("A & B", [["=1+1"]])])


def test_a_sheet_has_so_many_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spreadsheet, "MAX_ROWS", 2)
    assert read(workbook([Sheet("a", [[1], [2]])])) == [[1], [2]]
    with pytest.raises(ParameterError, match="a sheet has at most 2 rows"):
        workbook([Sheet("a", [[1], [2], [3]])])


@given(st.lists(st.lists(CSV_TEXTS, min_size=2, max_size=3), min_size=1, max_size=3))
def test_formulas_of_csv_are_made_harmless_and_every_text_can_be_told(rows: list[list[str]]) -> None:
    """However a spreadsheet splits lines into cells; quotation marks keep a text in one cell."""
    written = csv_text(rows)
    for separator in ",;|\t":
        cells = [cell for row in csv.reader(io.StringIO(written, newline=""), delimiter=separator) for cell in row]
        assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@", "\t", "\r"))]
    again = list(csv.reader(io.StringIO(written, newline="")))
    assert [[HARMLESS.sub("", cell) for cell in row] for row in again] == rows
    assert list(csv.reader(io.StringIO(csv_text([["a;b", "c"]])), delimiter=";")) == [["a;b,c"]]


def test_plain_texts_of_csv_are_as_others_write_them() -> None:
    rows: list[list[Any]] = [["a", 'b,"c"', "d-e=f"], ["", -0.5, None], [1, True, "x, =1"]]
    expected = io.StringIO()
    csv.writer(expected, lineterminator="\n").writerows(rows)
    assert csv_text(rows) == expected.getvalue()


def test_a_mean_that_is_not_known_has_an_empty_cell() -> None:
    """Programs read it beside its flag, in the other forms; people do not."""
    task = Task(name="t", keys=["often", "never"], values=(1, 5), epsilon=6, padding=1)
    found = estimate(collect(task, people_who_hold(np.array([[True, False]] * 300), value=4.0)))
    assert found.mean_known.tolist() == [True, False]
    header, *rows = read(found.to_xlsx())
    assert [row[header.index("mean")] for row in rows] == [found.mean[0], None]
    assert None not in found.lists()["mean"]
