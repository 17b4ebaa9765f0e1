"""Schemas of devices."""

from datetime import datetime
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from patina.device.emulation import Emulated, Emulation, EmulationCreate, FaultRead
from patina.device.facts import DeviceFacts, TrafficRate
from patina.device.models import NAME_CHARS
from patina.device.offer import FileSystemOffer
from patina.device.shingle import Shingle
from patina.device.state import DeviceState, DeviceUsers
from patina.host.schemas import HostMark
from patina.profile.schemas import LINE

MIN_SANDBOX_BYTES = 64 * 2**20

DeviceName = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=NAME_CHARS, pattern=LINE)]


class LeaseRead(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    holder: str = Field(
        validation_alias="seen_holder", description="Job that holds it: run 42; a private run, if it is not seen"
    )
    acquired_at: datetime
    expires_at: datetime | None


class DeviceRead(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: int
    host: HostMark
    stable_id: str
    name: str | None = Field(description="Given by a user")
    kind: Literal["sandbox", "attached"]
    medium: Literal["file", "memory"] | None
    path: str | None
    model: str | None
    serial: str | None
    size_bytes: int
    file_systems: list[FileSystemOffer] = Field(description="The default first")
    fits_in_memory: bool = Field(description="Whether a run with the default mode and data can age it in memory now")
    is_rotational: bool
    state: DeviceState
    state_reason: str | None
    holds: str | None
    facts: DeviceFacts | None = Field(description="Facts reported by its host's worker; null before the first report")
    traffic: TrafficRate | None = Field(description="As last measured while a job held it")
    emulation: Emulation | None = Field(description="What was asked of an emulated disk; null: not emulated")
    emulated: Emulated | None = Field(description="Of an emulated disk, as last reported; null: not emulated, not yet")
    fault: FaultRead | None = Field(description="Last fault asked of an emulated disk")
    shingle: Shingle | None = Field(description="What was asked of a shingled disk; null: not shingled")
    expires_at: datetime | None = Field(description="When a sandbox device is removed, once it is not held")
    active_lease: LeaseRead | None
    seen_at: datetime | None
    users: DeviceUsers = Field(description="Who may use it, beside operators")
    users_team_id: int | None = Field(description="The team whose members may use it; null: none")
    users_team_name: str | None
    is_usable: bool = Field(description="Whether who asks may use it, if the role allows that")


class DeviceNaming(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: DeviceName | None = Field(description="null: no name")


class DeviceUse(BaseModel):
    """Who may use a device, beside operators. `team_id` belongs to the users team."""

    model_config = ConfigDict(extra="forbid")

    users: DeviceUsers
    team_id: int | None = None


class SandboxCreate(BaseModel):
    """A sandbox device: a loop device over a sparse file, or over a file in memory (tmpfs); or an emulated disk, which
    stores what it keeps there."""

    model_config = ConfigDict(extra="forbid")

    size_bytes: Annotated[int, Field(ge=MIN_SANDBOX_BYTES, le=2**50, multiple_of=4096)]
    medium: Literal["file", "memory"] = "file"
    emulation: EmulationCreate | None = Field(default=None, description="Of an emulated disk; null: not emulated")
    shingle: Shingle | None = Field(default=None, description="Of a shingled disk; null: not shingled")
    host_name: str | None = Field(default=None, description="Default: the only host")
    name: DeviceName | None = None
    expires_in_s: Annotated[int, Field(ge=60, le=10**8)] | None = None

    @model_validator(mode="after")
    def _shingled_keeps_all(self) -> Self:
        if self.shingle is not None and self.emulation is not None and not self.emulation.keeps_all:
            raise ValueError("A shingled disk keeps the data of all files. Emulate it with keeps_all.")
        return self
