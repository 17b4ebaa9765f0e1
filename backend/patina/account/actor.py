"""Who sends a request."""

from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from sqlalchemy import inspect

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
    """The bearer of a link that shows one row of a table."""

    link_id: int
    table: str
    row_id: int

    def shows(self, row: Any) -> bool:
        """Returns whether the link shows this row."""
        return table_of(type(row)) == self.table and bool(row.id == self.row_id)


def table_of(model: Any) -> str:
    """Returns the table that a class or alias shares with its base: job, for a run."""
    return str(inspect(model).mapper.base_mapper.local_table.name)


# Of the request that this task or thread answers. None: no request, or a stranger's.
current_actor: ContextVar[Actor | None] = ContextVar("current_actor", default=None)
current_guest: ContextVar[Guest | None] = ContextVar("current_guest", default=None)
