"""The handler of each kind of job."""

from patina.device_action.kind import ACTIONS
from patina.device_action.models import ActionKind
from patina.gc.kind import COLLECTION
from patina.image_import.kind import IMPORT
from patina.run.kind import RUN
from patina.scan.kind import SCAN
from patina.study.kind import STUDY
from patina.trial.kind import TRIAL
from patina_worker.handlers import device_action, gc, scan, study
from patina_worker.handlers.aging import run
from patina_worker.handlers.image_import import import_job
from patina_worker.handlers.trial import trial
from patina_worker.jobs.handler import HANDLERS, Handler

HANDLERS.update(
    {
        RUN.name: Handler(run.handle, run.clean_up),
        IMPORT.name: Handler(import_job.handle, import_job.clean_up),
        TRIAL.name: Handler(trial.handle, trial.clean_up),
        SCAN.name: Handler(scan.handle),
        STUDY.name: Handler(study.handle, study.clean_up),
        COLLECTION.name: Handler(gc.handle),
        ACTIONS[ActionKind.RESTORE].name: Handler(device_action.handler(device_action.restore)),
        ACTIONS[ActionKind.VERIFY].name: Handler(device_action.handler(device_action.verify)),
        ACTIONS[ActionKind.TRACE].name: Handler(device_action.handler(device_action.trace)),
        ACTIONS[ActionKind.ROLLBACK].name: Handler(device_action.handler(device_action.rollback)),
        ACTIONS[ActionKind.CAPTURE].name: Handler(device_action.handler(device_action.capture)),
    }
)
