"""Signing in and out: a token is sent once, then a cookie that no script can read stands for it."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Body, Request
from fastapi.responses import JSONResponse, Response

from pckv.collector.http.auth import (
    COOKIES,
    PLAIN_COOKIE,
    SECONDS,
    SECURE_COOKIE,
    Guard,
    check_own_page,
    token_hash,
)
from pckv.collector.http.policy import Access, Policy, part
from pckv.collector.http.problem_details import ProblemDetails, ProblemKind, problem_responses

CurrentGuard = Annotated[Guard, part("guard")]

MAX_BODY_BYTES = 4 * 2**10

router = APIRouter(tags=["session"])


@router.post("/session", summary="Sign in", responses=problem_responses(ProblemKind.BAD_TOKEN, ProblemKind.FORBIDDEN))
@Policy(Access.PUBLIC, max_bytes=MAX_BODY_BYTES)
async def sign_in(
    request: Request,
    guard: CurrentGuard,
    token: Annotated[str, Body(embed=True, min_length=1, max_length=1024)],
) -> Response:
    """Exchange a token for a session of twelve hours in a cookie; the header X-Pckv: 1 is required.

    Blanks around the token are ignored.
    """
    check_own_page(request)
    # No token has any, but a blank or the end of the line is easily copied with it.
    token = token.strip()
    role = await guard.in_thread(guard.role, request, token)
    if role is None:
        raise ProblemDetails(ProblemKind.BAD_TOKEN)
    cookie = await guard.in_thread(guard.sessions.start, role, token_hash(token))
    answer = JSONResponse({"role": role.value})
    # A browser names the origin of the page that signs in. Only a page that came without https needs another
    # cookie.
    secure = not request.headers.get("origin", "").startswith("http:")
    name = SECURE_COOKIE if secure else PLAIN_COOKIE
    answer.set_cookie(name, cookie, max_age=SECONDS, path="/", httponly=True, samesite="strict", secure=secure)
    return answer


@router.get("/session", summary="Who is signed in")
@Policy(Access.PUBLIC)
async def current_role(request: Request, guard: CurrentGuard) -> dict[str, str | None]:
    """Return the role of the session in the cookie; null without a session."""
    session = await guard.in_thread(guard.session, request)
    return {"role": session.role.value if session else None}


@router.delete("/session", summary="Sign out")
@Policy(Access.ANALYSTS)
async def sign_out(request: Request, guard: CurrentGuard) -> Response:
    """End the session, and delete its cookie."""
    answer = JSONResponse({})
    for name in COOKIES:
        if cookie := request.cookies.get(name):
            await guard.in_thread(guard.sessions.end, cookie)
        secure = name == SECURE_COOKIE
        answer.delete_cookie(name, path="/", httponly=True, samesite="strict", secure=secure)
    return answer
