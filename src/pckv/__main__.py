"""Run the command line: `python -m pckv`."""

from __future__ import annotations

from pckv.cli import main

# Processes that are started by multiprocessing import this module again.
if __name__ == "__main__":
    main(prog_name="pckv")
