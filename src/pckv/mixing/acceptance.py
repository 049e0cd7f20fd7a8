"""Which tasks and series a mixer accepts: its own, with a claim that holds."""

from __future__ import annotations

from pckv.base.errors import ParameterError
from pckv.contract.mixer import Mixer
from pckv.contract.series import Series
from pckv.contract.task import Task
from pckv.mixing.settings import MixerSettings


def check_task(task: Task, settings: MixerSettings, day: str) -> None:
    """Refuse with a `ParameterError` a task that is not for this mixer, is over, or claims what does not hold."""
    if task.series is not None:
        raise ParameterError(
            f"task {task.name!r} is a round of the series {task.series.id}: accept the series, and its rounds follow"
        )
    _check_mixer(task.mixer, task.name, settings)
    task.check_collectable()
    if task.closes is not None and task.closes <= day:
        raise ParameterError(f"task {task.name!r} closed on {task.closes}")
    task.check_claim()


def check_series(series: Series, settings: MixerSettings, day: str) -> None:
    """Refuse with a `ParameterError` a series that is not for this mixer, is over, or claims what does not hold."""
    _check_mixer(series.task.mixer, series.name, settings)
    if series.first <= day and series.round_on(day) is None:
        raise ParameterError(f"series {series.name!r} is over")
    # All rounds claim the same.
    series.task.check_claim()


def _check_mixer(mixer: Mixer | None, name: str, settings: MixerSettings) -> None:
    if mixer is None:
        raise ParameterError(f"{name!r} is not mixed: its reports go to the collector itself")
    if mixer.url != settings.origin:
        raise ParameterError(f"{name!r} names the mixer {mixer.url}, and this one is {settings.origin}")
    if mixer.operator != settings.operator:
        raise ParameterError(
            f"{name!r} names {mixer.operator!r} as the mixer's operator, and this one is run by {settings.operator!r}"
        )
