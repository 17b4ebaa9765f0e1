"""What a step of the worker raises: a refusal or failure with the tail of the failed program's stderr."""

from patina.errors import PatinaError

LOG_TAIL_CHARS = 8_000


class StepFailed(PatinaError):
    """A step of a run failed. `code` is what the run row and the interface carry, `log` what the program said."""

    status = 500
    title = "A step of the run failed"

    def __init__(self, message: str, *, log: str = "") -> None:
        super().__init__(message)
        self.log = log[-LOG_TAIL_CHARS:]


class DeviceMissing(StepFailed):
    code = "device_missing"
    title = "Device missing"


class DeviceChanged(StepFailed):
    code = "device_changed"
    title = "Not the device that was confirmed"


class MkfsFailed(StepFailed):
    code = "mkfs_failed"
    title = "mkfs failed"


class MountFailed(StepFailed):
    code = "mount_failed"
    title = "mount failed"


class UnmountFailed(StepFailed):
    code = "unmount_failed"
    title = "umount failed"


class FsckFailed(StepFailed):
    code = "fsck_failed"
    title = "The aged file system is damaged"


class SandboxFailed(StepFailed):
    code = "sandbox_failed"
    title = "Sandbox device could not be made"


class SandboxDiskFull(StepFailed):
    code = "sandbox_disk_full"
    title = "The disk behind the sandbox device is full"


class LoopFailed(StepFailed):
    code = "loop_failed"
    title = "No loop device"


class ImageDiffers(StepFailed):
    code = "image_differs"
    title = "The image is not what the device holds"


class ScratchNoSpace(StepFailed):
    code = "scratch_no_space"
    title = "No space for a scratch file"


class ToolMissing(StepFailed):
    code = "tool_missing"
    title = "A program is not installed"


class ToolTooSlow(StepFailed):
    code = "tool_too_slow"
    title = "A program did not end"


class FileRefused(StepFailed):
    """What came in is not what it says. Its code is the one of a file whose head says so."""

    code = "file_damaged"
    title = "The file is damaged"


class DigestMismatch(StepFailed):
    code = "digest_mismatch"
    title = "Not the file that was sent"


class SpoolFileRefused(StepFailed):
    code = "spool_file_refused"
    title = "Not a file of the upload"


class SpoolMissing(StepFailed):
    code = "spool_missing"
    title = "The file is gone from the spool"


class CheckpointMissing(StepFailed):
    code = "checkpoint_missing"
    title = "The checkpoint is gone"


class CoreDied(StepFailed):
    code = "core_died"
    title = "patina-core ended without a result"


class CoreKilled(CoreDied):
    """Nothing that the core did: SIGKILL comes from outside, as the kernel sends it where memory runs out."""


class CoreProtocol(StepFailed):
    code = "core_protocol"
    title = "patina-core said something that the contract does not know"


class CoreStalled(StepFailed):
    code = "core_stalled"
    title = "patina-core fell silent"


class CoreFailed(StepFailed):
    """The core's own error, under the core's own code."""

    def __init__(self, code: str, message: str, *, log: str = "") -> None:
        super().__init__(message, log=log)
        self.code = code


class Stopped(StepFailed):
    """Told to stop, by the user or the worker's end, and did."""

    code = "canceled"
    title = "Stopped"


class StoreFailed(StepFailed):
    code = "store_io_error"
    title = "The chunk store failed"


class StoreFull(StepFailed):
    code = "store_no_space"
    title = "The chunk store is full"


class BucketLockLost(StepFailed):
    code = "bucket_lock_lost"
    title = "The bucket's lock was lost"


class JobCanceled(Exception):
    """The user asked for the end. Not a failure. The message says how the job leaves things; it may be empty."""


class WorkerStopping(Exception):
    """The job cannot go on here: the worker is being stopped, or its core was killed. The message may be empty."""
