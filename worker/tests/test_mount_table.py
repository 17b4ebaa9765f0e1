"""Which mounted disks a namespace of ours may let go of: those that hold nothing of what it works with."""

from pathlib import Path

from patina_worker.mount_table import foreign_disks


def test_a_disk_is_foreign_unless_it_holds_one_of_our_trees_or_a_part_of_one(mounted: Path) -> None:
    disk, holder = str(mounted), mounted.parent / "state"
    holder.mkdir()
    assert disk in foreign_disks()
    assert disk in foreign_disks(holder, mounted.parent / "disks")

    (holder / "store").symlink_to(mounted / "patina", target_is_directory=True)
    for ours in (mounted, mounted / "core", mounted.parent, holder):
        assert disk not in foreign_disks(ours)
    assert "/" not in foreign_disks()
