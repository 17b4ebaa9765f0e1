"""Requests to start a run, as the page sends them."""

from typing import Any

GIB = 2**30


def run_body(device_id: int, stable_id: str = "sandbox-1", **changes: object) -> dict[str, Any]:
    """Returns a valid request to start a run."""
    body: dict[str, Any] = {
        "device_id": device_id,
        "profile": "agrawal",
        "fullness": 0.7,
        "confirmation": {"stable_id": stable_id, "size_bytes": GIB},
    }
    return body | changes
