"""The mixer of a task: who runs it, whom reports are sealed for, and the central claim that it makes possible."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from fractions import Fraction
from typing import TYPE_CHECKING

from pckv.base.canonical import check_name, decimal_text, is_decimal_text
from pckv.base.errors import ParameterError
from pckv.base.limits import DEVICE_COIN, MAX_BATCH, MAX_CENTRAL_DELTA, Numeric, check_count, check_epsilon
from pckv.contract.reporting import Reporting
from pckv.sealing.envelope import sealed_length
from pckv.sealing.public_key import read_public_key

if TYPE_CHECKING:
    from pckv.contract.task import Task
    from pckv.planning.shuffle import ShuffleBound

_LABEL = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
# The last part of a name begins with a letter: browsers read a host that ends in a number as an address, which has
# several forms. Without https only on the device's own machine, to try things out.
_ORIGIN = re.compile(
    rf"(?:https://(?:{_LABEL}\.)*(?=[a-z]){_LABEL}|http://(?:localhost|127\.0\.0\.1|\[::1\]))(?::([1-9][0-9]{{0,4}}))?"
)
_DEFAULT_PORTS = {"https": 443, "http": 80}
MAX_ORIGIN_LENGTH, MAX_PORT = 256, 65_535
# How long a mixer keeps a batch that is not acknowledged.
KEPT_DAYS = 30


@dataclass(frozen=True)
class Mixer:
    """A second party that holds sealed reports, and hands them over in an order that says nothing.

    Args:
        url: The origin of the mixer, such as `https://mix.example`.
        operator: The name of the party that runs it, which participants read.
        key: The recipient's X25519 public key in base64url, made for this task or series alone.
        batch: Fewer reports than this never leave the mixer.
        honest: How many of them the claim counts on, at most `batch`.
        epsilon: ε of the central claim, at most that of a report.
        delta: δ of the central claim, above 0 and at most 0.00001.

    Raises:
        ParameterError: if any of these is outside its domain.
    """

    url: str
    operator: str
    key: str
    batch: int
    honest: int
    epsilon: Numeric
    delta: Numeric

    def __post_init__(self) -> None:
        check_origin(self.url)
        check_name(self.operator, "mixer.operator")
        read_public_key(self.key)
        check_count(self.batch, "mixer.batch", MAX_BATCH)
        if check_count(self.honest, "mixer.honest", MAX_BATCH) > self.batch:
            raise ParameterError(f"mixer.honest must be at most mixer.batch, {self.batch:,}, not {self.honest:,}")
        epsilon, delta = check_epsilon(self.epsilon, "mixer.epsilon"), decimal_text(self.delta, "mixer.delta")
        if not 0 < Fraction(delta) <= MAX_CENTRAL_DELTA:
            raise ParameterError(f"mixer.delta must be above 0 and at most 0.00001, not {delta}")
        # The instance is frozen: both are kept as the decimal texts that a task has.
        vars(self).update(epsilon=epsilon, delta=delta)

    @classmethod
    def from_member(cls, member: object) -> Mixer | None:
        """Return what the `member` `mixer` of a task says; None if its reports are not mixed.

        Raises:
            ParameterError: if it is no such member.
        """
        if member is None:
            return None
        if not isinstance(member, Mapping) or member.keys() != set(MEMBERS):
            raise ParameterError(f"mixer must be null, or an object of {', '.join(MEMBERS)}")
        for name in ("epsilon", "delta"):
            if not is_decimal_text(member[name]):
                raise ParameterError(f"mixer.{name} must be a plain decimal in quotes: no exponent, no trailing zeros")
        return cls(**member)

    def to_member(self) -> dict[str, object]:
        """Return the member of a task."""
        return asdict(self)

    @property
    def public_key(self) -> bytes:
        """The recipient's key."""
        return read_public_key(self.key)

    def check_reporting(self, reporting: Reporting) -> None:
        """Refuse what a mixer cannot hide, the `reporting` of a task, or a claim that says nothing.

        Raises:
            ParameterError: if a collector draws coins, or the claim is weaker than the ε of a report.
        """
        if reporting.coin != DEVICE_COIN:
            raise ParameterError(
                "coin must be 'device' with a mixer: a collector that hands out coins knows reports by them"
            )
        if Fraction(str(self.epsilon)) > Fraction(reporting.epsilon):
            raise ParameterError(
                f"mixer.epsilon must be at most the ε of a report, {reporting.epsilon}, not {self.epsilon}"
            )

    def central_delta(self, reporting: Reporting) -> float:
        """Return δ at the claimed ε of `honest` mixed reports, of a `reporting`: an upper bound of the true one."""
        return _bound(reporting, self.honest).delta(Fraction(str(self.epsilon)))

    def central_epsilon(self, reporting: Reporting, honest: int) -> float:
        """Return ε at the claimed δ if so many of the `reporting` are `honest`: an upper bound of the true one."""
        return _bound(reporting, honest).epsilon(float(self.delta))

    @property
    def few_honest(self) -> int:
        """A quarter of the honest reports, at least one: it is told what is left of the claim with so few."""
        return max(1, self.honest // 4)

    def check_claim(self, reporting: Reporting) -> None:
        """Refuse a claim that `honest` mixed reports, of the `reporting` of a task, do not have.

        Devices do not compute it: authors, collectors, mixers and auditors of a task do.

        Raises:
            ParameterError: if their δ at the claimed ε is above the claimed one.
        """
        found = self.central_delta(reporting)
        if Fraction(found) > Fraction(str(self.delta)):
            raise ParameterError(
                f"{self.honest:,} honest reports of local ε = {reporting.epsilon} have δ = {found:.2g} at the claimed "
                f"ε = {self.epsilon}, above the claimed δ = {float(self.delta):g}: claim less, or count on more reports"
            )


MEMBERS = tuple(sorted(field.name for field in fields(Mixer)))


def _bound(reporting: Reporting, honest: int) -> ShuffleBound:
    """Return the bound on what a recipient learns of one of so many honest reports that are mixed."""
    # A device that reads a task never loads the planner.
    from pckv.planning.shuffle import ReportLaws, ShuffleBound  # noqa: PLC0415

    return ShuffleBound(honest, *ReportLaws.of(reporting.law, reporting.size_question))


def check_origin(url: object) -> str:
    """Return the address of a mixer in its one form, or raise a `ParameterError` that says what it looks like."""
    match = _ORIGIN.fullmatch(url) if isinstance(url, str) and len(url) <= MAX_ORIGIN_LENGTH else None
    scheme = "" if match is None else match[0].partition(":")[0]
    port = None if match is None or match[1] is None else int(match[1])
    if match is None or (port is not None and (port > MAX_PORT or port == _DEFAULT_PORTS[scheme])):
        shown = repr(url) if len(str(url)) <= MAX_ORIGIN_LENGTH else f"{str(url)[:20]!r}…"
        raise ParameterError(
            "mixer.url must be an origin such as https://mix.example: in small letters, without a path, a slash at the "
            f"end or the usual port, not {shown}"
        )
    return match[0]


def read_mixer(mixer: object) -> Mixer | None:
    """Return a mixer given as such, or as a mapping of its members; None for none."""
    if mixer is None or isinstance(mixer, Mixer):
        return mixer
    if not isinstance(mixer, Mapping):
        raise ParameterError(f"mixer must be a Mixer or an object of its members, not {mixer!r}")
    if unknown := sorted(map(str, mixer.keys() - set(MEMBERS))):
        raise ParameterError(f"mixer has no member {unknown[0]!r}: choose from {', '.join(MEMBERS)}")
    if missing := sorted(set(MEMBERS) - mixer.keys()):
        raise ParameterError(f"mixer needs {', '.join(missing)}")
    return Mixer(**mixer)


def entry_bytes(task: Task) -> int:
    """Return the length of a sealed report of a task: an entry of its batch."""
    return sealed_length(task.message_format.body_bytes)
