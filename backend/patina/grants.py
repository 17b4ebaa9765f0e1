"""Rights of the roles of the API and of the hosts. The role that migrates owns the database and grants them. The role
of a joined host is a member of HOST_ROLE, and has its rights.

The private PostgreSQL has both roles. In a user's own database a role may be missing: its part then uses the
owner's role.
"""

from sqlalchemy import text
from sqlalchemy.orm import Session

import patina.tables  # noqa: F401  # registers every table
from patina.db import Base
from patina.role_names import API_ROLE, HOST_ROLE

_ROWS = "SELECT, INSERT, UPDATE, DELETE"


def give(*, session: Session) -> None:
    """Grants the rows of all tables to both, except as `info["of_api"]` and `info["of_hosts"]` of a table limit it."""
    for role in session.scalars(text("SELECT rolname FROM pg_roles WHERE rolname = ANY(:names)"), _names()):
        session.execute(text(f"GRANT SELECT ON alembic_version TO {role}"))
        for table in Base.metadata.sorted_tables:
            rights = table.info.get("of_api" if role == API_ROLE else "of_hosts", _ROWS)
            session.execute(text(f"REVOKE ALL ON {table.name} FROM {role}"))
            if rights:
                session.execute(text(f"GRANT {rights} ON {table.name} TO {role}"))


def _names() -> dict[str, list[str]]:
    return {"names": [API_ROLE, HOST_ROLE]}
