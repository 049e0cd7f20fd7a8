"""Faults planted into the source of a module: the rest of it stays as it is shipped."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

SOURCE = Path(__file__).parents[2] / "src" / "pckv"


def faulty_module(file: str, right: str, wrong: str) -> ModuleType:
    """Return a module of the product with one text replaced, which must be there exactly once.

    Args:
        file: The module's file, relative to the package.
        right: The text as it is shipped.
        wrong: The text that stands in for it.
    """
    path = SOURCE / file
    text = path.read_text(encoding="utf-8")
    assert text.count(right) == 1, f"{file}: {right!r} is there {text.count(right)} times"
    name = "faulty_" + file.removesuffix(".py").replace("/", "_")
    spec = importlib.util.spec_from_loader(name, loader=None)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    # Data classes look their module up.
    sys.modules[name] = module
    exec(compile(text.replace(right, wrong), str(path), "exec"), vars(module))  # noqa: S102
    return module
