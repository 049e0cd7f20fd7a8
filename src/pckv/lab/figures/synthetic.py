"""Figures 6 to 9: the paper's synthetic populations."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from numpy.random import Generator

from pckv.base.budget import ALLOCATIONS
from pckv.base.progress import Progress
from pckv.lab import populations
from pckv.lab.dataset import Dataset
from pckv.lab.figures.figure import Figure, FigureScale, Point, averaged, in_parallel
from pckv.lab.figures.formulas import theorem4
from pckv.lab.simulator import OWN_METHOD, Setting, Simulator
from pckv.mechanisms.base import Law

MECHANISMS = {
    "PrivKVM": "privkvm",
    "PrivKVM (1r5v)": "privkvm-1r5v",
    "KVUE": "kvue",
    "PCKV-GRR": "grr",
    "PCKV-UE": "ue",
}
COLORS = {
    "PrivKVM": "#4c78a8",
    "PrivKVM (1r5v)": "#9ecae9",
    "KVUE": "#f58518",
    "PCKV-GRR": "#b279a2",
    "PCKV-UE": "#54a24b",
}
EPSILONS = ("0.1", "0.5", "1", "2", "3", "4", "5", "6")
DOMAINS = (20, 50, 100, 200, 500, 1000, 2000)
KEYS, TOP = 100, 20
ERRORS = {"frequency": "MSE of frequency", "mean": "MSE of mean"}

POPULATIONS: dict[str, Callable[[int, int, Generator], Dataset]] = {
    "uniform": populations.uniform,
    "gaussian": populations.gaussian,
}
# Every job's randomness comes from where it stands, and figures that share a population share it.
PLACES = {"uniform": 0, "gaussian": 1, "domains": 2, "allocations": 3}


def setting_of(
    mechanism: str, epsilon: str, top: int | None, padding: int = 1, allocation: str = "optimized"
) -> Setting:
    """A mechanism as the paper runs it: outliers corrected."""
    method = "corrected" if mechanism in ("ue", "grr") else OWN_METHOD
    return Setting(mechanism, epsilon, padding, method, top, allocation)


def printed_theory(simulator: Simulator, law: Law, top: int | None) -> dict[str, float]:
    """Theorem 4 as printed, averaged over the keys that count."""
    a, b, p = map(float, law.probabilities)
    n, (frequency, mean) = simulator.dataset.users, simulator.dataset.truth
    keys = [key for key in simulator.dataset.top(top).tolist() if frequency[key] > 0]
    errors = [theorem4(a, b, p, padding=law.padding, n=n, f=float(frequency[key]), m=float(mean[key])) for key in keys]
    squares = [
        error.mean_variance + float((error.mean_expectation - mean[key]) ** 2)
        for error, key in zip(errors, keys, strict=True)
    ]
    return {
        "frequency": sum(error.frequency_variance for error in errors) / len(keys),
        "mean": sum(squares) / len(keys),
    }


def errors_over(
    simulator: Simulator,
    x: str,
    settings: Iterable[tuple[str, float, Setting]],
    rng: Generator,
    *,
    with_theory: bool = True,
) -> list[Point]:
    """Simulate a collection per setting, given with its series and its place on the axis x.

    Return the errors, and those of theory for the paper's own mechanisms.
    """
    points: list[Point] = []
    for series, place, setting in settings:
        at, errors = {"series": series, x: place}, simulator.run(setting, rng)
        found = {"frequency": errors.mse_frequency, "mean": errors.mse_mean, "precision": errors.precision}
        points.append(at | {"theory": False} | found)
        if with_theory and setting.method != OWN_METHOD:
            theory = printed_theory(simulator, simulator.law(setting), setting.top)
            points.append(at | {"theory": True, "precision": None} | theory)
    return points


def _errors_by_epsilon(scale: FigureScale, repeat: int, population: str, top: int | None) -> list[Point]:
    rng = scale.rng(PLACES[population], repeat)
    simulator = Simulator(POPULATIONS[population](scale.users, KEYS, rng))
    settings = [
        (label, float(epsilon), setting_of(mechanism, epsilon, top))
        for label, mechanism in MECHANISMS.items()
        for epsilon in EPSILONS
    ]
    return errors_over(simulator, "ε", settings, rng)


def _by_epsilon(job: Callable[..., list[Point]], *given: Any) -> Callable[[FigureScale, Progress], list[Point]]:
    """Return how the points of all repeats of a job are computed, against ε."""

    def points(scale: FigureScale, progress: Progress) -> list[Point]:
        jobs = [(scale, repeat, *given) for repeat in range(scale.repeats)]
        return averaged(in_parallel(job, jobs, scale, progress), "ε", tuple(ERRORS))

    return points


def _by_domain(epsilon: str, top: int, scale: FigureScale, keys: int, repeat: int) -> list[Point]:
    rng = scale.rng(PLACES["domains"], int(epsilon), keys, repeat)
    simulator = Simulator(populations.gaussian(scale.users, keys, rng))
    settings = [(label, float(keys), setting_of(mechanism, epsilon, top)) for label, mechanism in MECHANISMS.items()]
    return errors_over(simulator, "d", settings, rng)


def _figure_7(epsilon: str, top: int, quantities: tuple[str, ...]) -> Callable[[FigureScale, Progress], list[Point]]:
    def points(scale: FigureScale, progress: Progress) -> list[Point]:
        jobs = [(epsilon, top, scale, keys, repeat) for keys in DOMAINS for repeat in range(scale.repeats)]
        found = in_parallel(_by_domain, jobs, scale, progress)
        return [row for row in averaged(found, "d", quantities) if row[quantities[0]] is not None]

    return points


def _figure_8(scale: FigureScale, progress: Progress) -> list[Point]:
    rows: dict[tuple[str, float], Point] = {}
    for part, (epsilon, top, name) in enumerate((("3", 10, "top10"), ("5", 20, "top20"))):
        for row in _figure_7(epsilon, top, ("precision",))(scale, _half(progress, part)):
            kept = rows.setdefault((row["series"], row["d"]), row | {"top10": None, "top20": None})
            kept[name] = row["precision"]
    return [{name: value for name, value in row.items() if name != "precision"} for row in rows.values()]


def _half(progress: Progress, part: int) -> Progress:
    return lambda share: progress((part + share) / 2)


def _by_allocation(scale: FigureScale, repeat: int) -> list[Point]:
    rng = scale.rng(PLACES["allocations"], repeat)
    simulator = Simulator(populations.uniform(scale.users, KEYS, rng))
    settings = [
        (
            f"{label}, {allocation}",
            float(epsilon),
            setting_of(mechanism, epsilon, None, allocation=allocation),
        )
        for label, mechanism in (("PCKV-UE", "ue"), ("PCKV-GRR", "grr"))
        for allocation in ALLOCATIONS
        for epsilon in EPSILONS
    ]
    return errors_over(simulator, "ε", settings, rng, with_theory=False)


def _size(scale: FigureScale) -> str:
    return f"n = {scale.users:,}, d = {KEYS}, {scale.repeats} repeats; dashed: Theorem 4 as printed"


def _by_domain_note(scale: FigureScale) -> str:
    return f"gaussian, n = {scale.users:,}, top 20 keys, {scale.repeats} repeats; dashed: Theorem 4 as printed"


def _figure_by_domain(name: str, epsilon: str) -> Figure:
    points, title = _figure_7(epsilon, TOP, tuple(ERRORS)), f"Growing domain, ε = {epsilon}"
    return Figure(name, title, "d", ERRORS, points, log_x=True, note=_by_domain_note)


_figure_6 = partial(_by_epsilon, _errors_by_epsilon)

FIGURES = (
    Figure("6a", "Uniform population, all keys", "ε", ERRORS, _figure_6("uniform", None), note=_size),
    Figure("6b", "Gaussian population, all keys", "ε", ERRORS, _figure_6("gaussian", None), note=_size),
    Figure("6c", "Gaussian population, top 20 keys", "ε", ERRORS, _figure_6("gaussian", TOP), note=_size),
    _figure_by_domain("7a", "1"),
    _figure_by_domain("7b", "5"),
    Figure(
        "8",
        "Precision of the most frequent keys",
        "d",
        {"top10": "top 10, ε = 3", "top20": "top 20, ε = 5"},
        _figure_8,
        log_x=True,
        log_y=False,
        note=lambda scale: f"gaussian, n = {scale.users:,}, {scale.repeats} repeats",
    ),
    Figure(
        "9",
        "Three budget allocations",
        "ε",
        ERRORS,
        _by_epsilon(_by_allocation),
        note=lambda scale: f"uniform, n = {scale.users:,}, d = {KEYS}, all keys, {scale.repeats} repeats",
    ),
)
