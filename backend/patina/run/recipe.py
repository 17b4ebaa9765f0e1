"""Recipe: everything needed to make an image again, carried by the run and by its image."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

from patina.run.event import Leg
from patina.run.way import AgingMode, FullnessOf, Way


class Recipe(BaseModel):
    """What was done, exactly. Same recipe, same plan digest; the layout may differ (aging-model, section 8)."""

    model_config = ConfigDict(extra="forbid")

    schema_version: Literal[1]
    profile: str
    profile_version_number: int
    profile_digest: str | None
    capacity_bytes: int | None
    block_size_bytes: int | None
    device_size_bytes: int
    device_model: str | None
    file_system: str
    file_system_uuid: str
    mkfs_command: list[str]
    mkfs_features: list[str]
    mount_options: str
    fullness: float
    fullness_of: FullnessOf = "files"
    seed: int
    horizon_ops_count: int | None
    legs: list[Leg] = []  # recipes from before it have none: their plan was never revised
    mode: AgingMode = "unbounded"  # of this and the next: recipes from before them were aged so
    way: Way | None = None  # what the mode did
    data_mode: str
    in_memory: bool = False  # recipes from before it have none: all were aged on the device
    threads_count: int | None  # null: by the mode, see its way
    max_rmse: float | None
    max_overwrites: float | None
    max_seconds: float | None = None  # recipes from before it have none
    plan_digest: str | None
    kernel: str
    host: str
    patina_version: str
    tools: dict[str, str]
