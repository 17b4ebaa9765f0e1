"""Which schema this version was made for. Nothing works on another one: it could do harm that nobody sees."""

from functools import lru_cache

from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import text
from sqlalchemy.orm import Session

from patina.errors import PatinaError
from patina.settings import PROJECT_DIR


class DatabaseOlder(PatinaError):
    code = "database_older"
    status = 503
    title = "The database is older than this version"


class DatabaseNewer(PatinaError):
    code = "database_newer"
    status = 503
    title = "The database is newer than this version"


@lru_cache(maxsize=1)
def _script() -> ScriptDirectory:
    return ScriptDirectory.from_config(Config(PROJECT_DIR / "migrations" / "alembic.ini"))


@lru_cache(maxsize=1)
def newest() -> str:
    """The revision of the schema that this version works on."""
    head = _script().get_current_head()
    assert head is not None
    return head


@lru_cache(maxsize=1)
def _known() -> frozenset[str]:
    return frozenset(each.revision for each in _script().walk_revisions())


def require(*, session: Session) -> None:
    """DatabaseOlder or DatabaseNewer, unless the schema is the one that this version was made for."""
    found = session.scalar(text("SELECT version_num FROM alembic_version"))
    if found == newest():
        return
    if found in _known():
        raise DatabaseOlder(
            f"The database has schema {found}, this version needs {newest()}. Run `patina migrate` on the server."
        )
    raise DatabaseNewer(
        f"The database has schema {found}, this version knows {newest()} and older. Bring this machine to the "
        "server's version."
    )
