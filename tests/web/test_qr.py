"""QR codes of links are read by a decoder of other people."""

from __future__ import annotations

import json
import shutil
import subprocess
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support.node import CLIENT
from support.parts import missing_part

SCRIPT = Path(__file__).parents[1] / "support" / "javascript" / "qr.mjs"
ENCODER = CLIENT.parent / "static" / "dashboard" / "qr.js"
# The most bytes that versions 1 to 10 hold at error correction M, by the standard.
ROOM = (14, 26, 42, 62, 84, 106, 122, 152, 180, 213)
# One text per mask.
MASKED = [f"text {number}" for number in (0, 2, 8, 9, 12, 16, 75, 138)]
# At least this many modules can be wrong in the code of the link.
DAMAGED = 25
LINK = "https://collector.example.org:8443/join/sl9v-eHNiSLakFEedr2tDjHifapdwrd5PqPy3LaYSvE"


def encode(*texts: str, encoder: Path = ENCODER) -> list[list[list[bool]] | None]:
    executable = shutil.which("node")
    if executable is None:
        missing_part("Node.js")
    process = subprocess.run(
        [str(executable), str(SCRIPT), str(encoder)],
        input=json.dumps(texts),
        capture_output=True,
        text=True,
        check=True,
    )
    rows: list[list[list[bool]] | None] = json.loads(process.stdout)
    return rows


def decode(rows: list[list[bool]] | None, damaged: int = 0) -> Any:
    """Return what the decoder finds in the picture of a code, of which this many modules were turned over."""
    try:
        zxing = import_module("zxingcpp")
    except ModuleNotFoundError:
        missing_part("zxing-cpp")
    dark = np.pad(np.array(rows, dtype=bool), 4)
    places = np.random.default_rng(1).integers(12, len(dark) - 12, (damaged, 2))
    dark[places[:, 0], places[:, 1]] ^= True
    picture = np.where(dark, 0, 255).astype(np.uint8).repeat(4, axis=0).repeat(4, axis=1)
    found = zxing.read_barcodes(picture, formats=zxing.BarcodeFormat.QRCode)
    return found[0] if found else None


def test_every_version_is_read_when_full_and_when_it_begins() -> None:
    lengths = [1, *ROOM, *(room + 1 for room in ROOM[:-1])]
    texts = [(LINK * 3)[:length] for length in lengths]
    for text, rows in zip(texts, encode(*texts), strict=True):
        assert rows is not None
        version = next(number for number, room in enumerate(ROOM, 1) if len(text) <= room)
        assert len(rows) == 17 + 4 * version
        found = decode(rows)
        assert found is not None, text
        assert (found.text, found.ec_level) == (text, "M")


def test_a_text_that_is_too_long_has_no_code() -> None:
    assert encode("x" * ROOM[-1], "x" * (ROOM[-1] + 1))[1] is None


def test_texts_that_are_not_ascii_are_read_and_so_are_all_masks() -> None:
    texts = ["https://dé.example/Straße", *MASKED]
    codes = encode(*texts)
    assert [decode(rows).text for rows in codes] == texts
    # The bits of the mask are beside the first finder pattern.
    masks = {tuple(rows[8][2:5]) for rows in codes[1:] if rows is not None}
    assert len(masks) == 8


def test_damage_is_corrected() -> None:
    [rows] = encode(LINK)
    assert decode(rows, DAMAGED).text == LINK


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("0x11d", "0x12d"),
        ("0x5412", "0x1245"),
        ("(x, y) => y % 2,", "(x, y) => x % 2,"),
        ("if (right === 6) right = 5;", ""),
        ("upwards = !upwards;", ""),
    ],
)
def test_planted_faults_are_caught(tmp_path: Path, right: str, wrong: str) -> None:
    """A wrong field, format, mask or order must not be read."""
    text = ENCODER.read_text(encoding="utf-8")
    assert text.count(right) == 1
    for folder in ("dashboard", "shared"):
        (tmp_path / folder).mkdir()
    encoder = tmp_path / "dashboard" / "qr.js"
    encoder.write_text(text.replace(right, wrong), encoding="utf-8")
    shutil.copy(ENCODER.parents[1] / "shared" / "svg.js", tmp_path / "shared")
    *codes, link = encode(*MASKED, LINK, encoder=encoder)
    # Error correction hides small faults, unless it has other damage to correct.
    found = [*(decode(rows) for rows in codes), decode(link, DAMAGED)]
    assert [code and code.text for code in found] != [*MASKED, LINK]
