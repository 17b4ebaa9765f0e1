"""The command `patina` in a test, and what it printed."""

import json
from collections.abc import Callable
from typing import Any

from patina.db import transaction
from patina.device.models import Device
from patina.device.state import DeviceCondition
from patina_dev.testing.wait import wait_until

# Runs the command with these words. Returns its status, its output and its errors.
Patina = Callable[..., tuple[object, str, str]]


def printed(ended: tuple[object, str, str]) -> str:
    """Returns the output of a command that succeeded."""
    status, out, err = ended
    assert status == 0, err
    return out


def answered(ended: tuple[object, str, str]) -> Any:
    """Returns the document that a command with --json printed."""
    return json.loads(printed(ended))


def refusal(ended: tuple[object, str, str], status: int = 1) -> str:
    """Returns the sentence of a command that was refused; with status 2 if it was used wrongly."""
    ended_with, out, err = ended
    assert (ended_with, out) == (status, "")
    return err


def made_by_hand(size_bytes: int, column: str = "emulation") -> dict[str, Any]:
    """Makes the asked device ready in place of a worker. Returns what was asked, of that column."""
    found: list[dict[str, Any]] = []

    def _is_made() -> bool:
        with transaction() as session:
            device = session.query(Device).filter_by(size_bytes=size_bytes).one_or_none()
            if device is not None:
                device.condition, device.path = DeviceCondition.READY, "/dev/loop77"
                found.append(getattr(device, column) or {})
            return device is not None

    wait_until("the device is asked for", _is_made)
    return found[0]
