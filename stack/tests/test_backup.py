"""`patina-admin`: a backup of a running installation, and its restore into an empty one."""

import fcntl
import hashlib
import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from patina_dev.testing.installation import Installation, done, installation, refusal, run
from patina_stack.backup import NOTE, note_of
from patina_stack.mirror import Mirrored, mirror, prune
from patina_stack.process import ProcessFailed

pytestmark = pytest.mark.slow
SIZE_BYTES = 2**20


def _import(source: Installation, folder: Path, name: str) -> str:
    """Imports random bytes. Returns their digest."""
    file = folder / f"{name}.img"
    file.write_bytes(os.urandom(SIZE_BYTES))
    source.patina("import", file, "--name", name)
    return hashlib.sha256(file.read_bytes()).hexdigest()


@contextmanager
def _held(folder: Path) -> Iterator[None]:
    """Locks the folder, as another backup into it does."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    yield
    os.close(descriptor)


@pytest.mark.parametrize(("note", "said"), [('{"schema_version": 2}', "later version"), ("{", "cannot be read")])
def test_a_note_that_this_version_does_not_understand_is_refused(tmp_path: Path, note: str, said: str) -> None:
    (tmp_path / NOTE).write_text(note)
    with pytest.raises(ProcessFailed, match=said):
        note_of(tmp_path)


@pytest.mark.usefixtures("as_root")
def test_a_backup_of_a_running_installation_is_restored_into_an_empty_one(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    backup = tmp_path / "backup"
    with installation(tmp_path / "source") as source:
        source.up()
        key = source.state_dir / "manifest.key"
        assert (key.stat().st_mode & 0o777, key.owner()) == (0o600, "patina")
        public_key = source.patina("image", "manifest-key")
        digests = {"first": _import(source, tmp_path, "first")}
        assert "1 image of schema" in done(source.admin("backup", backup))
        assert ": 0 files of 0 B copied" in done(source.admin("backup", backup))
        with _held(backup):
            assert "is under way" in refusal(source.admin("backup", backup))
        digests["second"] = _import(source, tmp_path, "second")
        assert "2 images of schema" in done(source.admin("backup", backup))
        assert "Patina runs here (api, worker)" in refusal(source.admin("restore", backup))

    with installation(tmp_path / "target") as target:
        assert "2 images of" in done(target.admin("restore", backup))
        assert "not empty" in refusal(target.admin("restore", backup))
        target.up()
        key = target.state_dir / "manifest.key"
        assert (key.stat().st_mode & 0o777, key.owner()) == (0o600, "patina")
        assert target.patina("image", "manifest-key") == public_key
        for name, digest in digests.items():
            pulled = json.loads(target.patina("pull", name, "-o", tmp_path / "pulled", "--force", "--json"))
            assert pulled["sha256"] == digest

    chunk = next((backup / "store").rglob("*.cacnk"))
    chunk.unlink()
    with installation(tmp_path / "damaged") as damaged:
        assert "The backup lacks chunks of: " in refusal(damaged.admin("restore", backup))


@pytest.mark.usefixtures("as_root")
def test_folders_that_are_no_backups_are_left_as_they_are(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    other = tmp_path / "other"
    other.mkdir()
    (other / "thesis.txt").write_text("kept")
    with installation(tmp_path / "source") as source:
        assert "PostgreSQL does not answer" in refusal(source.admin("backup", tmp_path / "backup"))
        assert "is not empty, and has no backup" in refusal(source.admin("backup", other))
        assert "has no backup" in refusal(source.admin("restore", other))
        done(run("patina_stack", "services", PATINA_STATE_DIR=str(source.state_dir)))
        assert "nothing to back up" in refusal(source.admin("backup", tmp_path / "backup"))
    assert [file.name for file in other.iterdir()] == ["thesis.txt"]
    assert not (tmp_path / "backup").exists()


def _tree(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Returns a folder with two files and a link."""
    folder = tmp_path / "source"
    (folder / "ab").mkdir(parents=True)
    (folder / "ab" / "one").write_bytes(b"1" * 1000)
    (folder / "two").write_bytes(b"2")
    (folder / "link").symlink_to("/etc/passwd")
    return folder


def test_a_mirror_copies_what_is_missing_or_changed_and_no_link(source: Path, tmp_path: Path) -> None:
    target, first, second = tmp_path / "target", Mirrored(), Mirrored()
    mirror(source, target, first)
    assert (first.copied_count, first.copied_bytes, first.kept_count) == (2, 1001, 0)
    assert _tree(target) == {"ab/one": b"1" * 1000, "two": b"2"}
    (target / "two").write_bytes(b"other")
    (target / "ab" / "one.part").write_bytes(b"of a copy that was cut off")
    mirror(source, target, second)
    assert (second.copied_count, second.kept_count) == (1, 1)
    assert prune(source, target) == 1
    assert _tree(target) == {"ab/one": b"1" * 1000, "two": b"2"}
    assert (target / "ab" / "one").stat().st_mtime_ns == (source / "ab" / "one").stat().st_mtime_ns


def test_a_file_that_disappears_is_left_out(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def _vanish(file: Path, _: Path, **__: object) -> None:
        file.unlink()
        raise FileNotFoundError(file)

    with monkeypatch.context() as patch:
        patch.setattr("patina_stack.mirror.shutil.copyfile", _vanish)
        mirrored = Mirrored()
        mirror(source, tmp_path / "target", mirrored)
    assert mirrored.files_count == 0
    assert _tree(tmp_path / "target") == {}


@contextmanager
def _small_disk(folder: Path) -> Iterator[Path]:
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", folder], check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", folder], check=True)


@pytest.mark.usefixtures("as_root")
def test_a_full_disk_ends_a_backup_and_the_earlier_one_stays_whole(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    with installation(tmp_path / "source") as source, _small_disk(tmp_path / "disk") as disk:
        source.up()
        _import(source, tmp_path, "first")
        done(source.admin("backup", disk / "backup"))
        before = _tree(disk / "backup")
        for number in range(4):
            _import(source, tmp_path, f"more-{number}")
        assert "No space left on device" in refusal(source.admin("backup", disk / "backup"))
        after = _tree(disk / "backup")
        assert {name: after[name] for name in before} == before
