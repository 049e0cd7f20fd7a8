"""The whole way of a report, from a participant's pairs to the estimates."""

from __future__ import annotations

from figures.drawing import Drawing

TITLE = "Every device perturbs its own pairs; the collector counts noisy reports and corrects for the noise"
PEOPLE = (("alien 5, heat 2", "1010…"), ("up 4", "0111…"), ("alien 4", "1100…"))
ROWS = (("alien", 0.62, 0.07), ("up", 0.38, 0.07), ("heat", 0.21, 0.07))


def draw() -> Drawing:
    """Return the picture."""
    drawing = Drawing(920, 330, TITLE)
    for x, words in ((150, "On each device"), (470, "Collector"), (765, "What you learn")):
        drawing.text(x, 34, words, size=17, bold=True)
    for number, (pairs, report) in enumerate(PEOPLE):
        y = 60 + number * 84
        drawing.box(24, y, 150, 62, "person")
        drawing.text(99, y + 26, "pairs", size=13, ink="soft")
        drawing.text(99, y + 47, pairs)
        drawing.arrow(178, y + 31, 216, y + 31)
        drawing.box(220, y, 92, 62, "noise")
        drawing.text(266, y + 26, "report", size=13, ink="soft")
        drawing.text(266, y + 47, report)
        drawing.arrow(316, y + 31, 392, 175)
    drawing.box(396, 100, 150, 150, "server")
    drawing.text(471, 148, ("counts reports,", "exactly;", "corrects", "for the noise"))
    drawing.arrow(550, 175, 596, 175)
    _estimates(drawing)
    drawing.text(168, 314, "pairs never leave it", size=14, ink="soft")
    drawing.text(471, 314, "sees only noise per person", size=14, ink="soft")
    drawing.text(765, 314, "frequency and mean, with intervals", size=14, ink="soft")
    return drawing


def _estimates(drawing: Drawing) -> None:
    drawing.box(600, 60, 300, 230)
    for number, (key, share, error) in enumerate(ROWS):
        y = 100 + number * 66
        drawing.text(618, y + 14, key, anchor="start")
        drawing.bar(680, y, 200 * share, 18, "blue")
        left, right = 680 + 200 * (share - error), 680 + 200 * (share + error)
        drawing.line(left, y + 9, right, y + 9, "ink")
        for x in (left, right):
            drawing.line(x, y + 3, x, y + 15, "ink")
        drawing.text(680, y + 38, f"{share:.0%} ± {error:.0%}", size=13, ink="soft", anchor="start")
