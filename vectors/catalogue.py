"""The tasks that the vectors are about; nothing of them is left to be chosen by a plan."""

from __future__ import annotations

from pckv.contract.series import Series
from pckv.contract.task import Task

MOVIES = ["alien", "heat", "up"]

TASKS = (
    Task(name="movies", keys=MOVIES, values=(1, 5), epsilon=1, padding=2, mechanism="ue", size_share=0),
    Task(name="movies", keys=MOVIES, values=(1, 5), epsilon=1, padding=2, mechanism="grr", size_share="0.05"),
    Task(
        name="numbered",
        keys=20,
        values=("-0.5", "2.25"),
        epsilon="0.3",
        padding=3,
        mechanism="grr",
        size_share="0.2",
    ),
    Task(
        name="numbered",
        keys=20,
        values=("-0.5", "2.25"),
        epsilon="0.3",
        padding=3,
        mechanism="ue",
        size_share=0,
    ),
    Task(
        name="größe",
        keys=["größe", "日本", "😀"],
        values=(0, 1),
        epsilon=4,
        padding=1,
        mechanism={"name": "ue", "allocation": "naive"},
        size_share=0,
    ),
    Task(
        name="a week",
        keys=["a b", '"quoted"', "back\\slash"],
        values=(-10, 10),
        epsilon="12.5",
        padding=2,
        mechanism={"name": "grr", "allocation": "non-optimized"},
        size_share=0,
        opens="2026-01-05",
        closes="2026-01-12",
    ),
    Task(
        name="large",
        keys=2**31,
        values=(0, 100),
        epsilon=2,
        padding=10,
        mechanism="grr",
        size_share="0.05",
    ),
)
# The order of the vectors never changes: those of later tasks follow those of earlier ones.
COMPACT_TASKS = (
    Task(
        name="movies",
        keys=MOVIES,
        values=(1, 5),
        epsilon=1,
        padding=2,
        mechanism={"name": "ue-compact", "q": 3},
        size_share="0.05",
    ),
    Task(
        name="movies",
        keys=MOVIES,
        values=(1, 5),
        epsilon=1,
        padding=1,
        mechanism={"name": "ue-compact", "q": 5},
        size_share=0,
    ),
    Task(
        name="numbered",
        keys=20,
        values=("-0.5", "2.25"),
        epsilon="0.3",
        padding=3,
        mechanism={"name": "ue-compact", "q": 5},
        size_share="0.1",
    ),
    Task(
        name="one key",
        keys=1,
        values=(0, 1),
        epsilon="6",
        padding=1,
        mechanism={"name": "ue-compact", "q": 307},
        size_share=0,
    ),
    Task(
        name="large",
        keys=249_274,
        values=(0, 100),
        epsilon=4,
        padding=10,
        mechanism={"name": "ue-compact", "q": 67},
        size_share="0.05",
    ),
    Task(
        name="huge",
        keys=2**31,
        values=(0, 100),
        epsilon=2,
        padding=10,
        mechanism={"name": "ue-compact", "q": 11},
        size_share="0.05",
    ),
)
TUNED_TASKS = (
    Task(
        name="movies",
        keys=MOVIES,
        values=(1, 5),
        epsilon=1,
        padding=2,
        mechanism={"name": "ue-compact", "q": 3, "r": 2, "o": 1},
        size_share=0,
    ),
    Task(
        name="numbered",
        keys=20,
        values=("-0.5", "2.25"),
        epsilon="0.1",
        padding=3,
        mechanism={"name": "ue-compact", "q": 19, "r": 9, "o": 3},
        size_share="0.2",
    ),
    Task(
        name="large",
        keys=249_274,
        values=(0, 100),
        epsilon="0.5",
        padding=1,
        mechanism={"name": "ue-compact", "q": 37, "r": 14},
        size_share="0.05",
    ),
    Task(
        name="movies",
        keys=MOVIES,
        values=(1, 5),
        epsilon=1,
        padding=2,
        mechanism={"name": "ue", "allocation": "tuned", "beta": "0.2"},
        size_share=0,
    ),
)
COLLISION_TASKS = (
    Task(
        name="movies",
        keys=MOVIES,
        values=(1, 5),
        epsilon=1,
        padding=2,
        mechanism={"name": "collision", "symbols": 8, "positions": 4099, "generator": 2539},
        size_share="0.05",
    ),
    Task(
        name="movies",
        keys=MOVIES,
        values=(1, 5),
        epsilon=1,
        padding=1,
        mechanism={"name": "collision", "symbols": 2},
        size_share=0,
    ),
    Task(
        name="numbered",
        keys=20,
        values=("-0.5", "2.25"),
        epsilon="0.3",
        padding=3,
        mechanism={"name": "collision", "symbols": 7},
        size_share="0.1",
    ),
    Task(
        name="many",
        keys=10_000,
        values=(0, 100),
        epsilon=4,
        padding=100,
        mechanism={"name": "collision", "symbols": 5560},
        size_share="0.05",
    ),
    # Positions and an unusual generator.
    Task(
        name="other positions",
        keys=5,
        values=(0, 1),
        epsilon=2,
        padding=3,
        mechanism={"name": "collision", "symbols": 5, "positions": 65_537, "generator": 3},
        size_share="0.05",
    ),
    # With this many symbols functions are named by an index, and with this few keys supports are counted.
    Task(
        name="many symbols",
        keys=100,
        values=(0, 1),
        epsilon=20,
        padding=2,
        mechanism={"name": "collision", "symbols": 2**27 - 1},
        size_share="0.05",
    ),
    # Above 2^22 keys, too, functions are named by an index, and words are counted.
    Task(
        name="huge",
        keys=2**29 - 1,
        values=(0, 100),
        epsilon=2,
        padding=2,
        mechanism={"name": "collision", "symbols": 22},
        size_share="0.05",
    ),
)
# On both sides of the number of keys, and of the number of words, from which functions are named by an index.
NAMING_TASKS = tuple(
    Task(
        name="naming",
        keys=keys,
        values=(0, 1),
        epsilon=1,
        padding=4,
        mechanism={"name": "collision", "symbols": symbols},
        size_share="0.05",
    )
    for keys, symbols in ((2**22, 16), (2**22 + 1, 16), (50, 2**18 - 1), (50, 2**18))
)
# Two, three and four ends; the largest share, one with many digits, and one that hardly any report would reach.
SIZE_TASKS = tuple(
    Task(
        name=name,
        keys=keys,
        values=(1, 5),
        epsilon=epsilon,
        padding=padding,
        mechanism=mechanism,
        size_share=share,
    )
    for name, keys, epsilon, padding, mechanism, share in (
        ("movies", MOVIES, "1", 2, {"name": "grr"}, "0.5"),
        ("movies", MOVIES, "1", 1, {"name": "ue-compact", "q": 5}, "0.3333333333333333333333333333333333333"),
        ("numbered", 40, "2", 3, {"name": "collision", "symbols": 27}, "0.25"),
        ("numbered", 100, "4", 30, {"name": "collision", "symbols": 1668}, "0.0000000000001"),
        ("large", 2**31, "0.000001", 2**20, {"name": "grr"}, "0.05"),
    )
)
# Tasks that take no more pairs than the padding, and those in which no set can be larger.
REFUSE_TASKS = tuple(
    Task(
        name="movies",
        keys=MOVIES,
        values=(1, 5),
        epsilon=1,
        padding=padding,
        mechanism=mechanism,
        more=more,
        size_share=0,
    )
    for padding, more, mechanism in (
        (2, "refuse", {"name": "grr"}),
        (1, "refuse", {"name": "ue"}),
        (2, "refuse", {"name": "ue-compact", "q": 3}),
        (1, "refuse", {"name": "collision", "symbols": 4}),
        (3, "sample", {"name": "grr"}),
        (3, "refuse", {"name": "collision", "symbols": 11}),
    )
)
# Tasks whose functions follow from coins: both mechanisms, with and without a size question. The first draw of a
# function is rejected for one coin in four million of the third, and for one in seventeen of the fourth.
COIN_TASKS = tuple(
    Task(
        name="coins",
        keys=keys,
        values=(1, 5),
        epsilon=1,
        padding=padding,
        mechanism=mechanism,
        more=more,
        size_share=share,
        coin="server",
    )
    for keys, padding, mechanism, more, share in (
        (MOVIES, 2, {"name": "ue-compact", "q": 3}, "sample", "0.25"),
        (
            MOVIES,
            2,
            {"name": "collision", "symbols": 8, "positions": 4099, "generator": 2539},
            "sample",
            "0.25",
        ),
        (2_080_000, 1, {"name": "ue-compact", "q": 2_077_807}, "sample", 0),
        (20, 1, {"name": "collision", "symbols": 2, "positions": 1_473_161_647}, "sample", "0.5"),
        (20, 3, {"name": "ue-compact", "q": 19, "r": 9, "o": 3}, "sample", "0.2"),
        (2**29 - 1, 2, {"name": "collision", "symbols": 22}, "sample", "0.05"),
        (MOVIES, 2, {"name": "collision", "symbols": 8}, "refuse", 0),
    )
)
# What participants read: none, a little, and as much as there may be.
ABOUT_TASKS = tuple(
    Task(
        name="about",
        keys=MOVIES,
        values=(1, 5),
        epsilon=1,
        padding=2,
        mechanism={"name": "ue-compact", "q": 3},
        size_share=0,
        about=about,
    )
    for about in (
        {"question": "Which?", "description": "Two\nlines"},
        # The middle alone: no name of the scale needs another.
        {"middle_label": "é" * 128},
        {
            "question": "é" * 128,
            "description": "\n" * 4096,
            "unit": "⭐",
            "low_label": "awful",
            "middle_label": "neither, nor",
            "high_label": 'so-called "great"',
            "eligibility": "😀" * 1024,
            "consent": "x" * 4096,
            "contact": "mail@example.org",
        },
    )
)
SERIES = (
    Series(task=COMPACT_TASKS[0], first="2026-12-28", period=7, panels=4, rounds=52),
    Series(task=TASKS[0], first="2028-02-29", period=1, panels=1),
    Series(task=TASKS[4], first="1989-12-30", period=3660, panels=2, rounds=2),
    Series(task=COLLISION_TASKS[0], first="2026-01-01", period=365, panels=1000, rounds=1000),
)
