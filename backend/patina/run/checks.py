"""The ranges of a run's settings as constraints of the database."""

from typing import Any

from sqlalchemy import CheckConstraint

from patina.run.settings import BOUNDS, described


def checks() -> list[CheckConstraint]:
    """Returns CHECK constraints for the ranges of the settings in a column `settings`."""
    return [
        CheckConstraint(condition, name=f"setting_{name}")
        for name, schema in described().items()
        for condition in _conditions(name, schema)
    ]


def _conditions(name: str, schema: dict[str, Any]) -> list[str]:
    """Returns the conditions of a value; one that is absent or null meets all of them."""
    value = f"(settings ->> '{name}')"
    if "enum" in schema:
        allowed = ", ".join(f"'{word}'" for word in schema["enum"])
        return [f"{value} IN ({allowed})"]
    found = [f"{value}::numeric {sign} {schema[bound]}" for bound, sign in BOUNDS.items() if bound in schema]
    if "pattern" in schema:
        found.append(f"{value} ~ '{schema['pattern']}'")
    if "maxLength" in schema:
        found.append(f"length({value}) <= {schema['maxLength']}")
    return [" AND ".join(found)] if found else []
