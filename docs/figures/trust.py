"""Who sees what: the local guarantee, and the central one where a second party shuffles."""

from __future__ import annotations

from figures.drawing import Drawing

TITLE = "The collector sees noisy reports; with a shuffler the analyst sees them without knowing whose they are"


def draw() -> Drawing:
    """Return the picture."""
    drawing = Drawing(920, 320, TITLE)
    drawing.text(30, 38, "Without a second party", bold=True, anchor="start")
    for x, fill, words in (
        (30, "person", ("participant", "own pairs")),
        (380, "server", ("collector", "noisy reports")),
        (730, "box", ("the public", "estimates")),
    ):
        _role(drawing, x, 54, fill, words)
    _step(drawing, 196, 92, 372, "one report, ε")
    _step(drawing, 546, 92, 722, "intervals")
    drawing.text(30, 186, "With a shuffler", bold=True, anchor="start")
    for x, fill, words in (
        (30, "person", ("participant", "own pairs")),
        (263, "noise", ("shuffler", "noisy reports")),
        (496, "server", ("analyst", "shuffled reports")),
        (730, "box", ("the public", "estimates")),
    ):
        _role(drawing, x, 202, fill, words)
    _step(drawing, 194, 240, 257, "ε")
    _step(drawing, 427, 240, 490, "new ids")
    _step(drawing, 660, 240, 724, "")
    drawing.text(
        460,
        304,
        "towards the analyst a much smaller, central ε holds, unless both parties collude",
        size=13,
        ink="soft",
    )
    return drawing


def _role(drawing: Drawing, x: float, y: float, fill: str, words: tuple[str, str]) -> None:
    drawing.box(x, y, 160, 76, fill)
    drawing.text(x + 80, y + 32, words[0])
    drawing.text(x + 80, y + 56, f"sees {words[1]}", size=13, ink="soft")


def _step(drawing: Drawing, x1: float, y: float, x2: float, words: str) -> None:
    drawing.arrow(x1, y, x2, y)
    drawing.text((x1 + x2) / 2, y - 10, words, size=13, ink="soft")
