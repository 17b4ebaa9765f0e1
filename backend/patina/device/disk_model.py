"""The built-in disk models: one JSON file each, native/disk_models/NAME.json, which the core reads too."""

from functools import lru_cache

from pydantic import BaseModel, ConfigDict, Field

from patina.errors import PatinaError
from patina.figures import exactly_bytes
from patina.settings import PROJECT_DIR

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


class DiskModelList(BaseModel):
    items: list[DiskModel]


@lru_cache
def disk_models() -> dict[str, DiskModel]:
    """Returns the built-in models by name, in the order of their names."""
    files = sorted(_FOLDER.glob("*.json"))
    models = [DiskModel.model_validate_json(file.read_text(encoding="utf-8")) for file in files]
    return {model.name: model for model in models}


def require_fits(model: DiskModel, size_bytes: int) -> None:
    """Raises DiskModelTooSmall for an emulated disk that is larger than the modelled one."""
    if size_bytes > model.capacity_bytes:
        raise DiskModelTooSmall(
            f"The disk model {model.name} has {exactly_bytes(model.capacity_bytes)}, the emulated disk "
            f"{exactly_bytes(size_bytes)}. Make a smaller one, or choose another model or none."
        )


def get_disk_model(name: str) -> DiskModel:
    """Returns the model. Raises DiskModelUnknown."""
    found = disk_models().get(name)
    if found is None:
        known = ", ".join(disk_models()) or "none"
        raise DiskModelUnknown(f"There is no disk model {name!r}. Built in are {known}.")
    return found
