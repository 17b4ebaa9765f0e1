"""Schemas of hosts and join tokens."""

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

HostName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$")]


class HostReport(BaseModel):
    """A worker's report on its host, sent with every heartbeat."""

    kernel: str
    lacks: dict[str, str] = Field(description="Unsupported file systems, and why, as a sentence's end")
    cores_count: int
    memory_bytes: int
    memory_free_bytes: int = Field(description="Memory left for devices in memory, by the last report")
    disk_bytes: int = Field(description="Size of the file system of its state folder, which has its images")
    disk_free_bytes: int = Field(description="Free bytes there, by the last report")
    tools: dict[str, str] = Field(description="Tool name to version")
    device_allow: list[str] = Field(description="Globs over stable ids of attached devices that may be aged")
    scan_folders: list[str] = Field(description="Folders whose trees may be scanned into a profile")
    commands: list[str] = Field(description="Programs that trials may run there, by the host's own settings")
    sandbox_quota_bytes: int = Field(description="Quota of all its sandbox devices")


class HostRead(HostReport):
    model_config = ConfigDict(from_attributes=True)

    id: int
    name: str
    patina_version: str | None = Field(description="Of its worker; null until a worker has reported it")
    heartbeat_at: datetime = Field(description="Last heartbeat, by the database's clock")
    is_healthy: bool = Field(description="Whether the last heartbeat is less than 20 s old")
    removed_at: datetime | None
    has_own_access: bool = Field(description="Whether it has an access of its own, which ends with its removal")


class HostMark(BaseModel):
    """A host and its health, for the list of its devices."""

    model_config = ConfigDict(from_attributes=True)

    id: int
    name: str
    heartbeat_at: datetime = Field(description="Last heartbeat, by the database's clock")
    is_healthy: bool = Field(description="Whether the last heartbeat is less than 20 s old")


class HostList(BaseModel):
    items: list[HostRead]


class JoinTokenCreate(BaseModel):
    model_config = ConfigDict(extra="forbid")

    uses_count: Annotated[int, Field(ge=1, le=100, description="How many hosts may join with it")] = 1
    expires_in_s: Annotated[int, Field(ge=60, le=30 * 86_400)] = 3_600


class JoinTokenRead(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: int
    uses_count: int
    used_count: int
    created_at: datetime
    expires_at: datetime
    revoked_at: datetime | None
    is_open: bool = Field(description="Whether it has uses left and is neither expired nor revoked")


class JoinTokenList(BaseModel):
    items: list[JoinTokenRead]


class JoinTokenMade(JoinTokenRead):
    token: str = Field(description="Shown only here: the server stores its digest")
    server_url: str = Field(description="URL of this server for a machine that joins")


class JoinCreate(BaseModel):
    model_config = ConfigDict(extra="forbid")

    token: Annotated[str, Field(min_length=1, max_length=200)]
    name: HostName


class JoinRead(BaseModel):
    """Settings of the worker of a joining host."""

    host_name: str
    environment: dict[str, str] = Field(description="Settings by name: connections, and the bucket if any")
