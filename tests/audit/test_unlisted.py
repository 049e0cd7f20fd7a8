"""Keys that a task does not list: the law of their reports, the loss of it, and planted faults that must show."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from audit import batches
from audit.replay import Participants, check_replay
from audit.unlisted_checks import (
    HASHED_CHECKS,
    UNLISTED_CHECKS,
    check_coins_of_others,
    check_hashed_texts,
    check_key_numbers,
    check_others,
    check_reports_of_others,
)
from pckv import Task
from pckv.auditing.audit import audit
from pckv.auditing.sampler_loss import DeviceCode, sampler_loss
from pckv.auditing.variants import without_question
from pckv.base.errors import AuditFailure
from pckv.base.randomness import Tape
from pckv.base.wire import Report
from pckv.device.perturb import choose_other, make_message, read_pairs
from pckv.mechanisms.padding import Pair
from pckv.mechanisms.registry import LAWS
from pckv.mechanisms.size_question.device import answer
from support.faults import Fault, in_place, stand_in

Choose = Callable[[Task, list[Pair], Tape], list[Pair]]


@pytest.mark.parametrize("mechanism", LAWS)
@pytest.mark.parametrize("check", UNLISTED_CHECKS, ids=lambda check: check.__name__)
def test_others(check: Callable[[str], None], mechanism: str) -> None:
    check(mechanism)


def test_others_with_coins() -> None:
    check_coins_of_others("collision")


@pytest.mark.parametrize("check", HASHED_CHECKS, ids=lambda check: check.__name__)
def test_hashed_keys(check: Callable[[], None]) -> None:
    check()


def test_audits_of_tasks() -> None:
    common: dict[str, Any] = {"name": "t", "values": (1, 5), "epsilon": 1, "padding": 2}
    for task, sets in (
        # All 27 sets of three keys, one value between two levels, and nine with several keys that are not listed.
        (Task(keys=["a", "b"], other="other", mechanism="grr", **common), 37),
        (Task(keys=["a", "b", "c", "d"], other="other", mechanism="ue", **common), 11),
        (Task(keys="hashed", **common), 14),
    ):
        found = audit(task)
        assert found.holds
        assert (found.sets, found.enumerated <= 1) == (sets, True)


def others_and_listed(task: Task, pairs: Sequence[Pair]) -> tuple[list[Pair], list[Pair]]:
    others = [pair for pair in pairs if pair[0] == task.other_index]
    return others, [pair for pair in pairs if pair[0] != task.other_index]


def all_kept(_task: Task, pairs: list[Pair], _tape: Tape) -> list[Pair]:
    return pairs


PERTURB, BATCH = "device/perturb.py", "device/vectorised.py"
KEPT, ALONE = "others[tape.below(len(others))]", "    if len(others) <= 1:\n        return pairs\n"
CHOICES = (
    in_place("the first is chosen", PERTURB, {KEPT: "others[0]"}, check_others),
    in_place("the last is chosen", PERTURB, {KEPT: "others[-1]"}, check_others),
    in_place("the largest value is chosen", PERTURB, {KEPT: "(tape.below(len(others)), max(others, key=lambda pair: pair[1:]))[1]"}, check_others),
    # Among one too few, but for one draw in 2^20.
    in_place("the last is hardly ever chosen", PERTURB, {KEPT: "others[-1] if tape.draw() < 2**44 else others[tape.below(len(others) - 1)]"}, check_others),
    in_place("the value is always the lowest", PERTURB, {KEPT: "(others[0][0], 0, 0)"}, check_others),
    in_place("keys that are not listed are dropped", PERTURB, {ALONE: "", f", {KEPT}]": "]"}, check_others),
    in_place("several that are not listed are dropped", PERTURB, {f", {KEPT}]": "]"}, check_others),
    in_place("all that are not listed are kept", PERTURB, {KEPT: "*others"}, check_others),
)  # fmt: skip


@pytest.mark.parametrize("mutant", CHOICES, ids=str)
def test_choices_that_must_show(mutant: Fault, tmp_path: Path) -> None:
    mutant.check_caught(tmp_path, "grr")


# A task of the usual kind, whose choices are too many to visit: padding 6, `collision`, larger sets are sampled.
USUAL: dict[str, Any] = {
    "keys": 40,
    "other": "other",
    "values": (1, 5),
    "epsilon": 2,
    "padding": 6,
    "mechanism": "collision",
    "size_share": "0.1",
}
LISTED = "of_listed_keys = [pair for pair in pairs if pair[0] != task.other_index]"
SWAP = "other = place + tape.below(len(held) - place)"
COLLISION = "mechanisms/collision/device.py"


def check_usual() -> None:
    sampler_loss(Task(name="usual", **USUAL))


def test_a_task_of_the_usual_kind_has_few_paths() -> None:
    found = audit(Task(name="usual", **USUAL))
    assert found.holds
    assert found.enumerated == found.closed_form
    # All choices of seven pairs and three unlisted keys would be 7!·3·3 ways, each with a dozen paths.
    assert found.paths < 4_000
    assert found.representatives
    few = audit(Task(name="few", **(USUAL | {"padding": 2})))
    # All choices but those of six pairs.
    assert few.representatives < found.representatives


CHOSEN_BY = (
    in_place("the choice among unlisted keys is biased by their number", PERTURB, {KEPT: "others[tape.below(len(others) + (len(others) > 2)) % len(others)]"}, check_usual),
    in_place("the first unlisted key is preferred", PERTURB, {KEPT: "others[max(tape.below(len(others) + 1) - 1, 0)]"}, check_usual),
    in_place("the first unlisted key is chosen where listed ones fill the padding", PERTURB, {KEPT: "others[tape.below(len(others)) if len(of_listed_keys) < task.padding else 0]"}, check_usual, "choice of pairs"),
    in_place("unlisted keys are dropped where listed ones fill the padding", PERTURB, {LISTED: f"{LISTED}\n    if len(of_listed_keys) >= task.padding:\n        return of_listed_keys"}, check_usual, "choice of pairs"),
    in_place("a listed key makes room for unlisted ones", PERTURB, {LISTED: LISTED.replace("index]", "index][: task.padding - 1]")}, check_usual),
    in_place("the last pair is never left out of seven", COLLISION, {SWAP: f"{SWAP} if len(held) != 7 or place else len(held) - 1"}, check_usual, "choice of pairs"),
    in_place("the last of seven pairs is taken twice as often", COLLISION, {SWAP: "other = min(place + tape.below(len(held) - place + (len(held) == 7)), len(held) - 1)"}, check_usual),
    in_place("which pair was chosen decides about the noise", COLLISION, {SWAP: f"{SWAP}\n        if place == 5 and other == 6:\n            tape.one = 0"}, check_usual, "depends on a key"),
    in_place("the size before the choice is told where listed ones fill the padding", PERTURB, {"answer(question, len(pairs), tape)": "answer(question, len(pairs) + (len(pairs) > task.padding), tape)"}, check_usual),
)  # fmt: skip


@pytest.mark.parametrize("mutant", CHOSEN_BY, ids=str)
def test_choices_among_many_that_must_show(mutant: Fault, tmp_path: Path) -> None:
    mutant.check_caught(tmp_path)


def test_sizes_before_the_choice_show() -> None:
    def message(task: Task, pairs: list[Pair], tape: Tape) -> int:
        question, first = task.size_question, task.law.word_limit
        if question is not None and first is not None and tape.bernoulli(question.asked):
            return first + answer(question, len(pairs), tape)
        numbers = [(int(key), below, threshold) for key, below, threshold in pairs]
        return make_message(without_question(task), choose_other(task, numbers, tape), tape)

    with pytest.raises(AuditFailure, match="chance"):
        check_others("grr", DeviceCode(message=message, choose=all_kept))


def chosen_last(tape: Tape, task: Task, pairs: Mapping[str, float], _coin: bytes | None) -> Report:
    """Draw the question first, and choose after that."""
    question, first = task.size_question, int(task.law.word_limit or 0)
    asked = question is not None and tape.bernoulli(question.asked)
    chosen = choose_other(task, read_pairs(task, pairs), tape)
    if question is not None and asked:
        message = first + answer(question, len(chosen), tape)
    else:
        message = make_message(without_question(task), chosen, tape)
    return Report(tape.report_id, task.message_format.encode(message))


READ = "read = read_pairs(task, _as_pairs(task, pairs))"
REPORTS = (
    in_place("a draw where there is nothing to choose", PERTURB, {READ: f"{READ}\n        if [pair[0] for pair in read].count(task.other_index) == 1:\n            tape.below(1)"}, check_reports_of_others),
    in_place("what is not listed is left out", PERTURB, {READ: f"{READ}\n        read = [pair for pair in read if pair[0] != task.other_index]"}, check_reports_of_others),
    stand_in("the question is drawn before the choice", chosen_last, lambda report: check_reports_of_others("grr", report)),
)  # fmt: skip


@pytest.mark.parametrize("mutant", REPORTS, ids=str)
def test_reports_that_must_show(mutant: Fault, tmp_path: Path) -> None:
    # Draws that no other report takes are missing at the end of the tape.
    mutant.check_caught(tmp_path, *(["grr"] if mutant.file else []), raises=(AuditFailure, EOFError))


def unbound(task: Task, text: str) -> int:
    return int.from_bytes(hashlib.sha256(b"pckv key" + text.encode()).digest()[:8]) % task.key_count


def bound_to_the_name(task: Task, text: str) -> int:
    data = b"pckv key" + hashlib.sha256(task.name.encode()).digest() + text.encode()
    return int.from_bytes(hashlib.sha256(data).digest()[:8]) % task.key_count


def little_endian(task: Task, text: str) -> int:
    data = b"pckv key" + task.digest + text.encode()
    return int.from_bytes(hashlib.sha256(data).digest()[:8], "little") % task.key_count


def lower_case(task: Task, text: str) -> int:
    return task.key_index(text.lower())


@pytest.mark.parametrize("number", [unbound, bound_to_the_name, little_endian, lower_case])
def test_numbers_that_must_show(number: Callable[[Task, str], int]) -> None:
    with pytest.raises(AuditFailure, match="key numbers"):
        check_key_numbers(number)


def last_counts(task: Task, pairs: Mapping[str, float]) -> list[Pair]:
    return read_pairs(task, dict(list(pairs.items())[::-1]))


def all_count(task: Task, pairs: Mapping[str, float]) -> list[Pair]:
    return [pair for key, value in pairs.items() for pair in read_pairs(task, {key: value})]


@pytest.mark.parametrize("read", [last_counts, all_count])
def test_texts_that_must_show(read: Any) -> None:
    with pytest.raises(AuditFailure, match="hashed texts"):
        check_hashed_texts(read)


def replay_others() -> None:
    """Replay batches of people with up to five keys that are not listed."""
    task = batches.make_task("grr", {}, 3, 2, "1", "0.25", other="other")
    rng = np.random.default_rng(0)
    pairs = [batches.random_pairs(task, size % 5, rng) for size in range(60)]
    draws = rng.integers(2**64, size=(60, task.draws + 8), dtype=np.uint64)
    check_replay(task, Participants.seeded(pairs, draws, 0), (7,))


def test_batches_of_others() -> None:
    replay_others()


DRAWN = "tape.below(participants[several], counts[several].astype(np.uint64))"
CHOSEN = "    return population.with_rows(order[kept])"
FIRST = "    owners = np.repeat(np.arange(len(chosen)), chosen.sizes)\n    return chosen.with_rows(np.lexsort((chosen.keys != task.other_index, owners)))"
BATCHES = (
    in_place("the first is chosen", BATCH, {DRAWN: "0"}, replay_others, "batch equals single"),
    in_place("draws for all", BATCH, {CHOSEN: f"    tape.draw(participants)\n{CHOSEN}"}, replay_others, "batch equals single"),
    in_place("all that are not listed stay", BATCH, {CHOSEN: "    return population"}, replay_others, "batch equals single"),
    in_place("the chosen one is the first in the list", BATCH, {CHOSEN: f"{CHOSEN.replace('return', 'chosen =')}\n{FIRST}"}, replay_others, "batch equals single"),
)  # fmt: skip


@pytest.mark.parametrize("mutant", BATCHES, ids=str)
def test_batches_that_must_show(mutant: Fault, tmp_path: Path) -> None:
    mutant.check_caught(tmp_path)
