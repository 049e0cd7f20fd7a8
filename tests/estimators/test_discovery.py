"""Discovery with known truth: what is found, how often nothing is, and what is said of it."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from pckv import Tally, Task, discover, estimate, plan_discovery
from pckv.base.errors import ParameterError
from pckv.charts.discovery import discovery_chart
from pckv.charts.estimates import chart_svg
from pckv.estimators.discovery import DEFAULT_MOST, null_chances, reports_by_group, search
from pckv.estimators.intervals import frequency_interval
from pckv.mechanisms.discovery.law import DiscoveryLaw
from pckv.planning.discovery import moments_of
from pckv.statistics.detection import selected_level
from pckv.tally.decode.support import KeySupport
from support.texts import tally_of

TASK = Task.discovery(name="terms", epsilon=4, alphabet="abcd", characters=5)
# Of 30,000 people; the last one is cut.
HOLDERS = {"a": 3_000, "ab": 1_500, "abc": 1_500, "dcba": 2_000, "cdcdc": 1_500, "bbbbbd": 2_500}
USERS = 30_000


@pytest.fixture(scope="module")
def tally() -> Tally:
    return tally_of(TASK, HOLDERS, USERS - sum(HOLDERS.values()), seed=2)


def test_planted_texts_are_found_with_their_frequencies(tally: Tally) -> None:
    """The smallest planted frequency is three times the planned one: each is missed with a chance below 10^-6."""
    assert 3 * plan_discovery(users=USERS, epsilon=4, alphabet="abcd", characters=5).frequency < 0.05
    found = discover(tally)
    true = {TASK.tree.cut(text): count / USERS for text, count in HOLDERS.items()}
    assert {key.key for key in found.keys} == set(true)
    assert [key.frequency for key in found.keys] == sorted((key.frequency for key in found.keys), reverse=True)
    for key in found.keys:
        # Twice an interval of three standard deviations or more; the seed is fixed.
        assert abs(key.frequency - true[key.key]) < key.frequency_high - key.frequency_low
        assert key.is_cut == (len(key.key) == 5)
    assert sum(key.frequency_low <= true[key.key] <= key.frequency_high for key in found.keys) >= 5


def test_the_tree_leads_to_the_keys(tally: Tally) -> None:
    found = discover(tally)
    keys = {key.key for key in found.keys}
    led = {(node.prefix, node.length) for node in found.tree if node.leads_to_key}
    assert {(key[:length], length) for key in keys for length in (1, 2) if len(key) >= length} <= led
    assert {node.prefix for node in found.tree if node.ended} >= keys
    assert all(node.frequency_low <= node.frequency <= node.frequency_high for node in found.tree)
    shared = next(node for node in found.tree if node.prefix == "ab" and not node.ended and node.length == 2)
    assert shared.frequency == pytest.approx(0.1, abs=0.03)


def test_whole_texts_are_counted_in_all_groups_that_show_their_end(tally: Tally) -> None:
    law = TASK.law
    assert isinstance(law, DiscoveryLaw)
    groups = reports_by_group(tally, law)
    assert sum(group.reports for group in groups) == USERS
    whole = {one.text: one for one in search(TASK, law, groups, 1_000).whole}
    for text, first in {"a": 1, "abc": 3, "dcba": 4, "cdcdc": 4}.items():
        count = 0
        for number, group in enumerate(groups[first:], first):
            item = TASK.tree.item(TASK.digest, TASK.tree.prefix(text, number), number)
            functions, symbols = np.divmod(group.words.astype(np.uint64), np.uint64(law.symbols))
            hits = law.symbol(functions, np.full_like(functions, item)) == symbols
            count += int(group.times[hits].sum())
        assert (whole[text].count, whole[text].reports) == (count, sum(g.reports for g in groups[first:]))


def test_where_nobody_holds_anything_hardly_anything_is_found() -> None:
    """Each of 40 runs finds something with a chance of at most 1 %: four or more do with one of 0.1 %."""
    task = Task.discovery(name="terms", epsilon=2, alphabet="abc", characters=3)
    assert sum(len(discover(tally_of(task, {}, 600, seed))) > 0 for seed in range(40)) < 4


def test_a_text_of_the_planned_frequency_is_found_four_times_out_of_five() -> None:
    """60 runs, each a success with a chance of about 0.8: from 38 to 57 with one of 99.9 %."""
    users = 3_000
    task = Task.discovery(name="terms", epsilon=2, alphabet="ab", characters=3)
    planned = plan_discovery(users=users, epsilon=2, alphabet="ab", characters=3)
    holders = round(planned.frequency * users)
    found = sum(
        "abb" in {key.key for key in discover(tally_of(task, {"abb": holders}, users - holders, seed)).keys}
        for seed in range(60)
    )
    assert 38 <= found <= 57


def test_chances_of_counts_are_binomial() -> None:
    law = TASK.law
    assert isinstance(law, DiscoveryLaw)
    chance = 1 / law.symbols
    expected = 1 - (1 - chance) ** 50 - 50 * chance * (1 - chance) ** 49
    assert null_chances(law, [2, 0, 2], [50, 50, 100])[:2] == pytest.approx([expected, 1])
    assert null_chances(law, [], 5).size == 0


def test_chances_of_many_prefixes_are_found_without_sorting_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows are compared by one call that no other thread runs beside: of four million, it stops a collector."""
    law, unique = TASK.law, np.unique
    assert isinstance(law, DiscoveryLaw)

    def of_numbers(values: Any, **options: Any) -> Any:
        assert np.ndim(values) == 1
        return unique(values, **options)

    monkeypatch.setattr(np, "unique", of_numbers)
    counts, reports = np.arange(6).repeat(2), np.tile([50, 90], 6)
    chances = null_chances(law, counts, reports)
    for count, number, chance in zip(counts.tolist(), reports.tolist(), chances.tolist(), strict=True):
        share = 1 / law.symbols
        below = [math.comb(number, k) * share**k * (1 - share) ** (number - k) for k in range(count)]
        assert chance == pytest.approx(1 - sum(below))


