"""The client: perturb once, remember, send. Standard library only."""

from __future__ import annotations

from pckv.client.client import Client, Receipt
from pckv.client.outbox import Status
from pckv.client.transport import Patience

__all__ = ["Client", "Patience", "Receipt", "Status"]
