"""What the API says and takes of hosts and join tokens."""

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

HostName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$")]


class HostReport(BaseModel):
    """What a worker says of its host with every heartbeat."""

    kernel: str
    lacks: dict[str, str] = Field(description="File systems that it cannot make and mount, and why as a sentence's end")
    cores_count: int
    memory_bytes: int
    memory_free_bytes: int = Field(description="What devices in memory may still take, as its worker saw it last")
    tools: dict[str, str] = Field(description="Tool name to version")
    device_allow: list[str] = Field(description="Globs over stable ids of attached devices that may be aged")
    scan_folders: list[str] = Field(description="Folders whose trees may be scanned into a profile")
    sandbox_quota_bytes: int = Field(description="What all its sandbox devices may take")


class HostRead(HostReport):
    model_config = ConfigDict(from_attributes=True)

    id: int
    name: str
    patina_version: str | None = Field(description="Of its worker; null until one of a version that says so reported")
    heartbeat_at: datetime = Field(description="When it was last heard, by the database's clock")
    is_healthy: bool = Field(description="It was heard within 20 s")
    removed_at: datetime | None


class HostMark(BaseModel):
    """Which host, and whether it is heard: what is said of it with each of its devices."""

    model_config = ConfigDict(from_attributes=True)

    id: int
    name: str
    heartbeat_at: datetime = Field(description="When it was last heard, by the database's clock")
    is_healthy: bool = Field(description="It was heard within 20 s")


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
    is_open: bool = Field(description="Neither used up, nor expired, nor revoked")


class JoinTokenList(BaseModel):
    items: list[JoinTokenRead]


class JoinTokenMade(JoinTokenRead):
    token: str = Field(description="Said here and never again: the server keeps its digest")
    server_url: str = Field(description="Where a machine that joins reaches this server")


class JoinCreate(BaseModel):
    model_config = ConfigDict(extra="forbid")

    token: Annotated[str, Field(min_length=1, max_length=200)]
    name: HostName


class JoinRead(BaseModel):
    """What the worker of a host that joins has to know."""

    host_name: str
    environment: dict[str, str] = Field(description="Settings by their names: connections, and the bucket if any")
