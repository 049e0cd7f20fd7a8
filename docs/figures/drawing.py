"""A small SVG writer: boxes, texts, arrows and bars on a panel that is readable in light and dark mode."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

# Light and dark colours by what they are for.
COLOURS = {
    "panel": ("#f6f8fa", "#1c2128"),
    "box": ("#ffffff", "#2b323b"),
    "edge": ("#8c959f", "#768390"),
    "ink": ("#1f2328", "#e6edf3"),
    "soft": ("#57606a", "#adbac7"),
    "person": ("#dbeafe", "#1e3a5f"),
    "noise": ("#fde7c8", "#5a3d10"),
    "server": ("#d9f2e3", "#164430"),
    "blue": ("#1f6feb", "#6cb0ff"),
    "amber": ("#d9822b", "#f0a93b"),
    "green": ("#1a7f37", "#57d07f"),
}
FONT = "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif"


class Drawing:
    """A picture of a fixed size, to which shapes are added from back to front."""

    def __init__(self, width: int, height: int, title: str) -> None:
        self.width, self.height, self.title = width, height, title
        self._shapes: list[str] = []

    def box(self, x: float, y: float, width: float, height: float, fill: str = "box") -> None:
        """Add a rectangle with round corners."""
        self._shapes.append(
            f'<rect class="fill-{fill} edge" x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="8"/>'
        )

    def bar(self, x: float, y: float, width: float, height: float, fill: str) -> None:
        """Add a rectangle without an edge."""
        self._shapes.append(f'<rect class="fill-{fill}" x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}"/>')

    def text(
        self,
        x: float,
        y: float,
        words: str | Sequence[str],
        *,
        size: int = 15,
        ink: str = "ink",
        anchor: str = "middle",
        bold: bool = False,
    ) -> None:
        """Add one line of text, or several below each other."""
        lines = [words] if isinstance(words, str) else words
        weight = ' font-weight="600"' if bold else ""
        for number, line in enumerate(lines):
            below = y + number * size * 1.35
            self._shapes.append(
                f'<text class="fill-{ink}" x="{x:g}" y="{below:g}" font-size="{size}"'
                f' text-anchor="{anchor}"{weight}>{escape(line)}</text>'
            )

    def arrow(self, x1: float, y1: float, x2: float, y2: float, ink: str = "soft") -> None:
        """Add a line with a head at its end."""
        self._shapes.append(
            f'<line class="line-{ink}" x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" marker-end="url(#head)"/>'
        )

    def line(self, x1: float, y1: float, x2: float, y2: float, ink: str = "soft") -> None:
        """Add a line."""
        self._shapes.append(f'<line class="line-{ink}" x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}"/>')

    def dot(self, x: float, y: float, radius: float, fill: str) -> None:
        """Add a disc."""
        self._shapes.append(f'<circle class="fill-{fill}" cx="{x:g}" cy="{y:g}" r="{radius:g}"/>')

    def svg(self) -> str:
        """Return the picture; it brings its own background, so that it suits whatever page shows it."""
        light, dark = (_rules(mode) for mode in (0, 1))
        head = (
            '<defs><marker id="head" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7"'
            ' orient="auto"><path class="fill-soft" d="M0 0 10 5 0 10z"/></marker></defs>'
        )
        size = f'viewBox="0 0 {self.width} {self.height}" width="{self.width}" height="{self.height}"'
        lines = [
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" font-family="{FONT}">',
            f"<title>{escape(self.title)}</title>",
            f"<style>{light} line{{stroke-width:2}} @media (prefers-color-scheme:dark){{{dark}}}</style>",
            head,
            f'<rect class="fill-panel" width="{self.width}" height="{self.height}" rx="12"/>',
            *self._shapes,
            "</svg>",
        ]
        return "\n".join([*lines, ""])


def _rules(mode: int) -> str:
    fills = [f".fill-{name}{{fill:{colours[mode]}}}" for name, colours in COLOURS.items()]
    lines = [f".line-{name}{{stroke:{colours[mode]}}}" for name, colours in COLOURS.items()]
    return "".join([*fills, *lines, f".edge{{stroke:{COLOURS['edge'][mode]};stroke-width:1.5}}"])
