"""The QR code of a task's link is read by a decoder of other people."""

from __future__ import annotations

import json
import re
import struct
import zlib
from importlib import import_module
from typing import Any
from urllib.parse import quote
from xml.etree import ElementTree as ET

import numpy as np
import numpy.typing as npt
import pytest

from support.collectors import ANALYST, Running, check_problem
from support.parts import missing_part

ORIGINS = (
    "http://127.0.0.1:8000",
    "http://[::1]:8000",
    "https://collector.example.org",
    f"https://{'a' * 63}.example",
)
PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
# At least this many modules can be wrong in the code.
DAMAGED = 25


def modules(picture: str) -> npt.NDArray[np.bool_]:
    """Return which modules of a code are dark: the picture draws rows of them as horizontal strokes, one unit high."""
    root = ET.fromstring(picture)  # noqa: S314
    size = int(root.attrib["viewBox"].split()[2])
    [path] = [element.attrib["d"] for element in root.iter() if "stroke" in element.attrib]
    dark = np.zeros((size, size), dtype=bool)
    x = y = 0.0
    for command, first, second in re.findall(r"([Mmh])(-?[\d.]+)(?: (-?[\d.]+))?", path):
        if command == "h":
            dark[int(y), int(x) : int(x) + int(first)] = True
            x += int(first)
        else:
            start = (0.0, 0.0) if command == "M" else (x, y)
            x, y = start[0] + float(first), start[1] + float(second)
    return dark


def dark_pixels(picture: bytes) -> npt.NDArray[np.bool_]:
    """Return which pixels of a PNG of black and white are dark."""
    chunks: dict[bytes, bytes] = {}
    at = len(PNG_SIGNATURE)
    assert picture[:at] == PNG_SIGNATURE
    while at < len(picture):
        size, kind = struct.unpack_from(">I4s", picture, at)
        chunks[kind] = chunks.get(kind, b"") + picture[at + 8 : at + 8 + size]
        at += 12 + size
    width, height, depth, colours = struct.unpack_from(">IIBB", chunks[b"IHDR"])
    # One bit per pixel, of which 1 is white.
    assert (depth, colours) == (1, 0)
    rows = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), np.uint8).reshape(height, -1)
    # A row is written whole, or as its difference from the one above it.
    assert set(rows[:, 0]) <= {0, 2}
    lines = np.zeros_like(rows[:, 1:])
    for at, row in enumerate(rows):
        lines[at] = row[1:] + (lines[at - 1] if row[0] == 2 else 0)
    dark: npt.NDArray[np.bool_] = np.unpackbits(lines, axis=1)[:, :width] == 0
    return dark


def decode(dark: npt.NDArray[np.bool_]) -> Any:
    """Return what the decoder finds in the picture of a code."""
    try:
        zxing = import_module("zxingcpp")
    except ModuleNotFoundError:
        missing_part("zxing-cpp")
    picture = np.where(dark, 0, 255).astype(np.uint8).repeat(4, axis=0).repeat(4, axis=1)
    found = zxing.read_barcodes(picture, formats=zxing.BarcodeFormat.QRCode)
    return found[0] if found else None


@pytest.mark.parametrize("origin", ORIGINS)
def test_the_code_leads_to_the_participants_page(site: Running, origin: str) -> None:
    task = site.add_task()
    answer = site.get(f"/tasks/{task.id}/qr.svg?origin={quote(origin)}", ANALYST)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "image/svg+xml")
    # The picture needs no more than what the policy of the pages allows.
    assert not re.search(r"<script|<style|\sstyle=|\son\w+=|href", answer.text)
    dark = modules(answer.text)
    found = decode(dark)
    assert (found.text, found.ec_level) == (f"{origin}/join/{task.id}", "M")
    places = np.random.default_rng(1).integers(12, len(dark) - 12, (DAMAGED, 2))
    dark[places[:, 0], places[:, 1]] ^= True
    assert decode(dark).text == found.text
    drawn = site.get(f"/tasks/{task.id}/qr.png?origin={quote(origin)}", ANALYST)
    assert (drawn.status_code, drawn.headers["content-type"]) == (200, "image/png")
    assert np.array_equal(dark_pixels(drawn.content)[::20, ::20], modules(answer.text))


@pytest.mark.parametrize(
    "origin",
    ["", "javascript://x", "https://a/b", "https://a b", "https://a?b", "ftp://a", "https://" + "a" * 256],
)
def test_what_is_no_origin_is_refused(site: Running, origin: str) -> None:
    task = site.add_task()
    check_problem(site.get(f"/tasks/{task.id}/qr.svg?origin={quote(origin)}", ANALYST), 400, "malformed")


def test_only_whoever_sees_the_task_gets_its_code(site: Running) -> None:
    task = site.add_task()
    path = f"/tasks/{task.id}/qr.svg?origin=https://a.example"
    check_problem(site.get(path, None), 401, "bad-token")
    check_problem(site.get(path.replace(task.id, "A" * 43), ANALYST), 404, "unknown")


def filled(code: dict[str, Any]) -> npt.NDArray[np.bool_]:
    """Return which modules of a code are dark: its path fills runs of them in rows one unit high."""
    dark = np.zeros((code["size"], code["size"]), dtype=bool)
    runs = re.findall(r"M(\d+) (\d+)h(\d+)v1h-(\d+)z", code["path"])
    assert "".join("M{} {}h{}v1h-{}z".format(*run) for run in runs) == code["path"]
    for x, y, length, back in runs:
        assert length == back
        dark[int(y), int(x) : int(x) + int(length)] = True
    return dark


def test_a_sheet_has_the_code_of_each_of_its_links(site: Running) -> None:
    task = site.add_task()
    links = [f"https://collector.example.org/join/{task.id}#invitation-{number}" for number in range(3)]
    answer = site.administer("POST", f"/tasks/{task.id}/qr", json.dumps({"links": links}).encode())
    assert [decode(filled(code)).text for code in answer.json()["codes"]] == links
    wrong: tuple[list[Any], ...] = ([], [1], [""], ["a" * 513], ["a"] * 101)
    for each in wrong:
        refused = site.administer("POST", f"/tasks/{task.id}/qr", json.dumps({"links": each}).encode())
        check_problem(refused, 400, "malformed")
    unknown = site.administer("POST", f"/tasks/{'A' * 43}/qr", json.dumps({"links": links}).encode())
    check_problem(unknown, 404, "unknown")
