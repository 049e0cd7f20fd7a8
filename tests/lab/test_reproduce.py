"""The paper's figures: computed, drawn, gathered, and continued where a run stopped."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path

import pytest
from click.testing import CliRunner

from pckv.base.errors import ParameterError
from pckv.cli import main
from pckv.files import outputs
from pckv.lab import reproduction
from pckv.lab.figures import claims
from pckv.lab.figures.claims import CLAIMS
from pckv.lab.figures.figure import FigureScale, averaged, from_csv, to_csv
from pckv.lab.figures.formulas import RULES, measured_crossover, phi, psi
from pckv.lab.figures.realdata import MissingData, goodbooks
from pckv.lab.reproduction import FIGURES, chosen_figures

PAPER = ("4", "6a", "6b", "6c", "7a", "7b", "8", "9", "10a", "10b", "10c", "10d", "11", "crossover")
SMALL = ("--repeats", "1", "--users", "3000", "--workers", "1")


@pytest.fixture(autouse=True, scope="module")
def simulate_the_sampling_term_once(request: pytest.FixtureRequest) -> Iterator[None]:
    """Every page states this number, which depends on nothing: by default of 2,000 repeats, with --all of 20,000."""
    repeats = {} if request.config.getoption("--all") else {"repeats": 2000}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(claims, "sampling_term", cache(partial(claims.sampling_term, **repeats)))
        yield


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Write empty pictures: drawing takes longer than anything else, and has tests of its own."""

    def save_nothing(_chart: object, path: Path, _form: str) -> None:
        path.touch()

    monkeypatch.setattr(reproduction, "save_chart", save_nothing)
    monkeypatch.setattr(reproduction, "chart_svg", lambda _chart: "<svg></svg>")


def run(*arguments: str | Path) -> tuple[int, str, str]:
    result = CliRunner().invoke(main, ["reproduce", *map(str, arguments)])
    return result.exit_code, result.stdout, result.stderr


def test_all_figures_of_the_paper_exist() -> None:
    assert tuple(FIGURES) == PAPER
    assert {figure for claim in CLAIMS for figure in claim.figures} <= set(PAPER)
    assert [figure.name for figure in chosen_figures(["6", "10a", "6b"])] == ["6a", "6b", "6c", "10a"]
    assert len(chosen_figures([])) == len(PAPER)
    with pytest.raises(ParameterError, match="figure '5' does not exist: choose from 4, 6a"):
        chosen_figures(["5"])


def test_a_figure_is_drawn_and_tabled(tmp_path: Path) -> None:
    out = tmp_path / "paper"
    code, printed, _ = run("6a", "4", "8", "--out", out, *SMALL)
    assert code == 0
    assert "holds  Ψ(0.85) ≈ 1" in printed
    for name in ("6a", "4", "8"):
        assert (out / f"figure-{name}.png").read_bytes().startswith(b"\x89PNG")
        assert (out / f"figure-{name}.svg").read_text().startswith("<svg")
    rows = from_csv((out / "figure-6a.csv").read_text())
    assert {row["series"] for row in rows} == {"PrivKVM", "PrivKVM (1r5v)", "KVUE", "PCKV-GRR", "PCKV-UE"}
    assert sum(row["theory"] for row in rows) == 2 * 8
    page = (out / "index.html").read_text()
    assert page.count("<svg") == 3
    assert "claim of the paper" in page
    assert "![Uniform population, all keys](figure-6a.svg)" in (out / "reproduction.md").read_text()
    assert not list(out.glob("*.part"))


@pytest.mark.usefixtures("undrawn")
def test_a_broken_run_goes_on_where_it_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "paper"
    assert run("4", "9", "--out", out, *SMALL)[0] == 0
    before = (out / "figure-9.csv").read_bytes()
    (out / "figure-4.csv").unlink()

    def no_more(*_: object) -> None:
        raise AssertionError("a finished figure was computed again")

    monkeypatch.setattr("pckv.lab.figures.synthetic._by_allocation", no_more)
    assert run("4", "9", "--out", out, *SMALL)[0] == 0
    assert (out / "figure-9.csv").read_bytes() == before
    code, _, error = run("4", "--out", out, "--repeats", "2", "--users", "3000")
    assert code == 1
    assert "was begun with" in error


@pytest.mark.usefixtures("undrawn")
def test_points_do_not_depend_on_the_workers(tmp_path: Path) -> None:
    for workers in ("1", "2"):
        run("9", "--out", tmp_path / workers, "--repeats", "2", "--users", "2000", "--workers", workers)
    assert (tmp_path / "1" / "figure-9.csv").read_bytes() == (tmp_path / "2" / "figure-9.csv").read_bytes()


@pytest.mark.usefixtures("undrawn")
def test_a_page_gathers_what_its_folder_holds(tmp_path: Path) -> None:
    out = tmp_path / "paper"
    assert run("4", "--out", out, *SMALL)[0] == 0
    assert run("11", "--out", out, *SMALL)[0] == 0
    assert (out / "index.html").read_text().count("<svg") == 2


@pytest.mark.usefixtures("undrawn")
def test_synthetic_points_do_not_become_real_ones(tmp_path: Path) -> None:
    """A folder begun without MovieLens is not continued with it: its points are synthetic."""
    out, data = tmp_path / "paper", tmp_path / "data"
    data.mkdir()
    assert run("4", "--out", out, "--data", data, *SMALL)[0] == 0
    (data / "ratings.csv").write_text("userId,movieId,rating\n1,1,3\n")
    code, _, error = run("4", "--out", out, "--data", data, *SMALL)
    assert code == 1
    assert "'movie': 'movielike'" in error


HINT = ": name their folder with --data, or ask for other figures by name\n"


