"""Workbooks (XLSX) as spreadsheets read them."""

from __future__ import annotations

import io
import re
from typing import Any
from xml.etree import ElementTree as ET
from zipfile import ZipFile

MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


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


def formats(content: bytes, sheet: int = 1) -> list[list[str]]:
    """Return the number format of every cell of a sheet."""
    with ZipFile(io.BytesIO(content)) as archive:
        styles, root = (
            ET.fromstring(archive.read(name))  # noqa: S314
            for name in ("xl/styles.xml", f"xl/worksheets/sheet{sheet}.xml")
        )
    codes = {each.get("numFmtId"): each.get("formatCode") for each in styles.iter(f"{MAIN}numFmt")} | {"0": "General"}
    numbers = [str(each.get("numFmtId")) for each in styles.findall(f"{MAIN}cellXfs/{MAIN}xf")]
    rows = ([numbers[int(cell.get("s", "0"))] for cell in row] for row in root.iter(f"{MAIN}row"))
    return [[str(codes.get(number, number)) for number in row] for row in rows]
