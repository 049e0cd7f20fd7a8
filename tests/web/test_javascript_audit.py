"""The JavaScript samplers on intervals of draws: on all 2^64 values of every draw they do what Python's do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pckv.mechanisms.registry import LAWS
from support.client_mutants import ClientMutant, check_client_mutant
from support.node import CLIENT
from support.rewriting import rewritten
from support.traced_client import check_points, traced_node
from support.traced_settings import requests_of


def check_mechanism(mechanism: str) -> Callable[[Path], None]:
    """Return the check of a client's folder that compares one mechanism with Python, and its size question."""

    def check(client: Path) -> None:
        with traced_node(client) as process:
            check_points(process, requests_of(mechanism))

    return check


@pytest.mark.parametrize("mechanism", LAWS)
def test_every_draw_makes_the_message_of_python(mechanism: str) -> None:
    check_mechanism(mechanism)(CLIENT)


BASE, LEVELS, REPORT, TAPE = ("mechanisms/base.js", "levels.js", "report.js", "tape.js")
UE, GRR, COMPACT, COLLISION, QUESTION = (
    *(f"mechanisms/{name}.js" for name in LAWS),
    "size-question.js",
)
SAMPLED = "return pairs[tape.below(BigInt(Math.max(pairs.length, this.padding)))];"
# Faults in the draw of a symbol that look at more than the own symbols.
DRAWN_SYMBOL = {"drawSymbol(own, tape)": "drawSymbol(own, tape, drawn, coin)"}
ue, grr, compact, collision = (check_mechanism(name) for name in LAWS)

