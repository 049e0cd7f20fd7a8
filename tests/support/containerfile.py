"""The instructions of a Containerfile, as far as the project's own uses them."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Instruction:
    """One instruction, such as RUN or COPY, with the rest of its line."""

    name: str
    text: str

    @property
    def words(self) -> list[str]:
        """The words of a COPY or ENV, without its flags."""
        return [word for word in self.text.split() if not word.startswith("--")]

    @property
    def command(self) -> list[str]:
        """The command of a CMD or HEALTHCHECK, which is a JSON list."""
        words: list[str] = json.loads(self.text[self.text.index("[") :])
        return words


def stages(path: Path) -> list[list[Instruction]]:
    """Return the instructions of every stage of a build; each begins with FROM."""
    text = re.sub(r"^#.*\n", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    lines = [line for line in re.sub(r"\\\n\s*", "", text).splitlines() if line.strip()]
    found: list[list[Instruction]] = []
    for line in lines:
        name, _, rest = line.partition(" ")
        if name == "FROM":
            found.append([])
        found[-1].append(Instruction(name, rest))
    return found
