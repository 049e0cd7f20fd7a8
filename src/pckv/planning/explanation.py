"""Why a channel's parameters are what they are, in a sentence."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from pckv.channels import Channel, residues
from pckv.channels.collision import CollisionChannel
from pckv.channels.ue_compact import UeCompactChannel


def explain_parameters(channel: Channel) -> str:
    """Return why the parameters are what they are; empty where there is nothing to say."""
    explain = EXPLANATIONS.get(channel.name)
    return "" if explain is None else explain(channel)


def errors_relative_to_ue(share: Fraction, shared: Fraction, bound: Fraction) -> tuple[Fraction, Fraction]:
    """Return the squared errors of a rare key's frequency and mean relative to PCKV-UE's, by h and by g.

    A share β = r/q of the residues says +, and ω = o/q says both: with D = 1 + β(e^ε - 1), h is
    D²/(β + ω - 2β²) and g is D²/(β - ω), up to what all have in common.
    """

    def h_and_g(beta: Fraction, omega: Fraction) -> tuple[Fraction, Fraction]:
        square = (1 + beta * (bound - 1)) ** 2
        return square / (beta + omega - 2 * beta**2), square / (beta - omega)

    (h, g), (h_ue, g_ue) = h_and_g(share, shared), h_and_g(1 / (bound + 3), Fraction(0))
    return h / h_ue, g / g_ue


def _explain_compact(channel: UeCompactChannel) -> str:
    reason = _explain_sets(channel) if channel.r > 1 else _explain_prime(channel)
    if not channel.decodes_all:
        reason += "; too many words to decode all keys together, only those asked for"
    return reason


def _explain_prime(channel: UeCompactChannel) -> str:
    loss = float(residues.error(channel.q, channel.bound)) - 1
    best = residues.best(channel.keys, channel.bound)
    reason = f"q = {channel.q}: {channel.word_limit:,} words, {loss:.1%} more error than ue"
    if channel.q != best:
        reason += f" (q = {best}: {float(residues.error(best, channel.bound)) - 1:.1%})"
    return reason


def _explain_sets(channel: UeCompactChannel) -> str:
    q, r, o = channel.q, channel.r, channel.o
    frequency, mean = errors_relative_to_ue(Fraction(r, q), Fraction(o, q), channel.bound)
    return (
        f"q = {q}, r = {r}, o = {o}: {channel.word_limit:,} words; the error of a rare key relative to "
        f"ue: frequency {float(frequency) - 1:+.1%}, mean {float(mean) - 1:+.1%}"
    )


def _explain_collision(channel: CollisionChannel) -> str:
    pairs = "one pair" if channel.padding == 1 else f"up to {channel.padding:,} pairs"
    return f"t = {channel.symbols:,}: {pairs} in one of {channel.symbols:,} symbols; counting a report adds to up to {channel.steps_per_report:,} counters"


EXPLANATIONS: dict[str, Callable[[Any], str]] = {
    "ue-compact": _explain_compact,
    "collision": _explain_collision,
}
