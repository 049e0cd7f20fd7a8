"""Options of `pckv task new` with values that matter to an audit, and tasks that have any two of them together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations, product
from random import Random

# What is given of each group of options, by its name here: command-line arguments.
Arguments = tuple[str, ...]
Row = dict[str, str]
Factors = Mapping[str, Mapping[str, Arguments]]
Pair = tuple[tuple[str, str], tuple[str, str]]

NOT_GIVEN: Mapping[str, Arguments] = {"": ()}
# A large number of positions and its generator, which suit any number of keys.
POSITIONS, GENERATOR = "1610612741", "995413436"


def _values(option: str, *values: str) -> dict[str, Arguments]:
    return {value: (option, value) for value in values}


# Of the smallest ε, which is then the central one, too. The days of a row come after these, and count.
MIXED = {
    "mixed": (
        *("--mixer", "https://mix.example", "--mixer-operator", "A second party", "--closes", "2030-03-01"),
        *("--recipient-key", "CQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "--batch", "9", "--honest", "5"),
        *("--central", "0.000001", "--delta", "0.000001"),
    )
}
KEY_COUNTS = {"1": 1, "2": 2, "3": 3, "40": 40, "5000": 5_000, "262143": 262_143, "50000000": 50_000_000}
FILE_KEYS = 60
# Files, which are written before a task is made, under these names.
FILES = {
    "keys.txt": "".join(f"key {number}\n" for number in range(FILE_KEYS)),
    "sizes.csv": "size,people\n0,10\n1,60\n2,20\n5,10\n",
    "about.toml": 'question = "Which?"\n',
}
PAIRS: Factors = {
    "keys": {
        **{name: ("--keys", name) for name in KEY_COUNTS},
        "file": ("--keys-file", "keys.txt"),
        "hashed": ("--hashed",),
    },
    "other": {**NOT_GIVEN, "other": ("--other",), "named": ("--other", "something else")},
    "range": {"1 to 5": ("--low", "1", "--high", "5"), "-0.5 to 0": ("--low", "-0.5", "--high", "0"), "no values": ()},
    "levels": {**NOT_GIVEN, **_values("--levels", "3", "16", "1,2,5")},
    "between": {**NOT_GIVEN, **_values("--between", "refuse")},
    "epsilon": _values("--epsilon", "0.000001", "0.5", "4", "20"),
    "users": {**NOT_GIVEN, **_values("--users", "100")},
    "pairs": {**NOT_GIVEN, **_values("--pairs", "2.5"), "most": ("--pairs", "1.5", "--most-pairs", "3")},
    "holding": {**NOT_GIVEN, **_values("--holding", "0.9")},
    "sizes": {**NOT_GIVEN, "file": ("--sizes", "sizes.csv")},
    "frequency": {**NOT_GIVEN, **_values("--frequency", "0.01")},
    "objective": {**NOT_GIVEN, **_values("--objective", "frequency", "mean", "mse")},
    "more": {**NOT_GIVEN, **_values("--more", "refuse")},
    "influence": {**NOT_GIVEN, **_values("--most-influence", "100000000000000000000")},
    "padding": {**NOT_GIVEN, **_values("--padding", "1", "2", "5", "30", "101", "1000", "100000")},
    "size share": {**NOT_GIVEN, **_values("--size-share", "0", "0.5")},
    "mechanism": {
        **NOT_GIVEN,
        **_values("--mechanism", "ue", "grr", "ue-compact", "collision"),
        "ue naive": ("--mechanism", "ue", "--allocation", "naive"),
        "ue tuned": ("--mechanism", "ue", "--allocation", "tuned", "--beta", "0.3"),
        "grr naive": ("--mechanism", "grr", "--allocation", "naive"),
        "ue-compact residues": ("--mechanism", "ue-compact", "--q", "7", "--r", "3", "--o", "1"),
        "collision symbols": ("--mechanism", "collision", "--symbols", "4096"),
        "collision positions": (
            *("--mechanism", "collision", "--symbols", "150"),
            *("--positions", POSITIONS, "--generator", GENERATOR),
        ),
    },
    "coin": {**NOT_GIVEN, **_values("--coin", "server")},
    "mixer": {**NOT_GIVEN, **MIXED},
    "about": {**NOT_GIVEN, "file": ("--about", "about.toml")},
    "days": {**NOT_GIVEN, "both": ("--opens", "2030-01-01", "--closes", "2030-02-01")},
}
# Tasks of which items are derived: of keys within labels, and of two keys together.
DERIVED: Factors = {
    "items": {
        **_values("--segment", "age=young,old", f"place={','.join(map(str, range(16)))}"),
        "together": ("--together",),
    },
    "keys": {**{name: ("--keys", name) for name in ("3", "40")}, "file": ("--keys-file", "keys.txt")},
    "range": {"": (), "1 to 5": ("--low", "1", "--high", "5")},
    "epsilon": _values("--epsilon", "0.5", "4", "20"),
    "users": _values("--users", "100", "100000"),
    "pairs": {**NOT_GIVEN, **_values("--pairs", "2.5")},
    "more": {**NOT_GIVEN, **_values("--more", "refuse")},
    "padding": {**NOT_GIVEN, **_values("--padding", "2", "3")},
    "size share": {**NOT_GIVEN, **_values("--size-share", "0")},
    "coin": {**NOT_GIVEN, **_values("--coin", "server")},
}
DISCOVERIES: Factors = {
    "discover": {"": ("--discover",)},
    "characters": {**NOT_GIVEN, **_values("--characters", "1", "8", "64")},
    "alphabet": {**NOT_GIVEN, **_values("--alphabet", "ab", "abcdefghijklmnopqrstuvwxyz")},
    "groups": {**NOT_GIVEN, **_values("--groups", "1", "8")},
    "epsilon": _values("--epsilon", "0.01", "4", "20"),
    "padding": {**NOT_GIVEN, **_values("--padding", "1", "5", "60", "101", "300", "1000")},
    "parameters": {**NOT_GIVEN, "symbols": ("--symbols", "4096")},
    "coin": {**NOT_GIVEN, **_values("--coin", "server")},
    "days": {**NOT_GIVEN, "both": ("--opens", "2030-01-01", "--closes", "2030-02-01")},
}
# The most pairs that people hold by `pairs`, and by the file of sizes.
MOST_PAIRS, LARGEST_SET = 3, 5
# The symbols that are named: they are more than the padding.
SYMBOLS = {"collision symbols": 4096, "collision positions": 150}
MAX_PLANES, MAX_COUNTED_KEYS, MANY_KEYS = 2**18, 2**22, 1_000


def may_be_pairs(row: Row) -> bool:
    """Return whether a task of pairs can have these options together."""
    levels, keys, other = row["levels"], row["keys"], row["other"]
    mechanism, _, parameters = row["mechanism"].partition(" ")
    is_hashed, padding = keys == "hashed", int(row["padding"] or 1)
    has_values = row["range"] != "no values"
    count = 10**8 if is_hashed else KEY_COUNTS.get(keys, FILE_KEYS) + bool(other)
    refused = (
        parameters in {"naive", "tuned", "residues"} and (levels or not has_values),
        not has_values and (levels or row["between"] or row["objective"] == "mean"),
        is_hashed and (other or mechanism not in {"", "collision"}),
        mechanism == "ue" and (count > MAX_PLANES or levels or row["size share"] == "0.5"),
        mechanism in {"ue", "grr"} and row["coin"],
        # By default no mechanism is chosen whose tally would keep words.
        not mechanism and row["coin"] and not is_hashed and count > MAX_COUNTED_KEYS,
        levels == "1,2,5" and row["range"] != "1 to 5",
        # A padding that is chosen may be that of few keys.
        row["size share"] == "0.5" and (row["more"] or not (padding if row["padding"] else MANY_KEYS) < count),
        # Mechanism and padding are chosen for the people expected.
        not row["users"] and not (mechanism and row["padding"]),
        padding > count,
        padding >= SYMBOLS.get(row["mechanism"], 2**31),
        row["sizes"] and (row["pairs"] or row["holding"]),
        row["sizes"] and count < LARGEST_SET,
        row["pairs"] and count < MOST_PAIRS,
        row["mixer"] and (row["coin"] or row["epsilon"] != "0.000001"),
    )
    return not any(refused)


def may_be_derived(row: Row) -> bool:
    """Return whether a task whose items are derived can have these options together."""
    return not (row["range"] and row["items"] == "together")


def may_be_discovery(row: Row) -> bool:
    """Return whether a discovery can have these options together."""
    characters = int(row["characters"] or 24)
    groups = int(row["groups"] or characters)
    letters = {"": 63}.get(row["alphabet"], len(row["alphabet"]))
    return groups <= characters and letters ** -(-characters // groups) < 2**15


def covering_rows(factors: Factors, may_be: Callable[[Row], bool], tries: int = 300) -> tuple[list[Row], set[Pair]]:
    """Return rows in which any two values of two options meet that can, and the pairs of values that cannot.

    Every row is the one of several random ones in which most values meet for the first time.
    """
    seeded = Random("options")
    names = list(factors)
    left = [
        ((first, a), (second, b))
        for first, second in combinations(names, 2)
        for a, b in product(factors[first], factors[second])
    ]
    rows: list[Row] = []
    missing, refused = dict.fromkeys(left), set()
    while missing:
        wanted = next(iter(missing))
        candidates = [row for row in _rows_with(wanted, factors, seeded, tries) if may_be(row)]
        if not candidates:
            refused.add(wanted)
            del missing[wanted]
            continue
        best = max(candidates, key=lambda row: sum(pair in missing for pair in _pairs_of(row)))
        rows.append(best)
        for pair in _pairs_of(best):
            missing.pop(pair, None)
    return rows, refused


def _rows_with(wanted: Pair, factors: Factors, seeded: Random, tries: int) -> list[Row]:
    """Return random rows with two given values; of the others, fewer and fewer are as they are by default."""
    rows = []
    for number in range(tries):
        row = {
            name: seeded.choice(list(values)) if seeded.random() < number / tries else next(iter(values))
            for name, values in factors.items()
        }
        rows.append(row | dict(wanted))
    return rows


def _pairs_of(row: Row) -> list[Pair]:
    return list(combinations(row.items(), 2))


def arguments(factors: Factors, row: Row) -> list[str]:
    """Return the arguments of `pckv task new` for a row."""
    return [argument for name, value in row.items() for argument in factors[name][value]]


def all_rows() -> list[tuple[Factors, Row]]:
    """Return the rows of all kinds of tasks."""
    return [(factors, row) for factors, may_be in KINDS for row in covering_rows(factors, may_be)[0]]


KINDS: Sequence[tuple[Factors, Callable[[Row], bool]]] = (
    (PAIRS, may_be_pairs),
    (DERIVED, may_be_derived),
    (DISCOVERIES, may_be_discovery),
)
