"""The vectors: what every implementation must agree on, and what each must refuse, and where."""

from __future__ import annotations

import hashlib
import json
import re
import struct
import subprocess
import sys
from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from pckv import Report, Tally, Task, estimate
from pckv.base.budget import exp_lower
from pckv.base.canonical import base64url, from_base64url
from pckv.base.errors import PairsError, ParameterError, ReportError, TallyError, TaskError
from pckv.base.levels import level_values
from pckv.base.limits import PAIRS
from pckv.base.randomness import Tape, fixed_source
from pckv.contract.coins import coin_choice, follows_coin
from pckv.counting.engines import numpy as numpy_engine
from pckv.counting.job import Job
from pckv.device.perturb import perturb_from
from pckv.files.reports.reader import ReportFile
from pckv.mechanisms.derivation import MECHANISMS
from pckv.mechanisms.discovery.device import read_texts
from pckv.mechanisms.discovery.law import DiscoveryLaw
from pckv.mechanisms.padding import placed
from pckv.mechanisms.registry import LAWS, build
from pckv.mechanisms.size_question.law import SizeQuestion
from pckv.sealing.opening import EntryOpener
from pckv.sealing.public_key import read_public_key
from pckv.sealing.recipient_key import RecipientKey

ROOT = Path(__file__).parents[2]
VECTORS = ROOT / "vectors" / "v1"
GOLDEN = sorted((VECTORS / "golden").iterdir())
# How many positive vectors there were before tasks had levels; those of levels follow them.
SIGN_REPORTS, SIGN_TALLIES, SIGN_THRESHOLDS = 694, 105, 434


@cache
def read_task(text: str) -> Task:
    """Return the task of a JSON text; most vectors share theirs with others."""
    return Task.from_json(text)


def cases(name: str, *, positive: bool) -> list[dict[str, Any]]:
    everything = json.loads((VECTORS / f"{name}.json").read_text(encoding="utf-8"))
    chosen = [case for case in everything if ("fails_at" not in case) == positive]
    assert chosen
    return chosen


def held_by(case: dict[str, Any]) -> Any:
    """Return the pairs of a case, its keys without values, or the texts if it is of a discovery."""
    return next(case[name] for name in ("pairs", "keys", "texts") if name in case)


def test_there_are_enough_vectors() -> None:
    names = ("thresholds", "tasks", "reports", "tallies")
    assert sum(len(cases(name, positive=True)) for name in names) >= 300
    assert sum(len(cases(name, positive=False)) for name in names[1:]) >= 200


def test_thresholds() -> None:
    for case in cases("thresholds", positive=True):
        epsilon = Fraction(case["epsilon"])
        assert str(int(exp_lower(epsilon) * 2**256)) == case["exp_lower_times_2_256"]
        names = {"allocation", "beta", "q", "r", "o", "symbols", "positions", "generator"}
        parameters = {name: value for name, value in case.items() if name in names}
        for name in LAWS.keys() & case.keys():
            levels = case.get("levels", 2)
            law = build(name, case["keys"], case["padding"], epsilon, parameters, levels)
            assert {part: str(getattr(law, part)) for part in case[name]} == case[name]
            if case.get("q_is_chosen") or case.get("symbols_are_chosen"):
                chosen = build(name, case["keys"], case["padding"], epsilon, {}, levels)
                assert chosen.parameters == parameters
        if "size_question" in case:
            question = SizeQuestion(case["keys"], case["padding"], epsilon, Fraction(case["size_share"]))
            stated = case["size_question"]
            assert (list(question.ends), str(question.asked), str(question.kept)) == (
                stated["ends"],
                stated["asked"],
                stated["kept"],
            )


def test_levels() -> None:
    for case in cases("levels", positive=True):
        levels = case["levels"] if isinstance(case["levels"], int) else tuple(case["levels"])
        values = level_values(levels, case["low"], case["high"])
        assert [struct.pack(">d", value).hex() for value in values] == case["values"]
        for stated in case["placed"]:
            (value,) = struct.unpack(">d", bytes.fromhex(stated["value"]))
            below, threshold = placed(value, values)
            assert (below, str(threshold)) == (stated["below"], stated["threshold"])


