"""Build the site: checks first, then Sphinx, which fails on anything it warns of."""

from __future__ import annotations

import tomllib
from pathlib import Path
from tempfile import TemporaryDirectory

from sphinx.cmd.build import build_main

from pckv.cli import main
from site_builder.commands import command_pages, undocumented_commands
from site_builder.pages import Fault, Pages
from site_builder.python_names import python_sections, undocumented_names
from site_builder.service import Service

DESCRIPTIONS = "docs/reference/descriptions.toml"


def faults(root: Path) -> list[Fault]:
    """Return everything that is undocumented, and every dead link."""
    return [
        *Pages(root).faults(),
        *undocumented_commands(main),
        *undocumented_names(),
        *_service(root).faults(),
    ]


def build(root: Path, out: Path) -> list[Fault]:
    """Write the site into a folder; return what is wrong with the pages, in which case nothing is written."""
    found = faults(root)
    if found:
        return found
    with TemporaryDirectory() as folder:
        sources, trees = Path(folder, "pages"), Path(folder, "trees")
        write_sources(root, sources)
        options = ["--quiet", "--fail-on-warning", "--keep-going", "--doctree-dir", str(trees)]
        failed = build_main([*options, str(sources), str(out)])
    return [Fault("docs", "Sphinx does not build them")] if failed else []


def write_sources(root: Path, folder: Path) -> None:
    """Write the pages as Sphinx reads them, with all that is generated."""
    service = _service(root)
    generators = {
        "commands": lambda: command_pages(main),
        "metrics": service.metric_table,
        "mixer-routes": service.mixer_routes,
        "mixer-settings": service.mixer_setting_table,
        "problems": service.problem_table,
        "python": python_sections,
        "reasons": service.reason_table,
        "routes": service.routes,
        "settings": service.setting_table,
    }
    Pages(root).write(folder, generators)


def _service(root: Path) -> Service:
    return Service(tomllib.loads((root / DESCRIPTIONS).read_text(encoding="utf-8")))
