"""What the API says of hosts."""

from datetime import datetime

from pydantic import BaseModel, ConfigDict, Field


class HostRead(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: int
    name: str
    kernel: str
    cores_count: int
    memory_bytes: int
    memory_free_bytes: int = Field(description="What devices in memory may still take, as its worker saw it last")
    tools: dict[str, str] = Field(description="Tool name to version")
    device_allow: list[str] = Field(description="Globs over stable ids of attached devices that may be aged")
    scan_folders: list[str] = Field(description="Folders whose trees may be scanned into a profile")
    heartbeat_at: datetime
    is_healthy: bool = Field(description="Its heartbeat is younger than 30 s")


class HostList(BaseModel):
    items: list[HostRead]
