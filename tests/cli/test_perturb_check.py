"""What `pckv perturb` says of its rows, and `pckv perturb --check` of all that is wrong with them."""

from __future__ import annotations

import itertools
import os
import random
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pckv import Task
from pckv.cli.pairs_files import larger_sets_sentence
from pckv.files.pairs.findings import SetSizeCounts
from support.cli import COLUMNS, contents, pairs_csv, parquet, program_command, put, run, run_ok, run_refused
from support.pseudo_terminal import on_a_terminal

KEYS = ["a", "b", "c"]
TASKS = {
    "other": Task(name="t", keys=KEYS, other="other", values=(1, 5), epsilon=1, padding=2, mechanism="grr"),
    "listed": Task(name="t", keys=KEYS, values=(1, 5), epsilon=1, padding=2, mechanism="grr"),
    "refusing": Task(name="t", keys=KEYS, values=(1, 5), epsilon=1, padding=2, mechanism="grr", more="refuse"),
    "levels": Task(name="t", keys=KEYS, values=(1, 5), levels=5, between="refuse", epsilon=1, padding=2),
    "hashed": Task(name="t", keys="hashed", values=(1, 5), epsilon=1, padding=2),
    "terms": Task.discovery(name="t", epsilon=1, characters=4),
}
GOOD = ["ann,a,5", "ann,b,3", "bob,,"]


@pytest.fixture(autouse=True)
def _tasks() -> None:
    put({f"{name}.json": task.to_json().encode() for name, task in TASKS.items()})


def perturb(task: str, *rows: str, options: str = "") -> str:
    put({"pairs.csv": pairs_csv(*rows)})
    Path("new.parquet").unlink(missing_ok=True)
    return f"perturb pairs.csv --task {task}.json {COLUMNS} --out new.parquet {options}"


def checked(command: str) -> tuple[int, str]:
    """Check a file, which changes nothing and writes nothing; return the exit code, and what is said."""
    before = contents()
    result = run(f"{command} --check")
    assert contents() == before
    assert result.stderr == ("pckv: pairs.csv: would be refused\n" if result.exit_code else "")
    return result.exit_code, result.stdout


def test_keys_that_count_as_other_are_counted_and_named() -> None:
    rows = [f"u{user},{key},3" for user, key in enumerate(["A"] * 3 + [" a "] * 2 + ["a", "other", "jaws"])]
    printed = run_ok(perturb("other", *rows, "bob,,"))
    assert printed.splitlines()[1:] == [
        (
            "6 pairs have a key that the task does not list and count as 'other'. The keys, with their pairs: 'A' (3), "
            "' a ' (2), 'jaws' (1). 2 pairs of these would have a listed key without blanks around it (--trim)."
        )
    ]
    assert b"jaws" not in Path("new.parquet").read_bytes()
    trimmed = run_ok(perturb("other", *rows, options="--trim"))
    assert "4 pairs have a key that the task does not list" in trimmed
    assert "--trim" not in trimmed
    one = run_ok(perturb("other", "ann,a\x1bb,3"))
    assert "1 pair has a key that the task does not list and counts as 'other'. The key is 'a\\x1bb'.\n" in one
    assert "list" not in run_ok(perturb("other", *GOOD))
    assert "list" not in run_ok(perturb("hashed", "ann,A,3"))


def test_ten_of_many_keys_are_named_the_most_frequent_ones() -> None:
    rows = [f"u{key}-{row},key {key},3" for key in range(12) for row in range(key + 1)]
    random.Random(1).shuffle(rows)
    printed = run_ok(perturb("other", *rows))
    assert "The 10 most frequent of 12 different ones: 'key 11' (12), 'key 10' (11)," in printed
    assert "'key 2' (3)." in printed
    assert "'key 1' " not in printed


def test_names_beyond_what_is_counted_are_said_to_be_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("pckv.files.pairs.findings", "pckv.cli.pairs_files"):
        monkeypatch.setattr(f"{module}.NAMES_COUNTED", 2)
    printed = run_ok(perturb("other", "u1,x,3", "u2,y,3", "u3,z,3", "u4,x,3"))
    assert "4 pairs have" in printed
    assert "The 10 most frequent of the first 2 different ones: 'x' (2), 'y' (1)." in printed


