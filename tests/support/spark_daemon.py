"""The process that Spark starts its Python workers from, with all that they need: loading it takes longer than most tests.

A worker that fails is replaced, and tests let many fail. No module that is loaded here may start a thread,
which would be missing in the workers.
"""

from __future__ import annotations

import threading
from importlib import import_module

from pyspark.daemon import manager

if __name__ == "__main__":
    for name in ("pyspark.worker", "pyarrow", "pandas", "pckv.counting.engines.spark"):
        import_module(name)
    assert threading.active_count() == 1
    manager()
