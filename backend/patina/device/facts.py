"""Facts of a block device, reported by its host's worker: kept with its row, shown before any write."""

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field


class PartitionFacts(BaseModel):
    model_config = ConfigDict(extra="forbid")

    path: str
    size_bytes: int
    holds: str | None = Field(description="Content found by a probe; null: blank")
    mounted_at: list[str]


class DiskHealth(BaseModel):
    """Health that a disk reports (SMART, or the NVMe health log); null members: not reported."""

    model_config = ConfigDict(extra="forbid")

    has_passed: bool | None = Field(description="The disk's own verdict; false: it expects to fail")
    temperature_celsius: float | None
    power_on_hours: int | None
    used_percent: int | None = Field(description="Of the endurance of a flash disk; may exceed 100")
    media_errors_count: int | None
    reallocated_sectors_count: int | None
    pending_sectors_count: int | None


class TrafficRate(BaseModel):
    """Traffic of a device while a job holds it, between two heartbeats of its host."""

    model_config = ConfigDict(extra="forbid")

    read_bytes_per_s: float
    written_bytes_per_s: float
    busy_fraction: float = Field(description="Of the time, with a request in flight")
    measured_at: AwareDatetime


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
    health: DiskHealth | None = Field(default=None, description="null: a sandbox device, or a disk that reports none")
