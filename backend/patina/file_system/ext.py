"""ext2, ext3 and ext4, all made by mke2fs and mounted by the kernel's ext4 driver."""

import re

from patina.file_system.row import FileSystemRow, Magic, MkfsOption

_BLOCK_BYTES = 4096
# Journal blocks that mke2fs 1.47 chooses (ext2fs_default_journal_size): file systems below so many blocks.
_JOURNAL_BLOCKS = (
    (2_048, 0),
    (32_768, 1_024),
    (256 * 1_024, 4_096),
    (512 * 1_024, 8_192),
    (4_096 * 1_024, 16_384),
    (8_192 * 1_024, 32_768),
    (16_384 * 1_024, 65_536),
    (32_768 * 1_024, 131_072),
)
# Spelled out, because mke2fs.conf differs between hosts.
_EXT2_FEATURES = "none,ext_attr,resize_inode,dir_index,filetype,sparse_super,large_file"
_EXT3_FEATURES = f"{_EXT2_FEATURES},has_journal"
_EXT4_FEATURES = f"{_EXT3_FEATURES},extent,64bit,flex_bg,huge_file,dir_nlink,extra_isize,metadata_csum"

_MKFS_OPTIONS = {
    "-b": MkfsOption(("1024", "2048", "4096")),
    "-C": MkfsOption(("N",)),
    "-E": MkfsOption(("stride=N", "stripe_width=N", "packed_meta_blocks=N", "num_backup_sb=N"), is_list=True),
    "-g": MkfsOption(("N",)),
    "-G": MkfsOption(("N",)),
    "-i": MkfsOption(("N",)),
    "-I": MkfsOption(("N",)),
    "-J": MkfsOption(("size=N", "fast_commit_size=N"), is_list=True),
    "-m": MkfsOption(("N",)),
    "-N": MkfsOption(("N",)),
    "-O": MkfsOption(("FEATURE", "^FEATURE"), is_list=True),
}
_OWN_MOUNT_OPTIONS = (
    *("data=journal", "data=ordered", "data=writeback", "commit=N", "journal_checksum", "journal_async_commit"),
    *("stripe=N", "inode_readahead_blks=N", "max_batch_time=N", "min_batch_time=N", "mb_optimize_scan=N"),
    *("barrier", "nobarrier", "delalloc", "nodelalloc", "auto_da_alloc", "noauto_da_alloc", "dioread_lock"),
    *("dioread_nolock", "block_validity", "noblock_validity", "user_xattr", "nouser_xattr", "acl", "noacl"),
)


def _capacity_bytes(size_bytes: int) -> int:
    """Returns the size without inode tables (one 256-byte inode per 16 KiB) and descriptors."""
    return size_bytes - size_bytes // 64 - size_bytes // 1024


def _capacity_less_journal_bytes(size_bytes: int) -> int:
    blocks_count = size_bytes // _BLOCK_BYTES
    journal_blocks = next((j for limit, j in _JOURNAL_BLOCKS if blocks_count < limit), 262_144)
    return _capacity_bytes(size_bytes) - journal_blocks * _BLOCK_BYTES


def _row(name: str, features: str) -> FileSystemRow:
    has_journal = "has_journal" in features

    def _mkfs(identity: str, _: int) -> list[str]:
        """Passes a single -E list: mke2fs takes only the last."""
        extended = f"hash_seed={identity},lazy_itable_init=0,lazy_journal_init=0,nodiscard"
        argv = [f"mkfs.{name}", "-b", str(_BLOCK_BYTES), "-I", "256", "-i", "16384", "-m", "0", "-O", features]
        return [*argv, "-U", identity, "-E", extended]

    return FileSystemRow(
        magic=Magic(1080, b"\x53\xef"),
        capacity_bytes=_capacity_less_journal_bytes if has_journal else _capacity_bytes,
        mkfs=_mkfs,
        describe=["dumpe2fs", "-h"],
        features=re.compile(r"^Filesystem features:(.*)$", re.MULTILINE),
        check=["e2fsck", "-fn"],
        package="e2fsprogs",
        tools={"mke2fs": "-V", "e2fsck": "-V"},
        mkfs_options=_MKFS_OPTIONS,
        own_mount_options=_OWN_MOUNT_OPTIONS,
        unreplayed=re.compile(r"^Filesystem features:.*needs_recovery", re.MULTILINE) if has_journal else None,
        # The kernel clears this mark while it is mounted without a journal (noload).
        unmounted=re.compile(r"^Filesystem state:\s+clean$", re.MULTILINE),
    )


EXT2 = _row("ext2", _EXT2_FEATURES)
EXT3 = _row("ext3", _EXT3_FEATURES)
EXT4 = _row("ext4", _EXT4_FEATURES)
