"""The JavaScript samplers on intervals of draws: on all 2^64 values of every draw they do what Python's do."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from pckv.mechanisms.registry import LAWS
from support.faults import Fault
from support.node import CLIENT
from support.rewriting import rewritten
from support.traced_client import comparison
from support.traced_settings import requests_of


def check_mechanism(mechanism: str) -> Callable[[Path], None]:
    """Return the check of a client's folder that compares one mechanism with Python, and its size question."""
    return comparison(partial(requests_of, mechanism))


@pytest.mark.parametrize("mechanism", LAWS)
def test_every_draw_makes_the_message_of_python(mechanism: str) -> None:
    check_mechanism(mechanism)(CLIENT)


BASE, LEVELS, REPORT, TAPE = ("mechanisms/base.js", "levels.js", "report.js", "tape.js")
UE, GRR, COMPACT, COLLISION, QUESTION = (*(f"mechanisms/{name}.js" for name in LAWS), "size-question.js")
SAMPLED = "return pairs[tape.below(BigInt(Math.max(pairs.length, this.padding)))];"
# Faults in the draw of a symbol that look at more than the own symbols.
DRAWN_SYMBOL = {"drawSymbol(own, tape)": "drawSymbol(own, tape, drawn, coin)"}
ue, grr, compact, collision = (check_mechanism(name) for name in LAWS)