MUTANTS = (
    ClientMutant(
        "first pair always from 5 pairs on",
        BASE,
        {SAMPLED: "const slot = tape.below(BigInt(Math.max(pairs.length, this.padding)));"
         " return pairs[pairs.length >= 5 && slot < pairs.length ? 0 : slot];"},
        grr,
    ),
    ClientMutant(
        "padding capped at 10",
        BASE,
        {SAMPLED: SAMPLED.replace("this.padding", "Math.min(this.padding, 10)")},
        compact,
    ),
    ClientMutant(
        "at most 10 dummies",
        GRR,
        {"tape.below(BigInt(this.padding))": "tape.below(BigInt(Math.min(this.padding, 10)))"},
        grr,
    ),
    ClientMutant(
        "first pair always from 150 pairs on",
        BASE,
        {SAMPLED: "const slot = tape.below(BigInt(Math.max(pairs.length, this.padding)));"
         " return pairs[pairs.length >= 150 && slot < pairs.length ? 0 : slot];"},
        ue,
    ),
    ClientMutant(
        "at most 128 dummies",
        GRR,
        {"tape.below(BigInt(this.padding))": "tape.below(BigInt(Math.min(this.padding, 128)))"},
        grr,
    ),
    ClientMutant(
        "at most 110 pairs are chosen evenly",
        COLLISION,
        {"place < this.padding; place++": "place < Math.min(this.padding, 110); place++"},
        collision,
    ),
    ClientMutant(
        "a narrow band of draws keeps the truth",
        GRR,
        {"if (number < this.kept)": "if (number < this.kept || (number & 0xfffffffffn) === 5n)"},
        grr,
        "decides differently",
    ),
    ClientMutant(
        "one single draw keeps the truth",
        COLLISION,
        {"const number = tape.draw();": "let number = tape.draw(); if (number === 0xfedcba9876543210n) number = 0n;"},
        collision,
        "decides differently",
    ),
    ClientMutant(
        "a band found by the digits of a draw",
        UE,
        {"const number = tape.draw();": "let number = tape.draw(); if (String(number).endsWith('7777')) number = 0n;"},
        ue,
        "is given a draw",
    ),
    ClientMutant(
        "a band found in a list",
        COMPACT,
        {"const other = tape.below(this.q - this.r);":
         "const drawn = tape.draw(), other = [7n, 8n].includes(drawn) ? 0n : drawn % (this.q - this.r);"},
        compact,
    ),
    ClientMutant(
        "own symbols not skipped at 4 to 49 symbols",
        COLLISION,
        {"if (taken <= symbol) symbol++;": "if (taken <= symbol && !(this.symbols > 3n && this.symbols < 50n)) symbol++;"},
        collision,
    ),
    ClientMutant(
        "one function in 65,521 names a pair",
        COLLISION,
        DRAWN_SYMBOL | {"const number = tape.draw();": "const number = drawn % 65521n === 7n ? 0n : tape.draw();"},
        collision,
        "hash function",
    ),
    ClientMutant(
        "one symbol in 65,521 is not hidden",
        COLLISION,
        {"const number = tape.draw();": "const number = own.length && own[0] % 65521n === 7n ? 0n : tape.draw();"},
        collision,
        "hash function",
    ),
    ClientMutant(
        "functions whose values coincide with their number",
        COLLISION,
        DRAWN_SYMBOL | {"const number = tape.draw();": "const number = own.length && own[0] === drawn >> 16n ? 0n : tape.draw();"},
        collision,
        "hash function",
    ),
    ClientMutant(
        "half of all functions are drawn",
        COLLISION,
        {"tape.below(this.functions)": "tape.below(this.functions / 2n)"},
        collision,
        "another message|a set of draws is made",
    ),
    ClientMutant(
        "the first functions are drawn once more often",
        COLLISION,
        {"drawn = tape.below(this.functions)": "drawn = tape.draw() % this.functions"},
        collision,
        "is not taken below|incomplete run|decides differently",
    ),
    ClientMutant(
        "functions of one offset name a pair",
        COLLISION,
        DRAWN_SYMBOL | {"const number = tape.draw();": "const number = this.numbers(drawn)[1] === 1n ? 0n : tape.draw();"},
        collision,
        "hash function",
    ),
    ClientMutant(
        "functions without an offset",
        COLLISION,
        {"position + offset)": "position)"},
        collision,
        "another message|decides differently",
    ),
    ClientMutant(
        "positions are powers of another number",
        COLLISION,
        {"this.levels * key + level": "3 * (this.levels * key + level)"},
        collision,
        "another message|decides differently",
    ),
    ClientMutant(
        "an index where both numbers are due", COLLISION, {"MAX_ITEMS_OF_PAIRS = 2 ** 23": "MAX_ITEMS_OF_PAIRS = 2 ** 12"}, collision
    ),
    ClientMutant(
        "both numbers where an index is due", COLLISION, {"if (!this.byIndex) return": "return"}, collision
    ),
    ClientMutant(
        "one affine function in many shows the residue",
        COMPACT,
        {"const residue = this.drawResidue(first, tape);":
         "const residue = this.drawResidue(drawn % 65521n === 7n ? 0n : first, tape);"},
        compact,
        "hash function",
    ),
    ClientMutant(
        "a function of its own where there is a coin",
        COMPACT,
        {"{ drawn = tape.below(this.functions) } = coin": "drawn = tape.below(this.functions)"},
        compact,
        "another message|draws, not",
    ),
    ClientMutant(
        "the coin's function in every second report",
        COLLISION,
        {"{ drawn = tape.below(this.functions) } = coin":
         "drawn = coin.id && tape.bernoulli(this.one / 2n) ? coin.drawn : tape.below(this.functions)"},
        collision,
        "another message|draws, not",
    ),
    ClientMutant(
        "the device decides who answers the size question",
        QUESTION,
        {"{ asked = tape.bernoulli(this.asked) } = coin": "asked = tape.bernoulli(this.asked)"},
        collision,
        "another message|draws, not",
    ),
    ClientMutant(
        "a coin's bytes are used for noise",
        COMPACT,
        {"drawResidue(first, tape)": "drawResidue(first, tape, coin)",
         "if (tape.bernoulli(this.kept))": "if (coin.id ? BigInt(coin.id[0]) << 56n < this.kept : tape.bernoulli(this.kept))"},
        compact,
        "another message|draws, not",
    ),
    ClientMutant(
        "one coin in many shows a symbol",
        COLLISION,
        DRAWN_SYMBOL | {"const number = tape.draw();": "const number = (coin.drawn ?? 1n) % 65521n === 7n ? 0n : tape.draw();"},
        collision,
        "hash function",
    ),
    ClientMutant(
        "no fakes from key 4096 on",
        UE,
        {": 2n * this.fake)": ": position < 4096 ? 2n * this.fake : 0n)"},
        ue,
    ),
    ClientMutant(
        "draws of later keys are reused",
        UE,
        {"const number = tape.draw();": "const number = position % 64 < 63 ? tape.draw() : tape.block.getBigUint64(0, true);"},
        ue,
    ),
    ClientMutant(
        "randomness read as bytes",
        TAPE,
        {"this.position += DRAW_BYTES;": "this.position += DRAW_BYTES;"
         " const [byte] = new Uint8Array(this.block.buffer, this.position - 8, 1); if (byte === 7) return 0n;"},
        grr,
        "randomness is read",
    ),
    ClientMutant(
        "a draw read twice",
        TAPE,
        {"return this.draw() < threshold;":
         "const first = this.draw(); return first < threshold || this.block.getBigUint64(this.position - 8, true) < threshold;"},
        compact,
        "read twice",
    ),
    ClientMutant(
        "the incomplete last run is rejected twice as far",
        TAPE,
        {"number - remainder <= ONE - count": "number - remainder <= ONE - 2n * count"},
        compact,
        "is not taken below",
    ),
    ClientMutant(
        "a rejected draw is replaced by 0",
        TAPE,
        {"if (number - remainder <= ONE - count) return remainder;":
         "if (number - remainder <= ONE - count) return remainder; else return 0n;"},
        grr,
    ),
    ClientMutant(
        "the question depends on the pairs beyond 50",
        QUESTION,
        {"if (!asked)": "if (!asked || pairs.length > 50)"},
        grr,
    ),
    ClientMutant(
        "a report id that carries the number of pairs",
        REPORT,
        {"id: coin.id ?? tape.reportId": "id: tape.reportId.with(15, pairs.size)"},
        grr,
        "randomness is read",
    ),
    ClientMutant(
        "every 10,000th report keeps the truth",
        GRR,
        {"const number = tape.draw();": "this.made = (this.made ?? 0) + 1;\n    const number = this.made % 10000 ? tape.draw() : 0n;"},
        grr,
        "not extensible",
    ),
    ClientMutant(
        "the truth on one day of the year",
        UE,
        {"const number = tape.draw();": "let number = tape.draw(); if (new Date().getMonth() === 13) number = 0n;"},
        ue,
        "Error",
    ),
    ClientMutant(
        "the last report is remembered",
        BASE,
        {"export class MechanismBase {": "let last; export class MechanismBase {",
         SAMPLED: SAMPLED.replace("return", "last = last && last[0] === pairs.length ? last : [pairs.length,").replace("];", "]]; return last[1];")},
        grr,
    ),
    ClientMutant("a threshold that is met counts", TAPE, {"this.draw() < threshold": "this.draw() <= threshold"}, compact),
    ClientMutant(
        "nothing is rejected",
        TAPE,
        {"if (number - remainder <= ONE - count) return": "return"},
        grr,
    ),
    ClientMutant("padding ignored", BASE, {"Math.max(pairs.length, this.padding)": "pairs.length || 1"}, ue),
    ClientMutant("values shifted", LEVELS, {"(value - low)": "value"}, grr),
    ClientMutant(
        "wrong skip", GRR, {"other < firstApart": "other <= firstApart"}, grr
    ),
    ClientMutant(
        "only one dummy",
        GRR,
        {"Number(tape.below(BigInt(this.padding)))": "0 * Number(tape.below(BigInt(this.padding)))"},
        grr,
    ),
    ClientMutant("fakes too seldom", UE, {": 2n * this.fake)": ": this.fake)"}, ue),
    ClientMutant("rounded up", GRR, {"value.plus(this.spread)).floor;": "value.plus(this.spread)).ceil;"}, grr),
    ClientMutant(
        "the true residue is not skipped",
        COMPACT,
        {"return other < first ? other": "return other < this.q ? other"},
        compact,
    ),
    ClientMutant("a digit is lost", COMPACT, {"digits /= this.q;": "digits = 0n;"}, compact),
    ClientMutant("two pairs on one symbol count twice", COLLISION, {"[...new Set(symbols)]": "[...symbols]"}, collision),
    ClientMutant(
        "the question depends on the pairs",
        QUESTION,
        {"if (!asked)": "if (pairs.length < 2 || !asked)"},
        grr,
    ),
    ClientMutant(
        "the question is not drawn",
        QUESTION,
        {"{ asked = tape.bernoulli(this.asked) } = coin": "asked = pairs.length >= 3"},
        grr,
    ),
    ClientMutant(
        "answers are mixed with the words of pairs",
        QUESTION,
        {"first = this.pairs.wordLimit;": "first = 0n;"},
        grr,
    ),
    ClientMutant(
        "sizes at twice ε",
        QUESTION,
        {"bound = expLower(epsilon)": "bound = expLower(epsilon.times(2))"},
        grr,
        "realises more",
    ),
    ClientMutant(
        "sizes at half of ε",
        QUESTION,
        {"bound = expLower(epsilon)": "bound = expLower(epsilon.over(2))"},
        grr,
        "decides differently|another message",
    ),
    ClientMutant(
        "the right answer too often",
        QUESTION,
        {"bound.plus(this.others)": "bound.plus(this.others - 1n)"},
        grr,
        "realises more",
    ),
    ClientMutant(
        "the right answer is not skipped", QUESTION, {"other < own ? other": "other <= this.others ? other"}, grr
    ),
    ClientMutant("always rounded down", QUESTION, {"(high - low)) < down ?": "(high - low)) >= 0 ?"}, grr),
    ClientMutant("rounded evenly", QUESTION, {"const down = BigInt(low) *": "const down = BigInt(size) *"}, grr),
    ClientMutant(
        "an end counts as the one before",
        QUESTION,
        {"high) return upper;": "high) return upper && upper - 1;"},
        grr,
    ),
    ClientMutant("no end right after the padding", QUESTION, {"padding + 1, Math.min(": "Math.min("}, grr),
)  # fmt: skip


@pytest.mark.parametrize("mutant", MUTANTS, ids=str)
def test_a_mutant_is_caught(mutant: ClientMutant, tmp_path: Path) -> None:
    check_client_mutant(mutant, tmp_path)


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
