"""Saved searches of the catalog, of each account."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from patina.account.actor import Actor, current_actor
from patina.db import take_turn
from patina.errors import NotFound, PatinaError
from patina.image.models import SavedSearch
from patina.image.search import ImageSearch
from patina.image.sort import Sort

MOST_SEARCHES_COUNT = 100  # of an account

SearchUnknown = NotFound.of("search_unknown", "No such search")
TooManySearches = PatinaError.of("too_many_searches", "Too many saved searches", status=409)


class CatalogSearch(ImageSearch):
    """A search with its order."""

    model_config = ConfigDict(extra="forbid")

    sort: Sort = Sort.NEWEST


class SearchSave(BaseModel):
    """A search to save. One of the same name is replaced."""

    model_config = ConfigDict(extra="forbid")

    name: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=100)]
    search: CatalogSearch


class SavedSearchRead(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: int
    name: str
    search: CatalogSearch


class SavedSearchList(BaseModel):
    """By name."""

    items: list[SavedSearchRead] = Field(max_length=MOST_SEARCHES_COUNT)


def list_searches(*, session: Session) -> list[SavedSearch]:
    """Returns the saved searches of the sender, by name."""
    own = SavedSearch.account_id == _sender().account_id
    return list(session.scalars(select(SavedSearch).where(own).order_by(SavedSearch.name)))


def save_search(*, session: Session, save: SearchSave) -> SavedSearch:
    """Saves a search of the sender; replaces the one of that name. Raises TooManySearches."""
    account_id = _sender().account_id
    take_turn(session, f"searches of account {account_id}")
    own = SavedSearch.account_id == account_id
    saved = session.scalar(select(SavedSearch).where(own, SavedSearch.name == save.name))
    if saved is None:
        if (session.scalar(select(func.count(SavedSearch.id)).where(own)) or 0) >= MOST_SEARCHES_COUNT:
            raise TooManySearches(f"You have {MOST_SEARCHES_COUNT} saved searches. Remove one first.")
        saved = SavedSearch(account_id=account_id, name=save.name)
        session.add(saved)
    saved.search = save.search.model_dump(mode="json", exclude_defaults=True)
    session.flush()
    return saved


def remove_search(*, session: Session, search_id: int) -> None:
    """Removes a saved search of the sender. Raises SearchUnknown."""
    saved = session.get(SavedSearch, search_id)
    if saved is None or saved.account_id != _sender().account_id:
        raise SearchUnknown(f"You have no saved search {search_id}.")
    session.delete(saved)
    session.flush()


def _sender() -> Actor:
    actor = current_actor.get()
    assert actor is not None, "the route has a right"
    return actor
