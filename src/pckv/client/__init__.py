"""The client: perturb once, store, send. Standard library only."""

from __future__ import annotations

from pckv.client.client import Client
from pckv.client.ledger import LedgerEntry, PeriodCap
from pckv.client.outbox import Status
from pckv.client.reports import Receipt
from pckv.client.rounds import RoundReceipt, RoundStatus
from pckv.client.transport import RetryPolicy

__all__ = [
    "Client",
    "LedgerEntry",
    "PeriodCap",
    "Receipt",
    "RetryPolicy",
    "RoundReceipt",
    "RoundStatus",
    "Status",
]
