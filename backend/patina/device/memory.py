"""How much of its host's memory a device takes that is aged there first: one rule, for the API and the worker.

A device in memory is a sparse file. Where data is written, aging fills it to the last block. Where files are only
allocated (fallocate, sparse), metadata alone is written: measured on 1 GiB, Agrawal at 70 %, 50 MiB by ext4,
69 MiB by xfs, 107 MiB by btrfs, which moves its metadata with each commit. A quarter of the device leaves room.
"""

METADATA_SHARE = 4  # one in so many bytes


def memory_needed_bytes(size_bytes: int, data_mode: str) -> int:
    """What a device of this size may grow to."""
    return size_bytes if data_mode == "write" else size_bytes // METADATA_SHARE
