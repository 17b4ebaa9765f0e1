"""Every kind of job with its handler."""

from patina.action.kind import ACTIONS
from patina.action.models import ActionKind
from patina.collection.kind import COLLECTION
from patina.intake.kind import IMPORT
from patina.run.kind import RUN
from patina.scan.kind import SCAN
from patina_worker.handlers import act, collect, run, scan, take_in
from patina_worker.jobs.handler import HANDLERS, Handler

HANDLERS.update(
    {
        RUN.name: Handler(run.handle, run.clean_up),
        IMPORT.name: Handler(take_in.handle, take_in.clean_up),
        SCAN.name: Handler(scan.handle),
        COLLECTION.name: Handler(collect.handle),
        ACTIONS[ActionKind.RESTORE].name: Handler(act.handler(act.restore)),
        ACTIONS[ActionKind.VERIFY].name: Handler(act.handler(act.verify)),
        ACTIONS[ActionKind.TRACE].name: Handler(act.handler(act.trace)),
        ACTIONS[ActionKind.ROLLBACK].name: Handler(act.handler(act.rollback)),
        ACTIONS[ActionKind.CAPTURE].name: Handler(act.handler(act.capture)),
    }
)
