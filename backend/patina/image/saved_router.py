"""Routes of saved searches."""

from sqlalchemy.orm import Session

from patina.http.read_only import read_only
from patina.http.request import RequestSession
from patina.http.routing import Router
from patina.image import saved
from patina.image.saved import SavedSearchList, SavedSearchRead, SearchSave

router = Router(prefix="/searches", tags=["image"])


@router.get("", operation_id="list_searches")
@read_only
def list_searches(session: Session) -> SavedSearchList:
    """Returns your saved searches of the catalog, by name."""
    return SavedSearchList.model_validate({"items": saved.list_searches(session=session)}, from_attributes=True)


@router.post("", operation_id="save_search")
def save_search(session: RequestSession, body: SearchSave) -> SavedSearchRead:
    """Saves a search of the catalog under a name; replaces your search of that name."""
    return SavedSearchRead.model_validate(saved.save_search(session=session, save=body))


@router.delete("/{search_id}", operation_id="remove_search", status_code=204)
def remove_search(session: RequestSession, search_id: int) -> None:
    """Removes a saved search."""
    saved.remove_search(session=session, search_id=search_id)
