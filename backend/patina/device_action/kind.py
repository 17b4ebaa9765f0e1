"""Kinds of jobs that work on a device and an image."""

from patina.core.contract.age import CaptureSummary, RestoreSummary
from patina.core.contract.delta import TraceSummary
from patina.core.contract.image import RollbackSummary, VerifySummary
from patina.device_action.models import ActionKind, Capture, Restore, Rollback, Trace, Verification
from patina.device_action.schemas import ActionRequest
from patina.job.kind import Kind

ACTIONS = {
    ActionKind.RESTORE: Kind("restore", ActionRequest, RestoreSummary, Restore),
    ActionKind.VERIFY: Kind("verify", ActionRequest, VerifySummary, Verification),
    ActionKind.TRACE: Kind("trace", ActionRequest, TraceSummary, Trace),
    ActionKind.ROLLBACK: Kind("rollback", ActionRequest, RollbackSummary, Rollback),
    ActionKind.CAPTURE: Kind("capture", ActionRequest, CaptureSummary, Capture),
}
