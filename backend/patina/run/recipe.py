"""Recipe: everything needed to make an image again, carried by the run and by its image."""

from typing import Literal

from pydantic import ConfigDict

from patina.core.contract.age import Leg
from patina.core.contract.way import Way
from patina.run.settings import RunSettings


class Recipe(RunSettings):
    """The exact aging: the settings, and values derived from them. Same recipe, same plan digest; the layout may differ
    (docs/design.md, "Same seed, same layout")."""

    model_config = ConfigDict(extra="forbid", json_schema_serialization_defaults_required=True)

    schema_version: Literal[1]
    profile_digest: str | None
    recorded_digest: str | None  # of the stream of operations that was replayed
    capacity_bytes: int | None
    block_size_bytes: int | None
    device_size_bytes: int
    device_model: str | None
    file_system_uuid: str
    mkfs_command: list[str]
    mkfs_features: list[str]
    mount_options: str
    horizon_ops_count: int | None
    legs: list[Leg]
    way: Way | None  # the way of its mode
    plan_digest: str | None
    kernel: str
    host: str
    patina_version: str
    tools: dict[str, str]
