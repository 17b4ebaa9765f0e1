"""How much a file system will offer on a device, before it is made."""

# Journal blocks that mke2fs 1.47 chooses (ext2fs_default_journal_size): file systems below so many blocks.
_EXT4_JOURNAL_BLOCKS = (
    (2_048, 0),
    (32_768, 1_024),
    (256 * 1_024, 4_096),
    (512 * 1_024, 8_192),
    (4_096 * 1_024, 16_384),
    (8_192 * 1_024, 32_768),
    (16_384 * 1_024, 65_536),
    (32_768 * 1_024, 131_072),
)


def estimated_capacity_bytes(size_bytes: int) -> int:
    """What an empty ext4 with our recipe offers on a device of this size: less inode tables, journal, descriptors.

    An estimate until mkfs has run; the run itself uses statfs.
    """
    blocks_count = size_bytes // 4096
    journal_blocks = next((j for limit, j in _EXT4_JOURNAL_BLOCKS if blocks_count < limit), 262_144)
    inode_tables_bytes = size_bytes // 64  # one 256-byte inode per 16 KiB
    return max(size_bytes - inode_tables_bytes - journal_blocks * 4096 - size_bytes // 1024, 0)
