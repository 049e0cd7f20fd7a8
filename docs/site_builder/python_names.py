"""The reference of the Python library, made from the docstrings of its public names."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from typing import Any

from site_builder.pages import Fault

PACKAGES = ("pckv", "pckv.client")
FUNCTIONS = ("pckv.counting.engines.spark.tally",)


def public_names() -> Iterator[tuple[str, Any]]:
    """Yield every public name in full, with what it names."""
    for package in PACKAGES:
        module = import_module(package)
        for name in module.__all__:
            yield f"{package}.{name}", getattr(module, name)
    for path in FUNCTIONS:
        package, _, name = path.rpartition(".")
        yield path, getattr(import_module(package), name)


def undocumented_names() -> Iterator[Fault]:
    """Yield every public name or member without a docstring, and every parameter that none describes."""
    for path, value in public_names():
        yield from _faults(path, value)
        for name, member in _members(path, value):
            if not inspect.getdoc(member):
                yield Fault(name, "undocumented public name")


def python_sections() -> str:
    """Return a section per public name, which Sphinx fills from its docstring."""
    lines = []
    for path, value in public_names():
        directive = "autoclass" if inspect.isclass(value) else "autofunction"
        options = ["   :members:"] if inspect.isclass(value) else []
        home = f"{value.__module__}.{value.__qualname__}"
        title = path if path in FUNCTIONS else f"{path.rpartition('.')[0]}.{value.__name__}"
        lines += [f"### `{title}`", "", "```{eval-rst}", f".. {directive}:: {home}", *options, "```", ""]
    return "\n".join(lines)


def _members(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    if not inspect.isclass(value):
        return
    for name, member in vars(value).items():
        plain = member.__func__ if isinstance(member, classmethod | staticmethod) else member
        if not name.startswith("_") and (inspect.isfunction(plain) or isinstance(plain, property)):
            yield f"{path}.{name}", plain


def _faults(name: str, value: Any) -> Iterator[Fault]:
    text = inspect.getdoc(value) or ""
    if not text:
        yield Fault(name, "undocumented public name")
    if inspect.isfunction(value):
        for parameter in inspect.signature(value).parameters:
            if parameter not in {"self", "cls"} and not re.search(
                rf"^\s+\**{parameter}:", text, re.MULTILINE
            ):
                yield Fault(name, f"undocumented parameter {parameter}")
