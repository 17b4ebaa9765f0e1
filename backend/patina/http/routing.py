"""Routes of the API: each is answered only for an account with the role that `rights.py` requires of it."""

from typing import Any

from anyio import to_thread
from fastapi import APIRouter, Request
from fastapi.routing import APIRoute
from starlette.types import Receive, Scope, Send

from patina.account.actor import Actor, current_actor, current_guest
from patina.account.service import has_owner
from patina.audit.recording import record_refusal
from patina.db import transaction
from patina.errors import PatinaError
from patina.http.rights import OF_GUESTS, RIGHTS
from patina.http.sender import find_guest, find_sender, source_of

SignInRequired = PatinaError.of("sign_in_required", "Sign in first", status=401)
OwnerMissing = PatinaError.of("owner_missing", "This server has no owner yet", status=401)
RightMissing = PatinaError.of("right_missing", "Your role does not allow this", status=403)

_CHALLENGE = {"WWW-Authenticate": 'Bearer realm="Patina"'}


class Route(APIRoute):
    """A route with a right. It is checked before the body is read."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.right = RIGHTS[self.action]  # a route without a right cannot be made

    @property
    def action(self) -> str:
        """Returns the name of the operation: in the document of the API, in the rights, in the audit trail."""
        return self.operation_id or self.name

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope)
        actor = await find_sender(request)
        scope.setdefault("state", {})["actor"] = actor
        current_actor.set(actor)
        await self._require_right(request, actor)
        await super().handle(scope, receive, send)

    async def _require_right(self, request: Request, actor: Actor | None) -> None:
        if self.right is None:
            return
        if self.action in OF_GUESTS:
            guest = await find_guest(request, is_counted=actor is None)
            current_guest.set(guest)
            if guest is not None and actor is None:
                return
        if actor is None:
            raise await to_thread.run_sync(_refusal_of_stranger)
        if not actor.role.includes(self.right):
            await to_thread.run_sync(_record, request, self.action)
            doing = self.name.replace("_", " ").capitalize()
            raise RightMissing(f"{doing}: needs the role {self.right}. {actor.name} has the role {actor.role}.")


def _record(request: Request, action: str) -> None:
    record_refusal(source_of(request, action), code="right_missing")


def _refusal_of_stranger() -> PatinaError:
    with transaction() as session:
        is_owned = has_owner(session=session)
    if not is_owned:
        return OwnerMissing(
            "Open the link that `make run` printed on the server; `bin/patina-admin link` prints another.",
            headers=_CHALLENGE,
        )
    return SignInRequired(
        "Sign in on the page, run `patina sign-in`, or send an access token in the header Authorization.",
        headers=_CHALLENGE,
    )


class Router(APIRouter):
    """A router whose routes all have a right."""

    def __init__(self, **options: Any) -> None:
        super().__init__(route_class=Route, **options)
