"""The command line: one module per command or group, mirroring the library."""

from __future__ import annotations

from pckv.cli.program import main

__all__ = ["main"]
