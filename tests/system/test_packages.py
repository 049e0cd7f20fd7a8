"""The Python package as others install it: wheel and source archive, built by the pinned backend."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import tarfile
import venv
import zipfile
from importlib import metadata
from pathlib import Path

import pytest

import pckv
from support.parts import ROOT, missing_part

BUILD = "import sys, hatchling.build as backend; print(getattr(backend, sys.argv[1])(sys.argv[2]))"
PIP = (sys.executable, "-m", "pip")


class Environment:
    """A virtual environment without pip."""

    def __init__(self, folder: Path) -> None:
        venv.create(folder, symlinks=True)
        self.folder = folder
        [self.packages] = folder.glob("lib/python*/site-packages")

    def install(self, *arguments: str) -> None:
        """Install something with the pip of the tests."""
        command = [*PIP, "--python", str(self.folder), "install", "-qq", "--no-compile", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode and "No matching distribution" in done.stderr:
            missing_part(f"{arguments[-1]} on an index")
        assert done.returncode == 0, done.stderr

    def run(self, name: str, *arguments: str, cwd: Path) -> str:
        """Return what a program of the environment prints; nothing of this checkout is on its path."""
        command = [str(self.folder / "bin" / name), *arguments]
        done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False, env={})
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()


@pytest.fixture(scope="module")
def builder(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """An environment with the build backend alone, in its pinned version."""
    environment = Environment(tmp_path_factory.mktemp("builder"))
    environment.install("-c", str(ROOT / "constraints.txt"), "hatchling")
    return environment


@pytest.fixture(scope="module")
def wheel(builder: Environment, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    return folder / builder.run("python", "-c", BUILD, "build_wheel", str(folder), cwd=ROOT)


@pytest.fixture(scope="module")
def source(builder: Environment, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("source")
    return folder / builder.run("python", "-c", BUILD, "build_sdist", str(folder), cwd=ROOT)


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """An environment with the wheel, and what it requires from the bare environment without extras."""
    bare = next((ROOT / ".venv" / "bare" / "core").glob("lib/python*/site-packages"), None)
    if bare is None:
        missing_part("the bare environment (make test sets it up)")
    environment = Environment(tmp_path_factory.mktemp("installed"))
    environment.install("--no-index", "--no-deps", str(wheel))
    (environment.packages / "requirements.pth").write_text(f"{bare}\n", encoding="utf-8")
    return environment


def package_files() -> dict[str, str]:
    """Return the hashes of all files of the package in this checkout, by name."""
    paths = [path for path in (ROOT / "src").rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    return {path.relative_to(ROOT / "src").as_posix(): digest(path.read_bytes()) for path in paths}


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def wheel_files(path: Path) -> dict[str, str]:
    with zipfile.ZipFile(path) as opened:
        return {name: digest(opened.read(name)) for name in opened.namelist()}


def test_the_wheel_holds_the_package_and_nothing_else(wheel: Path) -> None:
    assert wheel.name == f"pckv-{pckv.__version__}-py3-none-any.whl"
    files = wheel_files(wheel)
    about = {name for name in files if name.startswith(f"pckv-{pckv.__version__}.dist-info/")}
    assert {name.partition("/")[2] for name in about} == {
        "METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE",
    }  # fmt: skip
    assert {name: files[name] for name in files.keys() - about} == package_files()
    needed = {"py.typed", "web/static/join.html", "web/client/index.d.ts", "web/client/LICENSE"}
    assert {f"pckv/{name}" for name in needed} <= files.keys()


def test_the_source_archive_builds_the_same_wheel(
    builder: Environment, wheel: Path, source: Path, tmp_path: Path
) -> None:
    assert source.name == f"pckv-{pckv.__version__}.tar.gz"
    with tarfile.open(source) as opened:
        opened.extractall(tmp_path, filter="data")
    folder = tmp_path / source.name.removesuffix(".tar.gz")
    # The tests are part of the source, so that packagers can run them; what they leave behind is not.
    assert {"LICENSE", "CHANGELOG.md", "constraints.txt", "requirements", "tests"} <= {
        path.name for path in folder.iterdir()
    }
    assert not {"build", ".venv", ".git", "demo"} & {path.name for path in folder.iterdir()}
    again = tmp_path / builder.run("python", "-c", BUILD, "build_wheel", str(tmp_path), cwd=folder)
    assert wheel_files(again) == wheel_files(wheel)


def test_an_installed_wheel_runs(installed: Environment, tmp_path: Path) -> None:
    place = installed.run("python", "-c", "import pckv; print(pckv.__file__)", cwd=tmp_path)
    assert Path(place) == installed.packages / "pckv" / "__init__.py"
    assert installed.run("pckv", "--version", cwd=tmp_path).endswith(pckv.__version__)
    installed.run("pckv", "sample", "--out", "sample", cwd=tmp_path)
    assert (tmp_path / "sample" / "truth.csv").is_file()
    plan = json.loads(
        installed.run("pckv", "plan", "--keys", "9", "--users", "999", "--epsilon", "1", "--json", cwd=tmp_path)
    )
    assert plan["mechanism"]


def test_the_metadata_say_what_registries_show(installed: Environment) -> None:
    [found] = [
        distribution
        for distribution in metadata.distributions(path=[str(installed.packages)])
        if distribution.name == "pckv"
    ]
    about = found.metadata
    assert (about["Version"], about["License-Expression"]) == (pckv.__version__, "MIT")
    assert about["Description-Content-Type"] == "text/markdown"
    assert about["Requires-Python"] == ">=3.11"
    extras = set(about.get_all("Provides-Extra") or [])
    assert {"all", "serve"} <= extras
