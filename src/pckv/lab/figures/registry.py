"""The figures by name, in the order of the paper."""

from __future__ import annotations

from pckv.lab.figures import formulas, realdata, synthetic
from pckv.lab.figures.figure import Figure

_ORDER = ("4", "6a", "6b", "6c", "7a", "7b", "8", "9", "10a", "10b", "10c", "10d", "11", "crossover")
_KNOWN = {figure.name: figure for figure in (*formulas.FIGURES, *synthetic.FIGURES, *realdata.FIGURES)}

FIGURES: dict[str, Figure] = {name: _KNOWN[name] for name in _ORDER}
