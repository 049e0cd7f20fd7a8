"""Why a channel's parameters are what they are, in a sentence."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from pckv.channels import Channel, residues
from pckv.channels.collision import CollisionChannel
from pckv.channels.ue_compact import UeCompactChannel
from pckv.limits import MIN_LEVELS


def explain_parameters(channel: Channel) -> str:
    """Return why the parameters are what they are; empty where there is nothing to say."""
    explain = EXPLANATIONS.get(channel.name)
    return "" if explain is None else explain(channel)


def relative_errors(
    share: Fraction, shared: Fraction, bound: Fraction, levels: int = MIN_LEVELS
) -> tuple[Fraction, Fraction]:
    """Return the squared errors of a rare key's frequency and mean relative to the best single residue's, by h and by g.

    That is a share of 1/(e^ε + 2L - 1), with two levels PCKV-UE. A share β = r/q of the residues says a level, and
    ω = o/q says both of two: with D = 1 + β(e^ε - 1), h is D²/(β + ω - Lβ²) and g is D²/(β - ω), up to what all have in
    common.
    """

    def h_and_g(beta: Fraction, omega: Fraction) -> tuple[Fraction, Fraction]:
        square = (1 + beta * (bound - 1)) ** 2
        return square / (beta + omega - levels * beta**2), square / (beta - omega)

    best = 1 / (bound + 2 * levels - 1)
    (h, g), (h_best, g_best) = h_and_g(share, shared), h_and_g(best, Fraction(0))
    return h / h_best, g / g_best


def _explain_compact(channel: UeCompactChannel) -> str:
    reason = _explain_sets(channel) if channel.r > 1 else _explain_prime(channel)
    if not channel.decodes_all:
        reason += "; too many words to decode all keys together, only those asked for"
    return reason


def _explain_prime(channel: UeCompactChannel) -> str:
    def loss(q: int) -> float:
        return float(residues.error(q, channel.bound, channel.levels)) - 1

    best = residues.best(channel.keys, channel.bound, channel.levels)
    reason = f"q = {channel.q}: {channel.word_limit:,} words, {loss(channel.q):.1%} more error than {_ideal(channel)}"
    if channel.q != best:
        reason += f" (q = {best}: {loss(best):.1%})"
    return reason


def _ideal(channel: UeCompactChannel) -> str:
    """What errors are relative to: the share of residues that suits one residue per level best."""
    return (
        "ue" if channel.levels == MIN_LEVELS else f"q = {float(channel.bound) + 2 * channel.levels - 1:.3g}"
    )


def _explain_sets(channel: UeCompactChannel) -> str:
    q, r, o = channel.q, channel.r, channel.o
    frequency, mean = relative_errors(Fraction(r, q), Fraction(o, q), channel.bound, channel.levels)
    return (
        f"q = {q}, r = {r}, o = {o}: {channel.word_limit:,} words; the error of a rare key relative to "
        f"{_ideal(channel)}: frequency {float(frequency) - 1:+.1%}, mean {float(mean) - 1:+.1%}"
    )


def _explain_collision(channel: CollisionChannel) -> str:
    pairs = "one pair" if channel.padding == 1 else f"up to {channel.padding:,} pairs"
    counting = (
        f"counting a report adds to up to {channel.steps_per_report:,} counters"
        if channel.decodes_all
        else "a tally keeps the words, which are checked against every key that is asked for"
    )
    return f"t = {channel.symbols:,}: {pairs} in one of {channel.symbols:,} symbols; {counting}"


EXPLANATIONS: dict[str, Callable[[Any], str]] = {
    "ue-compact": _explain_compact,
    "collision": _explain_collision,
}
