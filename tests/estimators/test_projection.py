"""The projection on distributions: by its conditions, and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pckv.statistics.projection import project_to_sum

# Wide and narrow, and with many ties.
values = st.lists(st.floats(-1e3, 1e3) | st.floats(-1, 1) | st.sampled_from([-1.0, 0.0, 0.25]), min_size=1)
totals = st.floats(0, 100) | st.sampled_from([0.0, 1.0])


@given(values, totals)
def test_the_nearest_point_of_the_simplex(numbers: list[float], total: float) -> None:
    """Karush, Kuhn and Tucker: one number is subtracted from all positive results, and no dropped value exceeds it."""
    given_values = np.array(numbers)
    projected = project_to_sum(given_values, total)
    assert projected.sum() == pytest.approx(total, abs=1e-10)
    assert np.all(projected >= 0)
    taken = given_values - projected
    stay = projected > 0
    if stay.any():
        assert np.ptp(taken[stay]) <= 1e-10
        assert np.all(given_values[~stay] <= taken[stay].min() + 1e-10)
    for equal in set(numbers):
        assert np.unique(projected[given_values == equal]).size == 1


def test_the_projection_by_hand() -> None:
    for numbers, total, expected in (
        ([0.2, 0.3, 0.5], 1.0, [0.2, 0.3, 0.5]),
        ([0.5, 0.5, 0.3], 1.0, [0.4, 0.4, 0.2]),
        ([0.9, 0.3, -0.2], 1.0, [0.8, 0.2, 0.0]),
        ([5.0, 1.0], 1.0, [1.0, 0.0]),
        ([0.0, 0.0, 0.0, 0.0], 1.0, [0.25, 0.25, 0.25, 0.25]),
        # The third becomes 0, and so does the fourth.
        ([1.0, 1.0, 0.5, 0.0], 1.0, [0.5, 0.5, 0.0, 0.0]),
        ([-7.0], 3.0, [3.0]),
        ([2.0, 2.0, 1.0], 0.0, [0.0, 0.0, 0.0]),
    ):
        assert project_to_sum(np.array(numbers), total) == pytest.approx(expected, abs=1e-15)
