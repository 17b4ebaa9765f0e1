"""Which schema this version was made for. Nothing works on another one: it could do harm that nobody sees."""

import re
from functools import lru_cache

from sqlalchemy import text
from sqlalchemy.orm import Session

from patina.errors import PatinaError
from patina.settings import PROJECT_DIR

_REVISION = re.compile(
    r"""^revision = "(?P<revision>\w+)"\ndown_revision = (?:None|"(?P<parent>\w+)")$""", re.MULTILINE
)


class DatabaseOlder(PatinaError):
    code = "database_older"
    status = 503
    title = "The database is older than this version"


class DatabaseNewer(PatinaError):
    code = "database_newer"
    status = 503
    title = "The database is newer than this version"


@lru_cache(maxsize=1)
def _parents() -> dict[str, str | None]:
    """Each revision with the one before it, as its file says. Read here: to load Alembic costs every start a while."""
    texts = [path.read_text(encoding="utf-8") for path in (PROJECT_DIR / "migrations" / "versions").glob("*.py")]
    found = [_REVISION.search(text) for text in texts]
    return {each["revision"]: each["parent"] for each in found if each is not None}


@lru_cache(maxsize=1)
def newest() -> str:
    """The revision of the schema that this version works on."""
    (head,) = _parents().keys() - _parents().values()
    return head


def require(*, session: Session) -> None:
    """DatabaseOlder or DatabaseNewer, unless the schema is the one that this version was made for."""
    found = session.scalar(text("SELECT version_num FROM alembic_version"))
    if found == newest():
        return
    if found in _parents():
        raise DatabaseOlder(
            f"The database has schema {found}, this version needs {newest()}. Run `patina migrate` on the server."
        )
    raise DatabaseNewer(
        f"The database has schema {found}, this version knows {newest()} and older. Bring this machine to the "
        "server's version."
    )
