"""The container and the compose file: linted, consistent with the product, and run without a container."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from pckv.collector.http.settings import Settings, load
from support.containerfile import Instruction, stages
from support.npm import run_tool
from support.parts import ROOT
from support.yaml_files import read_yaml

DEPLOY = ROOT / "deploy"
CONTAINERFILE, COMPOSE = DEPLOY / "Containerfile", DEPLOY / "compose.yaml"
BUILD, RUNTIME = stages(CONTAINERFILE)


def all_of(stage: list[Instruction], name: str) -> list[Instruction]:
    return [instruction for instruction in stage if instruction.name == name]


def environment() -> dict[str, str]:
    """Return the variables that the image sets for the collector."""
    words = [word for instruction in all_of(RUNTIME, "ENV") for word in instruction.words]
    return dict(word.split("=", maxsplit=1) for word in words)


@pytest.fixture(scope="module")
def services() -> dict[str, Any]:
    found: dict[str, Any] = read_yaml(COMPOSE)["services"]
    return found


@pytest.mark.parametrize(
    ("tool", "path", "right", "found"),
    [
        (("dockerfile-utils", "lint"), CONTAINERFILE, "USER", "USERS"),
        (("dclint", "--max-warnings", "0"), COMPOSE, "restart", "must NOT have additional properties"),
    ],
    ids=["Containerfile", "compose"],
)
def test_a_linter_finds_nothing(tool: tuple[str, ...], path: Path, right: str, found: str, tmp_path: Path) -> None:
    done = run_tool(*tool, str(path), folder=ROOT)
    assert done.returncode == 0, done.stdout
    assert not done.stdout.strip(), done.stdout
    mistaken = tmp_path / path.name
    mistaken.write_text(path.read_text(encoding="utf-8").replace(right, f"{right}S"), encoding="utf-8")
    assert found in run_tool(*tool, str(mistaken), folder=ROOT).stdout


def test_images_are_pinned_by_version(services: dict[str, Any]) -> None:
    bases = [stage[0].text.partition(" AS ")[0] for stage in (BUILD, RUNTIME)]
    images = [*bases, *(service["image"] for service in services.values() if "image" in service)]
    for image in images:
        assert re.fullmatch(r"docker\.io/library/[a-z]+:\d+\.\d+(\.\d+)?(-[a-z-]+)?(@sha256:[0-9a-f]{64})?", image)
    # The version of Python that the requirements are locked for.
    [version] = re.findall(r"--python-version ([\d.]+)", (ROOT / "Makefile").read_text(encoding="utf-8"))
    assert len(set(bases)) == 1
    assert f"python:{version}." in bases[0]
    for path in (CONTAINERFILE, ROOT / "docs" / "how-to" / "release.md"):
        assert f"{bases[0].rpartition('/')[2]}@sha256:…" in path.read_text(encoding="utf-8")


def test_the_image_installs_locked_requirements_only() -> None:
    first, second = (instruction.text for instruction in all_of(BUILD, "RUN"))
    assert "--require-hashes --requirement requirements/collector.txt" in first
    assert {"--no-deps", "--no-build-isolation"} <= set(second.split())
    assert not [text for instruction in all_of(RUNTIME, "RUN") if "pip" in (text := instruction.text)]


def test_the_context_of_the_build_is_what_is_copied() -> None:
    copied = [word for instruction in all_of(BUILD, "COPY") for word in instruction.words[:-1]]
    assert all((ROOT / name).exists() for name in copied)
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert [line[1:] for line in lines if line.startswith("!")] == copied
    assert [line for line in lines if line and line[0] not in "#!"] == ["*", "**/__pycache__"]


def test_the_image_runs_as_nobody_special_and_keeps_its_data_in_a_volume() -> None:
    [user], [volume], [folder] = (all_of(RUNTIME, name) for name in ("USER", "VOLUME", "WORKDIR"))
    assert (user.text, volume.command, folder.text) == ("10001", ["/data"], "/data")
    assert [name.name for name in RUNTIME[RUNTIME.index(user) :]][-1] == "CMD"
    settings = load({}, environment())
    assert settings == Settings(
        host="0.0.0.0",  # noqa: S104
        store="sqlite:////data/pckv.db",
        token_file="/data/admin.token",  # noqa: S106
    )
    [port], [health] = all_of(RUNTIME, "EXPOSE"), all_of(RUNTIME, "HEALTHCHECK")
    assert int(port.text) == settings.port
    assert f"http://127.0.0.1:{settings.port}/readyz" in health.command[-1]


def test_only_the_proxy_is_reachable(services: dict[str, Any]) -> None:
    whole = read_yaml(COMPOSE)
    assert [name for name, service in services.items() if "ports" in service] == ["proxy"]
    assert whole["networks"]["database"] == {"internal": True}
    assert {name for name, service in services.items() if "database" in service["networks"]} == {
        "collector", "database",
    }  # fmt: skip
    caddy = (DEPLOY / "Caddyfile").read_text(encoding="utf-8")
    assert f"reverse_proxy collector:{Settings().port}" in caddy
    assert "header_up -X-Forwarded-For" in caddy


def test_no_password_is_in_the_compose_file(services: dict[str, Any]) -> None:
    collector, database = services["collector"]["environment"], services["database"]["environment"]
    password = database["POSTGRES_PASSWORD"]
    # Compose stops where it is not set.
    assert re.fullmatch(r"\$\{POSTGRES_PASSWORD:\?[\w ./]+\}", password)
    assert collector == {"PCKV_STORE": f"postgresql://{database['POSTGRES_USER']}:{password}@database/pckv"}
    assert load({}, {**environment(), **collector}).store == collector["PCKV_STORE"]
    assert ".env" in (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()


def relocated(text: str, folder: Path) -> str:
    """Return a command of the Containerfile with its folders inside another."""
    return re.sub(r"/(opt/pckv|data)\b", rf"{folder}/\1", text)


def build_without_container(folder: Path) -> None:
    """Run the COPY and RUN instructions of the build in a folder."""
    source = folder / "src"
    programs = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    for instruction in BUILD:
        if instruction.name == "COPY":
            *names, target = instruction.words
            for name in names:
                place = source / target / (Path(name).name if target.endswith("/") else "")
                place.parent.mkdir(parents=True, exist_ok=True)
                copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copyfile
                copy(ROOT / name, place)
        elif instruction.name == "RUN":
            command = ["sh", "-ec", relocated(instruction.text, folder)]
            variables = {**os.environ, "PATH": programs, "PYTHONPATH": ""}
            subprocess.run(command, cwd=source, check=True, env=variables)


def test_the_commands_of_the_image_make_a_collector(request: pytest.FixtureRequest, tmp_path: Path) -> None:
    """Everything but the base image and its user: locked requirements, the build, the start, the health check."""
    if not request.config.getoption("--slow"):
        pytest.skip("slow: all requirements are installed")
    build_without_container(tmp_path)
    (tmp_path / "data").mkdir()
    variables = {name: relocated(value, tmp_path) for name, value in environment().items()}
    variables |= {"HOME": str(tmp_path / "data"), "PATH": f"{tmp_path}/opt/pckv/bin:/usr/bin:/bin"}
    [start], [health] = all_of(RUNTIME, "CMD"), all_of(RUNTIME, "HEALTHCHECK")
    with subprocess.Popen(start.command, env=variables, cwd=tmp_path / "data") as collector:
        try:
            for _ in range(60):
                time.sleep(1)
                done = subprocess.run(health.command, env=variables, check=False, capture_output=True)
                if done.returncode == 0:
                    break
            assert done.returncode == 0, done.stderr
        finally:
            collector.send_signal(signal.SIGTERM)
        assert collector.wait(30) == 0
    assert {"pckv.db", "admin.token"} <= {path.name for path in (tmp_path / "data").iterdir()}
