"""What a host's worker sees of a block device: kept with its row, shown before anything is written to it."""

from pydantic import BaseModel, ConfigDict, Field


class PartitionFacts(BaseModel):
    model_config = ConfigDict(extra="forbid")

    path: str
    size_bytes: int
    holds: str | None = Field(description="What a probe found on it; null: blank")
    mounted_at: list[str]


class DeviceFacts(BaseModel):
    model_config = ConfigDict(extra="forbid")

    wwn: str | None = Field(description="World Wide Name")
    disk_sequence: int | None = Field(
        default=None,
        description="The kernel's number of the disk, another once it was replaced",
    )
    transport: str | None = Field(description="nvme, sata, usb, virtio ..., where the kernel says it")
    logical_sector_bytes: int
    physical_sector_bytes: int
    can_discard: bool
    is_read_only: bool
    is_swap: bool
    mounted_at: list[str] = Field(description="Where it or a part of it is mounted, in any namespace")
    holders: list[str] = Field(description='What is made of it beside partitions: "dm-0 (crypt)"')
    partitions: list[PartitionFacts]
