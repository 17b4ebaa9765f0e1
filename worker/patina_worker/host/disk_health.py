"""Reads the health that a disk reports, by smartctl's JSON. A sleeping disk stays asleep."""

import json
import time
from typing import Any

from pydantic import ValidationError

from patina.device.facts import DiskHealth
from patina_worker.tools.run import NOT_INSTALLED, run_tool

PERIOD_S = 600.0
_TIMEOUT_S = 20.0
_REALLOCATED, _PENDING = 5, 197  # ATA attributes
_STANDBY_STATUS = 250  # for a disk that is not read because it sleeps: no sum of the bits that smartctl(8) sets


def parse(document: str) -> DiskHealth | None:
    """Returns the health in smartctl's JSON; None if the disk reports none."""
    try:
        said = json.loads(document)
        health = _health(said) if isinstance(said, dict) else None
    except (ValueError, ValidationError, KeyError, TypeError, AttributeError):
        return None
    return health if health is not None and health.model_dump(exclude_none=True) else None


def _health(said: dict[str, Any]) -> DiskHealth:
    nvme = said.get("nvme_smart_health_information_log") or {}
    table = (said.get("ata_smart_attributes") or {}).get("table") or []
    ata = {row["id"]: row["raw"]["value"] for row in table}
    return DiskHealth(
        has_passed=(said.get("smart_status") or {}).get("passed"),
        temperature_celsius=(said.get("temperature") or {}).get("current"),
        power_on_hours=(said.get("power_on_time") or {}).get("hours"),
        used_percent=nvme.get("percentage_used"),
        media_errors_count=nvme.get("media_errors"),
        reallocated_sectors_count=ata.get(_REALLOCATED),
        pending_sectors_count=ata.get(_PENDING),
    )


class Health:
    """The health of disks as last read. For one thread."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[float, DiskHealth | None]] = {}

    def of(self, path: str, stable_id: str) -> DiskHealth | None:
        """Returns the health of the disk at `path`, of some minutes ago at most; longer ago while it sleeps."""
        key = f"{path} {stable_id}"
        known = self._known.get(key)
        if known is not None and time.monotonic() - known[0] < PERIOD_S:
            return known[1]
        done = run_tool(["smartctl", "-j", "-n", f"standby,{_STANDBY_STATUS}", "-H", "-A", path], timeout_s=_TIMEOUT_S)
        is_unread = done.returncode in (NOT_INSTALLED, _STANDBY_STATUS)
        health = known[1] if is_unread and known is not None else parse(done.stdout)
        self._known[key] = (time.monotonic(), health)
        return health

    def keep(self, keys: set[tuple[str, str]]) -> None:
        """Forgets every disk but these, by path and stable id."""
        names = {f"{path} {stable_id}" for path, stable_id in keys}
        self._known = {key: value for key, value in self._known.items() if key in names}