def test_a_discovery_is_a_table_of_its_keys(tally: Tally) -> None:
    found = discover(tally)
    assert tuple(found) == found.keys
    assert found["dcba"] == next(key for key in found if key.key == "dcba")
    assert ("dcba" in found, "dcb" in found, len(found)) == (True, False, 6)
    with pytest.raises(KeyError, match="key 'dcb' was not found"):
        found["dcb"]


def test_results_are_written_in_all_formats(tally: Tally) -> None:
    found = discover(tally)
    assert found.top(2).to_text() == "".join(f"{key.key}\n" for key in found.keys[:2])
    again = json.loads(found.to_json())
    assert [row["key"] for row in again["keys"]] == [key.key for key in found.keys]
    assert again["smallest_frequency"] == found.smallest_frequency
    assert found.top(1).to_csv().splitlines()[0] == "key,frequency,frequency_low,frequency_high,is_cut"
    table, frame = found.to_arrow(), found.to_pandas()
    assert table.to_pylist() == again["keys"] == frame.to_dict("records")
    assert table.schema.metadata[b"pckv.false_discovery_rate"] == b"0.01"
    assert frame.attrs == {name: again[name] for name in again.keys() - {"keys", "tree"}}
    # Nothing is found, and the columns are the same.
    empty = found.top(0)
    assert empty.to_arrow().schema == table.schema
    assert empty.to_pandas().dtypes["frequency"] == frame.dtypes["frequency"]
    assert "6 keys found among 30,000 reports." in found.verdict[0]
    assert found.verdict[3].startswith("2 keys may be longer")
    assert "… and" not in found._repr_html_()
    assert repr(found) == "<Discovery of 6 keys in 30,000 reports>"


def test_intervals_are_those_of_what_was_selected(tally: Tally) -> None:
    """Six keys of all whole texts that were examined, and prefixes that were followed, of all prefixes."""
    found = discover(tally)
    law = TASK.law
    assert isinstance(law, DiscoveryLaw)
    followed = search(TASK, law, reports_by_group(tally, law), DEFAULT_MOST)
    assert found.keys_level == selected_level(0.95, 6, followed.tested)
    assert found.tree_level == selected_level(0.95, len(followed.followed), followed.examined)
    assert followed.examined > followed.tested > len(followed.whole) >= 6
    assert 0.95 < found.tree_level < 1
    counts = {whole.text: whole for whole in followed.whole}
    for key in found:
        whole = counts[key.key]
        moments = moments_of(law, left_out=1 - whole.reports / tally.reports)
        support = KeySupport(np.array([[whole.count]]))
        low, high = frequency_interval(support, whole.reports, moments, found.keys_level)
        assert [key.frequency_low, key.frequency_high] == pytest.approx([low[0], high[0]])
    assert f"each has the level {100 * found.keys_level:.6g} %, since the keys were selected" in found.verdict[1]
    assert "selected" not in " ".join(found.top(0).verdict)


def test_a_chart_shows_the_most_frequent_keys(tally: Tally) -> None:
    found = discover(tally)
    drawn = discovery_chart(found, name="terms").to_dict()
    assert drawn["title"]["text"] == "terms: 6 keys found"
    assert "30,000 reports" in drawn["title"]["subtitle"]
    labels = [row["label"] for row in drawn["data"]["values"]]
    assert labels == [f"{key.key}…" if key.is_cut else key.key for key in found]
    many = replace(found, keys=found.keys * 6)
    assert discovery_chart(many).to_dict()["title"]["text"] == "the 30 most frequent of 36 keys found"
    assert "no key was found" in chart_svg(discovery_chart(found.top(0)))


def test_what_makes_no_sense_is_refused(tally: Tally) -> None:
    with pytest.raises(ParameterError, match="has more groups than reports: 5 groups, 4 reports"):
        discover(tally_of(TASK, {"a": 4}, 0, seed=1))
    listed = Task(name="movies", keys=2, values=(0, 1), epsilon=1)
    with pytest.raises(ParameterError, match="'movies' is not a discovery"):
        discover(Tally(listed))
    with pytest.raises(ParameterError, match="level must be between 0 and 1"):
        discover(tally, level=1)
    with pytest.raises(ParameterError, match="the false discovery rate must be"):
        discover(tally, false_discovery_rate=0)
    with pytest.raises(ParameterError, match="most must be"):
        discover(tally, most=0)
    with pytest.raises(ParameterError, match="'terms' is a discovery: pckv discover"):
        estimate(tally)
