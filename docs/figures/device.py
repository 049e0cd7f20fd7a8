"""What a device does with a participant's pairs: choose one, then tell the truth or not."""

from __future__ import annotations

from figures.drawing import Drawing

TITLE = "A device draws one pair or a dummy, rounds its value to a sign, and tells the truth only sometimes"


def draw() -> Drawing:
    """Return the picture."""
    drawing = Drawing(920, 300, TITLE)
    drawing.text(110, 36, "1. Pairs and padding", bold=True)
    for number, (words, fill) in enumerate((("alien 5", "person"), ("heat 2", "person"), ("dummy", "box"))):
        y = 58 + number * 54
        drawing.box(40, y, 140, 42, fill)
        drawing.text(110, y + 27, words)
    drawing.text(110, 246, ("padding 3: two pairs,", "one dummy"), size=13, ink="soft")
    drawing.arrow(190, 133, 246, 133)
    drawing.text(330, 36, "2. One of them", bold=True)
    drawing.box(252, 112, 156, 42, "person")
    drawing.text(330, 139, "heat 2  →  heat −")
    drawing.text(330, 190, ("drawn at random; a low", "value is mostly −, a high", "one mostly +"), size=13, ink="soft")
    drawing.arrow(416, 125, 500, 82)
    drawing.arrow(416, 141, 500, 184)
    drawing.text(600, 36, "3. Truth or noise", bold=True)
    drawing.box(506, 60, 188, 44, "server")
    drawing.text(600, 88, "keep: heat −")
    drawing.box(506, 162, 188, 44, "noise")
    drawing.text(600, 190, "replace: anything else")
    drawing.text(
        600,
        232,
        ("whatever a participant holds, a", "given report is at most", "e^ε times likelier"),
        size=13,
        ink="soft",
    )
    drawing.arrow(700, 82, 758, 125)
    drawing.arrow(700, 184, 758, 141)
    drawing.text(826, 36, "4. One report", bold=True)
    drawing.box(764, 112, 124, 42)
    drawing.text(826, 139, "8 bytes")
    drawing.text(826, 190, ("made once,", "stored, sent"), size=13, ink="soft")
    return drawing
