"""What the author of a task leaves open: mechanism, padding and size share, chosen as a plan does."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from pckv.base.limits import AUTO, DEVICE_COIN, HASHED_MECHANISM, MORE, SAMPLE, check_choice, check_padding
from pckv.contract.domain import Domain
from pckv.contract.reporting import Reporting
from pckv.mechanisms.discovery.law import DiscoveryLaw


def choose_reporting(
    domain: Domain,
    epsilon: str,
    mechanism: str | Mapping[str, object] = AUTO,
    padding: int | None = None,
    *,
    more: str = SAMPLE,
    coin: str = DEVICE_COIN,
    **hints: Any,
) -> Reporting:
    """Return how a domain is reported at an ε; what is left open has the least predicted error.

    `hints` say who is expected to take part, as `Task` takes them, and the size share where that is named.

    Raises:
        ParameterError: if any of these is outside its domain, or nothing can report it.
    """
    # Only the author of a task has anything to choose: a device that reads one never loads the planner.
    from pckv.planning.assessment import planned_size_share  # noqa: PLC0415
    from pckv.planning.people import expect  # noqa: PLC0415
    from pckv.planning.selection import choose_law  # noqa: PLC0415

    wanted = {"name": mechanism} if isinstance(mechanism, str) else dict(mechanism)
    if domain.is_hashed and wanted == {"name": AUTO}:
        wanted = {"name": HASHED_MECHANISM}
    expected = expect(
        domain.key_count,
        levels=domain.values.level_values,
        padding=None if padding is None else check_padding(padding),
        more=check_choice(more, "more", MORE),
        coin=coin,
        derivation=domain.derivation,
        **hints,
    )
    law = choose_law(Fraction(epsilon), wanted, padding, expected)
    share = planned_size_share(law, expected)
    kept = law.padding if domain.derivation is None else domain.derivation.kept(law.padding)
    return Reporting.of(law, domain, epsilon=epsilon, padding=kept, more=more, size_share=share, coin=coin)


def discovery_reporting(
    domain: Domain, groups: int, epsilon: str, padding: int, parameters: Mapping[str, object], *, coin: str
) -> Reporting:
    """Return how the unknown texts of a discovery are reported: nothing is left open but the mechanism's parameters."""
    law = DiscoveryLaw.of_groups(groups, check_padding(padding), Fraction(epsilon), parameters)
    return Reporting.of(law, domain, epsilon=epsilon, coin=coin)
