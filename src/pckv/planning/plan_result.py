"""What a plan says: the choice, the errors to expect, and what else was considered."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from pckv.base.html import html_paragraphs, html_table
from pckv.base.levels import listed
from pckv.base.words import percent, points, two_digits
from pckv.planning.assessment import LevelCost
from pckv.planning.influence import Hostile
from pckv.planning.series import PlannedSeries
from pckv.planning.shuffle import ShuffledPrivacy

# Members of the JSON that scripts rely on, where the attribute has a plainer name.
JSON_NAMES = {"reason_not_chosen": "objection"}
# What is said of an estimate that is as far off as a guess.
NO_BETTER = "no better than a guess"


def _json_members(members: list[tuple[str, Any]]) -> dict[str, Any]:
    return {JSON_NAMES.get(name, name): value for name, value in members}


@dataclass(frozen=True)
class Option:
    """One mechanism with its best padding and parameters, and what it would cost."""

    mechanism: str
    padding: int
    parameters: dict[str, str | int]
    bytes_per_report: int
    frequency_error: float
    mean_error: float
    # Empty for the option that is chosen.
    reason_not_chosen: str


@dataclass(frozen=True)
class Alternative:
    """Another rule or assumption to choose by, what it leads to, and its errors for a key of one frequency."""

    rule: str
    mechanism: str
    padding: int
    frequency: float
    frequency_error: float
    mean_error: float


@dataclass(frozen=True)
class ErrorAt:
    """The errors to expect of method `corrected` at one true frequency, bias included.

    `rank` is that of a key that is expected to have this frequency, None where it is just an example. `share_error` is
    that of the share of one level among the holders, None where there are only two levels.
    """

    rank: int | None
    frequency: float
    frequency_error: float
    mean_error: float
    share_error: float | None = None


@dataclass(frozen=True)
class PlannedLevels:
    """What a plan says of more than two levels.

    Attributes:
        values: What each is worth, in the units of the values.
        cost: What they cost relative to two.
        share_error: The error to expect of the share of one level, for a key of the typical frequency.
        guessed_share_error: That of guessing that all levels have the same share.
    """

    values: tuple[float, ...]
    cost: LevelCost
    share_error: float
    guessed_share_error: float

    def share_text(self, error: float) -> str:
        """Return the error of a share, in words where a guess would be as good."""
        return f"±{points(error)}" if error < self.guessed_share_error else NO_BETTER


@dataclass(frozen=True)
class Plan:
    """What to run and what to expect of it.

    Attributes:
        keys: The number of keys, or `hashed`; then `candidates` is how many will be asked for.
        users: How many people were planned for.
        epsilon: The ε of a report.
        pairs: How many pairs people hold on average; `usual_pairs` is how many nine of ten do not exceed.
        seen: The share of the most frequent key's frequency that reports show.
        frequency: Of a typical one of the keys that matter; `frequencies` are those of all, the most frequent first.
        assumed: What was assumed, as a sentence.
        more: What happens to somebody with more pairs than the padding: `sample` or `refuse`.
        values: The range that the errors of means are in; `guessed_mean_error` is that of guessing the overall mean.
        coin: Who draws the public function of a report.
        most_influence: As how many people one hostile report may count, where that was limited.
        size_share: The share of reports that answers how many pairs somebody holds; errors are larger by
            `size_cost` for it. `share_above` is the share of people expected to hold more pairs than the padding, and
            `share_above_error` how far off its estimate will be (half a 95 % interval; None where nothing is asked).
        shuffled: The central guarantee of shuffled reports, where the plan is for them.
        objective: Which error was made small.
        mechanism: The mechanism that is recommended, with its `parameters` and `padding`; `why` says why.
        budgets: How ε is split between the key and its value, where a mechanism splits it.
        a: The chance that a report supports the key that it was made from; `b` that of any other key, and `p` how
            often a supported key has the level of its value: with two levels, its sign.
        bytes_per_report: The size of a report with its id.
        errors: The errors to expect, by the frequency of a key.
        smallest_frequency: The frequency that stands out from the noise 80 % of the time.
        users_needed: How many people it takes for keys of a frequency to stand out; None if no number does.
        hostile: What hostile reports can do.
        options: All mechanisms that were compared, each with its best padding.
        alternatives: What other rules and assumptions would choose.
        verdict: What it comes to, in a sentence or two.
        series: What to expect of a series, where the plan is for one.
        levels: What more than two levels cost and tell, where the plan is for them.
    """

    keys: int | str
    users: int
    epsilon: float
    pairs: float
    usual_pairs: int
    seen: float
    frequency: float
    frequencies: tuple[float, ...]
    assumed: str
    objective: str
    more: str
    values: tuple[float, float]
    mechanism: str
    padding: int
    parameters: dict[str, str | int]
    why: str
    budgets: dict[str, float]
    a: float
    b: float
    p: float
    bytes_per_report: int
    coin: str
    most_influence: float | None
    size_share: float
    size_cost: float
    share_above: float
    share_above_error: float | None
    shuffled: ShuffledPrivacy | None
    errors: tuple[ErrorAt, ...]
    guessed_mean_error: float
    smallest_frequency: float
    users_needed: dict[float, int | None]
    hostile: Hostile
    options: tuple[Option, ...]
    alternatives: tuple[Alternative, ...]
    verdict: str
    series: PlannedSeries | None = None
    levels: PlannedLevels | None = None
    candidates: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as plain values, under the names of the JSON that `pckv plan --json` prints."""
        plain = asdict(self, dict_factory=_json_members)
        plain["users_needed"] = [
            {"frequency_error": error, "users": users} for error, users in self.users_needed.items()
        ]
        if self.series is None:
            del plain["series"]
        if self.candidates is None:
            del plain["candidates"]
        if self.levels is None:
            del plain["levels"]
            for error in plain["errors"]:
                del error["share_error"]
        return plain

    def _repr_html_(self) -> str:
        facts = [
            (
                "keys",
                f"{self.keys:,}" if self.candidates is None else f"hashed, {self.candidates:,} asked for",
            ),
            ("people", f"{self.users:,}"),
            ("ε per report", f"{self.epsilon:g}"),
            (
                "mechanism",
                ", ".join([self.mechanism, *(f"{name} {of}" for name, of in self.parameters.items())]),
            ),
            ("padding", f"{self.padding:,}"),
            ("bytes per report", f"{self.bytes_per_report:,}"),
            ("smallest frequency that stands out from the noise", percent(self.smallest_frequency)),
        ]
        low, high = self.values
        errors = [
            (
                percent(error.frequency),
                f"±{two_digits(min(100 * error.frequency_error, 100))} points",
                f"±{error.mean_error:.3g}" if error.mean_error < self.guessed_mean_error else NO_BETTER,
                *self.share_texts(error),
            )
            for error in self.errors
        ]
        return (
            html_table("Recommended", (), facts, hidden=len(self.options) - 1, what="options")
            + html_table(
                "Errors to expect",
                (
                    "true frequency",
                    "error of the frequency",
                    f"error of the mean, of [{low:g}, {high:g}]",
                    *(["error of a level's share"] if self.levels else []),
                ),
                errors,
            )
            + self._series_html()
            + html_paragraphs([self.assumed, *([self.level_sentence] if self.levels else []), self.verdict])
        )

    def share_texts(self, error: ErrorAt) -> list[str]:
        """Return the error of a share in words, where there are more than two levels; otherwise nothing.

        Args:
            error: The expected errors of a key.
        """
        if self.levels is None or error.share_error is None:
            return []
        return [self.levels.share_text(error.share_error)]

    @property
    def level_sentence(self) -> str:
        """What more than two levels cost, for people to read; empty where there are only two."""
        if self.levels is None:
            return ""
        cost = self.levels.cost
        return (
            f"{len(self.levels.values)} levels ({listed(self.levels.values)}) instead of two, each with its best setting: "
            f"the error of a frequency is {cost.frequency:.2f} times as large, that of a mean {cost.mean_middle:.2f} times "
            f"in the middle of the range and {cost.mean_near_ends:.2f} times near its ends, with method corrected, for keys "
            "that are well above the noise. Bayes, the default method, may gain or lose: on real ratings its means were off "
            "0.7 to 1.3 times as much with five levels as with two."
        )

    def _series_html(self) -> str:
        """Return the errors of the rounds of a series as a table; nothing where the plan is for none."""
        if self.series is None:
            return ""
        rows = [
            (
                percent(error.frequency),
                *(
                    "" if each is None else f"±{two_digits(min(100 * each, 100))} points"
                    for each in (error.one_round, error.pooled, error.smoothed, error.smoothed_drifting)
                ),
            )
            for error in self.series.errors
        ]
        header = ("true frequency", "one round", "pooled", "smoothed, no change", "smoothed, drifting")
        return html_table(
            f"Errors of a series of {self.series.rounds:,} rounds, {self.series.panels:,} panels",
            header,
            rows,
        )
