"""Teams and their members."""

from sqlalchemy import exists, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session, selectinload

from patina.account import service
from patina.account.known import forget_known
from patina.account.models import Membership, Team
from patina.account.schemas import TeamLink
from patina.db import after_commit
from patina.errors import NotFound, PatinaError

TeamUnknown = NotFound.of("team_unknown", "No such team")
TeamNameTaken = PatinaError.of("team_name_taken", "This name is taken", status=409)
TeamInUse = PatinaError.of("team_in_use", "The team is in use", status=409)


def list_teams(*, session: Session) -> list[Team]:
    """Returns every team by name."""
    return list(session.scalars(select(Team).options(selectinload(Team.members)).order_by(Team.name)))


def teams_of(*, session: Session, account_id: int) -> list[TeamLink]:
    """Returns the teams of an account by name."""
    mine = select(Team).join(Membership).where(Membership.account_id == account_id).order_by(Team.name)
    return [TeamLink.model_validate(team) for team in session.scalars(mine)]


def get_team(*, session: Session, team_id: int) -> Team:
    """Returns the team. Raises TeamUnknown."""
    found = session.get(Team, team_id)
    if found is None:
        raise TeamUnknown(f"There is no team {team_id}.")
    return found


def make_team(*, session: Session, name: str) -> Team:
    """Makes a team. Raises TeamNameTaken."""
    if session.scalar(select(exists().where(Team.name == name))):
        raise TeamNameTaken(f"There is a team {name!r}. Choose another name.")
    team = Team(name=name)
    session.add(team)
    session.flush()
    return team


def remove_team(*, session: Session, team_id: int) -> None:
    """Removes a team. Raises TeamUnknown, and TeamInUse while anything is shared with it, also deleted images."""
    team = get_team(session=session, team_id=team_id)
    try:
        with session.begin_nested():
            session.delete(team)
    except IntegrityError as error:
        raise TeamInUse(
            f"Images, profiles or jobs are shared with the team {team.name}, images have a tag of it, or devices "
            "are for it. Share them with others, remove the tags and choose other users first."
        ) from error
    after_commit(session, forget_known)


def add_member(*, session: Session, team_id: int, account_id: int) -> Team:
    """Adds an account. Raises TeamUnknown, AccountUnknown."""
    team = get_team(session=session, team_id=team_id)
    account = service.get_open_account(session=session, account_id=account_id)
    if account not in team.members:
        team.members.append(account)
        session.flush()
    session.refresh(team)
    after_commit(session, forget_known)
    return team


def remove_member(*, session: Session, team_id: int, account_id: int) -> Team:
    """Removes an account. Raises TeamUnknown. An account that is no member changes nothing."""
    team = get_team(session=session, team_id=team_id)
    team.members[:] = [member for member in team.members if member.id != account_id]
    session.flush()
    session.refresh(team)
    after_commit(session, forget_known)
    return team
