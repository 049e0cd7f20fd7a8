"""Planted faults of the audit itself: each comparison that it makes has one, and a witness that then passes unseen.

That none is missing is checked, too.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from audit.witnesses import (
    ANSWERS,
    ASKED,
    BOTH,
    BY_COIN,
    BY_FUNCTION,
    BY_KEY,
    BY_TRUTH,
    CHOSEN,
    FEWER,
    FOLLOWED,
    FUNCTIONS,
    IMPOSSIBLE,
    LOST,
    LOST_TEXTS,
    MANY_BOXES,
    MIDDLE,
    MIXED,
    MORE_BITS,
    MORE_DRAWS,
    NOT_PLANES,
    OF_FUNCTIONS,
    OF_GROUPS,
    PATHS,
    POSITION,
    PREFIXES,
    SLOT,
    SLOTS,
    UNDRAWN,
    Witness,
    conditions,
    positions,
    ratios,
    sizes,
    turns,
)
from support.faults import SOURCE, Fault, in_place

WITNESSES: list[Witness] = []


def fault(name: str, file: str, right: str, wrong: str, witness: Witness) -> Fault:
    """Return a fault of the audit, and the witness that passes unseen because of it."""
    WITNESSES.append(witness)
    return in_place(name, f"auditing/{file}.py", {right: wrong}, witness, "witness")


LAW = "if distribution.chance(message) != "
FAULTS = (
    fault("messages are not compared", "sampler_loss", f"{LAW}_stated_chance(task, followed, given, message):", "if False:", FOLLOWED),
    fault("twice the stated chance passes", "sampler_loss", f"{LAW}_stated", "if not distribution.chance(message) <= 2 * _stated", FOLLOWED),
    fault("answers are left out of what is compared", "sampler_loss", "turning_points(distributions, limit)", "turning_points(distributions, task.law.word_limit)", ASKED),
    fault("lost paths pass", "sampler_loss", "if distribution.mass != 1:", "if distribution.mass > 1:", LOST),
    fault("choices that are not made pass", "sampler_loss", 'if getattr(tape, "choices_made", 0) != len(choices):', "if False:", CHOSEN),
    fault("fewer functions pass", "sampler_loss", "if limit != functions:", "if limit > functions:", FUNCTIONS),
    fault("a function beside the coin's passes", "sampler_loss", "            if given.choice:", "            if False:", BY_COIN),
    fault("answers about sizes are not compared", "sampler_loss", "if [distributions[-1].chance(number) for number in messages] !=", "if [] and [] !=", ANSWERS),
    fault("only the first size is tried", "sampler_loss", "in visited_sizes(question):", "in visited_sizes(question)[::10**6]:", ANSWERS),
    fault("the last function counts alone", "sampler_loss", "worst = max(worst, worst_ratio_at(_compared(task, found, given), messages))", "worst = worst_ratio_at(_compared(task, found, given), messages)", OF_FUNCTIONS),
    fault("the first function counts alone", "sampler_loss", "worst = max(worst, worst_ratio_at(", "worst = worst if place else max(worst, worst_ratio_at(", OF_FUNCTIONS),
    fault("the loss of answers is left out", "sampler_loss", "return worst_ratio_at([distribution.chance for distribution in distributions], messages), paths", "return Fraction(1), paths", sizes),
    fault("a coin's size question is left out", "sampler_loss", "    if task.size_question is not None:\n        yield", "    if task is None:\n        yield", conditions),
    fault("texts are not compared", "discovery", f"{LAW}stated:", "if False:", PREFIXES),
    fault("lost paths of texts pass", "discovery", "if distribution.mass != 1:", "if False:", LOST_TEXTS),
    fault("fewer functions of texts pass", "discovery", "if drawn != (set() if given else {law.functions}):", "if False:", FEWER),
    fault("the last function of texts counts alone", "discovery", "worst = max(worst, worst_ratio_at([distribution.chance for _, distribution in found], messages))", "worst = worst_ratio_at([distribution.chance for _, distribution in found], messages)", OF_GROUPS),
    fault("any number of paths passes", "interval_tape", "if self._paths > MAX_PATHS:", "if False:", PATHS),
    fault("a remainder may start anywhere", "interval_tape", "if remainder.first:", "if False:", MIDDLE),
    fault("a message may come from elsewhere", "interval_tape", 'raise AuditFailure("interval tape: a message depends on something that was not drawn")', "return 0", UNDRAWN),
    fault("impossible messages pass", "interval_tape", "if low == 0 < high:", "if False:", IMPOSSIBLE),
    fault("the first law is taken for the least likely", "interval_tape", "low, high = min(chances), max(chances)", "low, high = chances[0], max(chances)", ratios),
    fault("the last law is taken for the likeliest", "interval_tape", "low, high = min(chances), max(chances)", "low, high = min(chances), chances[-1]", ratios),
    fault("the last message counts alone", "interval_tape", "worst = max(worst, high / low if high else worst)", "worst = high / low if high else worst", ratios),
    fault("half of the ratio", "interval_tape", "worst = max(worst, high / low if high else worst)", "worst = max(worst, high / low / 2 if high else worst)", ratios),
    fault("the first message is skipped", "interval_tape", "if 0 <= message < stop", "if 0 < message < stop", turns),
    fault("the last message is skipped", "interval_tape", "if 0 <= message < stop", "if 0 <= message < stop - 1", turns),
    fault("messages before a change are skipped", "interval_tape", "for move in range(-step, step)", "for move in range(step)", turns),
    fault("other mechanisms pass as bit planes", "positions", "if not isinstance(law, UeLaw):", "if False:", NOT_PLANES),
    fault("any number of boxes passes", "positions", "if runs > MAX_BOXES:", "if runs > 99:", MANY_BOXES),
    fault("positions may depend on each other", "positions", "if any(step[1:] != other[1:] for step, other in zip(chosen, found, strict=True)):", "if False:", MIXED),
    fault("more draws pass", "positions", "if len(own) != count:", "if len(own) < count:", MORE_DRAWS),
    fault("more bits than the planes have pass", "positions", "if int(message) >> 8 * self._law.body_bytes:", "if False:", MORE_BITS),
    fault("any slot passes", "positions", "if slot is None or slot.count != max(len(self._values), self._task.padding):", "if False:", SLOT),
    fault("positions are not compared", "positions", "if shown != (stated.own[sign] if position == sampled else stated.other):", "if False:", POSITION),
    fault("the first position is skipped", "positions", "if shown != (stated.own", "if position and shown != (stated.own", POSITION),
    fault("the least odds are left out", "positions", "return max(odds) / min(odds), runs", "return max(odds), runs", positions),
    fault("slots beyond the padding are skipped", "positions", "slots = max(len(values), task.padding)", "slots = task.padding", SLOTS),
    fault("a draw may be used twice", "traced", "if self.fixed:", "if False:", BOTH),
    fault("decisions by a function pass", "traced", 'raise AuditFailure("interval tape: a decision depends on the number of a hash function")', "return False", BY_FUNCTION),
    fault("comparisons of keys pass", "traced", '        return NotImplemented\n    raise AuditFailure("interval tape: a decision depends on a key, a value or a choice alone")', "        return NotImplemented\n    return False", BY_KEY),
    fault("decisions by keys pass", "traced", '        raise AuditFailure("interval tape: a decision depends on a key, a value or a choice alone")', "        return True", BY_TRUTH),
)  # fmt: skip


@pytest.mark.parametrize("mutant", FAULTS, ids=str)
def test_a_faulty_audit_is_caught(mutant: Fault, tmp_path: Path) -> None:
    mutant.check_caught(tmp_path)


@pytest.mark.verify
def test_witnesses_pass_without_a_fault() -> None:
    for witness in dict.fromkeys(WITNESSES):
        witness()


# Loops and results in which the largest loss is found.
OF_THE_LARGEST = {"_words_loss", "discovery_loss", "worst_ratio_at", "positions_loss"}


def compared(file: Path) -> Iterator[tuple[int, str]]:
    """Yield where an audit compares: all that it refuses, with the condition, and where it takes the largest loss."""
    text = file.read_text(encoding="utf-8")
    tree = ast.parse(text)
    for node in ast.walk(tree):
        inner = list(ast.iter_child_nodes(node))
        for raised in (each for each in inner if isinstance(each, ast.Raise) and "AuditFailure" in ast.unparse(each)):
            place = node if isinstance(node, ast.If) else raised
            yield place.lineno, str(ast.get_source_segment(text, node.test if isinstance(node, ast.If) else raised))
        if isinstance(node, ast.FunctionDef) and node.name in OF_THE_LARGEST:
            for call in ast.walk(node):
                if isinstance(call, ast.Call) and ast.unparse(call.func) in {"max", "min"}:
                    yield call.lineno, str(ast.get_source_segment(text, call))


def test_every_comparison_has_a_fault() -> None:
    missing = []
    for file in sorted((SOURCE / "auditing").glob("*.py")):
        replaced = [right for each in FAULTS if each.file.endswith(f"/{file.name}") for right in each.replaced]
        missing += [
            (file.name, line, text)
            for line, text in compared(file)
            if not any(text in right or right.strip().removeprefix("if ") in text for right in replaced)
        ]
    assert missing == []
