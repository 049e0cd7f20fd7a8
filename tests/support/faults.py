"""Planted faults: texts of one file of the product are replaced, and the check that a fault names must fail.

None of these faults would make an ordinary test of "it runs and the numbers look right" fail.
"""

from __future__ import annotations

import importlib.util
import inspect
import itertools
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import pytest

from pckv.base.errors import AuditFailure
from support.node import CLIENT

SOURCE = Path(__file__).parents[2] / "src" / "pckv"


@dataclass(frozen=True)
class Fault:
    """A fault of a file in Python or JavaScript, and the check that must catch it.

    Args:
        fault: What is wrong.
        file: The file, relative to the package or to the JavaScript client; its suffix is the language.
        replaced: The texts as they are shipped, and those that stand in for them.
        caught_by: A check of the faulty module, or of the folder of the faulty client.
        says: What the check must say.
    """

    fault: str
    file: str
    replaced: Mapping[str, str]
    caught_by: Callable[..., None]
    says: str | None = None

    def __str__(self) -> str:
        return self.fault

    @property
    def is_outdated(self) -> bool:
        """Whether the product does not have the texts any more, so that nothing would be planted."""
        in_python = self.file.endswith(".py")
        text = _shipped((SOURCE if in_python else CLIENT) / self.file) if self.file else ""
        return any(text.count(right) != 1 if in_python else right not in text for right in self.replaced)

    def check_caught(
        self, folder: Path, *more: Any, raises: type[Exception] | tuple[type[Exception], ...] = AuditFailure
    ) -> None:
        """Assert that the named check fails on this fault; a test of its own shows that it passes otherwise.

        Args:
            folder: Where a faulty client is written to.
            more: What else the check is given.
            raises: The error of the check.
        """
        planted: Any = None
        if self.file:
            in_python = self.file.endswith(".py")
            planted = (
                faulty_module(self.file, self.replaced)
                if in_python
                else faulty_client(folder, self.file, self.replaced)
            )
        with pytest.raises(raises, match=self.says):
            self.caught_by(planted, *more)


def in_place(
    fault: str, file: str, replaced: Mapping[str, str], check: Callable[..., object], says: str | None = None
) -> Fault:
    """Return a fault of code in Python that is planted into the running product while a check runs."""

    def caught_by(_: ModuleType, *more: Any) -> None:
        with pytest.MonkeyPatch.context() as patch:
            in_source(file, replaced)(patch)
            check(*more)

    return Fault(fault, file, replaced, caught_by, says)


def stand_in(fault: str, subject: Any, caught_by: Callable[[Any], None], says: str | None = None) -> Fault:
    """Return a fault of a part that has no line of its own in the source: another part stands in for it."""
    return Fault(fault, "", {}, lambda _: caught_by(subject), says)


@cache
def _shipped(path: Path) -> str:
    return path.read_text(encoding="utf-8")


Plant = Callable[[pytest.MonkeyPatch], None]


def replaced(owner: Any, name: str, wrap: Callable[[Any], Any]) -> Plant:
    """Replace something by what `wrap` makes of it."""
    return lambda patch: patch.setattr(owner, name, wrap(getattr(owner, name)))


@dataclass(frozen=True)
class PatchedFault:
    """A fault that is patched into the running product, and the check that must catch it."""

    fault: str
    plant: Plant
    caught_by: Callable[..., None]

    def __str__(self) -> str:
        return self.fault


def faulty_module(file: str, replaced: Mapping[str, str]) -> ModuleType:
    """Return a module of the product with some texts replaced, each of which must be there exactly once."""
    path = SOURCE / file
    text = path.read_text(encoding="utf-8")
    for right, wrong in replaced.items():
        assert text.count(right) == 1, f"{file}: {right!r} is there {text.count(right)} times"
        text = text.replace(right, wrong)
    name = "faulty_" + file.removesuffix(".py").replace("/", "_")
    spec = importlib.util.spec_from_loader(name, loader=None)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    # Data classes look their module up.
    sys.modules[name] = module
    exec(compile(text, str(path), "exec"), vars(module))  # noqa: S102
    return module


def in_source(file: str, replaced: Mapping[str, str]) -> Plant:
    """Plant a fault into the running product: functions that differ run the faulty code, wherever they are held."""

    def plant(patch: pytest.MonkeyPatch) -> None:
        shipped = import_module("pckv." + file.removesuffix(".py").replace("/", "."))
        wrong, right = _functions(faulty_module(file, replaced)), _functions(shipped)
        changed = [name for name in right if not _are_alike(right[name], wrong[name])]
        # An assertion would look as if the fault had been caught.
        if not changed:
            pytest.fail(f"{file}: no function differs")
        for name in changed:
            patch.setattr(right[name], "__code__", wrong[name].__code__)
            patch.setattr(right[name], "__defaults__", wrong[name].__defaults__)
            patch.setattr(right[name], "__kwdefaults__", wrong[name].__kwdefaults__)

    return plant


def _functions(module: ModuleType) -> dict[str, FunctionType]:
    """Return the functions of a module, and the methods and properties of its classes, by name."""
    found: dict[str, FunctionType] = {}
    owners: list[Any] = [module, *(each for each in vars(module).values() if isinstance(each, type))]
    for owner in owners:
        for name, member in vars(owner).items():
            # What properties, class methods, cached properties, commands and decorators hold.
            for held in ("fget", "__func__", "func", "callback"):
                member = getattr(member, held, None) or member  # noqa: PLW2901
            function = inspect.unwrap(member)
            if isinstance(function, FunctionType) and function.__module__ == module.__name__:
                found[f"{owner.__name__.removeprefix(module.__name__)}.{name}"] = function
    return found


def _are_alike(one: FunctionType, other: FunctionType) -> bool:
    defaults = ((function.__defaults__, function.__kwdefaults__) for function in (one, other))
    return _do_the_same(one.__code__, other.__code__) and next(defaults) == next(defaults)


def _do_the_same(one: CodeType, other: CodeType) -> bool:
    """Return whether the code of two functions is the same, on whatever lines it stands."""
    if (one.co_code, one.co_names, one.co_varnames) != (other.co_code, other.co_names, other.co_varnames):
        return False
    return len(one.co_consts) == len(other.co_consts) and all(
        _do_the_same(mine, yours) if isinstance(mine, CodeType) and isinstance(yours, CodeType) else mine == yours
        for mine, yours in zip(one.co_consts, other.co_consts, strict=True)
    )


def faulty_class(module: ModuleType, right: type) -> Any:
    """Return the class of a faulty module, as a subclass of the right one, which it takes the place of."""
    return type(right.__name__, (getattr(module, right.__name__), right), {})


# A process loads a folder once, and temporary folders get the names of those that were deleted.
_numbers = itertools.count()


def faulty_client(folder: Path, file: str, replaced: Mapping[str, str], client: Path = CLIENT) -> Path:
    """Copy a client with some texts of one file replaced."""
    copy = folder / f"client {next(_numbers)}"
    shutil.copytree(client, copy)
    text = (copy / file).read_text(encoding="utf-8")
    for right, wrong in replaced.items():
        assert right in text
        text = text.replace(right, wrong)
    (copy / file).write_text(text, encoding="utf-8")
    return copy
