"""`pckv task`: tasks are created and shown, and bad ones refused."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from pathlib import Path

import pytest

from pckv import Task
from pckv.cli.common import print_json
from pckv.cli.task import new_command
from pckv.contract.about import About, read_about
from pckv.mechanisms.registry import LAWS
from support.cli import MOVIES, NEW, UE, contents, program_command, put, read_json, run, run_ok, run_refused


def test_a_new_task_has_the_requested_parameters() -> None:
    run_ok(
        f"{NEW} --keys-file keys.txt --padding 2 --mechanism ue --allocation naive"
        " --opens 2026-01-01 --closes 2026-02-01"
    )
    expected = Task(
        name="movies",
        keys=MOVIES,
        values=(1, 5),
        epsilon=1,
        padding=2,
        mechanism={"name": "ue", "allocation": "naive"},
        opens="2026-01-01",
        closes="2026-02-01",
    )
    assert Path("new.json").read_text() == expected.to_json()


@pytest.mark.parametrize("text", [b"up\nheat\nalien\n", b"up\r\nheat\r\nalien"], ids=["newline", "crlf"])
def test_keys_files_may_have_any_line_endings(text: bytes) -> None:
    put({"keys.txt": text})
    run_ok(f"{NEW} --keys-file keys.txt")
    assert Task.from_json(Path("new.json").read_bytes()).keys == tuple(MOVIES)


def test_a_keys_file_may_begin_with_a_byte_order_mark() -> None:
    put({"keys.txt": "\ufeffup\nheat\nalien\n".encode()})
    run_ok(f"{NEW} --keys-file keys.txt")
    assert Task.from_json(Path("new.json").read_bytes()).keys == tuple(MOVIES)


def test_show_says_what_a_task_promises() -> None:
    printed = run_ok("task show ue.json")
    for part in (UE.id, "movies", "ue", "allocation optimized", "realised 1", "bytes per report"):
        assert part in printed
    assert read_json(run_ok("task show ue.json --json")) == {
        "id": UE.id,
        "name": "movies",
        "kind": "pairs",
        "keys": 3,
        "other": None,
        "low": 1.0,
        "high": 5.0,
        "levels": 2,
        "level_values": [1.0, 5.0],
        "between": "round",
        "epsilon": 1.0,
        "realised_epsilon": UE.realised_epsilon,
        "mechanism": "ue",
        "parameters": {"allocation": "optimized"},
        "padding": 1,
        "more": "sample",
        "size_share": 0.0,
        "size_answers": [],
        "coin": "device",
        "word_limit": None,
        "bytes_per_report": 18,
        "opens": None,
        "closes": None,
        "mixer": None,
        "segment": None,
        "series": None,
        "together": False,
        "about": About().to_dict(),
    }


def test_a_task_for_an_objective() -> None:
    command = "task new --name t --keys 20 --low 0 --high 1 --epsilon 0.5 --users 40000 --out new.json --force"
    chosen = set()
    for objective in ("both", "frequency", "mean"):
        run_ok(f"{command} --objective {objective}")
        chosen.add(Path("new.json").read_text(encoding="utf-8"))
    assert len(chosen) == 3
    run_ok(f"{command} --mechanism ue-compact --q 19 --r 9 --o 3")
    assert '{"name":"ue-compact","o":3,"q":19,"r":9}' in Path("new.json").read_text(encoding="utf-8")
    run_ok(f"{command} --mechanism ue --allocation tuned --beta 0.120")
    assert '{"allocation":"tuned","beta":"0.12","name":"ue"}' in Path("new.json").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--epsilon 0", "epsilon must be above 0 and at most 20, not 0"),
        ("--epsilon -1", "epsilon must be above 0 and at most 20, not -1"),
        ("--epsilon nan", "epsilon must be a finite number, not nan"),
        ("--epsilon 21", "epsilon must be above 0 and at most 20, not 21"),
        ("--epsilon much", "epsilon must be a number, not 'much'"),
        ("--epsilon 1_0", "epsilon must be a number in plain digits, such as 0.5, not '1_0'"),
        ("--low +1", "low must be a number in plain digits, such as 0.5, not '+1'"),
        ("--epsilon 1e-30", "epsilon"),
        ("--keys 0", "a task needs at least one key"),
        ("--keys -3", "a task needs at least one key"),
        ("--keys 2147483649", "a task takes at most 2^31 keys, not 2,147,483,649"),
        ("--low 5", "low must be below high: 5 ≥ 5"),
        ("--low 7", "low must be below high: 7 ≥ 5"),
        ("--high inf", "high must be a finite number"),
        ("--padding 0", "padding must be at least 1"),
        ("--opens 2026-1-1", "opens must be a day as YYYY-MM-DD, not '2026-1-1'"),
        ("--opens 2026-02-01 --closes 2026-01-01", "cannot close on 2026-01-01"),
        ("--name ''", "the task's name is empty"),
    ],
)
def test_bad_tasks(options: str, message: str) -> None:
    assert message in run_refused(f"{NEW} --keys 3 {options}")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "keys.txt: the file is empty"),
        (b"up\nheat\nup\n", "keys.txt, line 3 'up' is the same as line 1"),
        (b"up\n\nheat\n", "keys.txt, line 2 is empty"),
        (b"up\nheat\n\n", "keys.txt, line 3 is empty"),
        (b"up\n\xff\n", "keys.txt: not UTF-8"),
        (b"up\na\tb\n", "keys.txt, line 2 'a\\tb' holds a control character"),
        (b"up\n" + b"x" * 257, "keys.txt, line 2 'xxxxxxxxxxxxxxxxxxxx'… is longer than 256 bytes"),
    ],
    ids=["empty", "twice", "blank", "blank-end", "utf8", "tab", "long"],
)
def test_bad_keys_files(text: bytes, message: str) -> None:
    put({"keys.txt": text})
    assert run_refused(f"{NEW} --keys-file keys.txt").startswith(f"pckv: {message}")


def test_named_levels_say_the_range_of_the_values() -> None:
    keys = "--keys 3 --epsilon 1 --users 100 --pairs 1 --holding 0.4"
    for command in (f"task new --name t {keys}", f"plan --name t {keys}"):
        run_ok(f"{command} --levels 0,1,4 --out named.json --force")
        named = Task.from_json(Path("named.json").read_text(encoding="utf-8"))
        run_ok(f"{command} --levels 0,1,4 --low 0 --high 4 --out both.json --force")
        assert named == Task.from_json(Path("both.json").read_text(encoding="utf-8"))
        assert named.domain.values.level_values == (0, 1, 4)
        for wrong, message in {
            "--levels 3": "give ",
            "--levels 0,1,4 --low 0": "give both --low and --high, or none of them",
            "--levels 0,1,4 --low 0 --high 5": "the levels must begin with 0 and end with 5",
        }.items():
            assert message in run(f"{command} {wrong} --out none.json").stderr
            assert not Path("none.json").exists()


def test_an_epsilon_that_clients_refuse_by_default_is_said_to_be_one() -> None:
    refused = "Clients spend at most ε = 10 in all by default: they refuse to make a report with ε = 10.5 unless"
    common = "--keys 3 --users 100 --low 1 --high 5"
    for epsilon, said in (("10.5", True), ("10", False)):
        for command in ("task new --name t --out t.json --force", "plan", "plan --name t --out t.json --force"):
            output = run_ok(f"{command} {common} --epsilon {epsilon}")
            assert output.count(refused) == said


def test_the_symbols_of_collision() -> None:
    run_ok(f"{NEW} --keys 3 --mechanism collision --symbols 9 --positions 4111 --generator 12")
    mechanism = '"mechanism":{"generator":12,"name":"collision","positions":4111,"symbols":9}'
    assert mechanism in Path("new.json").read_text(encoding="utf-8")
    assert "symbols" in run_refused(f"{NEW.replace('new.json', 'newer.json')} --keys 3 --mechanism ue --symbols 9")


def test_every_parameter_of_every_mechanism_is_an_option() -> None:
    options = {option.name for option in new_command.params}
    for name, law in LAWS.items():
        assert law.options <= options, name


def test_a_task_on_standard_output() -> None:
    run_ok(f"{NEW} --keys 3")
    before = contents()
    result = run(f"{NEW.replace('new.json', '-')} --keys 3")
    assert (result.exit_code, contents()) == (0, before)
    assert result.stdout_bytes == Path("new.json").read_bytes()
    assert "written to standard output" in result.stderr


@pytest.mark.parametrize("encoding", ["latin-1", "ascii"])
def test_json_on_standard_output_is_utf_8_in_any_locale(encoding: str) -> None:
    put({"keys.txt": "café €\nup".encode()})
    command = NEW.replace("--name movies", "--name café€").split()
    run_ok(f"{shlex.join(command)} --keys-file keys.txt")
    environment = os.environ | {"PYTHONIOENCODING": encoding}

    def output(*arguments: str) -> bytes:
        return subprocess.check_output(program_command(*arguments), env=environment, timeout=60)

    printed = output(*command[:-1], "-", "--keys-file", "keys.txt")
    assert printed == Path("new.json").read_bytes()
    assert Task.from_json(printed).keys == ("café €", "up")
    assert read_json(output("task", "show", "new.json", "--json").decode())["name"] == "café€"


def test_json_escapes_what_utf_8_cannot_encode(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    """A file name of any bytes may be part of what is printed."""
    name = b"reports-\xff.parquet".decode(errors="surrogateescape")
    print_json({"file": name})
    assert json.loads(capsysbinary.readouterr().out.decode()) == {"file": name}


def test_a_task_with_coins() -> None:
    command = "task new --name t --keys 3 --low 0 --high 1 --epsilon 4 --users 900 --coin server --out new.json --force"
    run_ok(command)
    shown = read_json(run_ok("task show new.json --json"))
    assert (shown["coin"], shown["mechanism"] in {"ue-compact", "collision"}) == ("server", True)
    assert "coin must be 'device' for 'grr'" in run_refused(f"{command} --mechanism grr")
    assert run(command.replace("server", "everybody")).exit_code == 2


def test_what_participants_read_comes_from_a_file() -> None:
    put(
        {
            "about.toml": b'question = "Which films have you seen?"\r\nunit = "stars"\r\n'
            b'consent = """\nI agree\nto this.\n"""\n'
        }
    )
    run_ok(f"{NEW} --keys 3 --about about.toml")
    read = {"question": "Which films have you seen?", "unit": "stars", "consent": "I agree\nto this."}
    assert Task.from_json(Path("new.json").read_bytes()).about == read_about(read)
    printed = run_ok("task show new.json")
    assert [line.split(maxsplit=1) for line in printed.splitlines()[1:3]] == [
        ["question", "Which films have you seen?"],
        ["consent", "I agree to this."],
    ]
    assert "from 1 to 5 stars" in printed
    assert read_json(run_ok("task show new.json --json"))["about"] == read_about(read).to_dict()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b'colour = "red"', "about has no member 'colour': choose from question, description"),
        (b'unit = "' + b"x" * 257 + b'"', "unit is longer than 256 bytes"),
        (b"unit = 3", "unit must be text, not 3"),
        (b"unit", "not TOML: "),
        (b'{"unit": "stars"}', "not TOML: "),
        (b'unit = "a"\nunit = "b"', "not TOML: Cannot overwrite a value"),
        (b'question = """a\nb"""', "question holds a control character or a line break"),
        (b'[about]\nunit = "stars"', "about has no member 'about'"),
        (b"\xff", "not UTF-8"),
    ],
    ids=["member", "long", "number", "bare", "json", "twice", "lines", "table", "utf8"],
)
def test_bad_files_of_what_participants_read(text: bytes, message: str) -> None:
    put({"about.toml": text})
    assert f"pckv: about.toml: {message}" in run_refused(f"{NEW} --keys 3 --about about.toml")


@pytest.mark.parametrize(
    "table",
    [
        b"key,count\nalien,120\nheat,80\n",
        b"alien,120\nheat,80\n",
        b"movie;people\nup;3.5\n",
        b"up\t1\r\nheat\t2\r\n",
        b"key,frequency,method\nup,0.5,bayes\n",
    ],
)
def test_a_table_is_no_file_of_keys(table: bytes) -> None:
    put({"keys.csv": table})
    second = table.decode().splitlines()[1]
    line = f"pckv: keys.csv: a table, not a list of keys: line 2 is {second!r}; leave one key per line, alone\n"
    assert run_refused(f"{NEW} --keys-file keys.csv") == line
    assert run_refused("plan --users 100 --epsilon 1 --keys-file keys.csv") == line


@pytest.mark.parametrize(
    "keys",
    [["48,11", "52,13"], ["up", "ocean's, 11"], ["me, myself and i", "up"], ["heat, 1995", "heat, alien"], ["key,"]],
)
def test_keys_with_commas_are_keys(keys: list[str]) -> None:
    put({"keys.txt": "\n".join(keys).encode()})
    run_ok(f"{NEW} --keys-file keys.txt")
    assert list(Task.from_json(Path("new.json").read_bytes()).keys) == keys  # type: ignore[arg-type]
