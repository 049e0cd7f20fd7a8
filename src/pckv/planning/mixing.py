"""What a plan proposes for a mixer: batch, honest reports, δ, and the ε of a report that the wanted ε allows.

The claim is computed at the honest reports, which are fewer than the batch, which is smaller than what is expected:
it holds although fewer people take part than expected, and some of the reports may be the recipient's own.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction

from pckv.base.errors import ParameterError
from pckv.base.limits import (
    DEVICE_COIN,
    MAX_ADVISED_EPSILON,
    MAX_BATCH,
    MAX_CENTRAL_DELTA,
    SERVER_COIN,
    check_epsilon,
    check_whole,
)
from pckv.base.words import plural, rounded_up
from pckv.planning.sections import Section
from pckv.planning.series import PlannedSeries
from pckv.planning.shuffle import MAX_CENTRAL_SHARE, ReportLaws, ShuffleBound

# A report alone is not hidden among others.
MIN_BATCH = 2
# The batch is this share of the people expected, and the claim counts on this share of it.
BATCH_SHARE, HONEST_SHARE = Fraction(1, 2), Fraction(3, 4)
# A report has at most this ε, whatever the claim allows; it is searched for with this many digits.
MAX_LOCAL_EPSILON, LOCAL_DIGITS = "8", 3
# A claim that is stronger than what was asked for is rounded up to this many digits.
CLAIM_DIGITS = 2
# What is left of the claim is said for this share of the honest reports.
FEW_HONEST_SHARE = Fraction(1, 4)
# δ is at most this, and at most one in this many times the people expected.
MAX_DELTA, DELTA_DIVISOR = Decimal("0.000001"), 100
# The caps that devices have by default: in all towards recipients, and in all of single reports.
RECIPIENT_CAP, LOCAL_CAP = 10, 40

# What a plan answers both ways, and the form for a new task asks.
QUESTION = "Can a party outside your organisation run a mixer?"
TOO_FEW = "If fewer reports than the batch arrive, they are deleted unread, and there is no result."
INVITATIONS = (
    "Honest reports are made as the task says, one per person, by participants who do not work with the recipient: "
    "that there are as many is an assumption. Have invitations made and sent by the mixer's side or by a third party, "
    "not by the collector: a party that makes or forwards invitations can fill the batch with reports of its own, and "
    "without invitations any party can."
)


@dataclass(frozen=True)
class MixerClaim:
    """The members of a task's mixer that a plan proposes; url, operator and key are the author's.

    Attributes:
        batch: Fewer reports than this never leave the mixer.
        honest: How many of them the claim counts on.
        epsilon: ε of the claim, as a decimal text; `delta` its δ.
    """

    batch: int
    honest: int
    epsilon: str
    delta: str

    @property
    def condition(self) -> str:
        """What the claim depends on, as a clause that stands wherever its ε does."""
        return f"if the mixer follows the protocol and the batch has at least {plural(self.honest, 'honest report')}"


@dataclass(frozen=True)
class ReportsAlone:
    """What is seen without a mixer: how many people take part, at the wanted ε of a report."""

    users: int
    epsilon: float
    smallest_frequency: float


@dataclass(frozen=True)
class PlannedMixing:
    """What a plan proposes for a mixer, beside the same collection without one.

    Attributes:
        mixer: The members of a task's mixer.
        local_epsilon: ε of a report, that of the task: what holds towards any party that sees a single one.
        few_honest: A quarter of the honest reports; `few_honest_epsilon` is the central ε if no more are honest.
        alone: What every report alone would show, at the ε that is wanted towards the recipient.
    """

    mixer: MixerClaim
    local_epsilon: float
    few_honest: int
    few_honest_epsilon: float
    alone: ReportsAlone

    @property
    def gains(self) -> bool:
        """Whether mixing is known to add anything worth telling to what each report guarantees."""
        return float(self.mixer.epsilon) < MAX_CENTRAL_SHARE * self.local_epsilon

    @property
    def reports_within_caps(self) -> int:
        """How many such reports a device makes, and no others, before one of its default caps refuses the next."""
        claim, delta = Fraction(self.mixer.epsilon), Fraction(self.mixer.delta)
        spent = (RECIPIENT_CAP / claim, MAX_CENTRAL_DELTA / delta, LOCAL_CAP / Fraction(str(self.local_epsilon)))
        return math.floor(min(spent))

    def choice(self, users: int, frequency: float, seen: Callable[[int, float], str]) -> Section:
        """Return both ways side by side: every report alone, and mixed, where `users` people take part.

        `seen` says, as a clause, what so many people show from which frequency on.
        """
        mixer, alone = self.mixer, self.alone
        claim = f"ε = {mixer.epsilon} with δ = {mixer.delta} towards the recipient {mixer.condition}"
        no = (
            f"No: every report is sent alone, at ε = {alone.epsilon:g} towards every party that sees it; "
            f"{seen(alone.users, alone.smallest_frequency)}."
        )
        yes = (
            f"Yes: reports are mixed, at {claim}, and otherwise ε = {self.local_epsilon:g} of a report; "
            f"{seen(users, frequency)}."
        )
        sentences = tuple(filter(None, (no, yes, self._remark)))
        return Section(QUESTION, sentences)

    @property
    def _remark(self) -> str:
        """What is unusual about the claim; empty where it is what was asked for, and gains something."""
        if not self.gains:
            return "For this many people, it is not known that mixing improves the protection."
        if Fraction(self.mixer.epsilon) >= Fraction(str(self.alone.epsilon)):
            return ""
        return (
            f"No more than ε = {MAX_LOCAL_EPSILON} of a mixed report is proposed, with which the claim is stronger "
            f"than the ε = {self.alone.epsilon:g} that was asked for."
        )

    def proposal(self, mechanism: str, padding: int, panels: int = 1) -> Section:
        """Return the members of a task, and what the claim depends on."""
        mixer = self.mixer
        in_round = " in a round" if panels > 1 else ""
        size = f"half of the people expected{in_round}" if mixer.batch < MAX_BATCH else "the largest that there may be"
        rows = (
            ("epsilon", f"{self.local_epsilon:g}", "of a report alone"),
            ("mixer.batch", f"{mixer.batch:,}", f"{size}, rounded down"),
            ("mixer.honest", f"{mixer.honest:,}", "three quarters of the batch, rounded down"),
            ("mixer.epsilon", mixer.epsilon, "of the claim, at that many honest reports"),
            ("mixer.delta", mixer.delta, "the probability that the claim may fail"),
        )
        claim = (
            f"The claim, ε = {mixer.epsilon} with δ = {mixer.delta} towards the recipient, holds {mixer.condition}. It "
            f"was computed for {mechanism} with padding {padding:,}: with others it may not hold, and such a task is "
            "refused."
        )
        few = (
            f"If the batch has only {plural(self.few_honest, 'honest report')}, ε = "
            f"{rounded_up(self.few_honest_epsilon)} with the same δ is left towards the recipient, if the mixer "
            "follows the protocol."
        )
        sentences = (TOO_FEW, claim, few, INVITATIONS, local_words(self.local_epsilon))
        return Section("Proposed for a mixed task", sentences, ("member", "value", "what it is"), rows, texts=3)

    def spent_in(self, series: PlannedSeries) -> tuple[str, ...]:
        """Return what a device spends over a series, and after how many rounds its caps end that."""
        mixer, rounds, panels = self.mixer, series.rounds, series.panels
        reports = math.ceil(rounds / panels)
        central, delta, local = (
            _plain(Fraction(each) * reports) for each in (mixer.epsilon, mixer.delta, str(self.local_epsilon))
        )
        spent = (
            f"Any {panels:,} rounds in a row hold at most one report of a device; over all {rounds:,} rounds it spends "
            f"at most ε = {central} with δ = {delta} towards the recipient, {mixer.condition} in every round, and "
            f"otherwise ε = {local} of its reports."
        )
        last = self.reports_within_caps * panels
        ends = (
            f"they end its part in the series after {last:,} of the {rounds:,} rounds"
            if last < rounds
            else f"they do not end its part in the series within these {rounds:,} rounds"
        )
        caps = (
            f"By default a device spends at most ε = {RECIPIENT_CAP} and δ = {_plain(MAX_CENTRAL_DELTA)} in all "
            f"towards recipients, and ε = {LOCAL_CAP} in all whatever fails: these caps allow "
            f"{plural(self.reports_within_caps, 'such report')} and no other; {ends}."
        )
        return spent, caps


def local_words(epsilon: float) -> str:
    """Say what the ε of a mixed report means where mixing does not protect it."""
    odds = math.exp(epsilon)
    meaning = (
        f"If mixer and collector work together, or any other party sees a single report and knows whose it is, "
        f"ε = {epsilon:g} is left: the odds of anything that it believes about the participant change by a factor of "
        f"at most {rounded_up(odds)}, and even odds become at most {rounded_up(100 * odds / (1 + odds), 4)} %."
    )
    if epsilon <= MAX_ADVISED_EPSILON:
        return meaning
    return (
        f"{meaning} That protects little: without a mixer, a plan advises at most ε = {MAX_ADVISED_EPSILON}. What "
        "protects participants is that the mixer follows the protocol."
    )


def proposed_delta(people: int) -> str:
    """Return δ for this many people in all, as a decimal text of one digit that is rounded down.

    >>> proposed_delta(2000), proposed_delta(30_000)
    ('0.000001', '0.0000003')
    """
    share = Context(prec=1, rounding=ROUND_FLOOR).divide(Decimal(1), Decimal(DELTA_DIVISOR * people))
    return f"{min(MAX_DELTA, share):f}"


@dataclass(frozen=True)
class Batch:
    """How many reports are mixed at once, and the δ of their claim."""

    batch: int
    honest: int
    delta: str

    @classmethod
    def proposed(cls, people: int, users: int, panels: int = 1, coin: str = DEVICE_COIN) -> Batch:
        """Return the batch for this many of all users in all panels, or refuse what cannot be mixed."""
        if coin == SERVER_COIN:
            raise ParameterError("coin must be 'device' with a mixer: a collector knows reports by the coins it made")
        batch = min(MAX_BATCH, math.floor(BATCH_SHARE * (check_whole(people, "mixed") // panels)))
        if batch < MIN_BATCH:
            least = math.ceil(MIN_BATCH / BATCH_SHARE) * panels
            raise ParameterError(
                f"mixed must be at least {least:,}, not {people:,}: a batch is half of the people"
                f"{' of a round' if panels > 1 else ''}, and a single report is not hidden among others"
            )
        if people > users:
            raise ParameterError(f"mixed must be at most the number of people who take part, {users:,}, not {people:,}")
        return cls(batch, math.floor(HONEST_SHARE * batch), proposed_delta(people))

    def claimed(self, local: str, wanted: str, laws: ReportLaws) -> str:
        """Return the ε of the claim: the one that is wanted, or less where no larger `local` ε is proposed."""
        if local != MAX_LOCAL_EPSILON:
            return wanted
        bound = ShuffleBound(self.honest, *laws)
        reached = check_epsilon(rounded_up(bound.epsilon(float(self.delta)), CLAIM_DIGITS))
        claim = min((wanted, local, reached), key=Fraction)
        return claim if _holds(bound, claim, self.delta) else min((wanted, local), key=Fraction)

    def planned(self, local: str, wanted: str, laws: ReportLaws, alone: ReportsAlone) -> PlannedMixing:
        """Return what is proposed where reports of a `local` ε have these laws."""
        few = max(1, math.floor(FEW_HONEST_SHARE * self.honest))
        return PlannedMixing(
            mixer=MixerClaim(self.batch, self.honest, self.claimed(local, wanted, laws), self.delta),
            local_epsilon=float(local),
            few_honest=few,
            few_honest_epsilon=ShuffleBound(few, *laws).epsilon(float(self.delta)),
            alone=alone,
        )

    def local_epsilon(self, wanted: str, laws_at: Callable[[Fraction], ReportLaws]) -> str:
        """Return the largest ε of a report found at which the claim of the `wanted` ε holds.

        `laws_at` gives the laws of the reports that would be made at a local ε. If there are none at the wanted one,
        its `ParameterError` is raised.
        """

        def holds(local: str) -> bool:
            try:
                laws = laws_at(Fraction(local))
            except ParameterError:
                return False
            return _holds(ShuffleBound(self.honest, *laws), wanted, self.delta)

        # A local ε is a central one, too: the answer is never below what is wanted, unless that is too large.
        low, high = min((wanted, MAX_LOCAL_EPSILON), key=Fraction), MAX_LOCAL_EPSILON
        laws_at(Fraction(low))
        if holds(high):
            return high
        # Only what was tried itself is returned: the answer does not rely on the bound being monotone.
        while True:
            middle = check_epsilon(f"{math.sqrt(float(low) * float(high)):.{LOCAL_DIGITS}g}")
            if not Fraction(low) < Fraction(middle) < Fraction(high):
                return low
            low, high = (middle, high) if holds(middle) else (low, middle)


def _holds(bound: ShuffleBound, epsilon: str, delta: str) -> bool:
    """Whether a claim holds, by the rule that tasks are checked by."""
    return Fraction(bound.delta(Fraction(epsilon))) <= Fraction(delta)


def _plain(number: Fraction) -> str:
    """Return a decimal number in plain digits."""
    text = f"{Decimal(number.numerator) / Decimal(number.denominator):f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
