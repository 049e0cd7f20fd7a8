"""`pckv perturb`: pairs in, reports out, and what is refused or repaired."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pckv import Tally, Task
from pckv.mechanisms.registry import LAWS
from support.cli import (
    COLUMNS,
    GRR,
    PERTURB,
    damaged,
    pairs_csv,
    parquet,
    program,
    program_command,
    put,
    run,
    run_ok,
    run_refused,
)

MERGED = "1 pair merged with another of the same user and key"


@pytest.mark.parametrize("mechanism", LAWS)
def test_every_user_sends_one_report_of_the_task(mechanism: str) -> None:
    run_ok(f"perturb pairs.csv --task {mechanism}.json {COLUMNS} --out new.parquet")
    table = pq.read_table("new.parquet")
    assert table.num_rows == 3
    assert len(set(table.column("report_id").to_pylist())) == 3
    assert run_ok(f"tally new.parquet --task {mechanism}.json --out new.tally").startswith("3 reports counted")


@pytest.mark.parametrize(
    ("rows", "option", "printed"),
    [
        (["ann,alien,0.5", "bob,up,9", "cat,up,-7", "dan,up,5"], "--clip", "4 reports … 3 values clipped"),
        (["ann,up,4", "bob,up,3", "ann,up,2"], "--repeated last", f"2 reports … {MERGED}"),
        (["ann,up,4", "bob,up,3", "ann,up,2"], "--repeated mean", f"2 reports … {MERGED}"),
        (["ann,up,4", "bob,up,9"], "--clip", "2 reports … 1 value clipped"),
    ],
    ids=["clip", "last", "mean", "one"],
)
def test_refused_rows_can_be_repaired(rows: list[str], option: str, printed: str) -> None:
    put({"pairs.csv": pairs_csv(*rows)})
    run_refused(PERTURB)
    start, end = printed.split(" … ")
    assert run_ok(f"{PERTURB} {option}") == f"{start} written to new.parquet, {end}\n"
    assert pq.read_metadata("new.parquet").num_rows == int(start.split()[0])


def test_unlisted_keys_count_as_the_task_says() -> None:
    put({"pairs.csv": pairs_csv("ann,jaws,4", "ann,solaris,2", "bob,alien,3"), "keys.txt": b"alien\nheat\n"})
    usual = "--low 1 --high 5 --epsilon 1 --users 900"
    run_ok(f"task new --name t --keys-file keys.txt --other {usual} --out task.json")
    run_ok(f"task new --name t --hashed {usual} --out hashed.json")
    for task in ("task", "hashed"):
        made = run_ok(f"perturb pairs.csv --task {task}.json {COLUMNS} --out {task}.parquet")
        assert made.startswith(f"2 reports written to {task}.parquet\n")
    put({"pairs.csv": pairs_csv("ann,jaws,4", "ann,jaws,2")})
    refused = run_refused(f"perturb pairs.csv --task task.json {COLUMNS} --out new.parquet")
    assert refused.startswith("pckv: pairs.csv, line 3: this key appears twice for this user (--repeated")


@pytest.mark.parametrize("value", ["nan", "NaN", "-nan", "inf", "-inf", "1e999"])
def test_what_is_not_finite_is_never_repaired(value: str) -> None:
    put({"pairs.csv": pairs_csv("ann,alien,4", f"bob,alien,{value}")})
    line = f"pckv: pairs.csv, line 3: value {float(value)} is not a finite number\n".replace("-nan", "nan")
    assert run_refused(f"{PERTURB} --clip") == line


def test_a_mean_of_values_in_the_range_is_in_the_range() -> None:
    run_ok("task new --name t --keys 1 --low 0 --high 0.1 --epsilon 1 --users 9 --out task.json")
    put({"pairs.csv": pairs_csv(*["ann,0,0.1"] * 3)})
    run_ok(f"perturb pairs.csv --task task.json {COLUMNS} --out new.parquet --repeated mean")


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (["ann,alien,0.5"], "line 2: value 0.5 is outside [1, 5] (--clip"),
        (["ann,alien,5", "ann,up,-inf"], "line 3: value -inf is not a finite number"),
        (["ann,alien,inf"], "line 2: value inf is not a finite number"),
        (["ann,alien,nan"], "line 2: value nan is not a finite number"),
        (["ann,alien,four"], "line 2: value 'four' is not a number"),
        (["ann,alien,"], "line 2: no value"),
        (
            ["ann,alien,5", "bob,jaws,5"],
            "line 3: key 'jaws' is not a key of task 'movies' (pckv task new --other",
        ),
        (["ann,,5"], "line 2: a value without a key"),
        ([",alien,5"], "line 2: no user"),
        (["ann,up,4", "bob,up,3", "ann,up,2"], "line 4: key 'up' appears twice for this user (--repeated"),
        (['ann,alien,"9\n"'], "line 3: value 9 is outside"),
        (['ann,"jaws\n",5'], "line 3: key 'jaws\\n' is not a key"),
    ],
    ids=[
        "outside",
        "minus-inf",
        "inf",
        "nan",
        "word",
        "no-value",
        "unknown",
        "no-key",
        "no-user",
        "twice",
        "value-newline",
        "key-newline",
    ],
)
def test_bad_pairs(rows: list[str], message: str) -> None:
    put({"pairs.csv": pairs_csv(*rows)})
    assert run_refused(PERTURB).startswith(f"pckv: pairs.csv, {message}")


BAD_PAIR_FILES = {
    "empty": (b"", ": the file is empty"),
    "header-only": (b"user,key,value\n", ": no rows"),
    "no-column": (b"user,movie,value\n1,up,3\n", ": no column 'key'; there are 'user', 'movie', 'value'"),
    "few-fields": (pairs_csv("1,up,3", "2,up"), ", line 3: 2 fields where the header has 3"),
    "many-fields": (pairs_csv("1,up,3,4"), ", line 2: 4 fields where the header has 3"),
    "quote": (pairs_csv("1,up,3", '2,"up"s,3'), ", line 3: "),
    "open-quote": (pairs_csv("1,up,3", '2,"up,3'), ", line 3: "),
    "utf8": (pairs_csv("1,up,3") + b"2,\xff,3\n", ", line 3: not UTF-8"),
    "parquet-column": (parquet(user=[1], movie=["up"], value=[3]), ": no column 'key'"),
    "parquet-value": (parquet(user=[1, 2], key=["up", "up"], value=[3, 9]), ", row 1: value 9 is outside"),
    "parquet-key": (parquet(user=[1], key=["jaws"], value=[3]), ", row 0: key 'jaws'"),
    "parquet-empty": (parquet(user=[], key=[], value=[]), ": no rows"),
    "parquet-cut": (parquet(user=[1], key=["up"], value=[3])[:-6], ": not a Parquet file"),
    "parquet-magic": (b"PAR1", ": not a Parquet file"),
    "parquet-footer": (damaged(parquet(user=[1], key=["up"], value=[3])), ": not a Parquet file"),
    "parquet-page": (damaged(parquet(user=[1], key=["up"], value=[3]), 4), ": cannot be read ("),
    "parquet-lists": (parquet(user=[[1]], key=["up"], value=[3]), ": cannot be read ("),
    "parquet-binary": (parquet(user=[b"\xff"], key=["up"], value=[3]), ": cannot be read ("),
}


@pytest.mark.parametrize(("data", "message"), BAD_PAIR_FILES.values(), ids=BAD_PAIR_FILES)
def test_bad_files_of_pairs(data: bytes, message: str) -> None:
    put({"pairs.csv": data})
    assert run_refused(PERTURB).startswith(f"pckv: pairs.csv{message}")


def test_parquet_texts_that_are_not_utf8() -> None:
    put({"pairs.csv": parquet(user=["abcd"], key=["up"], value=[3]).replace(b"abcd", b"ab\xffd")})
    assert run_refused(PERTURB).startswith("pckv: pairs.csv: cannot be read (")


def test_perturbing_again_makes_other_reports() -> None:
    """The command's randomness comes from the operating system: nothing repeats."""
    files = []
    for name in ("one", "two"):
        run_ok(PERTURB.replace("new.parquet", f"{name}.parquet"))
        files.append(pq.read_table(f"{name}.parquet").column("report_id").to_pylist())
    assert not set(files[0]) & set(files[1])