def test_people_with_more_pairs_than_the_padding_are_counted() -> None:
    rows = ["ann,a,5", "ann,b,3", "ann,c,3", "bob,a,1", "cat,b,3", "cat,a,1"]
    printed = run_ok(perturb("listed", *rows, "dan,,"))
    assert printed.splitlines()[1:] == [
        (
            "1 of 4 people holds more than 2 pairs, the padding of the task: a random choice of their pairs is reported, "
            "and frequencies of keys that they hold come out too low. The largest set has 3 pairs. A padding of 3 would "
            "cover all people; a larger padding adds noise."
        )
    ]
    assert run_ok(perturb("listed", *rows[1:])).splitlines() == ["3 reports written to new.parquet"]
    # All unlisted keys are one pair.
    assert "more than" not in run_ok(perturb("other", "ann,x,5", "ann,y,3", "ann,z,3", "ann,a,1"))
    assert "more than" in run_ok(perturb("other", "ann,x,5", "ann,b,3", "ann,z,3", "ann,a,1"))
    put({"terms.csv": b"user,term\nann,x\nann,y\nbob,\n"})
    said = run_ok("perturb terms.csv --task terms.json --user user --key term --out texts.parquet")
    assert "1 of 2 people holds more than 1 text, the padding of the task" in said


def test_the_padding_that_suffices_is_that_of_the_sizes() -> None:
    """Against the definition, for all shares of people with large sets."""
    for large in range(1, 30):
        sizes = SetSizeCounts(2)
        for part in ([1] * 100, [7] * large, [9]):
            sizes.add(pa.array(part).to_numpy())
        everyone = sorted([1] * 100 + [7] * large + [9])
        assert (sizes.people, sizes.larger, sizes.largest) == (len(everyone), large + 1, 9)
        most = min(size for size in range(10) if sum(each <= size for each in everyone) >= 0.99 * len(everyone))
        assert sizes.covering(0.99) == most
        sentence = larger_sets_sentence(sizes, "pair")
        assert (f"one of {most} would cover 99 % of them" in sentence) == (2 < most < 9)


BAD = {
    "dan,b,9": "1 row refused (line 5): value 9 is outside [1, 5] (--clip moves it to the nearest end)",
    "dan,a,inf": "1 row refused (line 5): value inf is not a finite number",
    ",a,3": "1 row refused (line 5): no user",
    "dan,a,1,2": "1 row refused (line 5): 4 fields where the header has 3",
    "ann,a,3": "1 row refused (line 5): key 'a' appears twice for this user (--repeated last or mean)",
    "dan,a,x": "1 row refused (line 5): value 'x' is not a number",
    'dan,a,"3,5"': "1 row refused (line 5): value '3,5' is not a number (--decimal , reads decimal commas)",
    "dan,jaws,3": "1 row refused (line 5): key 'jaws' is not a key of task 't'",
    "dan,,3": "1 row refused (line 5): a value without a key",
}


@pytest.mark.parametrize("row", BAD)
def test_a_check_names_what_perturb_refuses(row: str) -> None:
    command = perturb("listed", *GOOD, row)
    code, said = checked(command)
    assert (code, said.splitlines()[0]) == (1, "4 rows read.")
    assert said.splitlines()[1].startswith(BAD[row])
    assert BAD[row].partition(": ")[2] in run_refused(command)


def test_a_check_tells_all_kinds_of_faults_with_their_first_rows() -> None:
    rows = [*GOOD, *BAD, *(f"u{number},b,7" for number in range(5))]
    code, said = checked(perturb("listed", *rows))
    lines = said.splitlines()
    assert (code, lines[0]) == (1, f"{len(rows)} rows read.")
    for fault in (
        "6 rows refused (lines 5, 14, 15, …), for example: value 9 is outside [1, 5] (--clip moves it to the nearest end)",
        "1 row refused (line 10): value 'x' is not a number",
        "1 row refused (line 11): value '3,5' is not a number (--decimal , reads decimal commas)",
        "1 row refused (line 9): key 'a' appears twice for this user (--repeated last or mean)",
    ):
        assert fault in lines
    assert "1 pair has a key that the task does not list. The key is 'jaws'." in lines


# Rows of one kind of fault: two that read the same, and then one that does not.
ALIKE = {
    "value 'abc' is not a number": ["u1,a,abc", "u2,b,abc", "u3,a,abd"],
    "value '3,5' is not a number (--decimal , reads decimal commas)": ['u1,a,"3,5"', 'u2,a,"3,5"', 'u3,a,"3,7"'],
    "value 9 is outside [1, 5] (--clip moves it to the nearest end)": ["u1,a,9", "u2,b,9.0", "u3,a,8"],
    "value inf is not a finite number": ["u1,a,inf", "u2,a,inf", "u3,a,-inf"],
    "key 'x' is not a key of task 't' (pckv task new --other makes a task that counts such keys)": [
        *("u1,x,3", "u2,x,4", "u3,y,3"),
    ],
    "2 fields where the header has 3": ["u1,a", "u2,b", "u3,a,3,3"],
    "key 'a' appears twice for this user (--repeated last or mean)": ["ann,a,3", "ann,a,4", "ann,b,3"],
}


