"""Bundles: one file with all modules that a page starts with, and one per module that it loads later.

A page has dozens of small modules, and browsers request six files at a time over HTTP/1.1: on a slow network, most of
the time passed before the last one was requested. Each module keeps its own scope and runs once per page, whichever
bundle brings it. Only the forms of `import` and `export` that our modules use are known; any other is an error.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from functools import cached_property

# The module that a page starts with, and others that its first bundle has.
PAGES = {
    "join": ("static/join/join.js",),
    "dashboard": ("static/dashboard/dashboard.js", "static/dashboard/task.js"),
    "results": ("static/results/results-page.js",),
}
FOLDER = "scripts"

_IMPORT = re.compile(r'^import (?:\{([^}]*)\}|(\w+)) from "([^"]+)";', re.MULTILINE)
_PASSED_ON = re.compile(r'^export \{([^}]*)\} from "([^"]+)";', re.MULTILINE)
_EXPORT = re.compile(r"^export ((?:const|class|function|async function) (\w+)\b)", re.MULTILINE)
_DEFAULT = re.compile(r"^export default ", re.MULTILINE)
_OTHER_FORM = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)
# A path may end in an expression: import(`../german/${name}.js`).
_LATER = re.compile(r'import\((["`])([./][^"`]*)\1')
_VARIABLE = re.compile(r"\$\{[^}]*\}")

# What the first bundle of a page defines for all of them.
_START = f"""globalThis.$modules = {{}};
globalThis.$import = async (path) => {{
if (!$modules[path]) await import(`/{FOLDER}/PAGE/${{path}}`);
return $modules[path];
}};
"""


class Module:
    """One module, rewritten as a function that returns what it exports.

    Raises:
        ValueError: if it imports or exports in a way that is not known here, or loads what is not there.
    """

    def __init__(self, path: str, script: str, known: tuple[str, ...]) -> None:
        self.path = path
        self._known = known
        # The modules that it imports, with the names it takes, and those that it may load later.
        self.imports: dict[str, set[str]] = {}
        self.later: list[str] = []
        # What it exports, with the expression that has its value.
        self.exports: dict[str, str] = {}
        text = _compact(script)
        for form, change in (
            (_IMPORT, self._import),
            (_PASSED_ON, self._pass_on),
            (_EXPORT, self._export),
            (_DEFAULT, self._export_default),
            (_LATER, self._load_later),
        ):
            text = form.sub(change, text)
        if other := _OTHER_FORM.search(text):
            raise ValueError(f"{path}: bundles do not know this form: {other[0]}")
        returned = ", ".join(_property(name, value) for name, value in self.exports.items())
        self.text = f'$modules["{path}"] ??= (async () => {{\n{text}return {{ {returned} }};\n}})();\n'

    def _resolved(self, name: str) -> str:
        folder = posixpath.dirname(self.path)
        return posixpath.normpath(posixpath.join("/", folder, name)).removeprefix("/")

    def _import(self, found: re.Match[str]) -> str:
        source = self._resolved(found[3])
        names = _names(found[1]) if found[1] is not None else [("default", found[2])]
        self.imports.setdefault(source, set()).update(name for name, _ in names)
        taken = ", ".join(_property(name, own) for name, own in names)
        return f'const {{ {taken} }} = await $modules["{source}"];'

    def _pass_on(self, found: re.Match[str]) -> str:
        source = self._resolved(found[2])
        for name, own in _names(found[1]):
            self.imports.setdefault(source, set()).add(name)
            self.exports[own] = f'(await $modules["{source}"]).{name}'
        return ""

    def _export(self, found: re.Match[str]) -> str:
        self.exports[found[2]] = found[2]
        return found[1]

    def _export_default(self, _: re.Match[str]) -> str:
        self.exports["default"] = "$default"
        return "const $default = "

    def _load_later(self, found: re.Match[str]) -> str:
        name = self._resolved(found[2])
        pattern = "[^/]*".join(map(re.escape, _VARIABLE.split(name)))
        matching = [path for path in self._known if re.fullmatch(pattern, path)]
        if not matching:
            raise ValueError(f"{self.path}: there is no module {found[2]}")
        self.later += matching
        return f"$import({found[1]}{name}{found[1]}"


def _compact(script: str) -> str:
    """Return a script without empty lines and indentation, except within texts in backticks."""
    lines: list[str] = []
    is_text = False
    for line in script.split("\n"):
        shown = line if is_text else line.lstrip()
        if shown or is_text:
            lines.append(shown)
        is_text ^= line.count("`") % 2 == 1
    return "\n".join(lines) + "\n"


def _property(name: str, value: str) -> str:
    return name if name == value else f"{name}: {value}"


def _names(listed: str) -> list[tuple[str, str]]:
    """Return the names in braces, each as it is exported and as it is called here."""
    names = [each.split(" as ") for each in re.sub(r"\s+", " ", listed).strip().rstrip(",").split(", ")]
    return [(name[0].strip(), name[-1].strip()) for name in names]


class Bundles:
    """The bundles of all pages, from all scripts by their paths."""

    def __init__(self, scripts: Mapping[str, str]) -> None:
        self._scripts = scripts

    @cached_property
    def _modules(self) -> dict[str, Module]:
        known = tuple(self._scripts)
        modules = {path: Module(path, script, known) for path, script in self._scripts.items()}
        for module in modules.values():
            for source, names in module.imports.items():
                missing = names - (modules[source].exports.keys() if source in modules else set())
                if missing:
                    raise ValueError(f"{module.path}: {source} does not export {', '.join(sorted(missing))}")
        return modules

    def files(self) -> Iterator[tuple[str, str]]:
        """Yield the path and text of each bundle: the first of a page, and one per module that it may load later."""
        for page, entries in PAGES.items():
            first = self.needed(*entries)
            parts = [_START.replace("PAGE", page), *(self._modules[path].text for path in first)]
            yield f"{FOLDER}/{page}.js", "".join(parts) + f'await $modules["{entries[0]}"];\n'
            for path in self._later(entries):
                further = [each for each in self.needed(path) if each not in first]
                yield f"{FOLDER}/{page}/{path}", "".join(self._modules[each].text for each in further)

    def needed(self, *paths: str) -> list[str]:
        """Return modules and all that they import, each once and after what it imports.

        Raises:
            ValueError: if modules import each other.
        """
        found: list[str] = []

        def visit(path: str, importers: tuple[str, ...]) -> None:
            if path in importers:
                raise ValueError(f"modules import each other: {' -> '.join((*importers, path))}")
            if path not in found:
                for source in self._modules[path].imports:
                    visit(source, (*importers, path))
                found.append(path)

        for path in paths:
            visit(path, ())
        return found

    def _later(self, entries: tuple[str, ...]) -> list[str]:
        """Return the modules that a page may load after its first bundle, which does not have them."""
        first = set(self.needed(*entries))
        reached = list(first)
        for path in reached:
            for later in self._modules[path].later:
                reached += [each for each in self.needed(later) if each not in reached]
        targets = {later for path in reached for later in self._modules[path].later}
        return sorted(targets - first)
