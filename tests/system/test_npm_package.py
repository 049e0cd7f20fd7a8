"""The JavaScript client as others install it: the tarball of npm, its types, and a bundle."""

from __future__ import annotations

import gzip
import json
import re
import tarfile
from base64 import urlsafe_b64decode
from pathlib import Path
from typing import Any

import pytest

import pckv
from pckv import Task
from pckv.mechanisms.registry import LAWS
from support.node import CLIENT
from support.npm import npm, run_node, run_tool
from support.parts import ROOT

PAIRS = {"alien": 5, "heat": 2}
# The most bytes of the whole client, series included, as one minified and compressed file.
MAX_BUNDLE_BYTES = 21_500
# A page's script, run by Node.
APP = """
import { PckvError, Task, perturb } from "pckv";
import { Series, SeriesClient } from "pckv/series.js";

const { texts, pairs } = JSON.parse(process.argv[2]), encoded = (bytes) => Buffer.from(bytes).toString("base64url");
const reports = [];
for (const text of texts) {
  const task = await Task.fromJson(text), { id, body } = perturb(task, pairs);
  reports.push({ task: task.id, id: encoded(id), body: encoded(body) });
}
let code;
await Task.fromJson("{}").catch((error) => (code = error instanceof PckvError && error.code));
await Series.fromJson("{}").catch((error) => (code += error instanceof PckvError && ` ${error.code}`));
new SeriesClient("https://collect.example", { capPerPeriod: { epsilon: 3, days: 365 } });
console.log(JSON.stringify({ reports, code }));
"""
# What a developer writes, with mistakes that the types must find.
TYPED = """
import { Client, PckvError, Task, coinOf, fetchTask, perturb, type Pairs, type Receipt, type Report } from "pckv";
import { Series, SeriesClient, type RoundReceipt } from "pckv/series.js";

export async function answer(url: string, id: string, pairs: Pairs): Promise<Receipt["status"] | undefined> {
  const client = new Client(url, { cap: "3", retryPolicy: { tries: 2 } });
  const task: Task = await fetchTask(url, id);
  const report: Report = perturb(task, new Map([["alien", 5]]), { coin: await coinOf(task, new Uint8Array(16)) });
  if (task.low === null) return (await client.submit(id, ["alien", "heat"])).status;
  if (task.phase() !== "open" || task.says(report.body, "alien").includes(4) || task.about.question) return undefined;
  try {
    return (await client.submit(id, pairs, { invitation: "a" })).status;
  } catch (error) {
    if (error instanceof PckvError && error.code === "closed") return undefined;
    throw error;
  }
}

export async function repeat(url: string, id: string, pairs: Pairs): Promise<RoundReceipt["due"]> {
  const client: Client = new SeriesClient(url, { capPerPeriod: { epsilon: "3", days: 365 }, clock: () => new Date() });
  const series: Series = await Series.fromJson("{}");
  const [entry] = await client.ledger(), last: number | undefined = entry?.round ?? series.roundOn("2030-01-07");
  if (last === 1 || (await series.taskOf(2)).series?.round === last || !(await client.capPerPeriod())?.days) return undefined;
  const { status, due } = await new SeriesClient(url).report(id, pairs, { spread: 0.5 });
  return status === "not_due" ? due : undefined;
}

export async function worth(report: Report): Promise<number | undefined> {
  const task = await Task.fromJson("{}"), [level] = task.says(report.body, "alien");
  const named: readonly string[] = typeof task.levels === "number" ? [] : task.levels;
  return task.between === "refuse" && named.length && level !== undefined ? task.levelValues[level] : task.odds.held;
}

// @ts-expect-error: a client of tasks has no rounds.
new Client("https://collect.example").report("id", {});
// @ts-expect-error: values are numbers.
await answer("https://collect.example", "id", { alien: "5" });
// @ts-expect-error: tasks are read, not made.
new Task();
// @ts-expect-error: a task cannot be changed.
(await Task.fromJson("{}")).epsilon = "9";
"""