@pytest.mark.parametrize("batch", [1, 100])
@pytest.mark.parametrize("reason", ALIKE)
def test_a_reason_is_an_example_exactly_where_those_of_other_rows_differ(
    reason: str, batch: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pckv.files.pairs.rows.ROWS_PER_BATCH", batch)
    *same, other = ALIKE[reason]
    assert f"2 rows refused (lines 5, 6): {reason}\n" in checked(perturb("listed", *GOOD, *same))[1]
    said = checked(perturb("listed", *GOOD, *same, other))[1]
    assert f"3 rows refused (lines 5, 6, 7), for example: {reason}\n" in said


def test_missing_values_and_decimal_commas_are_told_from_other_texts() -> None:
    rows = ["u1,a,abc", "u2,a,", 'u3,a,"3,5"', "u4,b,"]
    assert checked(perturb("listed", *GOOD, *rows))[1].splitlines() == [
        "7 rows read.",
        "1 row refused (line 5): value 'abc' is not a number",
        "2 rows refused (lines 6, 8): no value",
        "1 row refused (line 7): value '3,5' is not a number (--decimal , reads decimal commas)",
    ]
    # The first row is what perturb names, of whatever kind it is.
    for first in rows:
        assert "pairs.csv, line 2: " in run_refused(perturb("listed", first, *rows))


@pytest.mark.parametrize("task", ["other", "listed", "refusing", "levels", "hashed"])
@pytest.mark.parametrize("spilled", [False, True], ids=["memory", "files"])
def test_a_file_whose_rows_are_all_refused_is_not_one_without_rows(
    task: str, spilled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if spilled:
        monkeypatch.setattr("pckv.files.pairs.rows.ROWS_IN_MEMORY", 1)
    said = checked(perturb(task, "ann,a,x", ",a,3", "bob,b,x"))
    assert said[0] == 1
    assert sorted(said[1].splitlines()) == [
        "1 row refused (line 3): no user",
        "2 rows refused (lines 2, 4): value 'x' is not a number",
        "3 rows read.",
    ]
    put({"terms.csv": b"user,term\n,z\n"})
    result = run("perturb terms.csv --task terms.json --user user --key term --check")
    assert (result.stdout, result.stderr) == (
        "1 row read.\n1 row refused (line 2): no user\n",
        "pckv: terms.csv: would be refused\n",
    )
    # The control: a file that has none.
    result = run(f"{perturb(task)} --check")
    assert (result.exit_code, result.stdout, result.stderr) == (1, "", "pckv: pairs.csv: no rows\n")


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"user,key,stars\nann,a,3\n", "pairs.csv: no column 'value'; there are 'user', 'key', 'stars'"),
        ("user,key,value\nann,ä,3\n".encode("latin-1"), "pairs.csv, line 2: not UTF-8 (--encoding names another one)"),
    ],
    ids=["column", "encoding"],
)
def test_a_check_of_a_file_that_cannot_be_read_counts_no_rows(content: bytes, problem: str) -> None:
    command = perturb("listed", *GOOD)
    put({"pairs.csv": content})
    result = run(f"{command} --check")
    assert (result.exit_code, result.stdout, result.stderr) == (1, "", f"pckv: {problem}\n")


