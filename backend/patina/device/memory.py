"""Host memory that an aging in memory needs: one rule, for the API and the worker.

A device in memory is a sparse file. Where data is written, aging fills it to the last block: all modes but `unbounded`
write files on some file systems. Where files are only allocated (fallocate, sparse), metadata alone is written:
measured on 1 GiB, Agrawal at 70 %, 50 MiB by ext4, 69 MiB by xfs, 107 MiB by btrfs, which moves its metadata with each
commit. A quarter of the device leaves room.
"""

from patina.errors import PatinaError
from patina.figures import in_bytes

METADATA_SHARE = 4  # one in so many bytes


MemoryTooSmall = PatinaError.of("memory_too_small", "Not enough memory on this host", status=409)


def memory_needed_bytes(size_bytes: int, *, mode: str = "faithful", data_mode: str = "materialize") -> int:
    """Returns the size that a device in memory may grow to; by default for a run with default settings."""
    allocates_alone = mode == "unbounded" and data_mode in ("fallocate", "sparse")
    return size_bytes // METADATA_SHARE if allocates_alone else size_bytes


def require_memory(*, needed_bytes: int, free_bytes: int, what: str, host_name: str) -> None:
    """Raises MemoryTooSmall unless the memory is free."""
    if needed_bytes > free_bytes:
        raise MemoryTooSmall(
            f"To age {what} in memory may take {in_bytes(needed_bytes)}; host {host_name} can give "
            f"{in_bytes(max(free_bytes, 0))} now. Age on the device itself, or choose a smaller one."
        )
