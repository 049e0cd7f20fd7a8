"""A task as HTML, for notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pckv.html_table import ROWS_SHOWN, html_table
from pckv.levels import listed
from pckv.limits import MIN_LEVELS, REPORT_ID_BYTES

if TYPE_CHECKING:
    from pckv.task import Task


def task_html(task: Task) -> str:
    """Return what a task promises and its first keys, and say how many keys are left out."""
    keys = 0 if task.is_hashed else task.key_count - (task.other is not None)
    shown = task.key_names(range(min(keys, ROWS_SHOWN)))
    parameters = "".join(f", {name} {value}" for name, value in task.parameters.items())
    facts = [
        ("id", task.id),
        *((name, text) for name, text in task.about.to_dict().items() if text),
        ("values", f"{task.low:g} to {task.high:g}"),
        *([("levels", listed(task.level_values))] if task.level_count > MIN_LEVELS else []),
        ("ε per person", f"{task.epsilon:g} (realised {task.realised_epsilon:g})"),
        ("mechanism", f"{task.mechanism}{parameters}"),
        ("padding", f"{task.padding:,}"),
        ("bytes per report", f"{REPORT_ID_BYTES + task.channel.body_bytes:,}"),
        ("opens", task.opens or "–"),
        ("closes", task.closes or "–"),
        ("keys", "any text") if task.is_hashed else (f"{keys:,} keys", ", ".join(shown)),
        *([("all other keys", f"counted as “{task.other}”")] if task.other is not None else []),
    ]
    return html_table(f"Task “{task.name}”", (), facts, hidden=keys - len(shown), what="keys")
