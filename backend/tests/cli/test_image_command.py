"""Commands of images and hosts, against the served application."""

import io
from collections.abc import Callable
from pathlib import Path

import pytest

from commands import Patina, answered, printed, refusal
from trial_rows import make_image


@pytest.fixture
def image_ids(publish_image: Callable[..., int]) -> list[int]:
    """Returns two images in the catalog."""
    return [
        make_image(publish_image, "agrawal-70-ext4-1", recipe={"kernel": "6.18.2"}),
        make_image(publish_image, "meyer-50-xfs-2", file_system="xfs", recipe={"profile": "meyer"}),
    ]


def names_of(patina: Patina, *words: object) -> list[str]:
    return [image["name"] for image in answered(patina("images", *words, "--json"))["items"]]


def test_images_are_found_by_words_and_by_options(patina: Patina, image_ids: list[int]) -> None:
    assert names_of(patina) == ["meyer-50-xfs-2", "agrawal-70-ext4-1"]
    assert names_of(patina, "ext4", "6.18") == ["agrawal-70-ext4-1"]
    assert names_of(patina, "--file-system", "xfs", "--profile", "meyer") == ["meyer-50-xfs-2"]
    assert names_of(patina, "--sort", "name", "--limit", 1) == ["agrawal-70-ext4-1"]
    assert names_of(patina, "nowhere") == []
    assert "agrawal-70-ext4-1" in printed(patina("images"))


def test_a_search_is_saved_used_again_and_removed(patina: Patina, image_ids: list[int]) -> None:
    printed(patina("images", "--file-system", "xfs", "--save", "all xfs"))
    assert names_of(patina, "--saved", "all xfs") == ["meyer-50-xfs-2"]
    assert "file_system xfs" in printed(patina("searches"))
    assert answered(patina("searches", "--remove", "all xfs", "--json"))["items"] == []
    assert "You have no saved search" in refusal(patina("images", "--saved", "all xfs"))


def test_an_image_is_shown_with_its_recipe(patina: Patina, image_ids: list[int]) -> None:
    shown = printed(patina("image", "show", "agrawal-70-ext4-1"))
    for text in ("agrawal-70-ext4-1", "Linux 6.18.2", "mkfs.ext4", "plan digest"):
        assert text in shown
    assert answered(patina("image", "show", image_ids[1], "--json"))["name"] == "meyer-50-xfs-2"
    assert "There is no image 'none'" in refusal(patina("image", "show", "none"))


def test_an_image_is_deleted_after_a_question_and_brought_back(
    patina: Patina, capture_image: Callable[..., int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "device").write_bytes(b"\1" * 2**20)
    number = capture_image(tmp_path / "device")
    (name,) = names_of(patina)
    monkeypatch.setattr("sys.stdin", io.StringIO("n\n"))
    assert patina("image", "delete", name)[0] == 1
    assert names_of(patina) == [name]
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n"))
    printed(patina("image", "delete", name))
    assert names_of(patina) == []
    assert name in printed(patina("images", "--deleted"))
    assert "in the catalog again" in printed(patina("image", "bring-back", number))
    assert answered(patina("images", "--deleted", "--json"))["items"] == []
    assert names_of(patina) == [name]
    assert answered(patina("image", "delete", number, "--json"))["id"] == number
    assert "There is no deleted image 'none'" in refusal(patina("image", "bring-back", "none"))
    assert "in the catalog again" in printed(patina("image", "bring-back", name))
    assert names_of(patina) == [name]


def test_hosts_are_listed_with_their_health(patina: Patina, image_ids: list[int]) -> None:
    (host,) = answered(patina("hosts", "--json"))["items"]
    assert host["name"] == "local"
    assert "reports" in printed(patina("hosts"))


def test_an_image_is_renamed_tagged_described_and_protected(
    patina: Patina, image_ids: list[int], tmp_path: Path
) -> None:
    assert answered(patina("image", "rename", "meyer-50-xfs-2", "laptop", "--json"))["name"] == "laptop"
    assert "laptop:v1 names image laptop" in printed(patina("image", "tag", "laptop", "laptop:v1"))
    text = tmp_path / "README.md"
    text.write_text("# A laptop\n\nOf five years.")
    printed(patina("image", "describe", "laptop:v1", text))
    assert "is protected" in printed(patina("image", "protect", "laptop:v1"))
    shown = printed(patina("image", "show", "laptop:v1"))
    for words in ("A laptop", "Of five years.", "laptop:v1", "protected", "@sha256:"):
        assert words in shown
    assert "can be deleted" in printed(patina("image", "protect", "laptop", "--end"))
    assert "names no image" in printed(patina("image", "untag", "laptop", "laptop:v1"))
    assert answered(patina("image", "show", "laptop", "--json"))["tags"] == []
    names = printed(patina("image", "names", "laptop"))
    assert "meyer-50-xfs-2" in names
    text.write_bytes(b"\xff\xfe")
    assert "is not UTF-8 text" in refusal(patina("image", "describe", "laptop", text))
    assert names_of(patina, "laptop") == ["laptop"]


def test_two_images_are_compared_and_their_use_is_shown(
    patina: Patina, capture_image: Callable[..., int], make_device: Callable[..., int], tmp_path: Path
) -> None:
    content = bytearray(b"\1" * 2**20)
    for name in ("one", "two"):
        (tmp_path / name).write_bytes(content)
        capture_image(tmp_path / name)
        content[0] = 2
    second, first = names_of(patina)
    compared = printed(patina("image", "compare", first, second))
    assert "differs" in compared
    assert f"only in {second}" in compared
    document = answered(patina("image", "compare", first, second, "--json"))
    assert (document["changed_extents_count"], document["only_first"]["chunks_count"]) == (1, 0)
    used = printed(patina("image", "uses", first))
    assert used.split()[:2] == ["lineage", f"{first},"]
    assert answered(patina("image", "uses", first, "--json"))["devices"] == []


def test_a_piped_line_is_whole_however_long(patina: Patina, publish_image: Callable[..., int]) -> None:
    command = ["mkfs.ext4", *(f"-O feature_{number}" for number in range(20)), "/dev/loop0"]
    make_image(publish_image, "long", recipe={"mkfs_command": command})
    assert " ".join(command) in printed(patina("image", "show", "long"))
