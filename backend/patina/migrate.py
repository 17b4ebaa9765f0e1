"""Brings the database to this version: schema by Alembic, built-in profiles from the project's data."""

from alembic import command
from alembic.config import Config

from patina.db import transaction
from patina.profile.service import load_builtin
from patina.settings import PROJECT_DIR, settings


def migrate() -> None:
    """Upgrade to the newest schema, then load the built-in profiles. Doing it twice changes nothing."""
    command.upgrade(Config(PROJECT_DIR / "migrations" / "alembic.ini"), "head")
    with transaction() as session:
        load_builtin(session=session, folder=settings().profiles_dir)
