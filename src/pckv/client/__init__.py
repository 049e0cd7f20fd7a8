"""The client: perturb once, store, send. Standard library only."""

from __future__ import annotations

from pckv.client.caps import PeriodCap
from pckv.client.client import Client
from pckv.client.ledger import LedgerEntry
from pckv.client.outbox import Status
from pckv.client.reports import Receipt
from pckv.client.retry_policy import RetryPolicy
from pckv.client.round_receipt import RoundReceipt, RoundStatus

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
