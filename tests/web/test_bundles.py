"""The bundles of the pages: every module is in one of them once, after what it imports, and is run once."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pckv.web import bundles
from pckv.web.bundles import PAGES, Bundles
from pckv.web.static_files import load_files
from support.node import run_module

MODULE = re.compile(r'^\$modules\["([^"]+)"\] \?\?=', re.MULTILINE)
# All forms that our modules use; `values.js` and `deep.js`, which two later bundles have, count how often they run.
PARTS = {
    "static/join/join.js": """import named from "./named.js";
import {
  add,
  first as one,
} from "../shared/values.js";
import { passed } from "/client/index.js";
export const later = () => import("./later.js");
const word = "en";
const text = `
  ${named}`;
const { default: computed } = await import(`../words/${word}.js`);
const { sum } = await later();
const { more } = await import("./other.js");
globalThis.result = [named, text, add(one, 1), passed, computed, sum, more, globalThis.runs, globalThis.deepRuns];
""",
    "static/join/named.js": """const value = "default";
export default value + "s";
""",
    "static/join/later.js": """import { add, first } from "../shared/values.js";
import { deep } from "./deep.js";
export const sum = add(first, deep);
""",
    "static/join/other.js": """import { deep } from "./deep.js";
export const more = deep + 1;
""",
    "static/join/deep.js": """globalThis.deepRuns = (globalThis.deepRuns ?? 0) + 1;
import { add } from "../shared/values.js";
export class Deep {
  value = add(40, 1);
}
export const deep = new Deep().value;
""",
    "static/shared/values.js": """globalThis.runs = (globalThis.runs ?? 0) + 1;
export const first = 1;
export function add(one, two) {
  return one + two;
}
export async function unused() {}
""",
    "static/words/en.js": """export default "word";
""",
    "static/words/de.js": """export default "Wort";
""",
    "client/index.js": """export { first as passed } from "../static/shared/values.js";
""",
}


def bundled(monkeypatch: pytest.MonkeyPatch, **changes: str) -> dict[str, str]:
    """Return the bundles of one page of `PARTS`, with some texts changed."""
    monkeypatch.setattr(bundles, "PAGES", {"join": ("static/join/join.js",)})
    return dict(Bundles({**PARTS, **changes}).files())


def test_bundles_run_as_their_modules_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    made = bundled(monkeypatch)
    later = [f"static/{name}.js" for name in ("join/later", "join/other", "words/de", "words/en")]
    assert list(made) == ["scripts/join.js", *(f"scripts/join/{path}" for path in later)]
    for path, text in made.items():
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.with_suffix(".mjs").write_text(
            text.replace(
                "`/scripts/join/${path}`", "`file://" + str(tmp_path) + "/scripts/join/${path.slice(0, -3)}.mjs`"
            ),
            encoding="utf-8",
        )
    for path, text in PARTS.items():
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text.replace('"/client', '"../../client'), encoding="utf-8")
    (tmp_path / "package.json").write_text('{"type": "module"}', encoding="utf-8")
    run = "await import(process.argv[1]); console.log(JSON.stringify(globalThis.result));"
    whole, apart = (run_module(run, (tmp_path / path).as_uri()) for path in ("scripts/join.mjs", "static/join/join.js"))
    assert whole == apart == ["defaults", "\n  defaults", 2, 1, "word", 42, 42, 1, 1]


@pytest.mark.parametrize(
    ("path", "text", "message"),
    [
        ("static/join/named.js", 'import * as all from "./deep.js";\n', "bundles do not know this form: import \\* as"),
        ("static/join/named.js", 'import "./deep.js";\n', "bundles do not know this form"),
        ("static/join/named.js", 'export * from "./deep.js";\n', "bundles do not know this form"),
        ("static/join/named.js", "const a = 1;\nexport { a };\n", "bundles do not know this form"),
        # Who imports it would keep its first value.
        ("static/join/named.js", "export let changing;\n", "bundles do not know this form"),
        ("static/join/deep.js", "export const other = 1;\n", "static/join/deep.js does not export deep"),
        ("static/join/deep.js", "export const other = 1,\n  deep = 2;\n", "does not export deep"),
        (
            "static/join/deep.js",
            'import { no } from "./none.js";\nexport const deep = 1;\n',
            "none.js does not export no",
        ),
        ("static/join/deep.js", 'const load = () => import("./none.js");\n', "there is no module ./none.js"),
        (
            "static/shared/values.js",
            'import { passed } from "/client/index.js";\nexport const first = 1, add = 2;\n',
            "does not export add",
        ),
        (
            "static/shared/values.js",
            'import { passed } from "/client/index.js";\nexport const first = 1;\nexport const add = 2;\n',
            "import each other: .*static/shared/values.js -> client/index.js -> static/shared/values.js",
        ),
    ],
)
def test_what_bundles_cannot_keep_is_an_error(
    monkeypatch: pytest.MonkeyPatch, path: str, text: str, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        bundled(monkeypatch, **{path: text})


@pytest.mark.parametrize("page", PAGES)
def test_a_page_loads_every_module_once(page: str) -> None:
    """No later bundle repeats a module of the first, and none waits for a module that it does not have."""
    files = {path: file.content.decode() for path, file in load_files().items() if path.startswith("scripts/")}
    first = MODULE.findall(files[f"scripts/{page}.js"])
    assert set(PAGES[page]) <= set(first)
    for path, text in files.items():
        if path.startswith(f"scripts/{page}/"):
            before, own = set(first), MODULE.findall(text)
            assert own[-1] == path.removeprefix(f"scripts/{page}/")
        elif path == f"scripts/{page}.js":
            before, own = set(), first
        else:
            continue
        assert len(own) == len(set(own))
        assert not before & set(own)
        for name, body in zip(own, MODULE.split(text)[2::2], strict=True):
            assert set(re.findall(r'await \$modules\["([^"]+)"\]', body)) <= before | {PAGES[page][0]}, name
            before.add(name)
