"""What ε means: how far a report can move a participant's belief from fifty-fifty."""

from __future__ import annotations

import math

from figures.drawing import Drawing

TITLE = "How far a report can move a belief of fifty-fifty: 62 % at ε = 0.5, 73 % at 1, 88 % at 2, 98 % at 4"
EPSILONS = (0.5, 1, 2, 4)
LEFT, SCALE = 150, 640


def draw() -> Drawing:
    """Return the picture."""
    drawing = Drawing(920, 310, TITLE)
    drawing.text(460, 34, "How sure can a reader of your report become?", bold=True)
    for number, epsilon in enumerate(EPSILONS):
        y = 64 + number * 50
        sure = math.exp(epsilon) / (1 + math.exp(epsilon))
        drawing.text(LEFT - 16, y + 22, f"ε = {epsilon:g}", anchor="end")
        drawing.bar(LEFT, y, SCALE, 32, "box")
        drawing.bar(LEFT, y, SCALE / 2, 32, "server")
        drawing.bar(LEFT + SCALE / 2, y, SCALE * (sure - 0.5), 32, "amber")
        drawing.text(LEFT + SCALE * sure + 10, y + 22, f"{sure:.0%}", anchor="start")
    drawing.line(LEFT + SCALE / 2, 58, LEFT + SCALE / 2, 256, "ink")
    drawing.text(LEFT + SCALE / 2, 278, "before: fifty-fifty", size=13, ink="soft")
    drawing.text(LEFT + SCALE, 278, "certain", size=13, ink="soft")
    drawing.text(460, 300, "amber: at most this much is learned by any reader", size=13, ink="soft")
    return drawing
