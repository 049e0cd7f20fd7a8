"""Impossible counts in a browser: the operator is warned and sees all numbers, readers see none."""

from __future__ import annotations

from typing import Any

import numpy as np

import pckv
from pckv.base.population import Population
from pckv.base.seeded import seeded_source
from pckv.device.vectorised import perturb_many
from support.people import DESK, PHONE, add_task, ask, send_reports
from support.serving import ServeProcess

HONEST, COPIES, KEYS = 5005, 600, 40


def test_copies_of_one_body_warn_the_operator_and_hide_the_public_numbers(server: ServeProcess, people: Any) -> None:
    """5,005 honest reports of 40 keys and 600 copies of one body, by `grr` at ε = 2, through a collector."""
    about = {"question": "Which of these do you use?"}
    task = add_task(
        server,
        name="copied",
        keys=KEYS,
        epsilon=2,
        mechanism="grr",
        padding=1,
        size_share=0,
        more="sample",
        about=about,
    )
    rng = np.random.default_rng(8)
    held = rng.integers(0, KEYS, HONEST).astype(np.int32)
    population = Population(np.arange(HONEST + 1), held, rng.uniform(*task.ends, HONEST))
    words = np.concatenate([batch.messages for batch in perturb_many(task, population, seeded_source(8))])
    bodies = [int(word) for word in words] + [1] * COPIES
    reports = [pckv.Report(n.to_bytes(16, "big"), word.to_bytes(8, "little")) for n, word in enumerate(bodies)]
    for start in range(0, len(reports), 1000):
        send_reports(server, task, reports[start : start + 1000])
    ask(server, "PATCH", f"/tasks/{task.id}", b'{"public_results": true}', "application/json")
    operator, reader = people(DESK), people(PHONE)
    operator.sign_in()
    operator.go(f"/#/tasks/{task.id}")
    page = operator.page
    banner = page.locator(".alert", has_text="Do not use these numbers")
    banner.wait_for()
    told = banner.inner_text()
    assert "“0” with the value" in told
    assert "find out where they come from, or repeat the survey" in told
    assert "The public page shows no numbers while this is so." in told
    assert page.locator(".finding").inner_text() == "These numbers cannot be used."
    # Nothing is kept from the operator.
    page.locator(".estimates tbody tr").first.wait_for()
    assert "Do not use" not in page.locator(".verdict").inner_text()
    operator.check(PHONE)
    operator.go(f"/#/tasks/{task.id}/keys/0")
    page.locator(".alert", has_text="Do not use these numbers").wait_for()
    reader.go(f"/results/{task.id}")
    reader.page.get_by_text("The results are not shown.").wait_for()
    assert reader.page.locator("table").count() == 0
    text = reader.page.locator("main").inner_text()
    assert "5,605 responses" in text
    assert "%" not in text
    reader.check(DESK)
