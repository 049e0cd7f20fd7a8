"""The paper's figures again: docs/appendix/reproduction.md and its pictures (`pckv reproduce`)."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from experiments.settings import ExperimentSettings
from pckv.cli.common import progress_bar
from pckv.lab.figures.figure import FigureScale
from pckv.lab.reproduction import FIGURES, reproduce

# Figures that were finished before an interruption are kept here.
FOLDER = Path("build/reproduction")
REPEATS = 20


def run(settings: ExperimentSettings) -> bool:
    """Compute all figures and copy them next to the documents; return whether all claims hold."""
    scale = FigureScale(settings.repeats or REPEATS, workers=os.cpu_count() or 1, data=settings.data)
    # Named, so that missing data are refused at once.
    verdicts = reproduce(tuple(FIGURES), FOLDER, scale, progress_bar).verdicts
    pictures = settings.out / "reproduction"
    pictures.mkdir(parents=True, exist_ok=True)
    for path in (*FOLDER.glob("*.svg"), *FOLDER.glob("*.csv")):
        shutil.copy(path, pictures)
    page = (FOLDER / "reproduction.md").read_text(encoding="utf-8")
    page = page.replace("](figure", "](reproduction/figure")
    page += "\n**Next:** [accuracy of every mechanism and method](accuracy.md).\n"
    (settings.out / "reproduction.md").write_text(page, encoding="utf-8")
    for verdict in verdicts:
        print(f"{'holds' if verdict.holds else 'FAILS'}  {verdict.claim}\n       {verdict.measured}")
    return all(verdict.holds for verdict in verdicts)
