"""What an imported image knows of how it came in: said by its user, or found in the file."""

from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field

from patina.image.content import Format


class IntakeKind(StrEnum):
    """What the user says it is: a fresh file system, or one that something else than Patina aged."""

    UNAGED = "unaged"
    FOREIGN = "foreign"


class IntakeFacts(BaseModel):
    """A document of the image, as the recipe is of an aged one."""

    model_config = ConfigDict(extra="forbid")

    kind: IntakeKind
    source: str = Field(description="Where it comes from, in its user's words")
    file_name: str
    format: Format
    file_bytes: int
    file_sha256: str
    holds: str | None = Field(description="What a probe found: ext4, GPT partition table; null when it is blank")
    is_clean: bool | None = Field(description="What the file system's own check says; null when there is none")
    check_message: str
    layout_message: str = Field(description="How the layout was measured, or why it was not")
    host: str
    kernel: str
    patina_version: str
    tools: dict[str, str]
