"""The built-in disk models: one JSON file each, native/disk_models/NAME.json, which the core reads too."""

from functools import lru_cache

from pydantic import BaseModel, ConfigDict, Field, computed_field

from patina.errors import PatinaError
from patina.settings import PROJECT_DIR

RAID_CHUNK_BYTES = 512 * 1024  # as the core has it
_FOLDER = PROJECT_DIR / "native" / "disk_models"

DiskModelUnknown = PatinaError.of("disk_model_unknown", "No such disk model", status=422)
DiskModelTooSmall = PatinaError.of("disk_model_too_small", "The modelled disk is too small", status=422)


class DiskModel(BaseModel):
    """A disk whose times are predicted. Its file has more than these: what the core computes with."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    name: str
    label: str = Field(description="For users")
    description: str
    kind: str = Field(description="rotating or flash")
    capacity_bytes: int

    # mypy knows no decorators above @property.
    @computed_field(description="Of it, what a disk of a RAID-0 or RAID-5 holds: whole chunks")  # type: ignore[prop-decorator]
    @property
    def member_bytes(self) -> int:
        return self.capacity_bytes // RAID_CHUNK_BYTES * RAID_CHUNK_BYTES


class DiskModelList(BaseModel):
    items: list[DiskModel]


@lru_cache
def disk_models() -> dict[str, DiskModel]:
    """Returns the built-in models by name, in the order of their names."""
    files = sorted(_FOLDER.glob("*.json"))
    models = [DiskModel.model_validate_json(file.read_text(encoding="utf-8")) for file in files]
    return {model.name: model for model in models}


def get_disk_model(name: str) -> DiskModel:
    """Returns the model. Raises DiskModelUnknown."""
    found = disk_models().get(name)
    if found is None:
        known = ", ".join(disk_models()) or "none"
        raise DiskModelUnknown(f"There is no disk model {name!r}. Built in are {known}.")
    return found
