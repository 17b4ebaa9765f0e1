"""Facts of a block device, reported by its host's worker: kept with its row, shown before any write."""

from pydantic import BaseModel, ConfigDict, Field


class PartitionFacts(BaseModel):
    model_config = ConfigDict(extra="forbid")

    path: str
    size_bytes: int
    holds: str | None = Field(description="Content found by a probe; null: blank")
    mounted_at: list[str]


class DeviceFacts(BaseModel):
    model_config = ConfigDict(extra="forbid")

    wwn: str | None = Field(description="World Wide Name")
    disk_sequence: int | None = Field(
        default=None,
        description="The kernel's disk sequence number, which changes when the disk is replaced",
    )
    transport: str | None = Field(description="nvme, sata, usb, virtio ..., where the kernel reports it")
    logical_sector_bytes: int
    physical_sector_bytes: int
    can_discard: bool
    is_read_only: bool
    is_swap: bool
    mounted_at: list[str] = Field(description="Mount points of it or of a partition, in any namespace")
    holders: list[str] = Field(description='Devices built on it beside partitions: "dm-0 (crypt)"')
    partitions: list[PartitionFacts]
