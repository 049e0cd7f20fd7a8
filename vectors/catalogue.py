"""The tasks that the vectors are about."""

from __future__ import annotations

from pckv.task import Task

TASKS = (
    Task(name="movies", keys=["alien", "heat", "up"], values=(1, 5), epsilon=1, padding=2, mechanism="ue"),
    Task(name="movies", keys=["alien", "heat", "up"], values=(1, 5), epsilon=1, padding=2, mechanism="grr"),
    Task(name="numbered", keys=20, values=("-0.5", "2.25"), epsilon="0.3", padding=3, mechanism="grr"),
    Task(name="numbered", keys=20, values=("-0.5", "2.25"), epsilon="0.3", padding=3, mechanism="ue"),
    Task(
        name="größe",
        keys=["größe", "日本", "😀"],
        values=(0, 1),
        epsilon=4,
        mechanism={"name": "ue", "allocation": "naive"},
    ),
    Task(
        name="a week",
        keys=["a b", '"quoted"', "back\\slash"],
        values=(-10, 10),
        epsilon="12.5",
        padding=2,
        mechanism={"name": "grr", "allocation": "non-optimized"},
        opens="2026-01-05",
        closes="2026-01-12",
    ),
    Task(name="large", keys=2**31, values=(0, 100), epsilon=2, padding=10, mechanism="grr"),
)
# The order of the vectors never changes: those of later tasks follow those of earlier ones.
COMPACT_TASKS = (
    Task(
        name="movies",
        keys=["alien", "heat", "up"],
        values=(1, 5),
        epsilon=1,
        padding=2,
        mechanism={"name": "ue-compact", "q": 3},
    ),
    Task(
        name="movies",
        keys=["alien", "heat", "up"],
        values=(1, 5),
        epsilon=1,
        mechanism={"name": "ue-compact", "q": 5},
    ),
    Task(
        name="numbered",
        keys=20,
        values=("-0.5", "2.25"),
        epsilon="0.3",
        padding=3,
        mechanism={"name": "ue-compact", "q": 5},
    ),
    Task(name="one key", keys=1, values=(0, 1), epsilon="6", mechanism={"name": "ue-compact", "q": 307}),
    Task(
        name="large",
        keys=249_274,
        values=(0, 100),
        epsilon=4,
        padding=10,
        mechanism={"name": "ue-compact", "q": 67},
    ),
    Task(
        name="huge",
        keys=2**31,
        values=(0, 100),
        epsilon=2,
        padding=10,
        mechanism={"name": "ue-compact", "q": 11},
    ),
)
TUNED_TASKS = (
    Task(
        name="movies",
        keys=["alien", "heat", "up"],
        values=(1, 5),
        epsilon=1,
        padding=2,
        mechanism={"name": "ue-compact", "q": 3, "r": 2, "o": 1},
    ),
    Task(
        name="numbered",
        keys=20,
        values=("-0.5", "2.25"),
        epsilon="0.1",
        padding=3,
        mechanism={"name": "ue-compact", "q": 19, "r": 9, "o": 3},
    ),
    Task(
        name="large",
        keys=249_274,
        values=(0, 100),
        epsilon="0.5",
        mechanism={"name": "ue-compact", "q": 37, "r": 14},
    ),
    Task(
        name="movies",
        keys=["alien", "heat", "up"],
        values=(1, 5),
        epsilon=1,
        padding=2,
        mechanism={"name": "ue", "allocation": "tuned", "beta": "0.2"},
    ),
)
COLLISION_TASKS = (
    Task(
        name="movies",
        keys=["alien", "heat", "up"],
        values=(1, 5),
        epsilon=1,
        padding=2,
        mechanism="collision",
    ),
    Task(
        name="movies",
        keys=["alien", "heat", "up"],
        values=(1, 5),
        epsilon=1,
        mechanism={"name": "collision", "symbols": 2},
    ),
    Task(name="numbered", keys=20, values=("-0.5", "2.25"), epsilon="0.3", padding=3, mechanism="collision"),
    Task(name="many", keys=10_000, values=(0, 100), epsilon=4, padding=100, mechanism="collision"),
    Task(
        name="huge",
        keys=2**31,
        values=(0, 100),
        epsilon=2,
        padding=2,
        mechanism={"name": "collision", "symbols": 2**31 - 1},
    ),
)
SIZES_TASKS = tuple(
    Task(name=name, keys=keys, values=(1, 5), epsilon=epsilon, padding=padding, kind="sizes")
    for name, keys, epsilon, padding in (
        ("movies", ["alien", "heat", "up"], "1", 512),
        ("movies", ["alien", "heat", "up"], "1", 1),
        ("movies", ["alien", "heat", "up"], "0.3", 3),
        ("numbered", 100, "4", 40),
        ("large", 2**31, "0.000001", 2**14),
    )
)
