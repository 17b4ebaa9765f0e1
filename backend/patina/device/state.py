"""Conditions a worker sees a device in, and the states a user sees."""

from enum import StrEnum


class DeviceCondition(StrEnum):
    CREATING = "creating"
    READY = "ready"
    PROTECTED = "protected"
    REMOVING = "removing"
    REMOVED = "removed"
    LOST = "lost"
    FAILED = "failed"


class DeviceState(StrEnum):
    CREATING = "creating"
    AVAILABLE = "available"
    BUSY = "busy"
    PROTECTED = "protected"
    REMOVING = "removing"
    REMOVED = "removed"
    LOST = "lost"
    FAILED = "failed"
