"""Put the pages of the site together: copy them, fill in what is generated, and follow every link."""

from __future__ import annotations

import posixpath
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

# Where a file of the repository stands in the site; everything of docs/ keeps its place.
MOVED = {
    "SECURITY.md": "project/security.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "CHANGELOG.md": "project/changelog.md",
    "src/pckv/web/client/README.md": "reference/javascript.md",
}
DOCUMENTS, PROOFS = "docs/", "proofs/"
ASSETS = (".md", ".svg", ".png", ".css", ".csv", ".json")
NOT_COPIED = ("docs/site_builder/",)
# Navigation: the sections of the first page, each with a list of links.
HOME = "docs/index.md"
GENERATED = re.compile(r"^<!-- generated: ([\w-]+) -->$", re.MULTILINE)
LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)\s]+)\)")
IMAGE = re.compile(r"!\[([^\]]*)\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#{1,6} +(.+?) *$", re.MULTILINE)
FOREIGN = re.compile(r"[a-z]+:")


class Fault(NamedTuple):
    """Something that keeps the site from being built: where, and what."""

    place: str
    problem: str

    def __str__(self) -> str:
        return f"{self.place}: {self.problem}"


class Pages:
    """The pages of a repository by their paths, and where each stands in the site."""

    def __init__(self, root: Path) -> None:
        self.root = root
        paths = [
            *root.glob("docs/**/*"),
            *root.glob("proofs/*.md"),
            *(root / name for name in MOVED),
        ]
        names = [path.relative_to(root).as_posix() for path in paths if path.suffix in ASSETS]
        self.places = {name: _place(name) for name in names if not name.startswith(NOT_COPIED)}
        self.texts = {name: (root / name).read_text(encoding="utf-8") for name in self.places if name.endswith(".md")}

    def faults(self) -> Iterator[Fault]:
        """Yield every dead link, and every page that the first page does not list."""
        for name, text in self.texts.items():
            for target in _targets(text):
                problem = self._dead(name, target)
                if problem:
                    yield Fault(name, problem)
        listed = {path for _, paths in self.navigation() for path in paths}
        for name in self.texts.keys() - listed - {HOME}:
            yield Fault(name, f"{HOME} does not list it")

    def navigation(self) -> list[tuple[str, list[str]]]:
        """Return the sections of the first page with the pages that each lists."""
        sections = []
        for section in re.split(r"^## ", self.texts[HOME], flags=re.MULTILINE)[1:]:
            title, _, body = section.partition("\n")
            links = [_resolve(HOME, link) for line in body.splitlines() for link in _listed(line)]
            sections.append((title.strip(), [path for path, _ in links]))
        return [(title, paths) for title, paths in sections if paths]

    def write(self, folder: Path, generators: Mapping[str, Callable[[], str]]) -> None:
        """Write the site's sources into a folder, which is emptied first."""
        shutil.rmtree(folder, ignore_errors=True)
        for name, place in self.places.items():
            path = folder / place
            path.parent.mkdir(parents=True, exist_ok=True)
            if name in self.texts:
                text = GENERATED.sub(lambda match: generators[match[1]](), self.texts[name])
                text = self._moved_links(name, text)
                path.write_text(text + (self._contents() if name == HOME else ""), encoding="utf-8")
            else:
                shutil.copyfile(self.root / name, path)
        shutil.copyfile(self.root / "docs" / "conf.py", folder / "conf.py")

    def _dead(self, name: str, target: str) -> str:
        path, anchor = _resolve(name, target)
        if not (self.root / path).exists():
            return f"dead link {target}"
        if anchor and path in self.texts and anchor not in anchors(self.texts[path]):
            return f"dead link {target}: there is no such heading"
        return ""

    def _moved_links(self, name: str, text: str) -> str:
        """Point links at places in the site; what is not in it is named, not linked."""

        def moved(match: re.Match[str]) -> str:
            if FOREIGN.match(match[2]) or match[2].startswith("#"):
                return match[0]
            path, anchor = _resolve(name, match[2])
            if path not in self.places:
                return match[1] if "`" in match[1] else f"`{path}`"
            start = posixpath.dirname(self.places[name])
            link = posixpath.relpath(self.places[path], start or ".")
            # Readers of the repository know pages by their files, readers of the site by their titles.
            label = _title(self.texts[path]) if match[1].endswith(".md") and path in self.texts else match[1]
            return f"[{label}]({link}{'#' + anchor if anchor else ''})"

        return _outside_code(text, lambda part: LINK.sub(moved, part))

    def _contents(self) -> str:
        lines = []
        for title, paths in self.navigation():
            places = [posixpath.splitext(self.places[path])[0] for path in paths]
            lines += ["", "```{toctree}", ":hidden:", f":caption: {title}", "", *places, "```"]
        return "\n".join([*lines, ""])


def anchors(text: str) -> set[str]:
    """Return the anchors of a page's headings, as GitHub and Sphinx make them."""
    titles = HEADING.findall(FENCE.sub("", text))
    plain = [re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title).replace("`", "") for title in titles]
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in plain}


def _place(name: str) -> str:
    return MOVED.get(name, name.removeprefix(DOCUMENTS))


def _title(text: str) -> str:
    return text.partition("\n")[0].removeprefix("# ").strip()


def _listed(line: str) -> list[str]:
    found = re.match(r"- \[[^\]]*\]\(([^)\s]+)\)", line)
    return [found[1]] if found else []


def _targets(text: str) -> list[str]:
    plain = FENCE.sub("", text)
    found = [match[2] for pattern in (LINK, IMAGE) for match in pattern.finditer(plain)]
    found += re.findall(r'<(?:img|a)\s[^>]*?(?:src|href)="([^"]+)"', plain)
    return [target for target in found if not FOREIGN.match(target)]


def _resolve(name: str, target: str) -> tuple[str, str]:
    path, _, anchor = target.partition("#")
    joined = posixpath.join(posixpath.dirname(name), path) if path else name
    return posixpath.normpath(joined), anchor


def _outside_code(text: str, change: Callable[[str], str]) -> str:
    parts, end = [], 0
    for match in FENCE.finditer(text):
        parts += [change(text[end : match.start()]), match[0]]
        end = match.end()
    return "".join([*parts, change(text[end:])])
