"""Runs whose host says nothing any more. Nobody there can ask for help: the server does, in their place."""

from datetime import timedelta

from sqlalchemy import select
from sqlalchemy.orm import Session

from patina.device.models import Device
from patina.host.models import Host, database_time
from patina.run import journal
from patina.run.models import Run
from patina.run.state import ENDED

# A host is lost after 20 s, and says so on every page; a worker that is only deployed anew needs nobody.
PATIENCE = timedelta(minutes=1)


def ask_for_lost_runs(*, session: Session) -> list[int]:
    """A call for help of each run that has not ended on a host that is silent, once a silence: the ids of the runs."""
    runs = session.scalars(
        select(Run)
        .join(Device, Run.device_id == Device.id)
        .join(Host, Device.host_id == Host.id)
        .where(Run.state.not_in(ENDED), database_time() - Host.heartbeat_at >= PATIENCE, Host.removed_at.is_(None))
        .order_by(Run.id)
    ).all()
    return [run.id for run in runs if _ask(session, run)]


def _ask(session: Session, run: Run) -> bool:
    """Of two processes of the API that look at once, the later waits, and finds it said."""
    session.refresh(run, with_for_update={"of": Run})
    silence = run.device.host.silence
    message = (
        f"{silence[0].upper()}{silence[1:]}. What the run does there is not known; it goes on, or is taken up again, "
        "when a worker of that host runs and reaches the server."
    )
    return journal.ask_for_help(session=session, run_id=run.id, message=message)
