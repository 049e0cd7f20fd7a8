"""Keys that a task does not list: the law of their reports, the loss of it, and planted faults that must show."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
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
from pckv.auditing.sampler_loss import DeviceCode
from pckv.auditing.variants import without_question
from pckv.base.errors import AuditFailure
from pckv.base.randomness import Tape
from pckv.base.wire import Report
from pckv.device import vectorised
from pckv.device.perturb import choose_other, make_message, perturb_from, read_pairs
from pckv.mechanisms.padding import Pair
from pckv.mechanisms.registry import LAWS
from pckv.mechanisms.size_question.device import answer

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
        (Task(keys="hashed", **common), 13),
    ):
        found = audit(task)
        assert found.holds
        assert (found.sets, found.enumerated <= 1) == (sets, True)


def others_and_listed(task: Task, pairs: Sequence[Pair]) -> tuple[list[Pair], list[Pair]]:
    others = [pair for pair in pairs if pair[0] == task.other_index]
    return others, [pair for pair in pairs if pair[0] != task.other_index]


def one_of(pick: Callable[[list[Pair], Tape], Pair]) -> Choose:
    """Return what leaves the one of several others that `pick` picks."""

    def choose(task: Task, pairs: list[Pair], tape: Tape) -> list[Pair]:
        others, listed = others_and_listed(task, pairs)
        return [*listed, pick(others, tape)] if len(others) > 1 else pairs

    return choose


def dropped(task: Task, pairs: list[Pair], _tape: Tape) -> list[Pair]:
    return others_and_listed(task, pairs)[1]


def dropped_if_several(task: Task, pairs: list[Pair], _tape: Tape) -> list[Pair]:
    others, listed = others_and_listed(task, pairs)
    return pairs if len(others) <= 1 else listed


def all_kept(_task: Task, pairs: list[Pair], _tape: Tape) -> list[Pair]:
    return pairs


def with_the_highest_value(others: list[Pair], tape: Tape) -> Pair:
    tape.below(len(others))
    return max(others, key=lambda pair: pair[1:])


def rarely_the_last(others: list[Pair], tape: Tape) -> Pair:
    """Pick among one too few, but for one draw in 2^20."""
    return others[-1] if tape.draw() < 2**44 else others[tape.below(len(others) - 1)]


@dataclass(frozen=True)
class ChoiceFault:
    """A fault in how one of the keys that are not listed is chosen."""

    fault: str
    choose: Choose


CHOICES = (
    ChoiceFault("the first is chosen", one_of(lambda others, _: others[0])),
    ChoiceFault("the last is chosen", one_of(lambda others, _: others[-1])),
    ChoiceFault("the largest value is chosen", one_of(with_the_highest_value)),
    ChoiceFault("the last is hardly ever chosen", one_of(rarely_the_last)),
    ChoiceFault("the value is always the lowest", one_of(lambda others, _: (others[0][0], 0, 0))),
    ChoiceFault("keys that are not listed are dropped", dropped),
    ChoiceFault("several that are not listed are dropped", dropped_if_several),
    ChoiceFault("all that are not listed are kept", all_kept),
)


@pytest.mark.parametrize("planted", CHOICES, ids=lambda planted: planted.fault)
def test_choices_that_must_show(planted: ChoiceFault) -> None:
    with pytest.raises(AuditFailure):
        check_others("grr", DeviceCode(choose=planted.choose))


def test_sizes_before_the_choice_show() -> None:
    def message(task: Task, pairs: list[Pair], tape: Tape) -> int:
        question, first = task.size_question, task.law.word_limit
        if question is not None and first is not None and tape.bernoulli(question.asked):
            return first + answer(question, len(pairs), tape)
        numbers = [(int(key), below, threshold) for key, below, threshold in pairs]
        return make_message(without_question(task), choose_other(task, numbers, tape), tape)

    with pytest.raises(AuditFailure, match="chance"):
        check_others("grr", DeviceCode(message=message, choose=all_kept))


def draw_for_one(tape: Tape, task: Task, pairs: Mapping[str, float], _coin: bytes | None) -> Report:
    """Draw even where there is nothing to choose."""
    read = read_pairs(task, pairs)
    if len(others_and_listed(task, read)[0]) == 1:
        tape.below(1)
    message = make_message(task, choose_other(task, read, tape), tape)
    return Report(tape.report_id, task.message_format.encode(message))


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


def only_listed(tape: Tape, task: Task, pairs: Mapping[str, float], coin: bytes | None) -> Report:
    """Leave out what is not listed."""
    names = {task.key_name(key) for key in range(task.key_count - 1)}
    return perturb_from(tape, task, {key: value for key, value in pairs.items() if key in names}, coin)


@pytest.mark.parametrize("make_report", [draw_for_one, chosen_last, only_listed])
def test_reports_that_must_show(make_report: Any) -> None:
    # Draws that no other report takes are missing at the end of the tape.
    with pytest.raises((AuditFailure, EOFError)):
        check_reports_of_others("grr", make_report)


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


def faulty_batches(right: Any) -> dict[str, Any]:
    """Return faults in how batches choose among keys that are not listed."""

    def first(task: Task, population: Any, participants: Any, tape: Any) -> Any:
        keys, owners = population.keys, np.repeat(np.arange(len(population)), population.sizes)
        again = (keys[1:] == task.other_index) & (keys[:-1] == task.other_index) & (owners[1:] == owners[:-1])
        kept = np.flatnonzero(~np.append(False, again))
        return right(task, population.with_rows(kept), participants, tape)

    def draws_for_all(task: Task, population: Any, participants: Any, tape: Any) -> Any:
        chosen = right(task, population, participants, tape)
        tape.draw(participants)
        return chosen

    def all_stay(task: Task, population: Any, participants: Any, tape: Any) -> Any:
        right(task, population, participants, tape)
        return population

    def first_in_the_list(task: Task, population: Any, participants: Any, tape: Any) -> Any:
        chosen = right(task, population, participants, tape)
        owners = np.repeat(np.arange(len(chosen)), chosen.sizes)
        return chosen.with_rows(np.lexsort((chosen.keys != task.other_index, owners)))

    return {fault.__name__: fault for fault in (first, draws_for_all, all_stay, first_in_the_list)}


@pytest.mark.parametrize("fault", ["first", "draws_for_all", "all_stay", "first_in_the_list"])
def test_batches_that_must_show(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = faulty_batches(vectorised._choose_others)[fault]
    monkeypatch.setattr(vectorised, "_choose_others", wrong)
    with pytest.raises(AuditFailure, match="batch equals single"):
        replay_others()
