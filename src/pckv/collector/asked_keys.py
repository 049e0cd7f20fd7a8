"""The keys that an analyst asks for in the body of a request: many, each once."""

from __future__ import annotations

import asyncio
import json
import re
from typing import Annotated, Any

from fastapi import Depends, Request

from pckv.canonical import MAX_NAME_BYTES, check_names
from pckv.collector.problem_details import ProblemDetails, ProblemKind
from pckv.collector.task_routes import check_media
from pckv.collector.upload_routes import JSON_TYPE
from pckv.errors import ParameterError

MAX_ASKED_KEYS = 100_000
# A list of anything but texts could take far more memory than the body that it is parsed from.
_LIST_OF_TEXTS = re.compile(
    rb'\s*\{\s*"keys"\s*:\s*\[\s*(?:"(?:[^"\\]++|\\.)*+"\s*,?\s*)*+\]\s*\}\s*', re.DOTALL
)

ASKED_KEYS_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            JSON_TYPE: {
                "schema": {
                    "type": "object",
                    "properties": {
                        "keys": {
                            "type": "array",
                            "items": {"type": "string", "minLength": 1, "maxLength": MAX_NAME_BYTES},
                            "minItems": 1,
                            "maxItems": MAX_ASKED_KEYS,
                            "uniqueItems": True,
                        }
                    },
                    "required": ["keys"],
                    "additionalProperties": False,
                }
            }
        },
    }
}


async def read_asked_keys(request: Request) -> tuple[str, ...]:
    """Return the keys that the body of a request names, or raise the problem with it."""
    check_media(request, "a list of keys")
    if "keys" in request.query_params:
        raise ProblemDetails(
            ProblemKind.MALFORMED, "the body names the keys: leave keys out of the address", field="keys"
        )
    return await asyncio.to_thread(parse_asked_keys, await request.body())


AskedKeys = Annotated[tuple[str, ...], Depends(read_asked_keys)]


def parse_asked_keys(body: bytes) -> tuple[str, ...]:
    """Return the keys of a body: texts that may be keys, no two of them the same."""
    try:
        keys = json.loads(body)["keys"] if _LIST_OF_TEXTS.fullmatch(body) else None
    except ValueError:
        keys = None
    if not keys:
        raise ProblemDetails(ProblemKind.MALFORMED, 'the body must be {"keys": […]}, a list of texts')
    if len(keys) > MAX_ASKED_KEYS:
        raise ProblemDetails(ProblemKind.TOO_LARGE, f"a request names at most {MAX_ASKED_KEYS:,} keys")
    try:
        return check_names(keys, "key")
    except ParameterError as error:
        raise ProblemDetails(ProblemKind.MALFORMED, str(error), field="keys") from None
