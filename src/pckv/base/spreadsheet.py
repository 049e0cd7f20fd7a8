"""A workbook for spreadsheets (XLSX, ECMA-376): texts stay texts, and numbers are numbers."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator, Sequence
from math import isfinite
from typing import Any, NamedTuple
from xml.sax.saxutils import escape
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from pckv.base.errors import ParameterError

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


class Sheet(NamedTuple):
    """A sheet of a workbook: its name and its rows, the first of which is its header."""

    name: str
    rows: Iterable[Sequence[Any]]


def workbook(sheets: Sequence[Sheet]) -> bytes:
    """Return an XLSX file with some sheets; the same content always gives the same bytes."""
    numbers = range(1, len(sheets) + 1)
    overrides = "".join(
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
    parts = {
        "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{_KINDS}.sheet.main+xml"/>{overrides}</Types>',
        "_rels/.rels": f'<Relationships xmlns="{_RELATIONS}"><Relationship Id="rId1" '
        f'Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>{names}</sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_RELATIONS}">{links}</Relationships>',
    }
    file = io.BytesIO()
    with ZipFile(file, "w") as archive:
        for name, content in parts.items():
            archive.writestr(_entry(name), _HEAD + content)
        for number, sheet in zip(numbers, sheets, strict=True):
            with archive.open(_entry(f"xl/worksheets/sheet{number}.xml"), "w") as part:
                for piece in _sheet(sheet.rows):
                    part.write(piece.encode())
    return file.getvalue()


def _entry(name: str) -> ZipInfo:
    # Without the time of writing.
    entry = ZipInfo(name)
    entry.compress_type = ZIP_DEFLATED
    return entry


def _sheet(rows: Iterable[Sequence[Any]]) -> Iterator[str]:
    yield f'{_HEAD}<worksheet xmlns="{_MAIN}"><sheetData>'
    for number, row in enumerate(rows):
        if number == MAX_ROWS:
            raise ParameterError(f"a sheet has at most {MAX_ROWS:,} rows: take CSV or Parquet")
        yield f"<row>{''.join(map(_cell, row))}</row>"
    yield "</sheetData></worksheet>"


def _cell(value: Any) -> str:
    if value is None or (isinstance(value, float) and not isfinite(value)):
        return "<c/>"
    if isinstance(value, bool):
        return f'<c t="b"><v>{value:d}</v></c>'
    if isinstance(value, float) or (isinstance(value, int) and abs(value) <= MAX_WHOLE_NUMBER):
        return f"<c><v>{value!r}</v></c>"
    text = _UNWRITABLE.sub(lambda found: f"_x{ord(found[0]):04X}_", str(value))
    return f'<c t="inlineStr"><is><t xml:space="preserve">{escape(text)}</t></is></c>'
