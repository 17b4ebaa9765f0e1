"""Conditions of a device as its worker reports them, and states as a user sees them."""

from enum import StrEnum


class DeviceCondition(StrEnum):
    CREATING = "creating"
    READY = "ready"
    PROTECTED = "protected"
    REMOVING = "removing"
    REMOVED = "removed"
    LOST = "lost"
    FAILED = "failed"


class DeviceUsers(StrEnum):
    """Who may use a device, beside operators."""

    MEMBERS = "members"  # every account with the role member
    TEAM = "team"  # the members of one team
    OPERATORS = "operators"


class DeviceState(StrEnum):
    CREATING = "creating"
    AVAILABLE = "available"
    BUSY = "busy"
    PROTECTED = "protected"
    REMOVING = "removing"
    REMOVED = "removed"
    LOST = "lost"
    FAILED = "failed"
