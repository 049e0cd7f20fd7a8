"""Public names, error codes, and what importing a package loads."""

from __future__ import annotations

import inspect
import re
from importlib import import_module

import pytest

import pckv
from pckv.base import errors
from pckv.mechanisms.registry import LAWS
from support.parts import ROOT
from support.scripts import run_script

PUBLIC_NAMES = {
    "pckv": [
        "Dataset",
        "Discovery",
        "Estimates",
        "Mixer",
        "PckvError",
        "Plan",
        "Report",
        "Segment",
        "Series",
        "Tally",
        "Task",
        "Trend",
        "audit",
        "discover",
        "estimate",
        "perturb",
        "perturb_frame",
        "plan",
        "plan_discovery",
        "read_ratings",
        "shuffled_privacy",
        "simulate",
        "tally_frame",
        "trend",
    ],
    "pckv.client": [
        "CentralClaim",
        "Client",
        "LedgerEntry",
        "PeriodCap",
        "Receipt",
        "RetryPolicy",
        "RoundReceipt",
        "RoundStatus",
        "Status",
    ],
}


@pytest.mark.parametrize("package", PUBLIC_NAMES)
def test_public_names_are_pinned_and_documented(package: str) -> None:
    module, page = (
        import_module(package),
        (ROOT / "docs" / "reference" / "python.md").read_text(encoding="utf-8"),
    )
    assert module.__all__ == PUBLIC_NAMES[package] == sorted(module.__all__)
    for name in module.__all__:
        assert inspect.getdoc(getattr(module, name)), name
        assert re.search(rf"\b{name}\b", page), name


def test_the_function_for_spark_is_documented() -> None:
    name = "pckv.counting.engines.spark"
    assert inspect.getdoc(import_module(name).tally)
    assert f"`{name}.tally(frame, task)`" in (ROOT / "docs" / "reference" / "python.md").read_text(encoding="utf-8")


def test_names_of_the_package_are_loaded_on_first_use() -> None:
    assert set(pckv.__all__) == set(pckv._HOMES)
    assert "Task" in dir(pckv)
    with pytest.raises(AttributeError, match="no attribute 'Tusk'"):
        _ = pckv.Tusk


# What a device never needs: choosing a mechanism is the task author's work, estimating the collector's.
NOT_FOR_DEVICES = (
    "planning",
    "prediction",
    "tuning",
    "selection",
    "theory",
    "numpy",
    "click",
    "rich",
    "pyarrow",
    "cryptography",
)


@pytest.mark.parametrize("mechanism", LAWS)
@pytest.mark.parametrize("package", ["pckv.client", "pckv.device.perturb"])
def test_a_device_loads_neither_planning_nor_numpy(package: str, mechanism: str) -> None:
    task = pckv.Task(name="t", keys=3, values=(0, 1), epsilon=1, padding=1, mechanism=mechanism)
    run_script(
        f"import sys, pckv, {package}\n"
        f"task = pckv.Task.from_json({task.to_json()!r})\n"
        "pckv.perturb(task, {'1': 1})\n"
        f"loaded = [name for name in sys.modules if any(part in name for part in {NOT_FOR_DEVICES!r})]\n"
        "assert not loaded, loaded"
    )


# The import contracts see no module that is loaded by its name, as the parts of mechanisms are.
SERVER_SCRIPT = """
import importlib, pkgutil, sys
from pckv import Tally, Task, estimate
for name in ("tally", "estimators", "files", "counting", "charts", "store", "collector", "web"):
    package = importlib.import_module(f"pckv.{name}")
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        importlib.import_module(module.name)
for mechanism in ("ue", "grr", "ue-compact", "collision"):
    estimate(Tally(Task(name="t", keys=3, values=(0, 1), epsilon=1, mechanism=mechanism)))
%s
kept = ("pckv.device", "pckv.base.randomness", "pckv.base.seeded", "pckv.shuffling", "pckv.mechanisms.padding")
loaded = [name for name in sys.modules if name.startswith(kept) or name.endswith(".device")]
assert not loaded, loaded
"""


def test_a_server_loads_no_code_of_devices() -> None:
    run_script(SERVER_SCRIPT % "")
    with pytest.raises(AssertionError, match=r"mechanisms\.grr\.device"):
        run_script(SERVER_SCRIPT % "importlib.import_module('pckv.mechanisms.registry').load_part('grr', 'sampler')")


# A mixer draws its own randomness, and can neither make nor open reports.
MIXER_SCRIPT = """
import importlib, pkgutil, sys
package = importlib.import_module("pckv.mixing")
for module in pkgutil.walk_packages(package.__path__, "pckv.mixing."):
    importlib.import_module(module.name)
kept = ("pckv.device", "pckv.client", "pckv.base.seeded", "pckv.mechanisms.padding", "cryptography", "pckv.sealing.seal",
        "pckv.sealing.recipient_key", "pckv.sealing.opening", "pckv.estimators", "pckv.tally.loops")
loaded = [name for name in sys.modules if name.startswith(kept) or name.endswith(".device")]
assert not loaded, loaded
"""


def test_a_mixer_loads_no_code_of_devices_or_recipients() -> None:
    run_script(MIXER_SCRIPT)


def test_importing_the_package_loads_no_numpy() -> None:
    run_script("import sys, pckv\nassert 'numpy' not in sys.modules")


def test_every_error_has_a_code_of_its_own() -> None:
    tree = [kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, errors.PckvError)]
    codes = [kind.code for kind in tree if kind is not errors.ReportError]
    assert len(codes) == len(set(codes))
    assert errors.__doc__ is not None
    for kind in tree:
        assert kind.__name__ in errors.__doc__
