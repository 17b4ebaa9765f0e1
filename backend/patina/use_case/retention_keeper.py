"""Applies the rules of all teams once a period: one loop in each process of the API, which take turns."""

import asyncio
import contextlib

import structlog
from sqlalchemy import select
from sqlalchemy.exc import SQLAlchemyError
from starlette.concurrency import run_in_threadpool

from patina.account.models import Team
from patina.audit.recording import Source, recorded
from patina.db import transaction
from patina.retention.models import RetentionRule
from patina.retention.schemas import Rule
from patina.settings import settings
from patina.use_case import retain_images

log = structlog.get_logger()


def apply_all() -> int:
    """Applies the rule of each team that has one, each in a transaction of its own. Returns the number of images
    deleted."""
    with transaction() as session:
        team_ids = list(session.scalars(select(RetentionRule.team_id).order_by(RetentionRule.team_id)))
    return sum(_apply(team_id) for team_id in team_ids)


def _apply(team_id: int) -> int:
    with transaction() as session:
        team = session.get(Team, team_id)
        rule = session.scalar(select(RetentionRule).where(RetentionRule.team_id == team_id))
        if team is None or rule is None:
            return 0
        is_due = bool(retain_images.choose(session=session, team=team, rule=Rule.model_validate(rule)))
        path = f"team {team.name}"
    if not is_due:  # the audit trail has no entry for what changes nothing
        return 0
    with recorded(Source(actor=None, address="", action="apply_retention", path=path), name="Patina") as session:
        try:
            deleted = retain_images.apply_rule(session=session, team=session.get_one(Team, team_id))
        except retain_images.RuleMissing:  # removed meanwhile
            return 0
        names = [image.name for image in deleted]
    log.info("images deleted by a retention rule", team=path, images=names)
    return len(names)


class Keeper:
    """Applies all rules every `retention_period_s`."""

    def __init__(self) -> None:
        self._is_closing = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Starts the loop; called once when the application starts."""
        self._task = asyncio.create_task(self._run(), name="retention-keeper")

    async def close(self) -> None:
        """Stops, after the rules that are being applied."""
        self._is_closing.set()
        if self._task is not None:
            await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self) -> None:
        while not self._is_closing.is_set():
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(settings().retention_period_s):
                    await self._is_closing.wait()
                    return
            try:
                await run_in_threadpool(apply_all)
            except SQLAlchemyError as error:
                log.warning("retention rules not applied; trying again", error=str(error))
