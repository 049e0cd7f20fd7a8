"""Keys that an analyst names are read alike from a file by commands, and from a text by the dashboard."""

from __future__ import annotations

import json
from pathlib import Path

from pckv.base.errors import DataError
from pckv.cli.inputs import read_keys
from support.node import CLIENT, run_module

SCRIPT = """
const { parseKeys } = await import(process.argv[1]);
const read = (text) => {
  const { keys, empty, repeated, bad } = parseKeys(text, { exact: true });
  const places = [...empty, ...repeated.map(({ place }) => place), ...bad.map(({ place }) => place)];
  return places.length || !keys.length ? Math.min(...places, Infinity) : keys;
};
console.log(JSON.stringify(JSON.parse(process.argv[2]).map(read)));
"""
TEXTS = [
    "a\nb",
    "a\r\nb\r\n",
    "a\rb",
    " a \na\nA\n\u00a0a\n",
    "=1+1\n\u2028\n東\n👩‍👩‍👧\n",
    "",
    "\n",
    "a\n\n",
    "a\n\nb",
    "a\n \n",
    "a\nb\na\nb",
    "a\nb\tc",
    "a\n\x85",
    "a\n\x7f",
    "a\n\x0b",
    "a\ne\u0301",
    "a\n" + "x" * 256,
    "a\n" + "x" * 257,
    "a\n" + "é" * 129,
    "a\n" + "é" * 128,
]


def read_by_command(text: str, path: Path) -> list[str] | int | None:
    """Return the keys of a file, or the first line that is refused; None where there is no key at all."""
    path.write_bytes(text.encode())
    try:
        return list(read_keys(path))
    except DataError as error:
        _, _, place = str(error).partition(", line ")
        return int(place.split()[0]) if place else None


def test_the_dashboard_takes_what_commands_take(tmp_path: Path) -> None:
    arguments = [(CLIENT.parent / "static" / "shared" / "key-list.js").as_uri(), json.dumps(TEXTS)]
    read = [read_by_command(text, tmp_path / "keys.txt") for text in TEXTS]
    assert run_module(SCRIPT, *arguments) == read
    # All three outcomes are among them.
    assert {type(each) for each in read} == {list, int, type(None)}
