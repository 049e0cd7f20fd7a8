"""What the operator of a mixer promises, and what a mixer does not protect against, in words."""

from __future__ import annotations

from pckv.contract.mixer import KEPT_DAYS

PROMISES = (
    "To run it apart from the collector, and to give the collector nothing but batches.",
    "To keep no order, no times and no addresses of reports: TLS ends on the mixer's machine, without an access log.",
    "To add no reports and to drop none, and to accept one task per survey.",
    "To release one batch per task, on its closing day and never earlier; too few reports are deleted unread.",
    f"To delete a batch once it was acknowledged, or after {KEPT_DAYS} days.",
)
_LEARNS = (
    "A mixer that follows the protocol learns who took part, when and in which task, and nothing about the pairs "
    "(X25519, which a quantum computer could break later: what is left then is the local ε)."
)
_CENTRAL = (
    "A collector that sees one batch of such a mixer has the central ε that a task claims, if at least as many reports "
    "of it are honest as the task counts on."
)
_LOCAL = (
    "A mixer that drops or adds reports can falsify results, and learn one report from them: local ε. Both together, "
    "or anything else that sees reports: local ε."
)
CONDITIONS = (_LEARNS, _CENTRAL, _LOCAL)
