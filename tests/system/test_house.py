"""The house: public names, what loads what, bare environments, and documents that keep up."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import click
import pytest

import pckv
from pckv import errors
from pckv.channels import MECHANISMS
from pckv.cli import main
from pckv.estimators.estimate import METHODS
from support.parts import missing_part

ROOT = Path(__file__).parents[2]
BARE = ROOT / ".venv" / "bare"
LONGEST_FILE = 400


def python(script: str, interpreter: str | Path = sys.executable) -> str:
    """What a script prints in an interpreter of its own."""
    done = subprocess.run([str(interpreter), "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_public_names() -> None:
    assert pckv.__all__ == [
        "Estimates",
        "PckvError",
        "Plan",
        "Report",
        "Tally",
        "Task",
        "audit",
        "estimate",
        "perturb",
        "plan",
        "simulate",
    ]
    assert sorted(pckv.__all__) == pckv.__all__
    assert set(pckv.__all__) == set(pckv._HOMES)
    for name in pckv.__all__:
        assert inspect.getdoc(getattr(pckv, name))
    assert "Task" in dir(pckv)
    with pytest.raises(AttributeError, match="no attribute 'Tusk'"):
        _ = pckv.Tusk


def test_a_device_loads_no_numpy() -> None:
    python(
        "import sys, pckv, pckv.client, pckv.device\n"
        "task = pckv.Task(name='t', keys=3, values=(0, 1), epsilon=1)\n"
        "pckv.perturb(task, {'1': 1})\n"
        "loaded = {name.split('.')[0] for name in sys.modules} & {'numpy', 'click', 'rich', 'pyarrow'}\n"
        "assert not loaded, loaded"
    )


def test_every_error_has_a_code_of_its_own() -> None:
    tree = [
        kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, errors.PckvError)
    ]
    codes = [kind.code for kind in tree if kind is not errors.ReportError]
    assert len(codes) == len(set(codes))
    assert errors.__doc__ is not None
    for kind in tree:
        assert kind.__name__ in errors.__doc__


def test_constraints_pin_versions_and_name_no_registry() -> None:
    text = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    assert "://" not in text
    assert all(re.fullmatch(r"[A-Za-z0-9._-]+==[^\s]+", line) for line in text.splitlines())
    assert "://" not in (ROOT / "Makefile").read_text(encoding="utf-8")


def test_every_mechanism_and_method_has_a_proof() -> None:
    for name in (*MECHANISMS, "corrected", "intervals"):
        assert (ROOT / "proofs" / f"{name}.md").is_file()
    for channel in MECHANISMS.values():
        module = inspect.getmodule(channel)
        assert module is not None
        assert f"proofs/{channel.name}.md" in (module.__doc__ or "")


def test_documents_keep_up() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert readme.index("make demo") < readme.index("make test") < 300
    for linked in re.findall(r"\]\((?!http)([^)#]+)\)", readme):
        assert (ROOT / linked).exists(), linked
    docs = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "docs").glob("*.md"))
    for name in (*MECHANISMS, *METHODS):
        assert f"`{name}`" in docs
    version = pckv.__version__
    assert f"## {version}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def commands(group: click.Group, prefix: str = "pckv") -> dict[str, click.Command]:
    found: dict[str, click.Command] = {}
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            found |= commands(command, f"{prefix} {name}")
        else:
            found[f"{prefix} {name}"] = command
    return found


def test_every_command_teaches() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for name, command in commands(main).items():
        assert command.help, name
        assert name in readme or name == "pckv demo", name
        for parameter in command.params:
            if isinstance(parameter, click.Option):
                assert parameter.help or parameter.name == "out", (name, parameter.name)


def test_files_stay_short() -> None:
    for path in (ROOT / "src").rglob("*.py"):
        assert len(path.read_text(encoding="utf-8").splitlines()) <= LONGEST_FILE, path


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
        "from pckv.charts import chart_svg, estimates_chart\n"
        "estimates = pckv.estimate(pckv.Tally(pckv.Task(name='t', keys=3, values=(0, 1), epsilon=1)))\n"
        "assert chart_svg(estimates_chart(estimates)).startswith('<svg')\n"
    ),
    "duckdb": (
        "import sys, tempfile, pathlib, numpy, pckv\n"
        "from pckv.counting.job import Job, find_engine\n"
        "from pckv.files.reports.format import ReportFile, write_reports\n"
        "task = pckv.Task(name='t', keys=3, values=(0, 1), epsilon=1, mechanism='grr')\n"
        "path = pathlib.Path(tempfile.mkdtemp()) / 'a.parquet'\n"
        "write_reports(path, task, [(numpy.zeros((2, 16), numpy.uint8), numpy.array([1, 2]))])\n"
        "assert find_engine('duckdb')(Job(task, (ReportFile(path, task),))).tally.reports == 2\n"
    ),
    "serve": (
        "import tempfile\n"
        "from pckv.collector.app import create_app\n"
        "from pckv.collector.settings import Settings\n"
        "from pckv.store import open_store\n"
        "store = open_store(f'sqlite:///{tempfile.mkdtemp()}/a.db')\n"
        "store.prepare()\n"
        "assert create_app(store, Settings()).openapi()['paths']\n"
    ),
    "postgres": (
        "from pckv.store import open_store\n"
        "from pckv.errors import StoreError\n"
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
    "lab": (
        "import numpy, pckv\n"
        "from pckv.charts import chart_svg\n"
        "from pckv.cli.simulate import errors_chart\n"
        "from pckv.lab.populations import uniform\n"
        "dataset = uniform(500, 4, numpy.random.default_rng(0))\n"
        "rows = pckv.simulate(dataset, epsilon=['1', '2'], mechanism=['ue', 'kvue'], repeats=2)\n"
        "assert chart_svg(errors_chart(dataset, rows)).startswith('<svg')\n"
    ),
}


@pytest.mark.parametrize("extra", EXTRA_SCRIPTS)
def test_each_extra_brings_what_it_needs(extra: str) -> None:
    """In an environment with nothing else, running this very source."""
    interpreter = BARE / extra / "bin" / "python"
    if not interpreter.exists():
        missing_part(f"the bare environment for {extra} (make test sets it up)")
    python(f"import sys; sys.path.insert(0, {str(ROOT / 'src')!r})\n" + EXTRA_SCRIPTS[extra], interpreter)


def test_a_missing_extra_is_one_line_on_the_command_line(tmp_path: Path) -> None:
    interpreter = BARE / "core" / "bin" / "python"
    if not interpreter.exists():
        missing_part("the bare environment (make test sets it up)")
    script = f"import sys; sys.path.insert(0, {str(ROOT / 'src')!r}); from pckv.cli import main; main(['demo', '--out', {str(tmp_path)!r}])"
    done = subprocess.run([str(interpreter), "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == "pckv: this needs 'altair': pip install 'pckv[charts]'\n"


def test_extras_are_the_designs() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert set(project["optional-dependencies"]) == {
        "files", "pandas", "charts", "lab", "serve", "postgres", "duckdb", "spark", "all",
    }  # fmt: skip
