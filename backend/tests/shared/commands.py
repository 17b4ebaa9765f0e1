"""The command `patina` in a test, and what it printed."""

import json
from collections.abc import Callable
from typing import Any

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
