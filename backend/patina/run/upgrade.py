"""Upgrades runs of earlier versions of Patina."""

from pydantic_core import to_jsonable_python
from sqlalchemy import ARRAY, Text, cast, literal, update
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Session

from patina.run.models import Run
from patina.run.settings import RunSettings


def complete_settings(*, session: Session) -> None:
    """Adds the default of each missing setting to older runs. Lists return the document as stored."""
    defaults = to_jsonable_python({name: field.default for name, field in RunSettings.model_fields.items()})
    is_whole = Run.settings.has_all(cast(list(defaults), ARRAY(Text)))
    complete = cast(literal(defaults, JSONB), JSONB).concat(Run.settings)
    session.execute(
        update(Run).where(~is_whole).values(settings=complete), execution_options={"synchronize_session": False}
    )
