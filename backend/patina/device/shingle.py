"""Shingled disks among the sandbox devices: what one is, its options of SMRfs, and what is refused on it."""

import re
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationInfo, field_validator

from patina.core.contract.shingle import Cleaner, Placement
from patina.device.models import Device
from patina.errors import PatinaError
from patina.figures import exactly_bytes
from patina.file_system.table import FileSystem, estimated_capacity_bytes

MIB = 2**20
BLOCK_BYTES = 4096
MOST_BLOCKS = 2**20  # of DID and DNOR, as in the core

DiskIsShingled = PatinaError.of("disk_is_shingled", "The disk is shingled", status=409)
ShingledDiskTooSmall = PatinaError.of("shingled_disk_too_small", "The shingled disk is too small", status=422)


class _Shingle(BaseModel):
    model_config = ConfigDict(extra="forbid", json_schema_serialization_defaults_required=True)

    did_blocks: Annotated[
        int, Field(ge=0, le=MOST_BLOCKS, description="Blocks of 4 KiB behind a write that it may damage")
    ] = 16


class CaveatShingle(_Shingle):
    """A Caveat-Scriptor disk: its host may write anywhere, and each write may damage what is behind it."""

    interface: Literal["caveat"]
    dnor_blocks: Annotated[
        int, Field(ge=0, le=MOST_BLOCKS, description="Blocks behind a write that it never damages, at most the DID")
    ] = 0
    policy: Placement = Field(default="best", description="Where SMRfs places files")

    @field_validator("dnor_blocks")
    @classmethod
    def _is_within_did(cls, dnor_blocks: int, info: ValidationInfo) -> int:
        did_blocks = info.data.get("did_blocks")
        if did_blocks is not None and dnor_blocks > did_blocks:
            raise ValueError(f"The DNOR is at most the DID, {did_blocks} blocks")
        return dnor_blocks

    @property
    def mkfs_options(self) -> str:
        """Returns the options of mkfs that make SMRfs on it."""
        return f"--interface {self.interface} --did {self.did_blocks} --dnor {self.dnor_blocks}"

    @property
    def mount_options(self) -> str:
        """Returns the options that SMRfs on it is mounted with."""
        return f"policy={self.policy}"


class AppendShingle(_Shingle):
    """A strict-append disk: of bands, each written in sequence only. Between two bands is a gap of the DID."""

    interface: Literal["strict-append"]
    band_bytes: Annotated[int, Field(ge=MIB, le=2**40, multiple_of=MIB, description="Size of a band")] = 64 * MIB
    clean: Cleaner = Field(default="greedy", description="Which band SMRfs cleans")

    @property
    def mkfs_options(self) -> str:
        """Returns the options of mkfs that make SMRfs on it."""
        return f"--interface {self.interface} --did {self.did_blocks} --band {self.band_bytes // MIB}MiB"

    @property
    def mount_options(self) -> str:
        """Returns the options that SMRfs on it is mounted with."""
        return f"clean={self.clean}"

    @property
    def least_data_bytes(self) -> int:
        """Returns the least room behind the metadata partition: two bands and the gap between them."""
        return 2 * self.band_bytes + self.did_blocks * BLOCK_BYTES


Shingle = Annotated[CaveatShingle | AppendShingle, Field(discriminator="interface")]
_SHINGLE: TypeAdapter[CaveatShingle | AppendShingle] = TypeAdapter(Shingle)


def shingle_of(device: Device) -> CaveatShingle | AppendShingle | None:
    """Returns what the shingled disk is; None for another device."""
    return None if device.shingle is None else _SHINGLE.validate_python(device.shingle)


def require_room(shingle: CaveatShingle | AppendShingle, size_bytes: int) -> None:
    """Raises ShingledDiskTooSmall for a strict-append disk without room for two bands. A Caveat-Scriptor disk of
    any size has room behind its metadata partition."""
    if not isinstance(shingle, AppendShingle):
        return
    data_bytes = estimated_capacity_bytes(size_bytes, FileSystem.SMRFS)
    if data_bytes < shingle.least_data_bytes:
        raise ShingledDiskTooSmall(
            f"A disk of {exactly_bytes(size_bytes)} has {exactly_bytes(data_bytes)} behind its metadata partition, and "
            f"two bands need {exactly_bytes(shingle.least_data_bytes)}. Make a larger disk, or choose smaller bands."
        )


def require_file_system(device: Device, file_system: str | None) -> None:
    """Raises DiskIsShingled for another file system than SMRfs on a shingled disk. None: unknown."""
    if device.shingle is not None and file_system != FileSystem.SMRFS:
        raise DiskIsShingled(
            f"{device.called} is a shingled disk; other file systems lose data on it. Choose {FileSystem.SMRFS}."
        )


def with_added(device: Device, mkfs: str, mount: str) -> tuple[str, str]:
    """Returns the options of mkfs and mount: those of the shingled disk that are not added, then the added ones."""
    shingle = shingle_of(device)
    if shingle is None:
        return mkfs, mount
    words, own = shingle.mkfs_options.split(), shingle.mount_options
    pairs = [f"{name} {value}" for name, value in zip(words[::2], words[1::2], strict=True) if name not in mkfs.split()]
    added = {option.partition("=")[0] for option in re.split("[ ,]+", mount)}
    is_added = own.partition("=")[0] in added
    return " ".join(filter(None, [*pairs, mkfs])), ",".join(filter(None, ["" if is_added else own, mount]))