MUTANTS = (
    Fault("first pair always from 5 pairs on", BASE, {SAMPLED: "const slot = tape.below(BigInt(Math.max(pairs.length, this.padding))); return pairs[pairs.length >= 5 && slot < pairs.length ? 0 : slot];"}, grr),
    Fault("padding capped at 10", BASE, {SAMPLED: SAMPLED.replace("this.padding", "Math.min(this.padding, 10)")}, compact),
    Fault("at most 10 dummies", GRR, {"tape.below(BigInt(this.padding))": "tape.below(BigInt(Math.min(this.padding, 10)))"}, grr),
    Fault("first pair always from 150 pairs on", BASE, {SAMPLED: "const slot = tape.below(BigInt(Math.max(pairs.length, this.padding))); return pairs[pairs.length >= 150 && slot < pairs.length ? 0 : slot];"}, ue),
    Fault("at most 128 dummies", GRR, {"tape.below(BigInt(this.padding))": "tape.below(BigInt(Math.min(this.padding, 128)))"}, grr),
    Fault("at most 110 pairs are chosen evenly", BASE, {"place < this.padding; place++": "place < Math.min(this.padding, 110); place++"}, collision),
    Fault("a narrow band of draws keeps the truth", GRR, {"if (number < this.kept)": "if (number < this.kept || (number & 0xfffffffffn) === 5n)"}, grr, "decides differently"),
    Fault("one single draw keeps the truth", COLLISION, {"const number = tape.draw();": "let number = tape.draw(); if (number === 0xfedcba9876543210n) number = 0n;"}, collision, "decides differently"),
    Fault("a band found by the digits of a draw", UE, {"const number = tape.draw();": "let number = tape.draw(); if (String(number).endsWith('7777')) number = 0n;"}, ue, "is given a draw"),
    Fault("a band found in a list", COMPACT, {"const other = tape.below(this.q - this.r);": "const drawn = tape.draw(), other = [7n, 8n].includes(drawn) ? 0n : drawn % (this.q - this.r);"}, compact),
    Fault("own symbols not skipped at 4 to 49 symbols", COLLISION, {"if (taken <= symbol) symbol++;": "if (taken <= symbol && !(this.symbols > 3n && this.symbols < 50n)) symbol++;"}, collision),
    Fault("one function in 65,521 names a pair", COLLISION, DRAWN_SYMBOL | {"const number = tape.draw();": "const number = drawn % 65521n === 7n ? 0n : tape.draw();"}, collision, "hash function"),
    Fault("one symbol in 65,521 is not hidden", COLLISION, {"const number = tape.draw();": "const number = own.length && own[0] % 65521n === 7n ? 0n : tape.draw();"}, collision, "hash function"),
    Fault("functions whose values coincide with their number", COLLISION, DRAWN_SYMBOL | {"const number = tape.draw();": "const number = own.length && own[0] === drawn >> 16n ? 0n : tape.draw();"}, collision, "hash function"),
    Fault("half of all functions are drawn", COLLISION, {"tape.below(this.functions)": "tape.below(this.functions / 2n)"}, collision, "another message|a set of draws is made"),
    Fault("the first functions are drawn once more often", COLLISION, {"drawn = tape.below(this.functions)": "drawn = tape.draw() % this.functions"}, collision, "is not taken below|incomplete run|decides differently"),
    Fault("functions of one offset name a pair", COLLISION, DRAWN_SYMBOL | {"const number = tape.draw();": "const number = this.numbers(drawn)[1] === 1n ? 0n : tape.draw();"}, collision, "hash function"),
    Fault("functions without an offset", COLLISION, {"position + offset)": "position)"}, collision, "another message|decides differently"),
    Fault("positions are powers of another number", COLLISION, {"this.levels * key + level": "3 * (this.levels * key + level)"}, collision, "another message|decides differently"),
    Fault("an index where both numbers are due", COLLISION, {"MAX_ITEMS_OF_PAIRS = 2 ** 23": "MAX_ITEMS_OF_PAIRS = 2 ** 12"}, collision),
    Fault("both numbers where an index is due", COLLISION, {"if (!this.byIndex) return": "return"}, collision),
    Fault("one affine function in many shows the residue", COMPACT, {"const residue = this.drawResidue(first, tape);": "const residue = this.drawResidue(drawn % 65521n === 7n ? 0n : first, tape);"}, compact, "hash function"),
    Fault("a function of its own where there is a coin", COMPACT, {"{ drawn = tape.below(this.functions) } = coin": "drawn = tape.below(this.functions)"}, compact, "another message|draws, not"),
    Fault(
        "the coin's function in every second report",
        COLLISION,
        {"{ drawn = tape.below(this.functions) } = coin":
         "drawn = coin.id && tape.bernoulli(this.one / 2n) ? coin.drawn : tape.below(this.functions)"},
        collision,
        "another message|draws, not",
    ),
    Fault("the device decides who answers the size question", QUESTION, {"{ asked = tape.bernoulli(this.asked) } = coin": "asked = tape.bernoulli(this.asked)"}, collision, "another message|draws, not"),
    Fault(
        "a coin's bytes are used for noise",
        COMPACT,
        {"drawResidue(first, tape)": "drawResidue(first, tape, coin)",
         "if (tape.bernoulli(this.kept))": "if (coin.id ? BigInt(coin.id[0]) << 56n < this.kept : tape.bernoulli(this.kept))"},
        compact,
        "another message|draws, not",
    ),
    Fault("one coin in many shows a symbol", COLLISION, DRAWN_SYMBOL | {"const number = tape.draw();": "const number = (coin.drawn ?? 1n) % 65521n === 7n ? 0n : tape.draw();"}, collision, "hash function"),
    Fault("no fakes from key 4096 on", UE, {": this.count * this.fake)": ": position < 4096 ? this.count * this.fake : 0n)"}, ue),
    Fault("draws of later keys are reused", UE, {"const number = tape.draw();": "const number = position % 64 < 63 ? tape.draw() : tape.block.getBigUint64(0, true);"}, ue),
    Fault("randomness read as bytes", TAPE, {"this.position += DRAW_BYTES;": "this.position += DRAW_BYTES; const [byte] = new Uint8Array(this.block.buffer, this.position - 8, 1); if (byte === 7) return 0n;"}, grr, "randomness is read"),
    Fault("a draw read twice", TAPE, {"return this.draw() < threshold;": "const first = this.draw(); return first < threshold || this.block.getBigUint64(this.position - 8, true) < threshold;"}, compact, "read twice"),
    Fault("the incomplete last run is rejected twice as far", TAPE, {"number - remainder <= ONE - count": "number - remainder <= ONE - 2n * count"}, compact, "is not taken below"),
    Fault("a rejected draw is replaced by 0", TAPE, {"if (number - remainder <= ONE - count) return remainder;": "if (number - remainder <= ONE - count) return remainder; else return 0n;"}, grr),
    Fault("the question depends on the pairs beyond 50", QUESTION, {"if (!asked)": "if (!asked || pairs.length > 50)"}, grr),
    Fault("a report id that carries the number of pairs", REPORT, {"id: coin.id ?? tape.reportId": "id: tape.reportId.with(15, pairs.size)"}, grr, "randomness is read"),
    Fault("every 10,000th report keeps the truth", GRR, {"const number = tape.draw();": "this.made = (this.made ?? 0) + 1;\n    const number = this.made % 10000 ? tape.draw() : 0n;"}, grr, "not extensible"),
    Fault("the truth on one day of the year", UE, {"const number = tape.draw();": "let number = tape.draw(); if (new Date().getMonth() === 13) number = 0n;"}, ue, "Error"),
    Fault(
        "the last report is remembered",
        BASE,
        {"export class MechanismBase {": "let last; export class MechanismBase {",
         SAMPLED: SAMPLED.replace("return", "last = last && last[0] === pairs.length ? last : [pairs.length,").replace("];", "]]; return last[1];")},
        grr,
    ),
    Fault("a threshold that is met counts", TAPE, {"this.draw() < threshold": "this.draw() <= threshold"}, compact),
    Fault("nothing is rejected", TAPE, {"if (number - remainder <= ONE - count) return": "return"}, grr),
    Fault("padding ignored", BASE, {"Math.max(pairs.length, this.padding)": "pairs.length || 1"}, ue),
    Fault("values shifted", LEVELS, {"(value - low)": "value"}, grr),
    Fault("wrong skip", GRR, {"other < firstApart": "other <= firstApart"}, grr),
    Fault("only one dummy", GRR, {"Number(tape.below(BigInt(this.padding)))": "0 * Number(tape.below(BigInt(this.padding)))"}, grr),
    Fault("fakes too seldom", UE, {": this.count * this.fake)": ": this.fake)"}, ue),
    Fault("rounded up", GRR, {"value.plus(this.spread)).floor;": "value.plus(this.spread)).ceil;"}, grr),
    Fault("the true residue is not skipped", COMPACT, {"return other < first ? other": "return other < this.q ? other"}, compact),
    Fault("a digit is lost", COMPACT, {"digits /= this.q;": "digits = 0n;"}, compact),
    Fault("two pairs on one symbol count twice", COLLISION, {"[...new Set(symbols)]": "[...symbols]"}, collision),
    Fault("the question depends on the pairs", QUESTION, {"if (!asked)": "if (pairs.length < 2 || !asked)"}, grr),
    Fault("the question is not drawn", QUESTION, {"{ asked = tape.bernoulli(this.asked) } = coin": "asked = pairs.length >= 3"}, grr),
    Fault("answers are mixed with the words of pairs", QUESTION, {"first = this.pairs.wordLimit;": "first = 0n;"}, grr),
    Fault("sizes at twice ε", QUESTION, {"bound = expLower(epsilon)": "bound = expLower(epsilon.times(2))"}, grr, "realises more"),
    Fault("sizes at half of ε", QUESTION, {"bound = expLower(epsilon)": "bound = expLower(epsilon.over(2))"}, grr, "decides differently|another message"),
    Fault("the right answer too often", QUESTION, {"bound.plus(this.others)": "bound.plus(this.others - 1n)"}, grr, "realises more"),
    Fault("the right answer is not skipped", QUESTION, {"other < own ? other": "other <= this.others ? other"}, grr),
    Fault("always rounded down", QUESTION, {"(high - low)) < down ?": "(high - low)) >= 0 ?"}, grr),
    Fault("rounded evenly", QUESTION, {"const down = low *": "const down = own *"}, grr),
    Fault("an end counts as the one before", QUESTION, {"this.ends[upper]) return upper;": "this.ends[upper]) return upper && upper - 1;"}, grr),
    Fault("no end right after the padding", QUESTION, {"padding + 1, Math.min(": "Math.min("}, grr),
)  # fmt: skip


@pytest.mark.parametrize("mutant", MUTANTS, ids=str)
def test_a_mutant_is_caught(mutant: Fault, tmp_path: Path) -> None:
    mutant.check_caught(tmp_path)


def test_what_cannot_be_traced_is_refused() -> None:
    for line in (
        "switch (x) { case 1: }",
        "x == y",
        "x.y`z`",
        "a?.[x]",
        "do {} while (x)",
        "delete x.y",
        "+x",
        "x &&= y",
    ):
        with pytest.raises(ValueError, match="cannot be traced"):
            rewritten(f"{line};")
    with pytest.raises(ValueError, match="not JavaScript"):
        rewritten("if (")
