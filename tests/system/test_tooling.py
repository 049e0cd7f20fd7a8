"""The tools of a contributor: the Makefile, the lists of benches and experiments, the table of durations."""

from __future__ import annotations

import re
import sys
import sysconfig
import tomllib
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from support.durations import duration_lines, group_of
from support.faults import Fault
from support.scripts import printed_lines
from support.tiers import LONG, VERIFIED, mark_for_verify, plants_nothing

ROOT = Path(__file__).parents[2]
MAX_TARGETS = 15
# Modules that others use, which cannot be run.
SHARED = {
    "bench": {"__init__", "__main__", "data", "hashed_decode", "load", "measurement", "processes"},
    "experiments": {
        "__init__",
        "__main__",
        "collision_kernels",
        "collision_populations",
        "task_options",
        "attacks",
        "choices",
        "derived_controls",
        "derived_populations",
        "derived_rows",
        "derived_scores",
        "few_reports",
        "measured_errors",
        "series_events",
        "size_populations",
        "steering",
        "level_means",
        "level_few_keys",
        "level_medians",
        "level_one_end",
        "series_population",
        "spread_tops",
        "titles",
        "settings",
    },
}


def test_make_help_lists_every_target() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    phony = re.findall(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)
    targets = " ".join(phony).split()
    assert len(targets) <= MAX_TARGETS
    listed = printed_lines("make", "--no-print-directory", "help")
    assert [line.split()[0] for line in listed] == targets
    assert all(len(line.split()) > 2 for line in listed)


def test_everything_that_is_left_to_verify_exists() -> None:
    """A file or test that gets another name would run in `make test` unnoticed."""
    paths = [*(ROOT / "tests").rglob("*.py"), *(ROOT / "docs").rglob("*.md")]
    texts = {f"/{path.relative_to(ROOT)}": path.read_text(encoding="utf-8") for path in paths}
    tests = [f"{file}::{name}" for file in texts for name in re.findall(r"def (test_\w+)|$", texts[file])]
    for listed, pattern in ((VERIFIED, r"/(test_)?({})\.py"), (LONG, "({})")):
        for name in re.split(r"\|(?![^(]*\))", "|".join(listed.values())):
            assert any(re.search(pattern.replace("{}", name), test) for test in tests), name


class CollectedTest(SimpleNamespace):
    """A test as pytest collects it, with its markers."""

    def add_marker(self, marker: object) -> None:
        self.markers.append(marker)


def test_every_function_has_a_case_in_make_test() -> None:
    """Of planted faults the first runs in `make test`, and all run in `make verify`."""
    names = ("a[1]", "a[2]", "b", "c_is_caught[1]", "c_is_caught[2]")
    found = [CollectedTest(nodeid=f"tests/x/test_x.py::test_{name}", markers=[]) for name in names]
    found.append(CollectedTest(nodeid="tests/system/test_site.py::test_x", markers=[]))
    mark_for_verify(cast("list[pytest.Item]", found))
    left = [item.nodeid for item in found if item.markers]
    assert left == ["tests/x/test_x.py::test_c_is_caught[2]", "tests/system/test_site.py::test_x"]


@pytest.mark.parametrize(
    ("file", "text", "outdated"),
    [
        ("base/wire.py", "WORD_BYTES = 8", False),
        ("base/wire.py", "WORD_BYTES = 9", True),
        ("base/wire.py", "WORD_BYTES", True),
        ("bytes.js", "export function toId(", False),
        ("bytes.js", "export function toIds(", True),
    ],
)
def test_a_fault_that_plants_nothing_is_no_test(file: str, text: str, outdated: bool) -> None:
    fault = Fault("a fault", file, {text: ""}, lambda _: None)
    item = SimpleNamespace(callspec=SimpleNamespace(params={"fault": fault}))
    assert plants_nothing(cast("pytest.Item", item)) == outdated


@pytest.mark.parametrize(("package", "arguments"), [("bench", ["--list"]), ("experiments", [])])
def test_every_module_is_listed_with_what_it_does(package: str, arguments: list[str]) -> None:
    listed = dict(line.split(maxsplit=1) for line in printed_lines(sys.executable, "-m", package, *arguments))
    modules = {path.stem for path in (ROOT / package).glob("*.py")} - SHARED[package]
    assert {name.replace("-", "_") for name in listed} == modules
    assert all(text.endswith(".") for text in listed.values()), listed


def test_no_experiment_measures_speed() -> None:
    """What measures seconds is a bench."""
    for path in (ROOT / "experiments").glob("*.py"):
        assert not re.search(r"^\s*(from|import) bench\b", path.read_text(encoding="utf-8"), re.MULTILINE), path


# Distributions whose import name differs by more than a hyphen.
IMPORT_NAMES = {"markdown-it-py": "markdown_it", "vl-convert-python": "vl_convert"}
# What uvicorn imports where it is told to.
FOR_UVICORN = {"httptools", "uvloop"}
# What only other packages import: named for its least version, since older ones have known vulnerabilities.
FLOORS = {"h11": "0.16", "jinja2": "3.1.6", "starlette": "0.49.1"}


