"""What is told about the batch of a mixed task: numbers for programs, and one or two sentences."""

from __future__ import annotations

from typing import Any

from pckv.base.words import plural
from pckv.contract.mixer import Mixer
from pckv.contract.task import Task
from pckv.store.base import FetchedBatch, FetchState


def batch_members(task: Task, batch: FetchedBatch | None) -> dict[str, Any] | None:
    """Return how far the batch of a task is, as plain values; None if its reports are not mixed."""
    if task.mixer is None or batch is None:
        return None
    return {
        "state": batch.state.value,
        "comes": task.closes,
        "waiting": batch.waiting,
        "asked": batch.asked,
        "opened": batch.opened,
        "unreadable": batch.unreadable,
        "failed": batch.reason,
        "sentence": batch_sentence(task.mixer, str(task.closes), batch),
    }


def batch_sentence(mixer: Mixer, closes: str, batch: FetchedBatch) -> str:
    """Say how far a batch is, and why it is not further."""
    said = _state_sentence(mixer, closes, batch)
    if batch.reason is None:
        return said
    # What a mixer answers may be a whole sentence.
    return f"{said} The last attempt failed, and is repeated: {batch.reason.removesuffix('.')}."


def _state_sentence(mixer: Mixer, closes: str, batch: FetchedBatch) -> str:
    match batch.state:
        case FetchState.WAITING:
            held = "" if batch.waiting is None else f"; as it said on {batch.asked}, {batch.waiting:,} wait"
            return (
                f"Reports go to the mixer of {mixer.operator} and come together from {closes} on{held}. Fewer than "
                f"{mixer.batch:,} are deleted unread."
            )
        case FetchState.PULLED:
            return f"A batch of {plural(batch.entries or 0, 'sealed report')} has come and is being opened."
        case FetchState.TOO_FEW:
            return (
                f"Fewer than {plural(mixer.batch, 'report')} had come to the mixer of {mixer.operator} by {closes}: it "
                "deleted them unread, and there are no results."
            )
        case FetchState.WITHDRAWN:
            return (
                f"{mixer.operator}, which runs the mixer, withdrew the task: its reports were deleted unread, and "
                "there are no results."
            )
    unreadable = f"; {batch.unreadable:,} more could not be read" if batch.unreadable else ""
    return f"{plural(batch.opened or 0, 'report')} came from the mixer of {mixer.operator}{unreadable}."
