"""Facts of an imported image: stated by its user, or found in the file."""

from enum import StrEnum

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from patina.image.content import Format


class IntakeKind(StrEnum):
    """Kind as stated by the user: a fresh file system, or one aged by something else than Patina; or as stated by an
    OCI archive: aged by Patina."""

    UNAGED = "unaged"
    FOREIGN = "foreign"
    PATINA = "patina"


class ArchiveFacts(BaseModel):
    """Origin of an image that came in an OCI archive, as stated by its manifest."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field(description="Name of the image on the server that exported it")
    origin: str
    created_at: AwareDatetime
    manifest_digest: str = Field(description="SHA-256, hex, of its manifest.json there")


class IntakeFacts(BaseModel):
    """A document of the imported image, like the recipe of an aged one."""

    model_config = ConfigDict(extra="forbid")

    kind: IntakeKind
    source: str = Field(description="Origin, in its user's words")
    file_name: str
    format: Format
    file_bytes: int
    file_sha256: str
    holds: str | None = Field(description="Content found by a probe: ext4, GPT partition table; null: blank")
    is_clean: bool | None = Field(description="Result of the file system's own check; null without one")
    check_message: str
    layout_message: str = Field(description="Method of the layout's measurement, or why it was not measured")
    host: str
    kernel: str
    patina_version: str
    tools: dict[str, str]
    archive: ArchiveFacts | None = Field(default=None, description="null unless the file is an OCI archive")
