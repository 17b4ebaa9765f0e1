"""After-commit hooks run after the whole transaction, and never after a rollback."""

import pytest
from sqlalchemy import text
from sqlalchemy.orm import Session

from patina.db import after_commit, session_factory, transaction


class Undone(Exception):
    pass


@pytest.fixture
def told(clean_database: None) -> list[str]:
    return []


def _tell(session: Session, told: list[str], word: str) -> None:
    session.execute(text("SELECT 1"))
    after_commit(session, lambda: told.append(word))


def test_a_savepoint_that_is_released_sends_nothing_yet(told: list[str]) -> None:
    with transaction() as session:
        _tell(session, told, "before")
        with session.begin_nested():
            _tell(session, told, "within")
            with session.begin_nested():
                _tell(session, told, "deeper")
        assert told == []
    assert told == ["before", "within", "deeper"]


def test_a_savepoint_that_is_undone_takes_only_its_own_along(told: list[str]) -> None:
    def _undo(session: Session) -> None:
        with session.begin_nested():
            _tell(session, told, "within")
            with session.begin_nested():
                _tell(session, told, "deeper")
            raise Undone

    with transaction() as session:
        _tell(session, told, "before")
        with pytest.raises(Undone):
            _undo(session)
        _tell(session, told, "after")
    assert told == ["before", "after"]


def test_a_transaction_that_is_undone_sends_nothing_then_or_later(told: list[str]) -> None:
    with session_factory()() as session:
        _tell(session, told, "before")
        with session.begin_nested():
            _tell(session, told, "within")
        session.rollback()
        _tell(session, told, "again")
        session.commit()
        session.commit()
    assert told == ["again"]
