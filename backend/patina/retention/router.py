"""Routes of retention rules and of the storage of teams."""

from sqlalchemy.orm import Session

from patina.http.read_only import read_only, read_only_at_length
from patina.http.request import RequestSession
from patina.http.routing import Router
from patina.retention.schemas import RetentionPreview, RetentionRead, RetentionRequest, Rule, TeamStorage
from patina.use_case import retain_images as service

router = Router(prefix="/teams/{team_id}", tags=["retention"])


@router.get("/storage", operation_id="measure_team_storage")
@read_only_at_length
def measure_team_storage(session: Session, team_id: int) -> TeamStorage:
    """Returns what the images shared with the team take, and how much of it other images share."""
    team = service.team_of_sender(session=session, team_id=team_id)
    return service.measure_storage(session=session, team=team)


@router.get("/retention", operation_id="get_retention")
@read_only
def get_retention(session: Session, team_id: int) -> RetentionRead:
    """Returns the team's retention rule, and what it deletes next."""
    team = service.team_of_sender(session=session, team_id=team_id)
    return service.read_retention(session=session, team=team)


@router.put("/retention", operation_id="set_retention")
def set_retention(session: RequestSession, team_id: int, body: Rule) -> RetentionRead:
    """Gives the team a retention rule. It is applied once an hour."""
    team = service.team_of_sender(session=session, team_id=team_id)
    service.set_rule(session=session, team=team, rule=body)
    return service.read_retention(session=session, team=team)


@router.delete("/retention", operation_id="remove_retention", status_code=204)
def remove_retention(session: RequestSession, team_id: int) -> None:
    """Removes the team's retention rule. Its images stay."""
    service.remove_rule(session=session, team=service.team_of_sender(session=session, team_id=team_id))


@router.post("/retention/preview", operation_id="preview_retention")
@read_only
def preview_retention(session: Session, team_id: int, body: Rule) -> RetentionPreview:
    """Returns what a rule would delete now, and changes nothing."""
    team = service.team_of_sender(session=session, team_id=team_id)
    return service.preview(session=session, team=team, rule=body)


@router.post("/retention/apply", operation_id="apply_retention")
def apply_retention(session: RequestSession, team_id: int, body: RetentionRequest) -> RetentionRead:
    """Deletes what the preview listed. Refused if the rule would delete other images now."""
    team = service.team_of_sender(session=session, team_id=team_id)
    service.apply_rule(session=session, team=team, expected_ids=body.image_ids)
    return service.read_retention(session=session, team=team)
