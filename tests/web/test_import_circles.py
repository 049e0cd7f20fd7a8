"""The modules of the pages and of the JavaScript client import each other without a circle."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from pathlib import Path

import pytest
import tree_sitter_javascript
from tree_sitter import Language, Node, Parser

from support.parts import ROOT

WEB = ROOT / "src" / "pckv" / "web"
_PARSER = Parser(Language(tree_sitter_javascript.language()))


def imports_of(source: str) -> list[str]:
    """Return what a module imports, when it is loaded or later."""
    return [name for node in _nodes(_PARSER.parse(source.encode()).root_node) for name in _imported(node)]


def _nodes(node: Node) -> Iterator[Node]:
    yield node
    for child in node.named_children:
        yield from _nodes(child)


def _imported(node: Node) -> Iterator[str]:
    """Yield the name that a node imports: of a statement, of an export from elsewhere, or of a call of `import`."""
    named = node.child_by_field_name("source")
    called, arguments = (node.child_by_field_name(field) for field in ("function", "arguments"))
    if node.type == "call_expression" and called and called.type == "import" and arguments:
        named = arguments.named_children[0]
    if named is not None and named.type == "string":
        assert named.text is not None
        yield named.text.decode()[1:-1]


def import_graph(folder: Path) -> dict[str, list[str]]:
    """Return every module below a folder of web files with the modules that it imports, by their paths."""
    modules = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*.js")}
    graph: dict[str, list[str]] = {}
    for name, path in modules.items():
        names = imports_of(path.read_text(encoding="utf-8"))
        targets = [_resolved(imported, name) for imported in names]
        # `/vega.js` is made when it is asked for.
        missing = {target for target in targets if target not in modules} - {"vega.js"}
        assert not missing, f"{name} imports {missing}, which are not there"
        graph[name] = [target for target in targets if target in modules]
    return graph


def _resolved(imported: str, importer: str) -> str:
    """Return the path of an imported module: addresses of a site begin at the folder of all web files."""
    if imported.startswith("/"):
        return imported.removeprefix("/")
    return posixpath.normpath(posixpath.join(posixpath.dirname(importer), imported))


def find_circle(graph: dict[str, list[str]]) -> list[str]:
    """Return modules of which each imports the next and the last the first; none if there is no circle."""
    finished: set[str] = set()

    def visit(name: str, path: list[str]) -> list[str]:
        if name in path:
            return path[path.index(name) :]
        if name in finished:
            return []
        for target in graph[name]:
            circle = visit(target, [*path, name])
            if circle:
                return circle
        finished.add(name)
        return []

    return next((circle for name in graph if (circle := visit(name, []))), [])


def test_no_modules_import_each_other_in_a_circle() -> None:
    graph = import_graph(WEB)
    assert len(graph) > 60
    # Imports of all kinds are found: at once, when needed, and by their address on a site.
    assert {"client/errors.js", "client/discovery.js"} <= set(graph["client/task.js"])
    assert any("client/index.js" in targets for name, targets in graph.items() if name.startswith("static/"))
    assert find_circle(graph) == []


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ('import { first } from "../first.js";', ["first.js", "pages/second.js"]),
        ('import "../first.js";', ["first.js", "pages/second.js"]),
        ('export { first } from "../first.js";', ["first.js", "pages/second.js"]),
        ('const load = () => import("/first.js");', ["first.js", "pages/second.js"]),
        ('import "./second.js";', ["pages/second.js"]),
        ('const text = `import "../first.js"`; // import "../first.js"', []),
    ],
)
def test_a_planted_circle_is_found(tmp_path: Path, statement: str, expected: list[str]) -> None:
    (tmp_path / "pages").mkdir()
    (tmp_path / "first.js").write_text('import { second } from "./pages/second.js";', encoding="utf-8")
    (tmp_path / "pages" / "second.js").write_text(statement, encoding="utf-8")
    assert sorted(find_circle(import_graph(tmp_path))) == expected


def test_an_import_of_no_file_is_found(tmp_path: Path) -> None:
    (tmp_path / "first.js").write_text('import "./none.js";', encoding="utf-8")
    with pytest.raises(AssertionError, match="not there"):
        import_graph(tmp_path)