def test_the_source_imports_every_requirement() -> None:
    """A requirement that only the tests need belongs to the dev group."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"].values()
    requirements = [*project["dependencies"], *(item for extra in extras for item in extra)]
    source = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py"))
    for requirement in requirements:
        name = re.split(r"[<>=\[]", requirement)[0]
        if name in FLOORS:
            assert requirement == f"{name}>={FLOORS[name]}"
        elif name not in {"pckv", *FOR_UVICORN}:
            module = re.escape(IMPORT_NAMES.get(name, name.replace("-", "_")))
            imported = rf"^\s*(import|from) {module}\b|require\(\"{module}\b"
            assert re.search(imported, source, re.MULTILINE), requirement


def canonical_name(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def pins() -> dict[str, str]:
    """Return the version of every distribution in constraints.txt."""
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    return {canonical_name(name): version for name, _, version in (line.partition("==") for line in lines)}


def locked(name: str) -> dict[str, tuple[str, int]]:
    """Return the version of every distribution of a file of requirements, and how many hashes it has."""
    text = (ROOT / "requirements" / f"{name}.txt").read_text(encoding="utf-8")
    # Nothing but names, versions, markers and hashes: no address, no path, no option.
    assert not re.search(r"://|^\s*-(?!-hash=sha256:[0-9a-f]{64}\b)|/", text, re.MULTILINE)
    entries = re.findall(
        r"^(\S+)==([^\s;]+)(?: ;[^\\]*)?((?: \\\n    --hash=sha256:[0-9a-f]{64})*)$", text, re.MULTILINE
    )
    assert len(entries) == len(re.findall(r"^\S", text, re.MULTILINE))
    return {canonical_name(name): (version, hashes.count("--hash")) for name, version, hashes in entries}


def required(extras: str) -> set[str]:
    """Return what the package, its extras and its build name themselves."""
    toml = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert toml["dependency-groups"]["build"] == toml["build-system"]["requires"]
    waiting, names = extras.split(","), [*toml["project"]["dependencies"], *toml["build-system"]["requires"]]
    while waiting:
        for text in toml["project"]["optional-dependencies"][waiting.pop()]:
            others = re.fullmatch(r"pckv\[(.*)\]", text)
            waiting += others[1].split(",") if others else []
            names += [] if others else [text]
    return {canonical_name(re.split(r"[<>=\[]", name)[0]) for name in names}


@pytest.mark.parametrize(("name", "extras"), [("collector", "serve,postgres"), ("all", "all")])
def test_what_users_install_is_locked_with_hashes(name: str, extras: str) -> None:
    """`make lock` writes these files."""
    requirements, constraints = locked(name), pins()
    assert required(extras) <= requirements.keys()
    for package, (version, hashes) in requirements.items():
        assert (package, version, hashes > 0) == (package, constraints.get(package), True)


def test_every_environment_has_pinned_versions_only() -> None:
    """Python 3.11 puts a setuptools with known vulnerabilities into a new environment."""
    constraints, packages = pins(), Path(sysconfig.get_path("purelib"))
    folders = [packages, *(ROOT / ".venv" / "bare").glob(f"*/lib/*/{packages.name}")]
    for folder in folders:
        for distribution in metadata.distributions(path=[str(folder)]):
            name = canonical_name(distribution.name)
            assert name == "pckv" or constraints.get(name) == distribution.version, (folder, name)


def test_the_package_says_that_it_needs_posix() -> None:
    """The client locks files with fcntl and the lab forks."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    systems = [item for item in project["classifiers"] if item.startswith("Operating System")]
    assert systems == ["Operating System :: POSIX"]


def report(test: str, when: str, duration: float) -> pytest.TestReport:
    return pytest.TestReport(test, ("", 0, ""), {}, "passed", None, when, duration=duration)  # type: ignore[arg-type]


def test_durations_are_summed_by_folder() -> None:
    assert group_of("tests/tally/test_tally.py::test_merge[ue]") == "tests/tally"
    assert group_of("src/pckv/base/budget.py::pckv.base.budget.exp_lower") == "src"
    assert group_of("README.md::README.md") == "README.md"
    tally, task = "tests/tally/test_tally.py::test_merge[ue]", "tests/contract/test_task.py::test_id"
    lines = list(duration_lines([report(tally, "setup", 1.0), report(tally, "call", 2.0), report(task, "call", 1.0)]))
    assert lines[1].split() == ["tests/tally", "1", "3.0", "75.0%"]
    assert lines[2].split() == ["tests/contract", "1", "1.0", "25.0%"]
    assert lines[3].split() == ["all", "2", "4.0"]
    assert lines[5].split() == ["3.0", tally]
    assert not list(duration_lines([report(tally, "call", 2.0)]))
