"""Build the documentation: `python -m site_builder OUT`, with docs/ on the path."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from site_builder.build import build
from site_builder.pages import Fault

ROOT = Path(__file__).parents[2]


def main() -> int:
    """Build the site, or say what is wrong with its pages."""
    parser = argparse.ArgumentParser(description="Build the documentation.")
    parser.add_argument("out", type=Path, help="The folder of the site.")
    faults: list[Fault] = build(ROOT, parser.parse_args().out)
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