@pytest.fixture(scope="module")
def tarball(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("packed")
    [packed] = json.loads(npm("pack", str(CLIENT), "--json", folder=folder))
    assert (packed["name"], packed["version"]) == ("pckv", pckv.__version__)
    return folder / str(packed["filename"])


@pytest.fixture(scope="module")
def project(tarball: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty project that has installed the tarball, without a network."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "package.json").write_text('{"private": true, "type": "module"}', encoding="utf-8")
    (folder / "app.js").write_text(APP, encoding="utf-8")
    (folder / "app.mts").write_text(TYPED, encoding="utf-8")
    npm("install", str(tarball), "--offline", "--ignore-scripts", folder=folder)
    return folder


@pytest.fixture(scope="module")
def tasks() -> list[Task]:
    """A task per mechanism, with the size question and with levels where there may be some."""
    given: dict[str, Any] = {"keys": ["alien", "heat", "up"], "values": (1, 5), "epsilon": 2, "padding": 2}
    return [Task(name=name, mechanism=name, levels=2 if name == "ue" else [1, 2, 3, 4, 5], **given) for name in LAWS]


def check_reports(tasks: list[Task], printed: dict[str, Any]) -> None:
    """Check that there is one report per task, which its tally takes."""
    assert printed["code"] == "bad_task bad_series"
    assert [report["task"] for report in printed["reports"]] == [task.id for task in tasks]
    for task, report in zip(tasks, printed["reports"], strict=True):
        tally = pckv.Tally(task)
        tally.add(pckv.Report(id=decoded(report["id"]), body=decoded(report["body"])))
        assert tally.reports == 1


def decoded(text: str) -> bytes:
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


def given(tasks: list[Task]) -> dict[str, Any]:
    return {"texts": [task.to_json() for task in tasks], "pairs": PAIRS}


def test_the_tarball_holds_the_client_and_nothing_else(tarball: Path) -> None:
    with tarfile.open(tarball) as opened:
        packed = {member.name.removeprefix("package/"): member.size for member in opened if not member.isdir()}
    files = [path for path in CLIENT.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    assert packed == {path.relative_to(CLIENT).as_posix(): path.stat().st_size for path in files}
    assert {"LICENSE", "README.md", "index.d.ts", "package.json"} <= packed.keys()
    assert (CLIENT / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()
    assert f"npm install ./{tarball.name}" in (CLIENT / "README.md").read_text(encoding="utf-8")


def test_the_package_says_what_registries_ask_for() -> None:
    package = json.loads((CLIENT / "package.json").read_text(encoding="utf-8"))
    assert {
        "description",
        "keywords",
        "license",
        "exports",
        "types",
        "files",
        "sideEffects",
    } <= package.keys()
    # Nothing runs on install, and nothing else is installed.
    assert not {"scripts", "dependencies", "repository", "bin"} & package.keys()


def test_an_installed_package_makes_reports(project: Path, tasks: list[Task]) -> None:
    check_reports(tasks, run_node("app.js", given(tasks), project))


def test_the_types_fit_what_developers_write(project: Path) -> None:
    options = ("--strict", "--noEmit", "--target", "es2022", "--lib", "es2022,dom", "--module", "nodenext")
    done = run_tool("tsc", *options, "app.mts", folder=project)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("splitting", [True, False], ids=["split", "one-file"])
def test_a_bundle_makes_reports(project: Path, tasks: list[Task], tmp_path: Path, splitting: bool) -> None:
    """The bundle is run where nothing is installed; a page that splits code loads a mechanism when it needs it."""
    how = ("--bundle", "--minify", "--format=esm", "--platform=browser")
    split = ("--splitting",) if splitting else ()
    done = run_tool("esbuild", "app.js", *how, *split, f"--outdir={tmp_path}", folder=project)
    assert done.returncode == 0, done.stderr
    assert "warning" not in done.stderr.lower(), done.stderr
    (tmp_path / "package.json").write_text('{"type": "module"}', encoding="utf-8")
    check_reports(tasks, run_node("app.js", given(tasks), tmp_path))
    parts = {re.sub(r"-[A-Z0-9]{8}\.js$", "", path.name) for path in tmp_path.glob("*-*.js")}
    assert (
        parts >= {*LAWS, "size-question", "unlisted", "discovery", "mixed", "translations"} if splitting else not parts
    )
    if not splitting:
        assert len(gzip.compress((tmp_path / "app.js").read_bytes(), mtime=0)) < MAX_BUNDLE_BYTES
        assert f"under {MAX_BUNDLE_BYTES / 1000:g} kB" in (CLIENT / "README.md").read_text(encoding="utf-8")
