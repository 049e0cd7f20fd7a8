"""Cells of spreadsheets: texts stay texts, no two become one, and numbers are numbers."""

from __future__ import annotations

import csv
import io
import re
from datetime import date
from typing import Any
from zipfile import ZipFile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pckv.base import spreadsheet
from pckv.base.errors import ParameterError
from pckv.base.spreadsheet import BOLD, DECIMALS, PERCENTS, Cell, Sheet, workbook
from pckv.base.table import csv_text
from support.workbooks import formats, read

TEXTS = st.text(st.characters() | st.sampled_from("'=+-@\t\r_x0041"), max_size=12)
CSV_TEXTS = st.text(st.characters() | st.sampled_from("'\"=+-@;|,\t\r\n"), max_size=8)
# The apostrophes that CSV files add.
HARMLESS = re.compile(r"(?:\A|(?<=[;|\t\r\n]))'(?=[\"']*[=+\-@\t\r])")
CELLS = TEXTS | st.booleans() | st.none() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)


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


def test_cells_have_formats_and_a_header_stays_in_sight() -> None:
    numbers = [Cell(0.25, PERCENTS[1]), Cell(0.25, DECIMALS[2]), date(2030, 1, 15), None, "=1+1"]
    content = workbook([Sheet("a", [[Cell("share", BOLD)], numbers], widths=(20, 8), header=True)])
    # Spreadsheets count days from the end of 1899, and know the format 14: a day.
    assert read(content) == [["share"], [0.25, 0.25, 47498.0, None, "=1+1"]]
    assert formats(content) == [["General"], ["0.0 %", "0.00", "14", "General", "General"]]
    with ZipFile(io.BytesIO(content)) as archive:
        sheet = archive.read("xl/worksheets/sheet1.xml").decode()
    # In the order that the format asks for.
    parts = ('state="frozen"', '<col min="1" max="1" width="20" customWidth="1"/>', "<sheetData>")
    assert sorted(parts, key=sheet.index) == list(parts)