def test_perturb_into_tally() -> None:
    perturb = program_command(*PERTURB.replace("new.parquet", "-").split())
    tally = program_command(*["tally", "-", "--task", "grr.json", "--out", "new.tally"])
    with subprocess.Popen(perturb, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as writer:
        result = subprocess.run(tally, stdin=writer.stdout, capture_output=True, timeout=60, check=False)
        assert writer.stderr
        assert writer.stderr.read() == b"3 reports written to standard output\n"
    assert writer.returncode == 0
    assert (result.stdout, result.stderr) == (b"3 reports counted into new.tally\n", b"")
    assert Tally.from_bytes(GRR, Path("new.tally").read_bytes()).reports == 3


def test_a_stream_that_cannot_be_written() -> None:
    with Path("/dev/full").open("wb") as full:
        result = program(*PERTURB.replace("new.parquet", "-").split(), stdout=full)
    assert result.returncode == 1
    assert len(result.stderr.splitlines()) == 1
    assert "No space left on device" in result.stderr


def test_a_stream_whose_writer_is_refused_is_no_tally() -> None:
    put({"pairs.csv": pairs_csv("ann,alien,5", "bob,heat,99")})
    written = program(*PERTURB.replace("new.parquet", "-").split(), stdout=subprocess.PIPE)
    assert (written.returncode, written.stdout) == (1, "")
    assert "line 3: value 99" in written.stderr
    result = program(*["tally", "-", "--task", "grr.json", "--out", "new.tally"], input="", stdout=subprocess.PIPE)
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr.startswith("pckv: standard input: not an Arrow stream (")
    assert not Path("new.tally").exists()


@pytest.mark.parametrize(
    "data",
    [pairs_csv("ann,alien,5", "bob,heat,1"), parquet(user=[1, 2], key=["up", "up"], value=[3, 4])],
    ids=["csv", "parquet"],
)
def test_pairs_from_standard_input(data: bytes) -> None:
    result = run(PERTURB.replace("pairs.csv", "-"), data)
    assert (result.exit_code, result.stdout, result.stderr) == (0, "2 reports written to new.parquet\n", "")
    assert pq.read_metadata("new.parquet").num_rows == 2


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", ": the file is empty"),
        (b"user,key,value\n", ": no rows"),
        (b"user,movie,value\n1,up,3\n", ": no column 'key'; there are 'user', 'movie', 'value'"),
        (pairs_csv("ann,alien,5", "bob,heat,99"), ", line 3: value 99 is outside [1, 5]"),
        (pairs_csv("1,up,3") + b"2,\xff,3\n", ", line 3: not UTF-8"),
        (b"PAR1", ": not a Parquet file"),
    ],
    ids=["empty", "header-only", "no-column", "value", "utf8", "parquet"],
)
def test_bad_pairs_from_standard_input(
    data: bytes, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Messages name standard input, and its copy is gone."""
    (tmp_path / "copies").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "copies"))
    assert run_refused(PERTURB.replace("pairs.csv", "-"), data).startswith(f"pckv: standard input{message}")
    assert not list((tmp_path / "copies").iterdir())


@pytest.mark.parametrize("name", ["new.csv", "new", "new.parquet.gz"])
def test_reports_are_parquet_or_a_stream(name: str) -> None:
    line = run_refused(PERTURB.replace("new.parquet", name))
    assert line == f"pckv: {name}: reports are written as .parquet, or to - as an Arrow stream\n"


def test_from_stream_to_stream() -> None:
    command = program_command(*PERTURB.replace("pairs.csv", "-").replace("new.parquet", "-").split())
    result = subprocess.run(command, input=pairs_csv("ann,up,3"), capture_output=True, timeout=60, check=False)
    assert (result.returncode, result.stderr) == (0, b"1 report written to standard output\n")
    assert pa.ipc.open_stream(result.stdout).read_all().num_rows == 1


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL], ids=["term", "kill"])
def test_pairs_of_standard_input_do_not_outlive_the_command(number: signal.Signals) -> None:
    temporary = Path("temporary")
    temporary.mkdir()
    rows = pairs_csv(*(f"{user},alien,5" for user in range(100_000)))
    command = program_command(*PERTURB.replace("pairs.csv", "-").split())
    environment = os.environ | {"TMPDIR": str(temporary.absolute())}
    with subprocess.Popen(command, stdin=subprocess.PIPE, env=environment) as process:
        assert process.stdin
        # More than a pipe holds: most of it has been read once all of it is written.
        process.stdin.write(rows)
        process.stdin.flush()
        process.send_signal(number)
        assert process.wait(60) == -number
        assert not list(temporary.iterdir())
        process.stdin.close()


def test_a_task_with_coins_is_refused() -> None:
    task = Task(name="coins", keys=["alien", "up"], values=(1, 5), epsilon=1, padding=1, coin="server")
    put({"coins.json": task.to_json().encode()})
    refusal = run_refused(f"perturb pairs.csv --task coins.json {COLUMNS} --out new.parquet")
    assert "coins.json: every report of this task needs a coin from its collector" in refusal
    assert not Path("new.parquet").exists()
