"""Commands of profiles and forecasts, against the served application."""

from collections.abc import Callable
from pathlib import Path

import pytest

from commands import Patina, answered, printed, refusal

CSV = """histogram,edge,weight,subdirs
size,4096,3,
size,65536,1,
depth,1,1,4
age,1,0.5,
age,10,0.5,
"""


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Returns a file with three histograms."""
    path = tmp_path / "laptop.csv"
    path.write_text(CSV)
    return path


def test_a_profile_is_imported_from_a_file_and_shown(patina: Patina, table: Path) -> None:
    made = answered(patina("profile", "import", table, "--name", "laptop", "--author", "Ada", "--json"))
    assert (made["title"], made["versions_count"], made["latest_version"]["author"]) == ("laptop", 1, "Ada")
    shown = printed(patina("profile", "show", "laptop"))
    for text in ("version 1 of 1", "75.00 %", "4 directories", "below 10"):
        assert text in shown


@pytest.mark.parametrize("file_format", ["patina", "csv"])
def test_an_exported_profile_imports_again_with_the_same_digest(
    patina: Patina, table: Path, tmp_path: Path, file_format: str
) -> None:
    first = answered(patina("profile", "import", table, "--name", "laptop", "--json"))
    file = tmp_path / "exported"
    printed(patina("profile", "export", "laptop", "--format", file_format, "-o", file))
    assert printed(patina("profile", "export", "laptop", "--format", file_format)).encode() == file.read_bytes()
    again = answered(patina("profile", "import", file, "--name", "again", "--json"))
    assert again["latest_version"]["digest"] == first["latest_version"]["digest"]


def test_an_export_replaces_a_file_only_with_force(patina: Patina, table: Path, tmp_path: Path) -> None:
    patina("profile", "import", table, "--name", "laptop")
    file = tmp_path / "kept"
    file.write_text("kept")
    assert "exists" in refusal(patina("profile", "export", "laptop", "-o", file))
    assert file.read_text() == "kept"
    printed(patina("profile", "export", "laptop", "-o", file, "--force"))
    assert file.read_text() != "kept"
    assert "cannot be written" in refusal(patina("profile", "export", "laptop", "-o", tmp_path / "no" / "folder"))


def test_an_edit_adds_a_version_and_keeps_the_first(patina: Patina, table: Path) -> None:
    patina("profile", "import", table, "--name", "laptop")
    table.write_text(CSV.replace("65536,1", "65536,9"))
    version = answered(patina("profile", "edit", "laptop", table, "--message", "Larger files", "--json"))
    assert (version["number"], version["message"]) == (2, "Larger files")
    assert "75.00 %" in printed(patina("profile", "show", "laptop", "--version", 1))
    assert "version 2 of 2" in printed(patina("profile", "show", "laptop"))


def test_a_file_that_is_no_profile_is_refused_with_every_line_that_is_wrong(patina: Patina, table: Path) -> None:
    patina("profile", "import", table, "--name", "laptop")
    table.write_text(CSV.replace("4096,3", "4096,many").replace("age,10", "age,-10"))
    said = refusal(patina("profile", "edit", "laptop", table))
    assert "laptop.csv:2:" in said
    assert "laptop.csv:6:" in said
    table.write_text("histogram,edge,weight,subdirs\nsize,1,1,\n")
    assert "no depth histogram" in refusal(patina("profile", "edit", "laptop", table))
    assert answered(patina("profile", "show", "laptop", "--json"))["versions_count"] == 1


def test_a_fork_remembers_the_version_that_it_was_made_from(patina: Patina, table: Path) -> None:
    patina("profile", "import", table, "--name", "laptop")
    made = answered(patina("profile", "fork", "laptop", "mine", "--title", "Mine", "--json"))
    assert (made["title"], made["parent"]) == ("Mine", {"name": "laptop", "number": 1})


def test_a_profile_is_archived_listed_again_and_deleted(patina: Patina, table: Path) -> None:
    patina("profile", "import", table, "--name", "laptop")
    assert answered(patina("profile", "archive", "laptop", "--json"))["archived_at"] is not None
    assert answered(patina("profile", "unarchive", "laptop", "--json"))["archived_at"] is None
    assert "deleted" in printed(patina("profile", "delete", "laptop"))
    assert "laptop" in refusal(patina("profile", "show", "laptop"))


def test_a_forecast_changes_with_the_fullness(patina: Patina, table: Path) -> None:
    patina("profile", "import", table, "--name", "laptop")
    asked = ("forecast", "laptop", "--capacity", "64MiB")
    half, most = (answered(patina(*asked, "--fullness", percent, "--json")) for percent in (50, 90))
    assert 0 < half["files_count"] < most["files_count"]
    assert "critical age bin" in printed(patina(*asked))


@pytest.mark.parametrize("words", [[], ["--capacity", "1GiB", "--device", "/dev/loop0"]])
def test_a_forecast_needs_a_capacity_or_a_device(patina: Patina, words: list[str]) -> None:
    assert "one of the two" in refusal(patina("forecast", "agrawal", *words), 2)


def test_a_forecast_takes_the_capacity_of_a_device(
    patina: Patina, table: Path, make_device: Callable[..., int]
) -> None:
    patina("profile", "import", table, "--name", "laptop")
    number = make_device()
    of_device = answered(patina("forecast", "laptop", "--device", number, "--json"))
    assert 2**29 < of_device["capacity_bytes"] < 2**30
    assert "cannot have ntfs" in refusal(patina("forecast", "laptop", "--device", number, "--file-system", "ntfs"), 2)
    assert "'big' is not a size" in refusal(patina("forecast", "laptop", "--capacity", "big"))
