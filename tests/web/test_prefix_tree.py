"""The rows of a discovery's tree on the dashboard: forks and ends, each once, below what they continue."""

from __future__ import annotations

import json
from typing import Any

from support.node import CLIENT, run_module

SCRIPT = """
globalThis.navigator = { languages: ["en"] };
globalThis.document = { documentElement: { dataset: {} } };
const { treeRows } = await import(process.argv[1]);
const rows = treeRows(JSON.parse(process.argv[2]));
console.log(JSON.stringify(rows.map(({ node, depth, text }) => [depth, text, node.prefix, node.ended])));
"""


def rows_of(*nodes: tuple[str, int, float, bool], last: int) -> list[list[Any]]:
    members = [
        {
            "prefix": prefix,
            "length": length,
            "ended": len(prefix) < length or length == last,
            "frequency": frequency,
            "leads_to_key": leads,
        }
        for prefix, length, frequency, leads in nodes
    ]
    arguments = [(CLIENT.parent / "static" / "results" / "prefix-tree.js").as_uri(), json.dumps(members)]
    rows: list[list[Any]] = run_module(SCRIPT, *arguments)
    return rows


def test_prefixes_with_one_continuation_share_a_row() -> None:
    """Groups report 2, 4 and 5 characters; some are outside the basic plane, and count as one."""
    assert rows_of(
        ("zz", 2, 0.9, False),
        ("a😀", 2, 0.5, True),
        ("b", 2, 0.1, True),
        ("a😀", 4, 0.2, True),
        ("a😀cd", 4, 0.1, True),
        ("a😀ce", 4, 0.3, False),
        ("a😀cdf", 5, 0.1, True),
        last=5,
    ) == [
        [0, "a😀", "a😀", False],
        # A text that ends where others go on adds nothing.
        [1, "", "a😀", True],
        [1, "cdf", "a😀cdf", True],
        # What leads to no answer is left out, however frequent.
        [0, "b", "b", True],
    ]


def test_no_prefix_makes_no_row() -> None:
    assert rows_of(last=3) == []