def test_missing_data_is_refused_before_anything_is_computed(tmp_path: Path) -> None:
    out = tmp_path / "paper"
    files = "ecommerce_womens_clothing.parquet, amazon_beauty_item_aggregates.parquet"
    assert run("10a", "10c", "11", "--out", out, "--data", tmp_path, *SMALL) == (
        1,
        "",
        f"pckv: {tmp_path} lacks the rating sets of figures 10a, 10c ({files}){HINT}",
    )
    assert run("10a", "--out", out, *SMALL) == (
        1,
        "",
        f"pckv: no data folder was given for the rating sets of figures 10a ({files.split(', ', maxsplit=1)[0]}){HINT}",
    )
    assert not out.exists()


@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize("as_json", [False, True])
def test_without_names_figures_that_lack_their_data_are_left_out(
    as_json: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = {name: FIGURES[name] for name in ("4", "10a", "10b", "11")}
    monkeypatch.setattr(reproduction, "FIGURES", few)
    out = tmp_path / "paper"
    code, printed, error = run("--out", out, *SMALL, *(["--json"] if as_json else []))
    files = "ecommerce_womens_clothing.parquet, pckv_clothing_fit.parquet"
    assert code == 1
    assert error == (
        f"pckv: no data folder was given for the rating sets of figures 10a, 10b ({files}), which are left out"
        ": name their folder with --data\n"
    )
    assert "Ψ(0.85) ≈ 1" in printed
    assert {path.name for path in out.glob("*.csv")} == {"figure-4.csv", "figure-11.csv"}
    assert (out / "index.html").read_text().count("<svg") == 2
    if as_json:
        assert json.loads(printed)


def test_a_rating_set_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(MissingData, match=r"lacks goodbooks10k_v1\.parquet$"):
        goodbooks(FigureScale(data=tmp_path))
    with pytest.raises(MissingData, match=r"^no data folder was given for goodbooks10k_v1\.parquet$"):
        goodbooks(FigureScale())


@pytest.mark.usefixtures("undrawn")
def test_figures_without_data_and_finished_ones_need_no_data(tmp_path: Path) -> None:
    out = tmp_path / "paper"
    code, printed, _ = run("11", "--out", out, *SMALL, "--json")
    assert code == 0
    assert any(verdict["claim"].startswith("Ψ") for verdict in json.loads(printed))
    (out / "figure-10a.csv").write_text("series,theory,ε,frequency,mean,repeats\nPCKV-UE,False,1,0.1,0.1,1\n")
    assert run("10a", "11", "--out", out, *SMALL)[0] == 0
    assert (out / "index.html").read_text().count("<svg") == 2


def test_a_full_disk_leaves_nothing_half_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_chart: object, path: Path, _form: str) -> None:
        path.write_bytes(b"half a pict")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(reproduction, "save_chart", full)
    out = tmp_path / "paper"
    code, _, error = run("4", "--out", out, *SMALL)
    assert code == 1
    assert error == f"pckv: {out / 'figure-4.png'}: No space left on device\n"
    assert {path.name for path in out.iterdir()} == {"settings.json"}
    assert outputs.whole_file.__doc__


def test_formulas_of_the_appendix() -> None:
    assert psi(0.85) == pytest.approx(1, abs=0.005)
    assert all(0.5 < psi(step / 10) < 3 for step in range(1, 100))
    # The minimum of Φ over θ is μ's factor g + h of the optimized allocation.
    e = math.e
    theta = (e + 1) / 2
    assert phi(1, theta) == pytest.approx(4 / ((theta + 1) * (e / theta - 1) ** 2) + 4 * theta / (theta - 1) ** 2)


@pytest.mark.parametrize("rule", ["frequency", "mean"])
def test_crossover_rules_against_exact_variances(rule: str) -> None:
    """At ε = 1, where f hardly matters, the rules are right to a few per cent, or to one key."""
    for padding in (1, 3, 10, 50):
        assert RULES[rule](padding, 1) == pytest.approx(measured_crossover(rule, padding, "1"), rel=0.03, abs=1)


def test_theorem_4_misses_the_sampling_term() -> None:
    """1.35 × at ε 4, ℓ 3, f .5; 120,000 key-repeats, one standard error is .4 %."""
    measured, exact = claims.sampling_term()
    assert exact == pytest.approx(1.35, abs=0.01)
    assert measured == pytest.approx(exact, rel=0.02)


def test_points_survive_csv_and_are_averaged() -> None:
    points = [
        {"series": "a", "theory": False, "ε": 1.0, "mean": 1.0},
        {"series": "b", "theory": True, "ε": 1.0, "mean": None},
        {"series": "a", "theory": False, "ε": 1.0, "mean": 3.0},
    ]
    rows = averaged(points, "ε", ("mean",))
    assert rows == [
        {"series": "a", "theory": False, "ε": 1.0, "mean": 2.0, "repeats": 2},
        {"series": "b", "theory": True, "ε": 1.0, "mean": None, "repeats": 1},
    ]
    assert from_csv(to_csv(rows)) == rows


def test_every_claim_can_be_judged(tmp_path: Path) -> None:
    """With all synthetic figures at a small size every claim that needs no data has a verdict."""
    names = [name for name in PAPER if not name.startswith("10")]
    scale = FigureScale(repeats=1, users=2000, workers=1)
    with_figures = {name: FIGURES[name].points(scale, lambda _: None) for name in names}
    for claim in CLAIMS:
        if all(name in with_figures for name in claim.figures):
            text, holds = claim.check({name: from_csv(to_csv(points)) for name, points in with_figures.items()})
            assert text
            assert holds in (True, False)
    assert tmp_path.is_dir()
