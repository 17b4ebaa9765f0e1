"""Errors of the worker's steps: a refusal or failure with the tail of the failed program's output."""

from patina.core.failure import StepFailed

DeviceMissing = StepFailed.of("device_missing", "Device missing")
DeviceChanged = StepFailed.of("device_changed", "Not the device that was confirmed")
MkfsFailed = StepFailed.of("mkfs_failed", "mkfs failed")
MountFailed = StepFailed.of("mount_failed", "mount failed")
UnmountFailed = StepFailed.of("unmount_failed", "umount failed")
FsckFailed = StepFailed.of("fsck_failed", "The aged file system is damaged")
SandboxFailed = StepFailed.of("sandbox_failed", "Sandbox device could not be made")
SandboxDiskFull = StepFailed.of("sandbox_disk_full", "The disk behind the sandbox device is full")
EmulatorFailed = StepFailed.of("emulator_failed", "The emulated disk failed")
EmulatorBusy = StepFailed.of("emulator_busy", "The emulator does not answer")
EmulatorEnded = StepFailed.of("emulator_ended", "The emulator has ended")
EmulatedDiskFull = StepFailed.of("emulated_disk_full", "The emulated disk has no room for what it keeps")
NotComparable = StepFailed.of("not_comparable", "The content of an emulated disk cannot be compared")
DiskFault = StepFailed.of("disk_fault", "The emulated disk failed on command")
LoopFailed = StepFailed.of("loop_failed", "No loop device")
ImageDiffers = StepFailed.of("image_differs", "The image differs from the device")
ScratchNoSpace = StepFailed.of("scratch_no_space", "No space for a scratch file")
ToolMissing = StepFailed.of("tool_missing", "A program is not installed")
ToolTooSlow = StepFailed.of("tool_too_slow", "A program timed out")
# An imported file does not match its header. Shares its code with a file whose header is damaged.
FileRefused = StepFailed.of("file_damaged", "The file is damaged")
DigestMismatch = StepFailed.of("digest_mismatch", "Not the file that was sent")
SpoolFileRefused = StepFailed.of("spool_file_refused", "Not a file of the upload")
SpoolMissing = StepFailed.of("spool_missing", "The file is gone from the server")
CheckpointMissing = StepFailed.of("checkpoint_missing", "The checkpoint is gone")
StoreFailed = StepFailed.of("store_io_error", "The chunk store failed")
StoreFull = StepFailed.of("store_no_space", "The chunk store is full")
BucketLockLost = StepFailed.of("bucket_lock_lost", "The bucket's lock was lost")


class JobCanceled(Exception):
    """The user canceled the job; not a failure. The message describes the state left behind and may be empty."""


class WorkerStopping(Exception):
    """The job must stop: the worker is being stopped, or its core was killed. The message may be empty."""
