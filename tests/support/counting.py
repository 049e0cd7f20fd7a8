"""Counting named files and streams."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest

from pckv import Task
from pckv.base.arrays import Messages
from pckv.base.errors import PckvError
from pckv.counting.job import CountResult
from pckv.counting.run import CountOptions, NamedStream, count_inputs
from support.sample_reports import GRR, make_task, report_file, some_messages

OTHER = make_task("grr", 12)


def collect(task: Task, *named: Path | str, stream: bytes | None = None, **options: Any) -> CountResult:
    """Count files and the bytes of a stream."""
    file = None if stream is None else NamedStream(io.BytesIO(stream), "the stream")
    return count_inputs(task, [Path(name) for name in named], CountOptions(**options), stream=file)


def refusal(task: Task, *named: Path | str, stream: bytes | None = None, **options: Any) -> str:
    """Return the line that refuses the inputs."""
    with pytest.raises(PckvError) as caught:
        collect(task, *named, stream=stream, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def put(name: str, task: Task = GRR, size: int = 5, seed: int = 1) -> Messages:
    """Write a report file, and its folder if needed; return its messages."""
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    messages = some_messages(task, size, seed)
    report_file(path, task, messages, seed=seed)
    return messages
