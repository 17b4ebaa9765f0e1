"""The modelled disk of an emulated one: a disk model, or a RAID of several disks of it."""

from dataclasses import dataclass

from patina.device.disk_model import DiskModelTooSmall, get_disk_model
from patina.device.emulation import EmulationCreate, Raid
from patina.figures import exactly_bytes


@dataclass(frozen=True)
class Modelled:
    """What the times of an emulated disk are predicted for. `label` is what every prediction is shown with."""

    label: str
    capacity_bytes: int


def modelled_disk(create: EmulationCreate) -> Modelled | None:
    """Returns the modelled disk; None without a model. Raises DiskModelUnknown."""
    if create.model is None:
        return None
    model, raid = get_disk_model(create.model), create.raid
    pieces = "" if create.stretch_pieces_count is None else f", stretched in {create.stretch_pieces_count} pieces"
    if raid is None:
        return Modelled(f"{model.label}{pieces}", model.capacity_bytes)
    data_bytes = model.capacity_bytes if raid.level == 1 else model.member_bytes * _data_disks_count(raid)
    return Modelled(f"{raid.disks_count} × {model.label}, RAID-{raid.level}{pieces}", data_bytes)


def _data_disks_count(raid: Raid) -> int:
    return raid.disks_count - 1 if raid.level == 5 else raid.disks_count


def require_fits(modelled: Modelled, size_bytes: int) -> None:
    """Raises DiskModelTooSmall for an emulated disk that is larger than the modelled one."""
    if size_bytes > modelled.capacity_bytes:
        raise DiskModelTooSmall(
            f"The modelled disk, {modelled.label}, has {exactly_bytes(modelled.capacity_bytes)}, the emulated disk "
            f"{exactly_bytes(size_bytes)}. Make a smaller one, or choose another model, more disks or none."
        )
