"""The notes in the folder of an emulated disk: whole, or not there."""

from pathlib import Path

from fixture_types import MIB
from patina.device.emulation import Emulation
from patina_worker.host import disk_folder
from patina_worker.host.disk_folder import Asked

FIRST = Asked(size_bytes=64 * MIB, emulation=Emulation(available_bytes=64 * MIB, model_label=None))
OTHER = Asked(size_bytes=128 * MIB, emulation=Emulation(available_bytes=64 * MIB, model_label=None))


def test_what_a_disk_was_made_with_is_written_once(tmp_path: Path) -> None:
    disk_folder.note_asked(tmp_path, FIRST)
    disk_folder.note_asked(tmp_path, OTHER)
    assert disk_folder.asked_of(tmp_path) == FIRST


def test_an_empty_note_of_a_kill_or_a_power_cut_is_written_again(tmp_path: Path) -> None:
    (tmp_path / "emulation.json").touch(mode=0o600)
    (tmp_path / "emulation.json.new").write_text('{"size_by')
    disk_folder.note_asked(tmp_path, FIRST)
    assert disk_folder.asked_of(tmp_path) == FIRST
    assert [file.name for file in tmp_path.iterdir()] == ["emulation.json"]
