"""Planted faults of reports that answer one of two questions: which one, how a size is answered, how both are counted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from audit.exhaustive import BiasedBelow
from audit.mixture import (
    MIXTURE_SUBJECTS,
    MixtureSubject,
    check_answer_epsilon,
    check_answer_equals_law,
    check_answers_use_epsilon,
    check_message_epsilon,
    check_message_equals_law,
    check_mixture_epsilon,
    check_mixture_sums_to_one,
    check_pairs_stay_unbiased,
    check_rounding_keeps_the_mean,
)
from pckv.mechanisms.size_question.law import SizeQuestion
from pckv.tally import Tally
from pckv.tally.decode.support import KeySupport, key_support
from support.faults import Fault, faulty_class, faulty_module, stand_in

GRR, COMPACT, COLLISION = MIXTURE_SUBJECTS
Check = Callable[[MixtureSubject], None]
PERTURB, ANSWER, LAW = (
    "device/perturb.py",
    "mechanisms/size_question/device.py",
    "mechanisms/size_question/law.py",
)


def message(fault: str, replaced: Mapping[str, str], check: Check, says: str) -> Fault:
    """Return a fault of what makes a report."""
    return Fault(fault, PERTURB, replaced, lambda module: check(replace(GRR, message=module.make_message)), says)


def with_answers(subject: MixtureSubject, device: ModuleType) -> MixtureSubject:
    """Return a task whose sizes are answered by a module, alone and in a report."""
    perturb = faulty_module(PERTURB, {})
    vars(perturb)["answer"] = device.answer
    return replace(subject, answer=device.answer, message=perturb.make_message)


def answer(fault: str, replaced: Mapping[str, str], check: Check, says: str) -> Fault:
    """Return a fault of how a size is answered."""
    return Fault(fault, ANSWER, replaced, lambda device: check(with_answers(COLLISION, device)), says)


def question(fault: str, subject: MixtureSubject, replaced: Mapping[str, str], check: Check, says: str) -> Fault:
    """Return a fault of the law of answers."""
    return Fault(
        fault,
        LAW,
        replaced,
        lambda module: check(replace(subject, question=faulty_class(module, SizeQuestion))),
        says,
    )


def answers_as_keys(tally: Tally) -> KeySupport:
    """Answers are taken for support of the first key."""
    support = key_support(tally)
    first = np.zeros_like(support.counts)
    first[-1, 0] = tally.size_answers.sum()
    return KeySupport(support.counts + first)


IMPOSSIBLE = "an output is possible for one input set and not for another"
LOSES_MORE = "loses more than it claims"
ASKED, ANSWERED = "tape.bernoulli(question.asked)", "return law.word_limit + answer("
DUMMIES_ANSWER = (
    "        made = sampler(law, pairs, tape)\n"
    "        return made if made < 2 * task.key_count else law.word_limit + answer(question, len(pairs), tape)"
)
ROUNDING, ROUNDED = (
    "    rounding = question.rounding(size)\n",
    "(tape.below(rounding.total) >= rounding.down)",
)
LIKE_OTHERS = ROUNDING + (
    "    before, EARLIER[0] = EARLIER[0], size\n"
    "    if rounding is not None:\n"
    "        size = question.ends[rounding.lower + (before >= question.ends[rounding.lower + 1])]\n"
    "        rounding = None\n"
)
OTHER, SKIPPED = (
    "    other = tape.below(len(question.ends) - 1)\n",
    "    return other if other < true else other + 1",
)
KEPT = "response_threshold(self.one, self.claim, len(self.ends))"
MUTANTS = (
    message("only large sets are asked", {ASKED: "tape.bernoulli(question.asked * (len(pairs) > question.padding))"}, check_message_epsilon, IMPOSSIBLE),
    message("large sets are asked three times as often", {ASKED: "tape.bernoulli(question.asked * (3 if len(pairs) > question.padding else 1))"}, check_message_epsilon, LOSES_MORE),
    message("participants without pairs are not asked", {ASKED: "tape.bernoulli(question.asked * (len(pairs) > 0))"}, check_message_epsilon, IMPOSSIBLE),
    message("those who hold nothing are asked a little more often", {ASKED: "tape.bernoulli(question.asked + (not pairs))"}, check_message_equals_law, "message equals law"),
    message("answers look like reports of pairs", {ANSWERED: "return answer("}, check_message_equals_law, "message equals law"),
    message("dummies are replaced by answers", {"        return sampler(law, pairs, tape)": DUMMIES_ANSWER}, check_message_equals_law, "message equals law"),
    message("answers begin one word too late", {ANSWERED: "return law.word_limit + 1 + answer("}, check_message_equals_law, "message equals law"),
    answer("small sets are answered without noise", {"(question.kept)": "(question.kept if true else question.one)"}, check_answer_epsilon, IMPOSSIBLE),
    answer("small sets are answered with less noise in reports", {"(question.kept)": "(question.kept + (true == 0))"}, check_message_epsilon, LOSES_MORE),
    answer("the true answer is not skipped", {OTHER + SKIPPED: "    return tape.below(len(question.ends))"}, check_answer_equals_law, "answer equals law"),
    answer("the last end is never an untrue answer", {SKIPPED: "    return other"}, check_answer_epsilon, IMPOSSIBLE),
    answer("sizes are rounded up", {ROUNDED: "1"}, check_rounding_keeps_the_mean, "rounding keeps the mean"),
    answer("sizes are rounded by a fair coin", {ROUNDED: "tape.below(2)"}, check_answer_equals_law, "answer equals law"),
    answer("sizes are rounded toward those of others", {"def answer(": "EARLIER = [0]\n\n\ndef answer(", ROUNDING: LIKE_OTHERS}, check_answer_equals_law, "answer equals law"),
    answer("sizes are cut at the padding", {ROUNDING: f"    size = min(size, question.padding)\n{ROUNDING}"}, check_rounding_keeps_the_mean, "rounding keeps the mean"),
    stand_in("a remainder without rejection", replace(GRR, primitives=BiasedBelow), check_answer_equals_law, "answer equals law"),
    question("the true answer is kept too often", GRR, {KEPT: "-(-self.one * self.claim // (self.claim + len(self.ends) - 1))"}, check_mixture_epsilon, "exact ε of the mixture"),
    question("sizes at twice the budget", COMPACT, {KEPT: KEPT.replace("self.claim", "exp_lower(2 * self.epsilon)")}, check_mixture_epsilon, "exact ε of the mixture"),
    question("sizes at a share of the budget", COMPACT, {KEPT: KEPT.replace("self.claim", "exp_lower(self.epsilon * self.share)")}, check_answers_use_epsilon, "ε is used"),
    question("thresholds for one end too few", COLLISION, {KEPT: KEPT.replace("len(self.ends)", "len(self.ends) - 1")}, check_mixture_epsilon, IMPOSSIBLE),
    question("a law that states too little noise", GRR, {"self.true_chance) / (len(self.ends) - 1)": "self.true_chance) / len(self.ends)"}, check_mixture_sums_to_one, "mixture sums to 1"),
    question("rounding keeps the mean of the size", GRR, {"low * (high - own), own * (high - low))": "high - own, high - low)"}, check_rounding_keeps_the_mean, "rounding keeps the mean"),
    stand_in("frequencies divide by all reports", replace(GRR, pair_reports=lambda tally: tally.reports), check_pairs_stay_unbiased, "pairs stay unbiased"),
    stand_in("answers support a key", replace(COMPACT, support=answers_as_keys), check_pairs_stay_unbiased, "pairs stay unbiased"),
)  # fmt: skip


@pytest.mark.parametrize("mutant", MUTANTS, ids=str)
def test_planted_faults_are_caught(mutant: Fault, tmp_path: Path) -> None:
    mutant.check_caught(tmp_path)


def test_the_checks_pass_without_a_fault() -> None:
    """Of modules that are read like those of the mutants, so that the checks catch the planted fault alone."""
    subject = with_answers(GRR, faulty_module(ANSWER, {}))
    for check in (
        check_message_epsilon,
        check_answer_epsilon,
        check_message_equals_law,
        check_answer_equals_law,
        check_rounding_keeps_the_mean,
    ):
        check(subject)