@pytest.mark.parametrize("spilled", [False, True], ids=["memory", "files"])
def test_people_with_too_many_pairs_are_counted_and_not_said_to_be_sampled(
    spilled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if spilled:
        monkeypatch.setattr("pckv.files.pairs.rows.ROWS_IN_MEMORY", 1)
    ann, bob = ([f"{user},{key},3" for key in KEYS] for user in ("ann", "bob"))
    reason = "this user has more than 2 pairs, the most that the task takes"
    said = checked(perturb("refusing", *ann, "cat,a,1"))
    assert said == (1, f"4 rows read.\n1 person refused (line 4): {reason}\n")
    said = checked(perturb("refusing", *ann, *bob, "cat,a,1"))
    assert said == (1, f"7 rows read.\n2 people refused (lines 4, 7): {reason}\n")
    # The control: where a choice of the pairs is reported, this is said.
    assert "1 of 2 people holds more than 2 pairs" in checked(perturb("listed", *ann, "cat,a,1"))[1]


def test_a_check_says_the_same_of_spilled_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows by user come in another order: the first lines and their reasons are those of the file."""
    rows = [f"u{number % 40},a,{number}" for number in range(6, 200)]
    command = perturb("other", *rows, "x,y,9", "z,y,3")
    code, in_memory = checked(command)
    monkeypatch.setattr("pckv.files.pairs.rows.ROWS_IN_MEMORY", 1)
    assert checked(command) == (code, in_memory)
    assert "195 rows refused (lines 2, 3, 4, …), for example: value 6 is outside" in in_memory
    # A row that is refused for its value does not count as other.
    assert (
        "Of the other rows:\n1 pair has a key that the task does not list and counts as 'other'. The key is 'y'."
        in in_memory
    )


@pytest.mark.parametrize("spilled", [False, True], ids=["memory", "files"])
def test_a_check_counts_people_and_repairs_of_rows_that_are_not_refused(
    spilled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows without a user, a whole row, a number or a listed key are of no participants."""
    if spilled:
        monkeypatch.setattr("pckv.files.pairs.rows.ROWS_IN_MEMORY", 1)
    larger = [f"ann,{key},3" for key in KEYS]
    refused = ["dan,a,x", "eve,jaws,9", ",a,3", "fay,a,inf", "gus,a,3,3"]
    _, said = checked(perturb("listed", *larger, "bob,b,9", "cat,,", *refused, options="--clip"))
    others = said.partition("Of the other rows:\n")[2]
    assert others.startswith("1 value clipped.\n1 of 3 people holds more than 2 pairs")
    put({"terms.csv": b"user,term\nann,x\nann,y\n,z\nbob,\n"})
    result = run("perturb terms.csv --task terms.json --user user --key term --check")
    assert "Of the other rows:\n1 of 2 people holds more than 1 text" in result.stdout


def test_a_check_without_faults_says_so() -> None:
    code, said = checked(perturb("other", *GOOD, "ann,x,3", "bob,y,9", options="--clip"))
    assert code == 0
    assert said.splitlines()[:2] == ["5 rows read.", "1 value clipped."]
    assert said.endswith("No row would be refused.\n")
    assert "2 pairs have a key" in said
    assert "1 of 2 people holds more than 2 pairs" in said
    # Without an output, too.
    assert run(f"perturb pairs.csv --task other.json {COLUMNS} --clip --check").exit_code == 0
    put({"terms.csv": b"user,term\nann,x\n,y\n"})
    result = run("perturb terms.csv --task terms.json --user user --key term --check")
    assert (result.exit_code, "1 row refused (line 3): no user" in result.stdout) == (1, True)


def test_a_file_that_cannot_be_read_to_its_end_is_refused_by_its_line() -> None:
    command = perturb("other", "ann,a,9", '"a"b,c,3')
    result = run(f"{command} --check")
    assert result.exit_code == 1
    assert result.stderr.startswith("pckv: pairs.csv, line 3: ")


@pytest.mark.parametrize("task", ["other", "listed", "refusing", "levels", "hashed"])
@pytest.mark.parametrize("spilled", [False, True], ids=["memory", "files"])
def test_a_check_refuses_exactly_what_perturb_refuses(
    task: str, spilled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All files of two rows out of a dozen, in memory and spilled; and a control: both answers are there."""
    if spilled:
        monkeypatch.setattr("pckv.files.pairs.rows.ROWS_IN_MEMORY", 1)
    some = ["ann,a,5", "ann,b,3.5", "ann,,", "bob,x,1", *list(BAD)[:6]]
    codes = set()
    for rows in itertools.combinations(some, 2):
        command = perturb(task, "ann,c,2", *rows)
        code, _ = checked(command)
        codes.add(code)
        assert run(command).exit_code == code, rows
    assert codes == {0, 1}


def test_decimal_commas() -> None:
    put({"pairs.csv": b"user;key;value\nann;a;3,5\nbob;b;4\ncat;;\n"})
    command = f"perturb pairs.csv --task listed.json {COLUMNS} --out new.parquet"
    assert "value '3,5' is not a number (--decimal , reads decimal commas)" in run_refused(command)
    assert run_ok(f"{command} --decimal ,") == "3 reports written to new.parquet\n"
    put({"pairs.csv": b"user;key;value\nann;a;1.500\n"})
    refused = run_refused(f"{command.replace('new', 'newer')} --decimal ,")
    assert refused == "pckv: pairs.csv, line 2: value '1.500' is not a number\n"
    put({"pairs.csv": b"user;key;value\nann;a;3,5\nbob;b;1\n"})
    simulated = run_ok(f"simulate pairs.csv {COLUMNS} --epsilon 1 --repeats 1 --workers 1 --low 1 --high 5 --decimal ,")
    assert "2 users, 2 keys" in simulated


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16", "cp1252"])
def test_encodings(encoding: str) -> None:
    task = Task(name="t", keys=["ä"], values=(1, 5), epsilon=1)
    put({"pairs.csv": "user,key,value\nann,ä,5\n".encode(encoding), "task.json": task.to_json().encode()})
    command = f"perturb pairs.csv --task task.json {COLUMNS} --out new.parquet"
    assert " not UTF-8 (--encoding names another one)\n" in run_refused(command)
    assert run_ok(f"{command} --encoding {encoding}") == "1 report written to new.parquet\n"


@pytest.mark.parametrize("encoding", ["nonsense", "base64", "a\0b", ""])
def test_what_is_no_encoding_is_refused(encoding: str) -> None:
    line = run_refused(f"perturb pairs.csv --task listed.json {COLUMNS} --out new.parquet --encoding '{encoding}'")
    assert line.endswith("is not the name of an encoding of texts\n")


def test_a_line_in_another_encoding_is_named() -> None:
    put({"pairs.csv": "user,key,value\nann,a,5\nbob,b,4\n".encode("utf-16-le") + b"\x00\xd8\x00\xd8"})
    line = run_refused(f"perturb pairs.csv --task listed.json {COLUMNS} --out new.parquet --encoding utf-16-le")
    assert line == "pckv: pairs.csv, line 4: not utf-16-le (--encoding names another one)\n"


def test_trimmed_names() -> None:
    put({"pairs.csv": b'user, key, value\nann, "a", 5\n ann , b, 3\n'})
    command = f"perturb pairs.csv --task listed.json {COLUMNS} --out new.parquet"
    assert "no column 'key'" in run_refused(command)
    assert run_ok(f"{command} --trim") == "1 report written to new.parquet\n"


def test_lists_of_keys_and_values() -> None:
    users, keys, values = ["ann", "bob", "cat", "dan"], [["a", "b"], [], None, ["c"]], [[1.0, 5.0], None, [], [2]]
    put({"lists.parquet": parquet(user=users, key=keys, value=values)})
    command = f"perturb lists.parquet --task listed.json {COLUMNS} --out new.parquet"
    assert run_ok(command) == "4 reports written to new.parquet\n"
    assert pq.read_metadata("new.parquet").num_rows == 4
    for bad, problem in (
        ({"value": [[1.0], None, [], [2]]}, "lists.parquet, row 0: 2 keys and 1 value"),
        ({"value": [1.0, 2.0, 3.0, 4.0]}, "lists.parquet: columns 'key' and 'value' must both hold lists, or none"),
        ({"value": [[1.0, 9.0], None, [], [2]]}, "lists.parquet, row 0: value 9 is outside [1, 5]"),
        ({"key": [["a", "x"], [], None, ["c"]]}, "lists.parquet, row 0: key 'x' is not a key"),
        ({"key": [["a", "a"], [], None, ["c"]]}, "lists.parquet, row 0: key 'a' appears twice for this user"),
    ):
        put({"lists.parquet": parquet(**({"user": users, "key": keys, "value": values} | bad))})
        assert run_refused(f"{command} --force").startswith(f"pckv: {problem}")
    put({"lists.parquet": parquet(user=["ann", "bob"], key=[["a", "b"], ["x"]], value=[[7.0, 9.0], [1.0]])})
    checked_lists = run(f"{command} --force --check").stdout
    assert "1 row refused (row 0), for example: value 7 is outside [1, 5]" in checked_lists
    assert "1 pair has a key that the task does not list. The key is 'x'." in checked_lists
    put({"terms.parquet": parquet(user=users, key=keys)})
    assert run_ok("perturb terms.parquet --task terms.json --user user --key key --out texts.parquet").startswith("4 ")


@pytest.mark.parametrize(("task", "value"), [("terms", ""), ("other", " --value value")], ids=["texts", "pairs"])
def test_perturbing_on_a_terminal(task: str, value: str) -> None:
    """A bar for reading and one for perturbing, one after the other, and paragraphs within the width."""
    put({"pairs.csv": pairs_csv("ann,a,5", "ann,b,3", "ann,c,3", "bob,x,1")})
    command = f"perturb pairs.csv --task {task}.json --user user --key key{value} --out new.parquet"
    with on_a_terminal(program_command(*command.split()), Path(), os.environ | {"TERM": "xterm"}) as program:
        shown = program.read_until("adds noise.")
        assert "2 reports written to new.parquet" in shown
        assert program.process.wait(60) == 0
