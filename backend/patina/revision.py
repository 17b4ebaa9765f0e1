"""The schema that this version was made for. Patina refuses all others: work on them could corrupt data unnoticed."""

from functools import lru_cache

from sqlalchemy import text
from sqlalchemy.orm import Session

from patina.errors import PatinaError
from patina.settings import PROJECT_DIR

DatabaseOlder = PatinaError.of("database_older", "The database is older than this version", status=503)
DatabaseNewer = PatinaError.of("database_newer", "The database is newer than this version", status=503)
DatabaseTooOld = PatinaError.of("database_too_old", "The database cannot be upgraded", status=503)


@lru_cache(maxsize=1)
def known() -> list[str]:
    """Returns the revisions that this version upgrades from, in order: each is a date, and begins the name of its file.
    Read from the file names: loading Alembic would slow every start."""
    files = (PROJECT_DIR / "migrations" / "versions").glob("[0-9]*_*.py")
    return sorted(file.name.partition("_")[0] for file in files)


def newest() -> str:
    """Returns the revision of this version's schema."""
    return known()[-1]


def current(*, session: Session) -> str:
    """Returns the revision of the database's schema."""
    found: str = session.execute(text("SELECT version_num FROM alembic_version")).scalar_one()
    return found


def require(*, session: Session) -> None:
    """Raises DatabaseOlder or DatabaseNewer unless the schema is this version's."""
    found = current(session=session)
    if found < newest():
        raise DatabaseOlder(
            f"The database has schema {found}, this version needs {newest()}. Run `patina migrate` on the server."
        )
    if found > newest():
        raise DatabaseNewer(
            f"The database has schema {found}, this version supports {newest()} and older. Bring this machine to the "
            "server's version."
        )


def require_upgradable(*, session: Session) -> None:
    """Raises DatabaseTooOld if no migration leads from the database's schema to this version's."""
    found = current(session=session)
    if found < known()[0]:
        raise DatabaseTooOld(
            f"The database has schema {found}, of a version that was never released; this one upgrades {known()[0]} "
            "and later. Copy the images that you need with that version (`patina pull`), then install anew."
        )
