"""The routes of a recipient's keys: make one for a new mixed task, and hand over the token of its mixer."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from pckv.base.errors import DataError, MissingExtra
from pckv.collector.http.policy import Policy, part
from pckv.collector.http.problem_details import ProblemDetails, ProblemKind, malformed_input, problem_responses
from pckv.collector.recipient.keys import KEY, MAX_TOKEN_BYTES, MixerKeys

CurrentKeys = Annotated[MixerKeys, part("mixer_keys")]

router = APIRouter(tags=["tasks"])


@router.post(
    "/mixer-keys",
    summary="Make the recipient's key of a mixed task",
    status_code=201,
    responses=problem_responses(ProblemKind.NOT_MIXABLE),
)
async def create_key(keys: CurrentKeys) -> dict[str, str]:
    """Make a key pair for one task or series: the answer has the public `key`, which its mixer has as a member.

    The private key stays in the collector's folder of keys, in the `file` of this name.
    """
    with _not_mixable():
        key = await asyncio.to_thread(keys.create)
    return {"key": key, "file": key + KEY}


class RecipientToken(BaseModel):
    """A token with which the recipient fetches the batches of one task or series from its mixer."""

    model_config = ConfigDict(extra="forbid", strict=True)

    token: Annotated[str, Field(max_length=MAX_TOKEN_BYTES)]


@router.put(
    "/mixer-keys/{key}/token",
    summary="Hand over the recipient's token of a mixed task",
    responses=problem_responses(ProblemKind.NOT_MIXABLE),
)
@Policy(max_bytes=2 * MAX_TOKEN_BYTES)
async def set_token(key: str, keys: CurrentKeys, given: RecipientToken) -> dict[str, str]:
    """Keep the token that the mixer's operator handed over, beside the private key of this public `key`."""
    with malformed_input(), _not_mixable():
        await asyncio.to_thread(keys.set_token, key, given.token)
    return {"key": key}


@contextmanager
def _not_mixable() -> Iterator[None]:
    """Say what is wrong with the folder of keys, or with what was to be put there."""
    try:
        yield
    except (DataError, MissingExtra) as error:
        raise ProblemDetails(ProblemKind.NOT_MIXABLE, str(error)) from None
