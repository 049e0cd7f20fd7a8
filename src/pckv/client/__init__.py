"""The client: perturb once, store, send. Standard library only."""

from __future__ import annotations

from pckv.client.client import Client, Receipt
from pckv.client.ledger import LedgerEntry
from pckv.client.outbox import Status
from pckv.client.retry_policy import RetryPolicy

__all__ = ["Client", "LedgerEntry", "Receipt", "RetryPolicy", "Status"]
