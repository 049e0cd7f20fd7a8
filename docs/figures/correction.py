"""How counts become a frequency: noise supports every key equally often, holders more often."""

from __future__ import annotations

from figures.drawing import Drawing

TITLE = "Noise supports every key equally often; what exceeds it comes from people who hold the key"
KEYS = (("alien", 118), ("heat", 52), ("up", 6))
NOISE = 74
BASE = 250
STANDS_OUT = 20


def draw() -> Drawing:
    """Return the picture."""
    drawing = Drawing(920, 310, TITLE)
    drawing.text(210, 34, "Reports that support a key", bold=True)
    drawing.text(700, 34, "Estimate, with its interval", bold=True)
    for number, (key, held) in enumerate(KEYS):
        x = 70 + number * 110
        drawing.bar(x, BASE - NOISE, 70, NOISE, "amber")
        drawing.bar(x, BASE - NOISE - held, 70, held, "blue")
        drawing.text(x + 35, BASE + 22, key)
    drawing.line(50, BASE, 400, BASE, "edge")
    drawing.line(50, BASE - NOISE, 400, BASE - NOISE, "ink")
    drawing.text(210, 296, "amber: expected of noise alone; blue: holders", size=13, ink="soft")
    drawing.arrow(420, 150, 536, 150)
    drawing.text(478, 112, ("subtract,", "rescale"), size=13, ink="soft")
    for number, (key, held) in enumerate(KEYS):
        x, height = 600 + number * 90, held * 1.2
        known = held > STANDS_OUT
        middle = BASE - height
        drawing.line(x, max(middle - 26, 60), x, min(middle + 26, BASE), "blue" if known else "soft")
        drawing.dot(x, middle, 6, "blue" if known else "soft")
        drawing.text(x, BASE + 22, key)
    drawing.line(560, BASE, 850, BASE, "edge")
    drawing.text(700, 296, "grey: not distinguishable from noise", size=13, ink="soft")
    return drawing
