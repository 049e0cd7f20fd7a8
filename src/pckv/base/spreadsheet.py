"""A workbook for spreadsheets (XLSX, ECMA-376): texts stay texts, and numbers are numbers."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from itertools import chain
from math import isfinite
from typing import Any, NamedTuple
from xml.sax.saxutils import escape
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from pckv.base.errors import ParameterError
from pckv.base.words import MAX_DECIMALS

XLSX_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
MAX_ROWS = 2**20
# Larger whole numbers would be rounded to the next double.
MAX_WHOLE_NUMBER = 2**53

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_KINDS = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
# What XML cannot hold is written as _xHHHH_, and so is the underscore of a text that looks like that.
_UNWRITABLE = re.compile("[\x00-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)")
# What a cell looks like: texts, and numbers by their decimals.
PLAIN, BOLD, WRAPPED = "plain", "bold", "wrapped"
DECIMALS = tuple(f"0.{'0' * places}".rstrip(".") for places in range(MAX_DECIMALS + 1))
PERCENTS = tuple(f"{code} %" for code in DECIMALS)
STYLES = {style: number for number, style in enumerate((PLAIN, BOLD, WRAPPED, *DECIMALS, *PERCENTS))}
# Days are written as the reader's spreadsheet writes them.
DAY_STYLE, DAY_FORMAT = len(STYLES), 14
# Formats with smaller numbers are those that spreadsheets know.
FIRST_FORMAT = 164
# Spreadsheets count days from here.
FIRST_DAY = date(1899, 12, 30)


class Cell(NamedTuple):
    """A value and what it looks like: one of the `STYLES`."""

    value: Any
    style: str


class Sheet(NamedTuple):
    """A sheet of a workbook: its name and its rows.

    Attributes:
        widths: How many letters the columns have room for, where that is not left to the spreadsheet.
        header: Whether the first row stays in sight.
    """

    name: str
    rows: Iterable[Sequence[Any]]
    widths: Sequence[int] = ()
    header: bool = False


def workbook(sheets: Sequence[Sheet]) -> bytes:
    """Return an XLSX file with some sheets; the same content always gives the same bytes."""
    numbers = range(1, len(sheets) + 1)
    overrides = f'<Override PartName="/xl/styles.xml" ContentType="{_KINDS}.styles+xml"/>' + "".join(
        f'<Override PartName="/xl/worksheets/sheet{number}.xml" ContentType="{_KINDS}.worksheet+xml"/>'
        for number in numbers
    )
    names = "".join(
        f'<sheet name="{escape(sheet.name)}" sheetId="{number}" r:id="rId{number}"/>'
        for number, sheet in zip(numbers, sheets, strict=True)
    )
    links = "".join(
        f'<Relationship Id="rId{number}" Type="{_OFFICE}/worksheet" Target="worksheets/sheet{number}.xml"/>'
        for number in numbers
    )
    links += f'<Relationship Id="rId{len(sheets) + 1}" Type="{_OFFICE}/styles" Target="styles.xml"/>'
    parts = {
        "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{_KINDS}.sheet.main+xml"/>{overrides}</Types>',
        "_rels/.rels": f'<Relationships xmlns="{_RELATIONS}"><Relationship Id="rId1" '
        f'Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><bookViews><workbookView/></bookViews>'
        f"<sheets>{names}</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_RELATIONS}">{links}</Relationships>',
        "xl/styles.xml": _styles(),
    }
    file = io.BytesIO()
    with ZipFile(file, "w") as archive:
        for name, content in parts.items():
            archive.writestr(_entry(name), _HEAD + content)
        for number, sheet in zip(numbers, sheets, strict=True):
            with archive.open(_entry(f"xl/worksheets/sheet{number}.xml"), "w") as part:
                for piece in _sheet(sheet):
                    part.write(piece.encode())
    return file.getvalue()


def _entry(name: str) -> ZipInfo:
    # Without the time of writing.
    entry = ZipInfo(name)
    entry.compress_type = ZIP_DEFLATED
    return entry


def _styles() -> str:
    codes = dict(enumerate((*DECIMALS, *PERCENTS), FIRST_FORMAT))
    formats = "".join(f'<numFmt numFmtId="{number}" formatCode="{code}"/>' for number, code in codes.items())
    wrapped = '<alignment vertical="top" wrapText="1"/>'
    texts = "".join(
        f'<xf numFmtId="0" fontId="{font}" fillId="0" borderId="0" xfId="0" applyFont="1" applyAlignment="1">'
        f"{inner}</xf>"
        for font, inner in ((0, ""), (1, wrapped), (0, wrapped))
    )
    numbers = "".join(
        f'<xf numFmtId="{number}" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>'
        for number in codes
    )
    day = (
        f'<xf numFmtId="{DAY_FORMAT}" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" '
        'applyAlignment="1"><alignment horizontal="left"/></xf>'
    )
    font = '<sz val="11"/><name val="Calibri"/>'
    return (
        f'<styleSheet xmlns="{_MAIN}"><numFmts count="{len(codes)}">{formats}</numFmts>'
        f'<fonts count="2"><font>{font}</font><font><b/>{font}</font></fonts>'
        '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/>'
        '</fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>'
        '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>'
        f'<cellXfs count="{DAY_STYLE + 1}">{texts}{numbers}{day}</cellXfs></styleSheet>'
    )


def _sheet(sheet: Sheet) -> Iterator[str]:
    yield f'{_HEAD}<worksheet xmlns="{_MAIN}">'
    if sheet.header:
        yield (
            '<sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" '
            'state="frozen"/></sheetView></sheetViews>'
        )
    if sheet.widths:
        columns = (
            f'<col min="{number}" max="{number}" width="{width}" customWidth="1"/>'
            for number, width in enumerate(sheet.widths, 1)
        )
        yield "".join(chain(["<cols>"], columns, ["</cols>"]))
    yield "<sheetData>"
    for number, row in enumerate(sheet.rows):
        if number == MAX_ROWS:
            raise ParameterError(f"a sheet has at most {MAX_ROWS:,} rows: take CSV or Parquet")
        yield f"<row>{''.join(map(_cell, row))}</row>"
    yield "</sheetData></worksheet>"


def _cell(cell: Any) -> str:
    value, style = cell if isinstance(cell, Cell) else (cell, PLAIN)
    number = STYLES[style]
    if isinstance(value, date):
        value, number = (value - FIRST_DAY).days, DAY_STYLE
    styled = f' s="{number}"' if number else ""
    if value is None or (isinstance(value, float) and not isfinite(value)):
        return "<c/>"
    if isinstance(value, bool):
        return f'<c{styled} t="b"><v>{value:d}</v></c>'
    if isinstance(value, float) or (isinstance(value, int) and abs(value) <= MAX_WHOLE_NUMBER):
        return f"<c{styled}><v>{value!r}</v></c>"
    text = _UNWRITABLE.sub(lambda found: f"_x{ord(found[0]):04X}_", str(value))
    return f'<c{styled} t="inlineStr"><is><t xml:space="preserve">{escape(text)}</t></is></c>'
