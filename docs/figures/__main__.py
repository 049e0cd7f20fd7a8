"""Write all drawings: `python -m figures`, with docs/ on the path."""

from __future__ import annotations

from pathlib import Path

from figures import correction, device, odds, overview, trust

FIGURES = {
    "overview": overview.draw,
    "device": device.draw,
    "correction": correction.draw,
    "odds": odds.draw,
    "trust": trust.draw,
}


def main() -> None:
    """Write every drawing next to its module."""
    for name, draw in FIGURES.items():
        path = Path(__file__).with_name(f"drawing-{name}.svg")
        path.write_text(draw().svg(), encoding="utf-8")


if __name__ == "__main__":
    main()
