"""The client: perturb once, store, send. Standard library only, but for the sealing of mixed tasks."""

from __future__ import annotations

from pckv.client.caps import PeriodCap
from pckv.client.client import Client
from pckv.client.ledger import CentralClaim, LedgerEntry
from pckv.client.outbox import Status
from pckv.client.reports import Receipt
from pckv.client.rounds import RoundReceipt, RoundStatus
from pckv.client.transport import RetryPolicy

__all__ = [
    "CentralClaim",
    "Client",
    "LedgerEntry",
    "PeriodCap",
    "Receipt",
    "RetryPolicy",
    "RoundReceipt",
    "RoundStatus",
    "Status",
]
