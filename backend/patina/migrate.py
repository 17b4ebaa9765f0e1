"""Brings the database to this version: schema by Alembic, built-in profiles from the project's data."""

from sqlalchemy import text

from patina import grants, revision
from patina.db import transaction
from patina.profile.service import load_builtin
from patina.run.upgrade import complete_settings
from patina.settings import PROJECT_DIR, settings


def migrate() -> None:
    """Upgrade to the newest schema, load the built-in profiles, complete the runs, and say what the roles may do.
    Doing it twice changes nothing. DatabaseTooOld."""
    if not _is_newest():
        from alembic import command  # a start whose database needs nothing does without it
        from alembic.config import Config

        command.upgrade(Config(PROJECT_DIR / "migrations" / "alembic.ini"), "head")
    with transaction() as session:
        load_builtin(session=session, folder=settings().profiles_dir)
        complete_settings(session=session)
        grants.give(session=session)


def _is_newest() -> bool:
    with transaction() as session:
        if session.scalar(text("SELECT to_regclass('alembic_version')")) is None:
            return False
        revision.require_upgradable(session=session)
        return revision.current(session=session) == revision.newest()
