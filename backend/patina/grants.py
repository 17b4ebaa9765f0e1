"""What the roles of the API and of the hosts may do in the database. The role that migrates owns it, and gives this.

The private PostgreSQL has both roles. A database of the user's own may have them or not: where one is not there, its
part works by the owner's role.
"""

from sqlalchemy import text
from sqlalchemy.orm import Session

import patina.tables  # noqa: F401
from patina.db import Base

API_ROLE = "patina_api"
HOST_ROLE = "patina_host"
_ROWS = "SELECT, INSERT, UPDATE, DELETE"


def give(*, session: Session) -> None:
    """Rows of all tables to the API. To hosts as well, but for what the table says in `info["of_hosts"]`."""
    for role in session.scalars(text("SELECT rolname FROM pg_roles WHERE rolname = ANY(:names)"), _names()):
        session.execute(text(f"GRANT SELECT ON alembic_version TO {role}"))
        for table in Base.metadata.sorted_tables:
            rights = _ROWS if role == API_ROLE else table.info.get("of_hosts", _ROWS)
            session.execute(text(f"REVOKE ALL ON {table.name} FROM {role}"))
            if rights:
                session.execute(text(f"GRANT {rights} ON {table.name} TO {role}"))


def _names() -> dict[str, list[str]]:
    return {"names": [API_ROLE, HOST_ROLE]}
