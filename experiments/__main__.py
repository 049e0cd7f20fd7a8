"""Run one experiment, or list them: `make experiment NAME=accuracy`, `make experiment`."""

from __future__ import annotations

import ast
import sys
import time
from importlib import import_module
from pathlib import Path

import click

from experiments.settings import ExperimentSettings
from pckv.base.errors import PckvError

# By name: whether the experiment reads the rating sets.
EXPERIMENTS = {
    "accuracy": True,
    "accuracy-by-rank": True,
    "alarms": False,
    "other-populations": False,
    "consistency": True,
    "collision": True,
    "collision-bias": True,
    "collision-accuracy": True,
    "audits": False,
    "auto": False,
    "tuned": False,
    "rank-coverage": True,
    "default-choice": False,
    "derived-items": False,
    "discovery": False,
    "few-counts": False,
    "coverage": True,
    "empty-sets": False,
    "hashed": False,
    "hostile": False,
    "impossible": False,
    "levels": True,
    "light": False,
    "means": False,
    "mechanism-map": False,
    "mixed": False,
    "reproduction": True,
    "selection": False,
    "series": False,
    "without-values": False,
}


def module_name(name: str) -> str:
    """Return the name of an experiment's module."""
    return name.replace("-", "_")


def summary(name: str) -> str:
    """Return the first line of an experiment's docstring without importing it."""
    text = (Path(__file__).parent / f"{module_name(name)}.py").read_text(encoding="utf-8")
    return (ast.get_docstring(ast.parse(text)) or "").partition("\n")[0]


@click.command()
@click.argument("name", required=False, type=click.Choice(list(EXPERIMENTS)))
@click.argument("parts", nargs=-1)
@click.option("--data", type=click.Path(path_type=Path), default="../shared/data", help="The rating sets.")
@click.option("--out", type=click.Path(path_type=Path), default="docs/appendix", help="Where documents are written.")
@click.option("--repeats", type=click.IntRange(min=1), help="Instead of the experiment's own number.")
def main(name: str | None, parts: tuple[str, ...], data: Path, out: Path, repeats: int | None) -> None:
    """Run an experiment, or some PARTS of it; without a name, list them. Exit code 1 if a bar is missed."""
    if name is None:
        for each in EXPERIMENTS:
            click.echo(f"{each:18} {summary(each)}")
        return
    experiment = import_module(f"experiments.{module_name(name)}")
    known = tuple(getattr(experiment, "PARTS", ()))
    if unknown := set(parts) - set(known):
        sys.exit(f"{name} has no part {', '.join(sorted(unknown))}; its parts: {', '.join(known) or 'none'}")
    if EXPERIMENTS[name] and not data.is_dir():
        sys.exit(f"{name} needs the rating sets: there is no folder {data} (make experiment DATA=FOLDER)")
    start = time.perf_counter()
    try:
        met = experiment.run(ExperimentSettings(data, out, repeats, parts))
    except PckvError as error:
        sys.exit(str(error))
    click.echo(f"{(time.perf_counter() - start) / 60:.1f} minutes")
    sys.exit(not met)


if __name__ == "__main__":
    main()
