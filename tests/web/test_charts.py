"""Charts as pictures, which Python draws with the same script as the pages."""

from __future__ import annotations

import re
import subprocess
import sys

import numpy as np
import pytest

import pckv
from pckv.charts.estimates import chart_svg, estimates_chart, values_chart

# Names of members that every JavaScript object has.
MEMBERS = ["constructor", "toString", "__proto__", "hasOwnProperty", "valueOf"]


def test_keys_may_have_the_names_of_javascripts_own_members() -> None:
    task = pckv.Task(name="members", keys=MEMBERS, values=(1, 5), epsilon=4)
    tally = pckv.Tally(task)
    for number in range(200):
        tally.add(pckv.perturb(task, {MEMBERS[number % 4]: 3}))
    estimates = pckv.estimate(tally, "corrected")
    picture = chart_svg(estimates_chart(estimates))
    labels = [text for text in re.findall(r"<text [^>]*>([^<]+)</text>", picture) if text in MEMBERS]
    # One label per key for both panels, the most frequent first.
    most_frequent = [row["key"] for row in estimates.top(len(MEMBERS)).to_dict()["estimates"]]
    assert labels == most_frequent


@pytest.mark.parametrize(("in_thread", "loaded"), [(True, "True"), (False, "False")])
def test_pandas_is_whole_before_a_thread_draws(in_thread: bool, loaded: str) -> None:
    """Altair asks for types of pandas as soon as another thread has begun to import it."""
    load = "thread = Thread(target=load_altair); thread.start(); thread.join()" if in_thread else "load_altair()"
    script = f"import sys; from threading import Thread; from pckv.charts.estimates import load_altair; {load}; print('pandas' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert result.stdout == f"{loaded}\n"


def test_no_number_is_drawn_that_is_unknown() -> None:
    """With one response, no mark stands where its noisy counts say: only ranges are drawn."""
    task = pckv.Task(name="one", keys=["a", "b"], values=(1, 5), levels=3, epsilon=1, padding=1)
    tally = pckv.Tally(task)
    tally.add(pckv.perturb(task, {"a": 5}))
    found = pckv.estimate(tally, "corrected")
    assert not found.detected.any()
    spec = estimates_chart(found).to_dict()
    [rows] = spec["datasets"].values() if "datasets" in spec else [spec["data"]["values"]]
    assert {row["frequency point"] for row in rows} == {0}
    assert max(row["frequency to"] for row in rows) <= 1
    [domain] = {str(layer["encoding"]["x"]["scale"]["domain"]) for layer in spec["hconcat"][0]["layer"]}
    assert domain == "[0.0, 1.0]"
    spread = values_chart(found.take(np.array([0]))).to_dict()
    for panel in spread["hconcat"]:
        assert not any(row["known"] for row in panel["data"]["values"])
