"""The kinds of jobs that work on a device and an image."""

from patina.action.models import ActionKind, Capture, Restore, Rollback, Trace, Verification
from patina.action.schemas import ActionRequest
from patina.delta.record import TraceSummary
from patina.image.record import RollbackSummary, VerifySummary
from patina.job.kind import Kind
from patina.run.event import CaptureSummary, RestoreSummary

ACTIONS = {
    ActionKind.RESTORE: Kind("restore", "Restore", ActionRequest, RestoreSummary, Restore),
    ActionKind.VERIFY: Kind("verify", "Verification", ActionRequest, VerifySummary, Verification),
    ActionKind.TRACE: Kind("trace", "Trace", ActionRequest, TraceSummary, Trace),
    ActionKind.ROLLBACK: Kind("rollback", "Rollback", ActionRequest, RollbackSummary, Rollback),
    ActionKind.CAPTURE: Kind("capture", "Capture", ActionRequest, CaptureSummary, Capture),
}
