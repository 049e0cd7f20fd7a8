"""The drawings of the documents are what their code draws, and readable in both modes."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from figures.__main__ import FIGURES
from figures.drawing import COLOURS
from support.parts import ROOT

FOLDER = ROOT / "docs" / "figures"
# What WCAG asks of texts, and of shapes next to each other.
MIN_TEXT_CONTRAST = 4.5


@pytest.mark.parametrize("name", FIGURES)
def test_a_drawing_is_up_to_date(name: str) -> None:
    """`PYTHONPATH=docs python -m figures` writes them again."""
    text = (FOLDER / f"drawing-{name}.svg").read_text(encoding="utf-8")
    assert text == FIGURES[name]().svg()
    ET.fromstring(text)  # noqa: S314
    assert "prefers-color-scheme:dark" in text


def test_every_drawing_has_its_code() -> None:
    drawn = {Path(path).stem for path in FOLDER.glob("*.svg")}
    assert drawn == {f"drawing-{name}" for name in FIGURES}


def luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("mode", [0, 1])
@pytest.mark.parametrize("ground", ["panel", "box", "person", "noise", "server"])
def test_texts_are_readable_on_every_ground(mode: int, ground: str) -> None:
    for ink in ("ink", "soft"):
        pair = sorted(luminance(COLOURS[name][mode]) for name in (ink, ground))
        assert (pair[1] + 0.05) / (pair[0] + 0.05) >= MIN_TEXT_CONTRAST, (ink, ground)
