"""Brings the database to this version: Alembic's migrations, the built-in profiles, the roles' rights; and the broker's
users to those of the database."""

from sqlalchemy import text

from patina import grants, revision
from patina.db import transaction
from patina.host import access
from patina.profile.service import load_builtin
from patina.run.upgrade import complete_settings
from patina.settings import PROJECT_DIR, settings


def migrate() -> None:
    """Upgrades to the newest schema, loads the built-in profiles, completes the runs' settings, grants rights,
    makes the users of hosts in the broker. Idempotent. Raises DatabaseTooOld, BrokerUnavailable."""
    if not _is_newest():
        from alembic import command  # not loaded when the schema is the newest
        from alembic.config import Config

        command.upgrade(Config(PROJECT_DIR / "migrations" / "alembic.ini"), "head")
    with transaction() as session:
        load_builtin(session=session, folder=settings().profiles_dir)
        complete_settings(session=session)
        grants.give(session=session)
        access.restore_users(session=session)


def _is_newest() -> bool:
    with transaction() as session:
        if session.scalar(text("SELECT to_regclass('alembic_version')")) is None:
            return False
        revision.require_upgradable(session=session)
        return revision.current(session=session) == revision.newest()
