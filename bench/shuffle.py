"""Shuffling 10^8 words: seconds and peak memory of the whole command."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from bench.measurement import Measurement, absolute
from bench.processes import with_peak_memory
from bench.scale import COMMAND_LINE, KEYS, WORDS, compact, write_words

MAX_SECONDS = 300
MAX_MEGABYTES = 1000


def measurements() -> Iterator[Measurement]:
    """Shuffle one file, in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        path = write_words(Path(folder), compact(KEYS[-1]), WORDS)
        out = str(Path(folder) / "shuffled.parquet")
        start = time.perf_counter()
        _, peak = with_peak_memory(COMMAND_LINE, "shuffle", str(path), "--out", out)
        seconds = time.perf_counter() - start
    yield absolute(f"shuffle {WORDS:,} words", "s", [seconds], MAX_SECONDS)
    yield absolute("peak memory", "MB", [peak], MAX_MEGABYTES)
