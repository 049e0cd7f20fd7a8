"""The reference of the Python library, made from the docstrings of its public names."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from enum import EnumType
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
    """Yield every public name or member that does not say what it is, takes, returns and raises."""
    for path, value in public_names():
        for name, member in ((path, value), *_members(path, value)):
            yield from undocumented_parts(name, member)


def undocumented_parts(name: str, value: Any) -> Iterator[Fault]:
    """Yield what the docstring of a function, class or property leaves out."""
    text = inspect.getdoc(value) or ""
    if not text:
        yield Fault(name, "undocumented public name")
    for parameter in _parameters(value):
        if not re.search(rf"^    \**{parameter}( \(.*\))?: |`{parameter}`", text, re.MULTILINE):
            yield Fault(name, f"undocumented parameter {parameter}")
    if inspect.isfunction(value):
        yield from _undocumented_results(name, value, text)


def _undocumented_results(name: str, function: Callable[..., Any], text: str) -> Iterator[Fault]:
    returned = inspect.signature(function).return_annotation
    if returned not in {None, "None"} and not re.search(r"^Returns?\b|^    Yields?\b", text, re.MULTILINE):
        yield Fault(name, "undocumented result")
    raises = re.search(r"^ +raise \w", inspect.getsource(function), re.MULTILINE)
    if raises and not re.search(r"^Raises:|`\w*Error`", text, re.MULTILINE):
        yield Fault(name, "undocumented error")


def python_sections() -> str:
    """Return a section per public name, which Sphinx fills from its docstring."""
    lines = []
    for path, value in public_names():
        directive = "autoclass" if inspect.isclass(value) else "autofunction"
        options = ["   :members:"] if inspect.isclass(value) else []
        home = f"{value.__module__}.{value.__qualname__}"
        lines += [f"### `{path}`", "", "```{eval-rst}", f".. {directive}:: {home}", *options, "```", ""]
    return "\n".join(lines)


def _members(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    if not inspect.isclass(value):
        return
    for name, member in vars(value).items():
        plain = member.__func__ if isinstance(member, classmethod | staticmethod) else member
        if not name.startswith("_") and (inspect.isfunction(plain) or isinstance(plain, property)):
            yield f"{path}.{name}", plain


def _parameters(value: Any) -> list[str]:
    """What a function or a constructor takes; an enumeration's names are its members."""
    if isinstance(value, EnumType):
        return list(value.__members__)
    if not (inspect.isfunction(value) or inspect.isclass(value)):
        return []
    return [name for name in inspect.signature(value).parameters if name not in {"self", "cls"}]
