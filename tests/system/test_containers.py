"""The container and the compose files: linted, consistent with the product, and run without a container."""

from __future__ import annotations

import json
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
from pckv.mixing.settings import load_mixer_settings
from support.containerfile import Instruction, stages
from support.npm import run_tool
from support.parts import ROOT
from support.serving import unused_port
from support.yaml_files import read_yaml

DEPLOY = ROOT / "deploy"
CONTAINERFILE, COMPOSE, MIXER_COMPOSE = (
    DEPLOY / name for name in ("Containerfile", "compose.yaml", "compose.mixer.yaml")
)
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


@pytest.fixture(scope="module")
def mixer_services() -> dict[str, Any]:
    found: dict[str, Any] = read_yaml(MIXER_COMPOSE)["services"]
    return found


@pytest.mark.parametrize(
    ("tool", "path", "right", "found"),
    [
        (("dockerfile-utils", "lint"), CONTAINERFILE, "USER", "USERS"),
        (("dclint", "--max-warnings", "0"), COMPOSE, "restart", "must NOT have additional properties"),
        (("dclint", "--max-warnings", "0"), MIXER_COMPOSE, "restart", "must NOT have additional properties"),
    ],
    ids=["Containerfile", "compose", "compose.mixer"],
)
def test_a_linter_finds_nothing(tool: tuple[str, ...], path: Path, right: str, found: str, tmp_path: Path) -> None:
    done = run_tool(*tool, str(path), folder=ROOT)
    assert done.returncode == 0, done.stdout
    assert not done.stdout.strip(), done.stdout
    mistaken = tmp_path / path.name
    mistaken.write_text(path.read_text(encoding="utf-8").replace(right, f"{right}S"), encoding="utf-8")
    assert found in run_tool(*tool, str(mistaken), folder=ROOT).stdout


def test_images_are_pinned_by_version(services: dict[str, Any], mixer_services: dict[str, Any]) -> None:
    bases = [stage[0].text.partition(" AS ")[0] for stage in (BUILD, RUNTIME)]
    composed = [*services.values(), *mixer_services.values()]
    images = [*bases, *(service["image"] for service in composed if "image" in service)]
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
    assert collector["PCKV_STORE"] == f"postgresql://{database['POSTGRES_USER']}:{password}@database/pckv"
    settings = load({}, {**environment(), **collector})
    assert collector == {"PCKV_STORE": settings.store, "PCKV_MIXER_KEYS": settings.mixer_keys}
    assert ".env" in (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()


def test_keys_are_kept_apart_from_the_store(services: dict[str, Any], mixer_services: dict[str, Any]) -> None:
    folder = services["collector"]["environment"]["PCKV_MIXER_KEYS"]
    assert services["collector"]["volumes"] == ["collector:/data", f"keys:{folder}"]
    assert [name for name, service in services.items() if f"keys:{folder}" in service["volumes"]] == ["collector"]
    assert "keys" in read_yaml(COMPOSE)["volumes"]
    # A new volume has the owner and the permissions of the folder in the image.
    [made] = [text for instruction in all_of(RUNTIME, "RUN") if "install" in (text := instruction.text)]
    assert f"install --directory --owner=10001 --mode=700 {folder}" in made
    # A mixer holds no key that opens reports.
    assert not any("key" in text.lower() for text in json.dumps(mixer_services["mixer"]).split('"'))


def test_a_mixer_runs_from_the_same_image_apart_from_the_collector(
    services: dict[str, Any], mixer_services: dict[str, Any]
) -> None:
    mixer, proxy = mixer_services["mixer"], mixer_services["proxy"]
    assert mixer["build"] == services["collector"]["build"]
    assert mixer["command"] == ["pckv", "mix", "serve"]
    hardening = ("cap_drop", "read_only", "security_opt", "tmpfs")
    assert {name: mixer[name] for name in hardening} == {name: services["collector"][name] for name in hardening}
    # TLS ends on this machine, only the proxy is reachable, and no database keeps the order of arrival.
    assert mixer_services.keys() == {"mixer", "proxy"}
    assert [name for name, service in mixer_services.items() if "ports" in service] == ["proxy"]
    assert proxy["image"] == services["proxy"]["image"]
    port = re.findall(r"127\.0\.0\.1:(\d+)/readyz", mixer["healthcheck"]["test"][-1])
    assert mixer["environment"]["PCKV_MIX_STORE"].startswith("sqlite:////data/")
    caddy = (DEPLOY / "Caddyfile.mixer").read_text(encoding="utf-8")
    assert re.findall(r"reverse_proxy mixer:(\d+)", caddy) == port
    assert "header_up -X-Forwarded-For" in caddy
    assert not re.search(r"^\s*log\b", caddy, re.MULTILINE)
    # Both names come from one file, without which compose stops.
    domain = "${PCKV_MIX_DOMAIN:?write it into deploy/mixer.env}"
    assert mixer["environment"]["PCKV_MIX_ORIGIN"] == f"https://{domain}"
    assert proxy["environment"] == {"PCKV_MIX_DOMAIN": domain}


def test_the_settings_of_a_mixer_are_those_of_the_compose_file(mixer_services: dict[str, Any]) -> None:
    given = {
        name: re.sub(r"\$\{.+\}", "mix.example", text) for name, text in mixer_services["mixer"]["environment"].items()
    }
    loaded = load_mixer_settings({}, environment() | given)
    assert {name: str(getattr(loaded, name.removeprefix("PCKV_MIX_").lower())) for name in given} == given
    assert f":{loaded.port}/readyz" in mixer_services["mixer"]["healthcheck"]["test"][-1]


def test_the_mixer_of_the_compose_file_starts_and_is_healthy(mixer_services: dict[str, Any], tmp_path: Path) -> None:
    """Its command, environment and health check, as plain processes; only the port is another."""
    mixer, port = mixer_services["mixer"], unused_port()
    given = {name: re.sub(r"\$\{.+\}", "mix.example", text) for name, text in mixer["environment"].items()}
    settings = load_mixer_settings({}, environment() | given)
    (tmp_path / "data").mkdir()
    variables = {name: relocated(text, tmp_path) for name, text in (environment() | given).items()}
    variables |= {"PCKV_MIX_PORT": str(port), "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    variables |= {"PYTHONPATH": os.environ.get("PYTHONPATH", ""), "HOME": str(tmp_path)}
    check = [text.replace(f":{settings.port}/", f":{port}/") for text in mixer["healthcheck"]["test"][1:]]
    with subprocess.Popen(mixer["command"], env=variables, cwd=tmp_path / "data") as process:
        try:
            wait_until_healthy(check, variables)
        finally:
            process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0
    assert {"mixer.db", "operator.token"} <= {path.name for path in (tmp_path / "data").iterdir()}


def wait_until_healthy(check: list[str], variables: dict[str, str]) -> None:
    for _ in range(60):
        time.sleep(1)
        done = subprocess.run(check, env=variables, check=False, capture_output=True)
        if done.returncode == 0:
            break
    assert done.returncode == 0, done.stderr


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
            wait_until_healthy(health.command, variables)
        finally:
            collector.send_signal(signal.SIGTERM)
        assert collector.wait(30) == 0
    assert {"pckv.db", "admin.token"} <= {path.name for path in (tmp_path / "data").iterdir()}
