"""Who sends a request."""

from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from patina.account.models import CredentialKind
from patina.account.role import Role


@dataclass(frozen=True)
class Actor:
    """An account, by one of its credentials."""

    account_id: int
    name: str
    role: Role  # of the account, or less if the credential's is less
    credential_id: int
    kind: CredentialKind
    team_ids: frozenset[int] = frozenset()

    @property
    def sees_everything(self) -> bool:
        """Returns whether nothing is hidden: operators run the server and have its disks."""
        return self.role.includes(Role.OPERATOR)


@dataclass(frozen=True)
class Guest:
    """The bearer of a link that shows one image."""

    image_id: int

    def shows(self, row: Any) -> bool:
        """Returns whether the link shows this row."""
        return bool(row.__tablename__ == "image" and row.id == self.image_id)


# Of the request that this task or thread answers. None: no request, or a stranger's.
current_actor: ContextVar[Actor | None] = ContextVar("current_actor", default=None)
current_guest: ContextVar[Guest | None] = ContextVar("current_guest", default=None)
