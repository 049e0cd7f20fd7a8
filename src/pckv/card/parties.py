"""What each party of a mixed task can learn, with its condition, for its privacy card."""

from __future__ import annotations

from pckv.base.words import plural
from pckv.contract.task import Task


def parties(task: Task) -> dict[str, str]:
    """Return what each party can learn, by party; nothing where reports are not mixed."""
    mixer, local = task.mixer, f"ε = {task.reporting.epsilon}"
    if mixer is None:
        return {}
    honest = f"at least {plural(mixer.honest, 'report')} of the batch are honest"
    return {
        f"{mixer.operator}, the mixer": "who took part, when and in which task; if it follows the protocol, nothing "
        "about what participants hold (X25519, not post-quantum: stored sealed reports that are broken later leave the "
        f"{local} of a report)",
        "the mixer, if it drops or adds reports": "it can falsify results and, from published results, learn one "
        f"report: {local}",
        "the recipient, who sees one batch": f"ε = {mixer.epsilon} with δ = {mixer.delta} if the mixer follows the "
        f"protocol and {honest}",
        "both together, or a proxy that ends TLS before the mixer together with the recipient, or any other party that "
        "sees single reports": local,
        "the party that serves the page or controls the device": "everything",
    }
