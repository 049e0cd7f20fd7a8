"""Every extra installs what it needs, and a missing one is one clear line."""

from __future__ import annotations

import subprocess
import tomllib
from pathlib import Path

import pytest

from support.parts import ROOT, missing_part
from support.scripts import run_script

BARE = ROOT / ".venv" / "bare"


EXTRA_SCRIPTS = {
    "core": (
        "import pckv\n"
        "from pckv.cli import main\n"
        "task = pckv.Task(name='t', keys=3, values=(0, 1), epsilon=1)\n"
        "tally = pckv.Tally(task)\n"
        "tally.add_many(pckv.perturb(task, {'1': 1}) for _ in range(9))\n"
        "estimates = pckv.estimate(tally)\n"
        "assert estimates.to_csv() and pckv.plan(keys=3, users=9, epsilon=1) and pckv.audit(task).holds\n"
        "for form, extra in (('to_arrow', 'files'), ('to_pandas', 'pandas')):\n"
        "    try:\n"
        "        getattr(estimates, form)()\n"
        "    except pckv.PckvError as error:\n"
        "        assert f'pip install \\'pckv[{extra}]\\'' in str(error), error\n"
        "    else:\n"
        "        raise AssertionError(form)\n"
        "from pckv.sealing.seal import try_seal\n"
        "try:\n"
        "    try_seal(8, bytes([9, *bytes(31)]), task.digest)\n"
        "except pckv.PckvError as error:\n"
        "    assert 'pip install \\'pckv[sealed]\\'' in str(error), error\n"
        "else:\n"
        "    raise AssertionError('sealed')\n"
    ),
    "files": (
        "import pckv\n"
        "estimates = pckv.estimate(pckv.Tally(pckv.Task(name='t', keys=3, values=(0, 1), epsilon=1)))\n"
        "assert estimates.to_arrow().num_rows == 3\n"
    ),
    "pandas": (
        "import pckv\n"
        "estimates = pckv.estimate(pckv.Tally(pckv.Task(name='t', keys=3, values=(0, 1), epsilon=1)))\n"
        "assert len(estimates.to_pandas()) == 3\n"
    ),
    "charts": (
        "import pckv\n"
        "from pckv.charts.estimates import chart_svg, estimates_chart\n"
        "estimates = pckv.estimate(pckv.Tally(pckv.Task(name='t', keys=3, values=(0, 1), epsilon=1)))\n"
        "assert chart_svg(estimates_chart(estimates)).startswith('<svg')\n"
    ),
    "duckdb": (
        "import sys, tempfile, pathlib, numpy, pckv\n"
        "from pckv.counting.job import Job, find_engine\n"
        "from pckv.files.reports.reader import ReportFile\n"
        "from pckv.files.reports.writer import write_reports\n"
        "task = pckv.Task(name='t', keys=3, values=(0, 1), epsilon=1, mechanism='grr')\n"
        "path = pathlib.Path(tempfile.mkdtemp()) / 'a.parquet'\n"
        "write_reports(path, task, [(numpy.zeros((2, 16), numpy.uint8), numpy.array([1, 2]))])\n"
        "assert find_engine('duckdb')(Job(task, (ReportFile(path, task),))).tally.reports == 2\n"
    ),
    "serve": (
        "import tempfile\n"
        "from pckv.collector.app import create_app\n"
        "from pckv.collector.http.settings import Settings\n"
        "from pckv.store import open_store\n"
        "store = open_store(f'sqlite:///{tempfile.mkdtemp()}/a.db')\n"
        "store.prepare()\n"
        "assert create_app(store, Settings()).openapi()['paths']\n"
        "import pckv.tally.loops\n"
    ),
    "postgres": (
        "from pckv.store import open_store\n"
        "from pckv.base.errors import StoreError\n"
        "try:\n"
        "    open_store('postgresql://nobody@127.0.0.1:1/nothing?connect_timeout=2').prepare()\n"
        "except StoreError:\n"
        "    pass\n"
        "else:\n"
        "    raise AssertionError\n"
    ),
    "spark": (
        "from pckv.counting.engines import spark\n"
        "import pyspark, pandas, pyarrow\n"
        "assert pyspark.__version__ >= '4' and spark.tally\n"
    ),
    "sealed": (
        "from pckv.sealing.opening import Opener\n"
        "from pckv.sealing.recipient_key import RecipientKey\n"
        "from pckv.sealing.seal import seal, try_seal\n"
        "key = RecipientKey.generate()\n"
        "try_seal(8, key.public_key, bytes(32))\n"
        "with Opener(key, bytes(32), 8) as opener:\n"
        "    assert opener.open(seal(b'12345678', key.public_key, bytes(32))).body == b'12345678'\n"
    ),
    "lab": (
        "import numpy, pckv\n"
        "from pckv.charts.estimates import chart_svg\n"
        "from pckv.cli.simulate import errors_chart\n"
        "from pckv.lab.populations import uniform\n"
        "dataset = uniform(500, 4, numpy.random.default_rng(0))\n"
        "rows = pckv.simulate(dataset, epsilon=['1', '2'], mechanism=['ue', 'kvue'], repeats=2)\n"
        "assert chart_svg(errors_chart(dataset, rows)).startswith('<svg')\n"
    ),
}


@pytest.mark.parametrize("extra", EXTRA_SCRIPTS)
def test_every_extra_installs_what_it_needs(extra: str) -> None:
    """Run this source in an environment that has nothing but the extra."""
    interpreter = BARE / extra / "bin" / "python"
    if not interpreter.exists():
        missing_part(f"the bare environment for {extra} (make test sets it up)")
    run_script(f"import sys; sys.path.insert(0, {str(ROOT / 'src')!r})\n" + EXTRA_SCRIPTS[extra], interpreter)


def test_a_missing_extra_is_one_line_on_the_command_line(tmp_path: Path) -> None:
    interpreter = BARE / "core" / "bin" / "python"
    if not interpreter.exists():
        missing_part("the bare environment (make test sets it up)")
    script = f"import sys; sys.path.insert(0, {str(ROOT / 'src')!r}); from pckv.cli import main; main(['demo', '--out', {str(tmp_path)!r}])"
    done = subprocess.run([str(interpreter), "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == "pckv: this needs 'altair': pip install 'pckv[charts]'\n"


def test_the_list_of_extras_is_pinned() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    parts = {"files", "pandas", "charts", "lab", "serve", "postgres", "duckdb", "spark", "sealed"}
    assert set(extras) == parts | {"all"}
    [everything] = extras["all"]
    assert set(everything.removeprefix("pckv[").removesuffix("]").split(",")) == parts