def test_every_mechanism_with_words_has_reports_of_2_3_5_and_16_levels() -> None:
    seen = Counter(
        (task.mechanism, task.level_count, isinstance(task.domain.values.levels, int))
        for case in cases("reports", positive=True)
        for task in [read_task(case["task"])]
    )
    for mechanism in LAWS.keys() - {"ue"}:
        for levels in (2, 3, 5, 16):
            assert seen[mechanism, levels, True] + seen[mechanism, levels, False] >= 10
        assert seen[mechanism, 5, False] >= 10


def test_every_mechanism_has_vectors_of_keys_without_values() -> None:
    for name, member, fewest in (("reports", "task", 20), ("tallies", "task", 10), ("tasks", "json", 4)):
        tasks = [read_task(case[member]) for case in cases(name, positive=True)]
        seen = Counter(task.mechanism for task in tasks if not task.has_values and task.kind == PAIRS)
        assert seen.keys() == LAWS.keys()
        assert min(seen.values()) >= fewest, name
    chosen = [case for case in cases("thresholds", positive=True) if case.get("levels") == 1]
    assert sum(case.get("q_is_chosen", False) for case in chosen) >= 20
    assert sum(case.get("symbols_are_chosen", False) for case in chosen) >= 40


def test_derived_items_have_reports_of_all_kinds_of_sets() -> None:
    """With every label; of no keys, as many as the padding and more; of pairs and of answers about sizes."""
    labels: dict[str, set[str]] = {}
    kinds: dict[tuple[str, bool], set[str]] = {pair: set() for pair in product(MECHANISMS, (False, True))}
    for case in cases("reports", positive=True):
        task = read_task(case["task"])
        if task.derivation is None:
            continue
        size, word = len(held_by(case)), task.message_format.decode(from_base64url(case["body"]))
        seen = kinds[task.mechanism, task.together]
        seen.add("none" if not size else "more" if size > task.padding else "taken")
        seen.add("size" if word >= (task.law.word_limit or 0) else "pairs")
        if task.segment is not None:
            labels.setdefault(task.id, set()).add(case["segment"])
            assert labels[task.id] <= set(task.segment.labels)
    assert all(seen == {"none", "taken", "more", "size", "pairs"} for seen in kinds.values())
    assert sorted(map(len, labels.values())) == [3, 3, 3, 3, 3, 16, 16, 16]


def test_two_levels_have_the_words_and_thresholds_that_signs_had() -> None:
    """What the vectors were before tasks had levels, given the same tapes: the ids of tasks are all that changed."""
    reports = [[held_by(case), case["tape"], case["id"], case["body"]] for case in cases("reports", positive=True)]
    bodies = [case["bodies"] for case in cases("tallies", positive=True)]
    thresholds = cases("thresholds", positive=True)
    assert [_digest(before) for before in (reports[:SIGN_REPORTS], bodies[:SIGN_TALLIES])] == [
        "239486f7d52592d37b8aebdaa978b890048fa648142f605e5cd31de577ff708b",
        "f11ae3cb903709f04f751e00ef2dcdbd00508c931f87bad65b97f151608b9554",
    ]
    assert _digest(thresholds[:SIGN_THRESHOLDS]) == "fab604e73e6adedcf200a43bdf767153f8f2175d9c2a827162813cc658ca2af7"


def _digest(stated: object) -> str:
    return hashlib.sha256(json.dumps(stated, ensure_ascii=False).encode()).hexdigest()


def test_every_mechanism_has_vectors_of_every_kind() -> None:
    assert {folder.name for folder in GOLDEN} == set(LAWS)
    assert {name for case in cases("thresholds", positive=True) for name in case} >= set(LAWS)
    for name, text in (("tasks", "json"), ("reports", "task"), ("tallies", "task")):
        shown = " ".join(case[text] for case in cases(name, positive=True))
        assert all(f'"{mechanism}"' in shown for mechanism in LAWS)


def test_every_mechanism_with_words_answers_both_questions() -> None:
    answered: dict[tuple[str, bool], int] = Counter()
    for case in cases("reports", positive=True):
        task = read_task(case["task"])
        if task.size_question is not None:
            word = task.message_format.decode(from_base64url(case["body"]))
            answered[task.mechanism, word >= (task.law.word_limit or 0)] += 1
    assert answered.keys() == {(name, mode) for name in LAWS if name != "ue" for mode in (False, True)}
    assert min(answered.values()) >= 20


