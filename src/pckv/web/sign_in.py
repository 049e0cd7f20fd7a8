"""Signing in and out: a token is sent once, then a cookie that no script can read stands for it."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, Body, Request
from fastapi.responses import JSONResponse, Response

from pckv.collector.auth import Guard, check_own_page, token_hash
from pckv.collector.problem_details import ProblemDetails, ProblemKind, problem_responses
from pckv.collector.sessions import COOKIE, SECONDS
from pckv.collector.state import get_collector
from pckv.collector.task_routes import ADMIN_PROBLEMS

router = APIRouter(tags=["session"])


@router.post(
    "/session",
    summary="Sign in",
    responses=problem_responses(
        ProblemKind.MALFORMED, ProblemKind.BAD_TOKEN, ProblemKind.FORBIDDEN, ProblemKind.OVERLOADED
    ),
)
async def sign_in(
    request: Request, token: Annotated[str, Body(embed=True, min_length=1, max_length=1024)]
) -> Response:
    """Exchange a token for a session of twelve hours in a cookie; the header X-Pckv: 1 is required."""
    check_own_page(request)
    guard: Guard = request.app.state.guard
    role = await asyncio.to_thread(guard.role, token)
    if role is None:
        raise ProblemDetails(ProblemKind.BAD_TOKEN)
    cookie = await asyncio.to_thread(guard.sessions.write, role, token_hash(token))
    answer = JSONResponse({"role": role.value})
    answer.set_cookie(
        COOKIE,
        cookie,
        max_age=SECONDS,
        path="/",
        httponly=True,
        samesite="strict",
        secure=_uses_https(request),
    )
    return answer


@router.get("/session", summary="Who is signed in", responses=problem_responses(ProblemKind.OVERLOADED))
async def current_role(request: Request) -> dict[str, str | None]:
    """Return the role of the session in the cookie; null without a session."""
    session = await asyncio.to_thread(request.app.state.guard.session, request)
    return {"role": session.role.value if session else None}


@router.delete("/session", summary="Sign out", responses=problem_responses(*ADMIN_PROBLEMS))
async def sign_out(request: Request) -> Response:
    """End the session, and delete its cookie."""
    guard: Guard = request.app.state.guard
    await asyncio.to_thread(guard.sessions.end, request.cookies.get(COOKIE, ""))
    answer = JSONResponse({})
    answer.delete_cookie(COOKIE, path="/", httponly=True, samesite="strict", secure=_uses_https(request))
    return answer


def _uses_https(request: Request) -> bool:
    return request.url.scheme == "https" or bool(get_collector(request).settings.https)
