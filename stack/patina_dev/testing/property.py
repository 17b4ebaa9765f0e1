"""The number of examples of a property: few in an ordinary run, many on request."""

import os


def property_cases(default: int) -> int:
    """Returns PATINA_PROPERTY_CASES, or `default`."""
    return int(os.environ.get("PATINA_PROPERTY_CASES") or default)
