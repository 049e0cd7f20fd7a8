"""Runs over files, folders, patterns, tallies and streams: what is found, resumed, refused, and how large it grows."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import numpy as np
import pyarrow as pa
import pytest

from pckv import Task
from pckv.arrays import Messages
from pckv.counting import checkpoint
from pckv.counting.batches import Problem
from pckv.counting.engines import numpy as numpy_engine
from pckv.counting.job import Job
from pckv.counting.run import Collected, Options, count_inputs
from pckv.errors import DataError, ParameterError, PckvError
from pckv.files.reports.format import ReportFile, stream_reports, write_reports
from support.made_reports import (
    COMPACT,
    GRR,
    TASKS,
    UE,
    damage,
    direct_tally,
    forged_file,
    make_task,
    report_file,
    reports_table,
    some_ids,
    some_messages,
)
from support.parts import missing_part

OTHER = make_task("grr", 12)


@pytest.fixture(autouse=True)
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@contextmanager
def no_bar(_: int | None) -> Iterator[Callable[[int], None]]:
    yield lambda _: None


def collect(task: Task, *named: Path | str, **options: Any) -> Collected:
    return count_inputs(task, [Path(name) for name in named], Options(**options), no_bar)


def refusal(task: Task, *named: Path | str, **options: Any) -> str:
    with pytest.raises(PckvError) as caught:
        collect(task, *named, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def put(name: str, task: Task = GRR, size: int = 5, seed: int = 1) -> Messages:
    """A report file in a folder that may have to be made; its messages."""
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    messages = some_messages(task, size, seed)
    report_file(path, task, messages, seed=seed)
    return messages


# What is named


def test_files_folders_and_patterns() -> None:
    made = [
        put(name, seed=seed) for seed, name in enumerate(["a.parquet", "in/b.parquet", "in/deep/c.parquet"])
    ]
    made += [
        put(name, seed=seed) for seed, name in enumerate(["x-1.parquet", "x-2.parquet", "y[1].parquet"], 3)
    ]
    # Unfinished work and marks of other tools.
    for name in ("in/_temporary/0/d.parquet", "in/.hidden/e.parquet", "in/_f.parquet", "in/.g.parquet"):
        put(name)
    Path("in/_SUCCESS").touch()
    Path("in/notes.txt").write_text("not of interest")
    found = collect(GRR, "a.parquet", "in", "x-*.parquet", "y[1].parquet")
    assert bytes(found.tally) == direct_tally(GRR, *made)
    assert found.files == 6


def test_a_folder_with_a_hidden_name_may_be_named() -> None:
    made = put("_in/a.parquet")
    assert bytes(collect(GRR, "_in").tally) == direct_tally(GRR, made)


def test_reports_beside_tallies() -> None:
    made = put("a.parquet")
    Path("b.tally").write_bytes(direct_tally(GRR, made))
    for engine in ("numpy", "duckdb"):
        found = collect(GRR, "b.tally", "a.parquet", engine=engine)
        assert (bytes(found.tally), found.files) == (direct_tally(GRR, made, made), 2)
        assert bytes(collect(GRR, "b.tally", engine=engine).tally) == direct_tally(GRR, made)


@pytest.mark.parametrize(
    ("named", "message"),
    [
        (["empty"], "empty: no report files (*.parquet) in this folder"),
        (["marks"], "marks: no report files (*.parquet) in this folder"),
        (["z*.parquet"], "z*.parquet: no file matches"),
        (["in", "empty"], "empty: no report files"),
        (["a.parquet", "a.parquet"], "a.parquet: given twice"),
        (["in", "in/b.parquet"], "in/b.parquet: given twice"),
        (["in", "in"], "in/b.parquet: given twice"),
        (["a.parquet", "*.parquet"], "a.parquet: given twice"),
        (["a.parquet", "./in/../a.parquet"], "in/../a.parquet: given twice"),
        (["a.parquet", "link.parquet"], "link.parquet: given twice"),
        (["in", "folder-link"], "folder-link/b.parquet: given twice"),
        (["-", "-"], "-: standard input was given twice"),
        (["mixed"], "mixed/ue.parquet: reports of another task"),
        (["broken.parquet"], "broken.parquet: not a report file ("),
        (["nothing.parquet"], "nothing.parquet: not a report file ("),
    ],
)
def test_names_that_are_refused(named: list[str], message: str) -> None:
    for name in ("a.parquet", "in/b.parquet", "marks/_a.parquet", "mixed/grr.parquet"):
        put(name)
    put("mixed/ue.parquet", UE)
    Path("empty").mkdir()
    Path("link.parquet").symlink_to("a.parquet")
    Path("folder-link").symlink_to("in")
    Path("broken.parquet").write_bytes(Path("a.parquet").read_bytes()[:-7])
    Path("nothing.parquet").touch()
    if named[0] == "a.parquet" and named[1] == "*.parquet":
        for name in ("link.parquet", "broken.parquet", "nothing.parquet"):
            Path(name).unlink()
    assert refusal(GRR, *named).startswith(message)


@pytest.mark.parametrize(
    ("named", "options", "message"),
    [
        (["-"], {"engine": "duckdb"}, "standard input is counted by the numpy engine"),
        (["-", "a.parquet"], {"engine": "spark"}, "standard input is counted by the numpy engine"),
        (["-"], {"resume_at": Path("p")}, "standard input is counted by the numpy engine, in one go"),
        (["a.parquet"], {"dedupe": True, "resume_at": Path("p")}, "--dedupe looks at all files together"),
        (["a.parquet", "b.tally"], {"dedupe": True}, "b.tally: a tally has no report ids"),
        (["a.parquet"], {"engine": "excel"}, "engine 'excel' does not exist"),
    ],
)
def test_options_that_contradict_each_other(named: list[str], options: dict[str, Any], message: str) -> None:
    put("a.parquet")
    Path("b.tally").write_bytes(direct_tally(GRR))
    with pytest.raises(ParameterError, match=message):
        collect(GRR, *named, **options)


@pytest.mark.parametrize("engine", ["numpy", "duckdb"])
def test_whole_files_are_passed_over(engine: str) -> None:
    good = put("in/good.parquet")
    put("in/other.parquet", OTHER)
    put("in/cut.parquet")
    cut = Path("in/cut.parquet")
    cut.write_bytes(cut.read_bytes()[:-7])
    Path("in/empty.parquet").touch()
    found = collect(GRR, "in", engine=engine, skip_bad=True)
    assert bytes(found.tally) == direct_tally(GRR, good)
    places = [(problem.where, problem.reports) for problem in found.counted.problems]
    assert places == [("in/cut.parquet", None), ("in/empty.parquet", None), ("in/other.parquet", None)]
    assert found.counted.problems[-1].reason == f"reports of another task ({OTHER.id!r})"
    Path("in/good.parquet").unlink()
    assert bytes(collect(GRR, "in", engine=engine, skip_bad=True).tally) == direct_tally(GRR)


# A run that is broken off


PROGRESS = Path("out.progress")


@pytest.fixture
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoint, "ROWS_A_STEP", 1)


def put_four(task: Task) -> list[Messages]:
    """Four files, the third of which is damaged."""
    made = [put(f"in/{number}.parquet", task, 40, seed=number) for number in range(4)]
    damage(Path("in/2.parquet"), 0)
    return made


@pytest.mark.usefixtures("small_steps")
@pytest.mark.parametrize("engine", ["numpy", "duckdb"])
@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS)
def test_a_broken_run_continues(task: Task, engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made = put_four(task)
    assert refusal(task, "in", engine=engine, resume_at=PROGRESS).startswith("in/2.parquet, row group 0: ")
    assert PROGRESS.exists()
    report_file(Path("in/2.parquet"), task, made[2], seed=2)
    read: list[str] = []
    batches = ReportFile.batches

    def watched(file: ReportFile, group: int, *, ids: bool) -> Iterator[Any]:
        read.append(file.path.name)
        return batches(file, group, ids=ids)

    monkeypatch.setattr(ReportFile, "batches", watched)
    found = collect(task, "in", resume_at=PROGRESS)
    assert read == ["2.parquet", "3.parquet"]
    assert bytes(found.tally) == direct_tally(task, *made)
    assert found.files == 4
    # Everything is done: another run has nothing to read.
    assert bytes(collect(task, "in", resume_at=PROGRESS).tally) == bytes(found.tally)
    assert read == ["2.parquet", "3.parquet"]


@pytest.mark.usefixtures("small_steps")
def test_what_was_passed_over_is_remembered() -> None:
    good = [put(f"in/{number}.parquet", seed=number) for number in range(2)]
    table = reports_table(GRR, [99, 5], [bytes(16), bytes(16)])
    forged_file(Path("in/1b.parquet"), GRR, table)
    put("in/2.parquet", seed=2)
    cut = Path("in/2.parquet").read_bytes()
    Path("in/2.parquet").write_bytes(b"PAR1" + cut[4:-7])
    options = {"resume_at": PROGRESS, "skip_bad": True}
    wanted = [Problem("in/1b.parquet, row group 0", "report 0: word 99 is not below 24", 1)]
    for _ in range(2):
        found = collect(GRR, "in", **options)
        assert found.counted.problems[1:] == wanted
        assert found.counted.problems[0].where == "in/2.parquet"
        assert bytes(found.tally) == direct_tally(GRR, *good, np.array([5]))


@pytest.mark.usefixtures("small_steps")
def test_tallies_are_merged_into_a_continued_run_once() -> None:
    made = put_four(GRR)
    Path("b.tally").write_bytes(direct_tally(GRR, made[0]))
    refusal(GRR, "in", "b.tally", resume_at=PROGRESS)
    report_file(Path("in/2.parquet"), GRR, made[2], seed=2)
    found = collect(GRR, "in", "b.tally", resume_at=PROGRESS)
    assert bytes(found.tally) == direct_tally(GRR, *made, made[0])


def test_small_files_are_counted_together() -> None:
    """No file is finished before the step that it belongs to."""
    put_four(GRR)
    refusal(GRR, "in", resume_at=PROGRESS)
    assert not PROGRESS.exists()


@pytest.mark.usefixtures("small_steps")
def test_progress_of_a_continued_run() -> None:
    made = put_four(GRR)
    refusal(GRR, "in", resume_at=PROGRESS)
    report_file(Path("in/2.parquet"), GRR, made[2], seed=2)
    done: list[int] = []
    job = Job(
        GRR, tuple(ReportFile(path, GRR) for path in sorted(Path("in").iterdir())), progress=done.append
    )
    checkpoint.Unfinished(PROGRESS, job).count(numpy_engine.count)
    assert done == [120, 160]


def edit_progress(change: Callable[[dict[str, Any]], None]) -> None:
    """Change what a progress file says, as somebody who knows the format could."""
    _, head, tally = PROGRESS.read_bytes().split(b"\n", 2)
    header = json.loads(head)
    change(header)
    text = json.dumps(header).encode() + b"\n" + tally
    PROGRESS.write_bytes(checkpoint._checksum(text) + b"\n" + text)


def garbage(data: bytes) -> Callable[[], object]:
    return lambda: PROGRESS.write_bytes(data)


def cut_progress() -> None:
    PROGRESS.write_bytes(PROGRESS.read_bytes()[:-1])


def flip(place: int) -> Callable[[], None]:
    def change() -> None:
        data = bytearray(PROGRESS.read_bytes())
        data[place] ^= 1
        PROGRESS.write_bytes(data)

    return change


@pytest.mark.usefixtures("small_steps")
@pytest.mark.parametrize(
    "spoil",
    [
        garbage(b""),
        garbage(b"\n"),
        garbage(b"{}\n"),
        garbage(b"\xff\xfe\n\n"),
        garbage(b'{"finished": [], "problems": [], "format": 1, "skip_bad": false}\n'),
        cut_progress,
        flip(0),
        flip(80),
        flip(150),
        flip(-1),
        lambda: edit_progress(lambda header: header.update(format="pckv progress 2")),
        lambda: edit_progress(lambda header: header.pop("finished")),
        lambda: edit_progress(lambda header: header["finished"].update({"/elsewhere": [1, 2]})),
        lambda: Path("in/0.parquet").rename("in/other.parquet"),
    ],
)
def test_progress_that_is_not_this_runs(spoil: Callable[[], object]) -> None:
    put_four(GRR)
    refusal(GRR, "in", resume_at=PROGRESS)
    spoil()
    before = PROGRESS.read_bytes()
    line = refusal(GRR, "in", resume_at=PROGRESS)
    assert line == "out.progress: not the progress of this run (remove it to begin again)"
    assert PROGRESS.read_bytes() == before


@pytest.mark.usefixtures("small_steps")
def test_progress_of_another_task_or_with_other_options() -> None:
    put_four(GRR)
    refusal(GRR, "in", resume_at=PROGRESS)
    put("else/a.parquet", OTHER)
    wanted = "out.progress: not the progress of this run (remove it to begin again)"
    assert refusal(OTHER, "else", resume_at=PROGRESS) == wanted
    assert refusal(GRR, "in", resume_at=PROGRESS, skip_bad=True) == wanted


@pytest.mark.usefixtures("small_steps")
def test_a_finished_file_that_has_changed() -> None:
    made = put_four(GRR)
    refusal(GRR, "in", resume_at=PROGRESS)
    report_file(Path("in/2.parquet"), GRR, made[2], seed=2)
    changed = Path("in/1.parquet")
    os.utime(changed, ns=(1, 1))
    line = refusal(GRR, "in", resume_at=PROGRESS)
    assert line == (f"{changed.resolve()}: changed since it was counted (remove out.progress to begin again)")


@pytest.mark.usefixtures("small_steps")
def test_a_file_that_changes_while_it_is_counted_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    made = put_four(GRR)
    count = numpy_engine.count

    def meddled(job: Job) -> Any:
        counted = count(job)
        if job.files[0].path.name == "1.parquet":
            os.utime(job.files[0].path, ns=(1, 1))
        return counted

    with monkeypatch.context() as patch:
        patch.setattr(numpy_engine, "count", meddled)
        refusal(GRR, "in", resume_at=PROGRESS)
    report_file(Path("in/2.parquet"), GRR, made[2], seed=2)
    assert "1.parquet: changed since it was counted" in refusal(GRR, "in", resume_at=PROGRESS)


def test_a_killed_run_continues() -> None:
    """The process dies at the third file; what it leaves behind is enough to go on from."""
    made = [put(f"in/{number}.parquet", seed=number) for number in range(4)]
    Path("task.json").write_text(GRR.to_json())
    program = """
        import os, signal, sys
        from pckv.counting import checkpoint
        from pckv.files.reports.format import ReportFile
        from pckv.cli import main

        checkpoint.ROWS_A_STEP = 1
        batches = ReportFile.batches

        def dying(file, group, *, ids):
            if file.path.name == sys.argv[1]:
                os.kill(os.getpid(), signal.SIGKILL)
            return batches(file, group, ids=ids)

        ReportFile.batches = dying
        main("tally in --task task.json --out new.tally --resume".split())
    """
    command = [sys.executable, "-c", textwrap.dedent(program)]
    killed = subprocess.run([*command, "2.parquet"], check=False, timeout=60, capture_output=True)
    assert killed.returncode == -signal.SIGKILL
    assert sorted(path.name for path in Path().iterdir()) == ["in", "new.tally.progress", "task.json"]
    # It would die again if it read a finished file.
    finished = subprocess.run([*command, "1.parquet"], check=False, timeout=60, capture_output=True)
    assert (finished.returncode, finished.stderr) == (0, b"")
    assert Path("new.tally").read_bytes() == direct_tally(GRR, *made)
    assert sorted(path.name for path in Path().iterdir()) == ["in", "new.tally", "task.json"]


# Streams


def stream(task: Task, *batches: Messages, ids: Callable[[int, int], Any] = some_ids) -> bytes:
    file = io.BytesIO()
    stream_reports(file, task, ((ids(len(batch), seed), batch) for seed, batch in enumerate(batches)))
    return file.getvalue()


class Stdin(io.BytesIO):
    """Standard input with these bytes."""

    @property
    def buffer(self) -> io.BytesIO:
        return self


@pytest.fixture
def stdin(monkeypatch: pytest.MonkeyPatch) -> Callable[[bytes], None]:
    return lambda data: monkeypatch.setattr(sys, "stdin", cast("Any", Stdin(data)))


Feed = Callable[[bytes], None]


@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS)
@pytest.mark.parametrize("sizes", [(), (0,), (7,), (5, 0, 1000, 3)], ids=str)
def test_a_stream_is_counted_like_a_file(stdin: Feed, task: Task, sizes: tuple[int, ...]) -> None:
    batches = [some_messages(task, size, seed) for seed, size in enumerate(sizes)]
    write_reports(
        Path("a.parquet"), task, ((some_ids(len(part), seed), part) for seed, part in enumerate(batches))
    )
    wanted = bytes(collect(task, "a.parquet").tally)
    for dedupe in (False, True):
        stdin(stream(task, *batches))
        found = collect(task, "-", dedupe=dedupe)
        assert bytes(found.tally) == wanted == direct_tally(task, *batches)
    stdin(stream(task, *batches))
    both = collect(task, "a.parquet", "-", dedupe=True)
    assert (bytes(both.tally), both.counted.repeated) == (wanted, sum(sizes))


def test_a_stream_that_breaks_off_anywhere_is_refused(stdin: Feed) -> None:
    for task in (GRR, UE):
        whole = stream(task, some_messages(task, 3), some_messages(task, 4), some_messages(task, 1))
        for kept in range(len(whole)):
            stdin(whole[:kept])
            assert refusal(task, "-").startswith("standard input")
            stdin(whole[:kept])
            assert refusal(task, "-", skip_bad=True, dedupe=True).startswith("standard input")
        stdin(whole)
        assert collect(task, "-").tally.reports == 8


def test_a_stream_that_goes_on_after_its_end(stdin: Feed) -> None:
    one = stream(GRR, some_messages(GRR, 3))
    for more in (one, b"\n"):
        stdin(one + more)
        assert refusal(GRR, "-") == "standard input: goes on after its end"


def test_a_writer_who_fails_leaves_no_whole_stream(stdin: Feed) -> None:
    def failing() -> Iterator[tuple[Any, Messages]]:
        yield some_ids(3), some_messages(GRR, 3)
        raise OSError("no more power")

    file = io.BytesIO()
    with pytest.raises(OSError, match="no more power"):
        stream_reports(file, GRR, failing())
    stdin(file.getvalue())
    assert refusal(GRR, "-") == "standard input: breaks off after 1 batches"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "standard input: not an Arrow stream ("),
        (b"user,key,value\nann,alien,4\n", "standard input: not an Arrow stream ("),
        (b"\xff" * 100, "standard input: not an Arrow stream ("),
        (stream(OTHER, np.array([1])), "standard input: reports of another task ("),
        (stream(UE, some_messages(UE, 3)), "standard input: reports of another task ("),
        (
            stream(GRR, np.array([3, 4]), np.array([3, 24])),
            "standard input, batch 1: report 1: word 24 is not",
        ),
        (stream(GRR, np.array([-1])), "standard input, batch 0: report 0: word -1 is not below 24"),
    ],
)
def test_streams_that_are_refused(stdin: Feed, data: bytes, message: str) -> None:
    stdin(data)
    assert refusal(GRR, "-").startswith(message)


def forged_stream(table: Any, task: Task | None) -> bytes:
    about = {"pckv.task": task.to_json(), "pckv.task_id": task.id} if task else {}
    file = io.BytesIO()
    with pa.ipc.new_stream(file, table.schema.with_metadata(about)) as writer:
        writer.write_table(table)
    return file.getvalue()


@pytest.mark.parametrize(
    ("table", "task", "message"),
    [
        (reports_table(GRR, [3], [bytes(16)]), None, ": not a report file (it names no task)"),
        (reports_table(UE, [bytes(4)], [bytes(16)]), GRR, ": column 'word' is missing"),
        (reports_table(GRR, [3], [bytes(16)], pa.int32()), GRR, ": column 'word' is int32, not int64"),
        (reports_table(GRR, [3, None], [bytes(16)] * 2), GRR, ", batch 0: report 1: no word"),
        (reports_table(GRR, [3, 4], [None, bytes(16)]), GRR, ", batch 0: report 0: no report_id"),
        (
            reports_table(UE, [bytes(4), b""], [bytes(16)] * 2),
            UE,
            ", batch 0: report 1: a body has 4 bytes, not 0",
        ),
    ],
)
def test_streams_of_something_else(stdin: Feed, table: Any, task: Task | None, message: str) -> None:
    stdin(forged_stream(table, task))
    assert refusal(task or GRR, "-").startswith(f"standard input{message}")


def test_bad_reports_of_a_stream_are_passed_over(stdin: Feed) -> None:
    stdin(forged_stream(reports_table(GRR, [3, None, 99, 4], [bytes(16)] * 4), GRR))
    found = collect(GRR, "-", skip_bad=True)
    assert bytes(found.tally) == direct_tally(GRR, np.array([3, 4]))
    assert [problem.where for problem in found.counted.problems] == ["standard input, batch 0"] * 2


def test_a_stream_with_damaged_bytes_is_refused_or_read_as_it_stands(stdin: Feed) -> None:
    """Whatever byte is changed, bodies are never read from beyond their buffer."""
    bodies = some_messages(UE, 6)
    whole = stream(UE, bodies)
    wanted = {direct_tally(UE, bodies)}
    start = whole.index(bodies.tobytes()) - 64
    outcomes = set()
    for place in range(start, len(whole)):
        stdin(whole[:place] + bytes([whole[place] ^ 0x41]) + whole[place + 1 :])
        try:
            tally = collect(UE, "-").tally
        except DataError:
            outcomes.add("refused")
        else:
            assert tally.reports == 6
            outcomes.add("same" if bytes(tally) in wanted else "other bodies")
    # Reports have no checksum: a body that is another body counts as that. Ids and padding do not matter.
    assert outcomes == {"refused", "same", "other bodies"}


def test_two_bodies_in_a_stream_are_an_error(stdin: Feed) -> None:
    same = lambda count, _: np.zeros((count, 16), np.uint8)  # noqa: E731
    stdin(stream(GRR, np.array([3]), np.array([4]), ids=same))
    assert refusal(GRR, "-", dedupe=True).startswith(f"report id {'00' * 16} has different bodies")


# Memory


MEASURED = """
    import sys
    from pathlib import Path
    from pckv import Task
    from pckv.counting.run import Options, count_inputs
    from pckv.files.reports.format import ReportFile
    from contextlib import nullcontext

    task = Task.from_json(Path("task.json").read_bytes())
    bar = lambda _: nullcontext(lambda _: None)

    def run(name):
        return count_inputs(task, [Path(name)], Options(engine=sys.argv[2], dedupe=sys.argv[3] == "dedupe"), bar)

    def peak():
        # Not that of getrusage, which is at least what the parent had.
        return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM"))

    run("small.parquet")
    before = peak()
    if sys.argv[1] == "read it whole":
        import pyarrow.parquet
        kept = pyarrow.parquet.read_table("large.parquet", columns=["word"], use_threads=False)
    else:
        assert run("large.parquet").tally.reports == 20_000_000
    print(peak() - before)
"""
ROWS = 20_000_000
WORDS_MIB = 8 * ROWS / 2**20
IDS_MIB = 16 * ROWS / 2**20


@pytest.fixture(scope="module")
def one_large_group(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A file with one row group of 153 MiB of words and 305 MiB of ids."""
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
    """Words are read in parts of 8 MiB; a reader who takes them all, the control, needs all their 153 MiB."""
    assert growth_mib(one_large_group, "read it whole", "numpy", "") > WORDS_MIB
    assert growth_mib(one_large_group, "count", "numpy", "") < WORDS_MIB / 2


def test_memory_does_not_grow_with_ids(one_large_group: Path) -> None:
    """Ids and words are sorted on disk: 458 MiB of them need less than half of that."""
    assert growth_mib(one_large_group, "count", "numpy", "dedupe") < (WORDS_MIB + IDS_MIB) / 2
