"""Compares contents in tests. pytest would take minutes to describe the difference of megabytes."""

from pathlib import Path

import pytest


def assert_same_content(left: Path | bytes, right: Path | bytes) -> None:
    """Fails, and names the first byte that differs, unless both hold the same bytes."""
    held, wanted = (content if isinstance(content, bytes) else content.read_bytes() for content in (left, right))
    if held != wanted:
        place = next(
            (n for n, (a, b) in enumerate(zip(held, wanted, strict=False)) if a != b), min(map(len, (held, wanted)))
        )
        pytest.fail(f"{len(held)} bytes where {len(wanted)} were expected; they differ from byte {place} on")