def test_tasks() -> None:
    for case in cases("tasks", positive=True):
        task = Task.from_json(case["json"])
        assert {name: getattr(task, name) for name in ("id", "realised_epsilon", "word_limit")} == {
            name: case[name] for name in ("id", "realised_epsilon", "word_limit")
        }


def test_reports() -> None:
    for case in cases("reports", positive=True):
        task = read_task(case["task"])
        tape = Tape(task.draws, fixed_source(bytes.fromhex(case["tape"])))
        report = perturb_from(tape, task, held_by(case), segment=case.get("segment"))
        assert (base64url(report.id), base64url(report.body)) == (case["id"], case["body"])


def test_keys() -> None:
    for case in cases("keys", positive=True):
        assert read_task(case["task"]).held_index(case["key"]) == case["number"]


def test_prefixes() -> None:
    for case in cases("prefixes", positive=True):
        task = read_task(case["task"])
        found = read_texts(task.tree, [case["text"]])
        assert found == [case["found"]] * bool(found)
        groups = range(task.tree.groups) if found else ()
        numbers = [task.tree.item(task.digest, task.tree.prefix(case["found"], group), group) for group in groups]
        assert numbers == case["numbers"]


def test_discoveries_have_reports_of_all_kinds_of_texts() -> None:
    """Of no text, one, and more than the padding; of texts that are cut and left out; by the first and the last group."""
    seen: dict[str, set[str]] = {}
    for case in cases("reports", positive=True):
        if "texts" not in case:
            continue
        task = read_task(case["task"])
        assert isinstance(task.law, DiscoveryLaw)
        texts, found = case["texts"], read_texts(task.tree, case["texts"])
        word = task.message_format.decode(from_base64url(case["body"]))
        group = task.law.group_of(word // task.law.symbols)
        kinds = {
            "none": not found,
            "one": len(found) == 1,
            "too many": len(found) > task.padding,
            "left out": any(not task.tree.cut(text) for text in texts),
            "cut": any(len(text) > task.tree.characters and task.tree.cut(text) for text in texts),
            "first group": group == 0,
            "last group": group == task.tree.groups - 1,
        }
        seen.setdefault(task.id, set()).update(kind for kind, holds in kinds.items() if holds)
        # No device has that many texts.
        seen[task.id] |= {"too many"} if task.padding >= 100 else set()
    assert len(seen) >= 10
    assert all(len(kinds) == 7 for kinds in seen.values())


def test_every_mechanism_has_reports_of_several_keys_that_are_not_listed() -> None:
    seen: Counter[str] = Counter()
    for case in cases("reports", positive=True):
        task = read_task(case["task"])
        if task.other is not None:
            held = [task.held_index(key) for key in held_by(case)]
            seen[task.mechanism] += held.count(task.key_count - 1) > 1
    assert set(seen) == set(LAWS)
    assert min(seen.values()) >= 10


def test_hashes_have_reports_of_texts_of_one_number() -> None:
    repeats = 0
    for case in cases("reports", positive=True):
        task = read_task(case["task"])
        if task.is_hashed:
            numbers = [number for key in held_by(case) if (number := task.held_index(key)) is not None]
            repeats += len(set(numbers)) < len(numbers)
    assert repeats >= 6


def test_coins() -> None:
    seen = set()
    for case in cases("coins", positive=True):
        task, coin = read_task(case["task"]), from_base64url(case["coin"])
        asks_size, function = coin_choice(task, coin)
        if "body" in case:
            tape = Tape(task.draws, fixed_source(bytes.fromhex(case["tape"])))
            report = perturb_from(tape, task, held_by(case), coin, segment=case.get("segment"))
            assert (report.id, base64url(report.body)) == (coin, case["body"])
            assert follows_coin(task, coin, task.message_format.decode(report.body))
            continue
        assert (asks_size, str(function)) == (case["asks_size"], case["function"])
        seen.add((task.mechanism, task.size_question is not None, asks_size))
    assert len(seen) == 6


def test_words_that_do_not_follow_their_coin_are_refused() -> None:
    for case in cases("coins", positive=False):
        task = read_task(case["task"])
        word = task.message_format.decode(from_base64url(case["body"]))
        assert (case["fails_at"], case["reason"]) == ("coin", "wrong_coin")
        assert not follows_coin(task, from_base64url(case["coin"]), word)


def test_tallies() -> None:
    for case in cases("tallies", positive=True):
        task = read_task(case["task"])
        tally = Tally(task)
        tally.add_many(Report(bytes(16), from_base64url(body)) for body in case["bodies"])
        assert base64url(bytes(tally)) == case["tally"]
        assert Tally.from_bytes(task, from_base64url(case["tally"])) == tally


def test_sealed_reports() -> None:
    """Sealing draws a key pair of its own, so Python is asked to open what another package sealed."""
    for case in cases("sealed", positive=True):
        public_key = read_public_key(case["public_key"])
        if "sealed" in case:
            key, body = RecipientKey(bytes.fromhex(case["private_key"])), from_base64url(case["body"])
            opener = EntryOpener(key, bytes.fromhex(case["digest"]), len(body))
            assert key.public_key == public_key
            assert opener.open(from_base64url(case["sealed"])) == Report(from_base64url(case["id"]), body)
    for case in cases("sealed", positive=False):
        if case["fails_at"] == "key":
            with pytest.raises(ParameterError, match=re.escape(case["reason"])):
                read_public_key(case["public_key"])
        else:
            assert case["fails_at"] == "open"
            key, body = RecipientKey(bytes.fromhex(case["private_key"])), from_base64url(case["body"])
            opener = EntryOpener(key, bytes.fromhex(case["digest"]), len(body))
            assert opener.open(from_base64url(case["sealed"])) is None


@pytest.mark.parametrize("name", ["tasks", "reports", "tallies"])
def test_negative_vectors_fail_where_they_say(name: str) -> None:
    for case in cases(name, positive=False):
        step, reason = case["fails_at"], re.escape(case["reason"])
        if step == "task":
            with pytest.raises(TaskError, match=reason):
                Task.from_json(case["json"])
            continue
        task = read_task(case["task"])
        if step == "pairs":
            with pytest.raises(PairsError, match=reason):
                perturb_from(Tape(task.draws), task, held_by(case), segment=case.get("segment"))
        elif step == "report":
            with pytest.raises(ReportError) as caught:
                task.message_format.decode(from_base64url(case["body"]))
            assert caught.value.code == case["reason"]
        else:
            assert step == "tally"
            with pytest.raises(TallyError, match=reason):
                Tally.from_bytes(task, from_base64url(case["tally"]))


def test_vectors_are_what_the_code_writes(tmp_path: Path) -> None:
    """Byte for byte, except Parquet (its bytes depend on the library) and the last digits of estimates."""
    subprocess.run([sys.executable, str(ROOT / "vectors" / "generate.py"), str(tmp_path)], check=True)
    written = {path.relative_to(tmp_path) for path in tmp_path.rglob("*") if path.is_file()}
    assert written == {path.relative_to(VECTORS) for path in VECTORS.rglob("*") if path.is_file()}
    for path in written:
        if path.suffix != ".parquet" and path.name != "estimates.json":
            assert (tmp_path / path).read_bytes() == (VECTORS / path).read_bytes(), path


@pytest.mark.parametrize("folder", GOLDEN, ids=lambda folder: folder.name)
def test_golden_files_stay_readable(folder: Path) -> None:
    task = Task.from_json((folder / "task.json").read_bytes())
    tally = Tally.from_bytes(task, (folder / "counts.tally").read_bytes())
    job = Job(task, (ReportFile(folder / "reports.parquet", task),))
    assert numpy_engine.count(job).tally == tally
    assert tally.reports == 500
    expected = json.loads((folder / "estimates.json").read_text(encoding="utf-8"))
    got = json.loads(estimate(tally, expected["method"]).to_json())
    for row, expected_row in zip(
        [got.pop("sizes"), *got.pop("estimates")],
        [expected.pop("sizes"), *expected.pop("estimates")],
        strict=True,
    ):
        assert row.keys() == expected_row.keys()
        for name, value in expected_row.items():
            assert row[name] == (value if isinstance(value, str) else pytest.approx(value, rel=1e-9)), name
    assert got == expected
