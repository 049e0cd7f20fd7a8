"""The tracing of JavaScript is sound: inside the boxes that it finds, code does what the traced run did."""

from __future__ import annotations

import json
import shutil
import subprocess
from typing import Any

import pytest

from support.parts import missing_part
from support.rewriting import TRACING, rewritten

SCRIPT = TRACING.parent / "soundness.mjs"

# Bodies of functions of two draws; between them they use every operator that is followed.
FOLLOWED = {
    "less": "x < 5n",
    "the other way round": "5n > x ? y : 3n",
    "at most": "7n <= x && y > 3",
    "at least": "x >= 9n || 12n >= y",
    "equal": "x === 6n || y !== 4n",
    "kinds": "x === 6",
    "numbers of both kinds": "x < 6",
    "sums": "3n * x + 4n - 1n",
    "sums compared": "3n * x + 4n < 17n ? x : 2n * x",
    "a negative offset": "x - 9n < 0n ? 1n : x - 9n",
    "subtracted": "20n - x",
    "negated": "-x < -3n",
    "a negative factor": "x * -2n",
    "a product with 0": "x * 0n",
    "two draws added": "x + y",
    "two draws compared": "x < y",
    "quotients": "x / 7n + y / 9n",
    "the remainder of a sum": "(x + 3n) % 5n",
    "the remainder of a remainder": "accepted(x, 30n) % 7n",
    "remainders compared": "accepted(x, 10n) < 4n ? accepted(y, 6n) : 99n",
    "a remainder in a sum": "2n * accepted(x, 10n) + 1n",
    "shifts": "(x >> 3n) + (y >> 60n)",
    "shifts to the left": "(x << 2n) + 1n",
    "masks": "(x & 3n) | (y ^ 1n)",
    "powers": "accepted(x, 5n) ** 2n",
    "truth": "x ? 1n : 2n",
    "no truth": "!x ? y : 7n",
    "and": "(x && y) === 0n",
    "or": "(x - 3n || 5n) === 5n",
    "conjunctions of values": "x < 9n && y < 9n ? 1n : x + 1n",
    "elements": "[1n, 2n, 3n][x] ?? 9n",
    "elements of a list": "list[x] ?? y",
    "elements by number": "list[Number(accepted(x, 5n))] ?? 9n",
    "numbers": "Number(accepted(x, 9n)) + 1",
    "halves of numbers": "Number(accepted(x, 9n)) / 2",
    "remainders of numbers": "(Number(accepted(x, 9n)) + 2) % 4",
    "there and back": "BigInt(Number(accepted(x, 9n)) + 1) * 2n",
    "bits of numbers": "(Number(accepted(x, 9n)) << 1) & 6",
    "the larger": "Number(accepted(x, 9n)) > 4 ? Math.max(3, Number(accepted(y, 8n))) : Math.min(2, Number(accepted(y, 7n)))",
    "the lowest bits": "BigInt.asUintN(3, x)",
    "steps": "stepped(x)",
    "assignments": "assigned(x, y)",
    "loops": "looped(accepted(x, 12n))",
    "kinds of values": "typeof x === 'bigint' && typeof Number(accepted(y, 4n)) === 'number'",
    "arrays of draws": "[x, y].map((z) => z + 1n).slice(1)[0]",
    "a maximum of a list": "[3, 1, 2].sort((a, b) => a - b)[Number(accepted(x, 3n))]",
}  # fmt: skip
# What would go unseen is refused.
REFUSED = {
    "a draw in a text": "`${x}`",
    "a draw as a text": "String(x)",
    "a list that is searched": "[5n, 6n].includes(x)",
    "a list of draws that is searched": "[x, y].indexOf(5n)",
    "a set": "new Set([x]).size",
    "a map": "new Map([[5n, 1n]]).get(x) ?? 2n",
    "the same": "Object.is(x, 5n)",
    "a filter": "[1n].filter(() => x).length",
    "a search": "[1n, 2n].findIndex((z) => x - x)",
    "a sign": "Math.sign(Number(accepted(x, 3n)))",
    "a remainder that is not complete": "x % 10n < 4n ? 1n : 2n",
    "a draw and its remainder": "accepted(x, 10n) < 4n ? x < 9n : x < 12n",
    "a fraction": "x < 2.5",
}
MODULE = """
const list = [10n, 20n, 30n];
const accepted = (number, count) => {{
  const rest = number % count;
  return number - rest <= 2n ** 64n - count ? rest : 0n;
}};
const stepped = (number) => {{ let z = number; z++; ++z; z -= 3n; return z > 5n ? z-- : z; }};
const assigned = (x, y) => {{ const all = [0n, 0n, 0n], at = accepted(x, 3n); all[at] += 4n; all[1] |= 1n; return all[accepted(y, 3n)]; }};
const looped = (x) => {{ let turns = 0; for (let z = x; z; z /= 2n) turns++; while (turns > 3) turns--; return turns; }};
export const functions = {{
{functions}
}};
"""


def module(functions: dict[str, str]) -> str:
    """Return the text of a module with these functions of two draws."""
    lines = (f"  {json.dumps(name)}: (x, y) => {body}," for name, body in functions.items())
    return MODULE.format(functions="\n".join(lines))


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What 400 runs of every function find."""
    node = shutil.which("node")
    if node is None:
        missing_part("Node.js")
    folder = tmp_path_factory.mktemp("tracing")
    plain, traced = folder / "plain.mjs", folder / "traced.mjs"
    plain.write_text(module(FOLLOWED | REFUSED | {"control": "x < 5n"}), encoding="utf-8")
    # A comparison that is not followed.
    traced.write_text(rewritten(module(FOLLOWED | REFUSED | {"control": "true"})), encoding="utf-8")
    command = [str(node), str(SCRIPT), str(plain), str(traced)]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(run.stdout)
    return found


@pytest.mark.parametrize("name", FOLLOWED)
def test_what_is_followed_is_the_same_in_the_whole_box(answers: dict[str, Any], name: str) -> None:
    assert answers[name]["wrong"] == []
    assert answers[name]["followed"] > 1000


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_followed_is_refused(answers: dict[str, Any], name: str) -> None:
    assert answers[name] == {"followed": 0, "refused": 400, "wrong": []}


def test_a_decision_that_is_not_followed_is_seen(answers: dict[str, Any]) -> None:
    assert answers["control"]["wrong"]
