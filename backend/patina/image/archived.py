"""The manifest of an image that another server exported, as an import reads it."""

from typing import Literal

from pydantic import AwareDatetime, BaseModel, Field, model_validator

from patina.core.contract.age import AgeSummary, CaptureMode, Layout
from patina.image.intake import ArchiveFacts, IntakeFacts, IntakeKind
from patina.image.manifest import SCHEMA_VERSION
from patina.image.models import Origin
from patina.run.recipe import Recipe


class ArchivedManifest(BaseModel):
    """The members of a manifest that its importer keeps or checks; others are ignored."""

    type: Literal["manifest"]
    schema_version: Literal[SCHEMA_VERSION]  # type: ignore[valid-type]
    name: str = Field(max_length=200)
    origin: Origin
    mode: CaptureMode
    size_bytes: int = Field(gt=0)
    index_digest: str = Field(pattern="^[0-9a-f]{64}$")
    fullness: float | None = Field(ge=0, le=1)
    recipe: Recipe | None
    summary: AgeSummary | None
    layout: Layout | None
    intake: IntakeFacts | None
    created_at: AwareDatetime

    @model_validator(mode="after")
    def _have_the_whole_aging(self) -> "ArchivedManifest":
        """The catalog has the three facts of an aging, or none."""
        if len({fact is None for fact in (self.recipe, self.summary, self.fullness)}) > 1:
            raise ValueError("of recipe, summary and fullness some are missing")
        if self.recipe is None and self.intake is None:
            raise ValueError("there is neither a recipe nor an import")
        return self

    @property
    def kind(self) -> IntakeKind:
        """Returns the kind of the image: aged by Patina, or as it was imported there."""
        if self.recipe is not None:
            return IntakeKind.PATINA
        assert self.intake is not None
        return self.intake.kind

    def facts(self, manifest_digest: str) -> ArchiveFacts:
        """Returns what the imported image keeps of its origin."""
        return ArchiveFacts(
            name=self.name, origin=self.origin, created_at=self.created_at, manifest_digest=manifest_digest
        )
