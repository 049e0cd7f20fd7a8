"""Mixed tasks on the command line: they are made, shown, audited, and refused where their claim does not hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from pckv import Series, Task
from pckv.base.canonical import base64url
from pckv.sealing.recipient_key import RecipientKey
from support.cli import COLUMNS, put, read_json, run, run_ok, run_refused
from support.mixed_tasks import KEY, a_mixed_task

FIRST = "task new --name t --keys 3 --low 0 --high 1 --epsilon 2 --padding 1 --mechanism grr --size-share 0"
CLAIM = "--batch 2000 --honest 1500 --central 1 --delta 1e-6"
PARTY = "--mixer https://mix.example --mixer-operator 'A second party'"
NEW = f"{FIRST} --closes 2031-01-01 {PARTY} --recipient-key {KEY} {CLAIM} --out new.json --force"
SERIES = (
    f"{FIRST.replace('task', 'series')} {PARTY} --recipient-key {KEY} {CLAIM} --first 2031-01-06 --period 7 --panels 2 "
    "--out new.json"
)
DISCOVERY = (
    "task new --discover --name t --characters 3 --alphabet ab --epsilon 2 --closes 2031-01-01 "
    f"{PARTY} --recipient-key {KEY} {CLAIM} --out new.json"
)


def test_a_mixed_task_is_made_of_its_options() -> None:
    printed = run_ok(NEW)
    assert Path("new.json").read_text() == a_mixed_task().to_json()
    assert printed.splitlines()[1] == (
        "Mixed by A second party; towards a recipient who sees only that batch: ε = 1 with δ = 0.000001 (central), if the "
        "mixer follows the protocol and at least 1,500 of the reports are honest."
    )
    # By default three quarters of a batch are counted on.
    run_ok(NEW.replace("--honest 1500", ""))
    assert Path("new.json").read_text() == a_mixed_task().to_json()


def test_the_key_may_be_in_a_file() -> None:
    private = RecipientKey(bytes(range(32)))
    private.write(Path("private.key"))
    put({"public.key": base64url(private.public_key).encode() + b"\n", "other.key": b"\xff", "short.key": b"CQAA"})
    for name in ("private.key", "public.key"):
        run_ok(NEW.replace(KEY, name))
        mixer = Task.from_json(Path("new.json").read_bytes()).mixer
        assert mixer is not None
        assert mixer.public_key == private.public_key
    assert base64url(private.secret) not in Path("new.json").read_text()
    Path("private.key").chmod(0o644)
    for name, message in (
        ("private.key", "private.key: the permissions of a private key are at most 0600, not 0644"),
        ("other.key", "other.key: not a key"),
        ("short.key", "short.key: the recipient's key is not 32 bytes in base64url without padding"),
        ("missing.key", "--recipient-key missing.key: neither a file nor a key: the recipient's key is not 32 bytes"),
    ):
        assert message in run_refused(NEW.replace(KEY, name))


def test_series_and_discoveries_may_be_mixed() -> None:
    run_ok(SERIES)
    series = Series.from_json(Path("new.json").read_bytes())
    assert series.task == a_mixed_task(closes=None)
    assert "computed once more: it holds" in run_ok("series show new.json")
    assert read_json(run_ok("series show new.json --json"))["claim_holds"] is True
    Path("new.json").unlink()
    run_ok(DISCOVERY)
    assert Task.from_json(Path("new.json").read_bytes()).mixer == a_mixed_task().mixer


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("--closes 2031-01-01", "", "task 't' is mixed and needs a day on which it closes: its batch leaves then"),
        ("--honest 1500", "--honest 10", "10 honest reports of local ε = 2 have δ = 0.037 at the claimed ε = 1, above"),
        ("--honest 1500", "--honest 2001", "mixer.honest must be at most mixer.batch, 2,000, not 2,001"),
        ("--delta 1e-6", "--delta 1e-4", "mixer.delta must be above 0 and at most 0.00001, not 0.0001"),
        ("--central 1", "--central 3", "mixer.epsilon must be at most the ε of a report, 2, not 3"),
        ("https://mix.example", "http://mix.example", "mixer.url must be an origin such as https://mix.example"),
        ("--mechanism grr", "--mechanism collision --coin server", "coin must be 'device' with a mixer"),
    ],
)
def test_a_task_that_cannot_be_mixed_is_refused(before: str, after: str, message: str) -> None:
    assert before in NEW
    refusal = run_refused(NEW.replace(before, after))
    assert message in refusal
    assert refusal.count("\n") == 1
    assert not Path("new.json").exists()


@pytest.mark.parametrize(
    ("left_out", "message"),
    [
        (PARTY, "--recipient-key is for --mixer"),
        ("--mixer-operator 'A second party'", "--mixer needs --mixer-operator, too"),
        (f"--recipient-key {KEY} {CLAIM}", "--mixer needs --recipient-key, --batch, --central, --delta, too"),
    ],
)
def test_half_a_mixer_is_refused(left_out: str, message: str) -> None:
    result = run(NEW.replace(left_out, ""))
    assert (result.exit_code, message in result.stderr) == (2, True)


def test_a_claim_is_computed_wherever_a_task_is_shown() -> None:
    false = a_mixed_task().to_json().replace('"honest":1500', '"honest":10')
    put({"mixed.json": a_mixed_task().to_json().encode(), "false.json": false.encode()})
    assert "central claim     computed once more: it holds" in run_ok("task show mixed.json")
    assert read_json(run_ok("task show mixed.json --json"))["claim_holds"] is True
    assert "central claim     DOES NOT HOLD: 10 honest reports of local ε = 2" in run_ok("task show false.json")
    assert read_json(run_ok("task show false.json --json"))["claim_holds"] is False

    assert "The central claim holds: 1,500 honest reports have δ = " in run_ok("audit --task mixed.json")
    (audit,) = read_json(run_ok("audit --task mixed.json --json"))
    assert (audit["holds"], audit["claim"]["holds"], audit["claim"]["honest"]) == (True, True, 1500)
    result = run("audit --task false.json")
    assert (result.exit_code, result.stderr) == (1, "pckv: the central claim of the task does not hold\n")
    assert "THE CENTRAL CLAIM DOES NOT HOLD: 10 honest reports have δ = 0.0367" in result.stdout
    result = run("audit --task false.json --json")
    assert (result.exit_code, read_json(result.stdout)[0]["claim"]["holds"]) == (1, False)

    page = run_ok("card mixed.json --no-audit")
    assert "the central ε is 1 with 1,500 honest reports; with 375 it is " in page
    assert "anyone can fill a batch" in page
    assert "10 honest reports" in run_refused("card false.json --no-audit")


def test_no_reports_are_made_for_a_task_that_never_closes() -> None:
    put({"endless.json": a_mixed_task(closes=None).to_json().encode()})
    refusal = run_refused(f"perturb pairs.csv --task endless.json {COLUMNS} --out new.parquet")
    assert "task 't' is mixed and needs a day on which it closes" in refusal


def test_a_file_of_texts_may_have_translations() -> None:
    put({"about.toml": b'question = "Which?"\nlanguage = "en-GB"\n[translations.de]\nname = " Filme "\nkeys = ["a", "b"]\n',
         "keys.txt": b"alien\nheat\n"})  # fmt: skip
    command = "task new --name movies --keys-file keys.txt --low 1 --high 5 --epsilon 1 --users 900 --about about.toml"
    run_ok(f"{command} --out new.json")
    about = Task.from_json(Path("new.json").read_bytes()).about
    assert (about.language, about.translations["de"].name, about.translations["de"].keys) == (
        "en-GB",
        "Filme",
        ("a", "b"),
    )
    assert "en-GB, translated into de" in run_ok("task show new.json")
    page = run_ok("card new.json --no-audit")
    assert page.endswith("In `en-GB`:\n\n- Question: Which?\n\nIn `de`:\n\n- Name: Filme\n- Keys: a, b\n")
    grouped = b'[translations.de]\nsegment_name = " Alter "\nsegment_labels = ["unter 40", "ab 40"]\n'
    put({"grouped.toml": grouped})
    run_ok(
        "task new --name grouped --keys 9 --epsilon 1 --users 900 --segment age=young,old --about grouped.toml "
        "--out grouped.json"
    )
    page = run_ok("card grouped.json --no-audit")
    assert page.endswith("In `de`:\n\n- Segment name: Alter\n- Segment labels: unter 40, ab 40\n")
    put({"about.toml": b"[translations.deutsch]\n"})
    assert "about.toml: the language of a translation must be a tag" in run_refused(f"{command} --out more.json")
