"""How many examples a property is tried with: few in an ordinary run, many when a person or a nightly run asks."""

import os


def property_cases(default: int) -> int:
    """`default`, or what PATINA_PROPERTY_CASES says."""
    return int(os.environ.get("PATINA_PROPERTY_CASES") or default)
