"""How much memory counting takes."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import numpy as np
import pytest

from pckv.files.reports.reader import ReportFile
from pckv.files.reports.writer import write_reports
from support.parts import missing_part
from support.sample_reports import COMPACT

MEASURED = """
    import sys
    from pathlib import Path
    from pckv import Task
    from pckv.counting.run import CountOptions, count_inputs

    task = Task.from_json(Path("task.json").read_bytes())

    def run(name):
        options = CountOptions(engine=sys.argv[2], dedupe=sys.argv[3] == "dedupe")
        return count_inputs(task, [Path(name)], options)

    def peak():
        # Not that of getrusage, which is at least what the parent had.
        return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM"))

    run("small.parquet")
    before = peak()
    if sys.argv[1] == "read everything":
        import pyarrow.parquet
        table = pyarrow.parquet.read_table("large.parquet", columns=["word"], use_threads=False)
    else:
        assert run("large.parquet").tally.reports == 12_000_000
    print(peak() - before)
"""
ROWS = 12_000_000
WORDS_MIB = 8 * ROWS / 2**20
IDS_MIB = 16 * ROWS / 2**20


@pytest.fixture(scope="module")
def one_large_group(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A file with one row group of 92 MiB of words and 183 MiB of ids."""
    folder = tmp_path_factory.mktemp("large")
    (folder / "task.json").write_text(COMPACT.to_json())
    rng = np.random.default_rng(1)
    for name, rows in (("small.parquet", 1000), ("large.parquet", ROWS)):
        ids = np.frombuffer(rng.bytes(16 * rows), np.uint8).reshape(-1, 16)
        write_reports(folder / name, COMPACT, [(ids, rng.integers(0, cast("int", COMPACT.word_limit), rows))])
    assert ReportFile(folder / "large.parquet", COMPACT).groups == 1
    yield folder
    (folder / "large.parquet").unlink()


def growth_mib(folder: Path, *arguments: str) -> float:
    if not Path("/proc/self/status").exists():
        missing_part("/proc")
    result = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(MEASURED), *arguments],
        cwd=folder,
        check=True,
        timeout=120,
        capture_output=True,
        text=True,
    )
    return int(result.stdout) / 2**10


def test_memory_does_not_grow_with_a_row_group(one_large_group: Path) -> None:
    """Words are read in parts of 8 MiB; the control reads them all at once and needs 92 MiB."""
    assert growth_mib(one_large_group, "read everything", "numpy", "") > WORDS_MIB
    assert growth_mib(one_large_group, "count", "numpy", "") < WORDS_MIB / 2


def test_memory_does_not_grow_with_ids(one_large_group: Path) -> None:
    """Ids and words are sorted on disk: 275 MiB of them need less than two thirds of that."""
    assert growth_mib(one_large_group, "count", "numpy", "dedupe") < (WORDS_MIB + IDS_MIB) * 2 / 3
