"""OCI archives that are damaged, hostile, or of another program."""

import json
import os
import subprocess
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from intakes import image_of, intake_of, queue, refused_now, taken_in
from patina.image import oci
from patina_dev.testing.archive import CONTENT, INDEX_DIGEST, SIZE_BYTES, Layout, config

pytestmark = pytest.mark.usefixtures("no_intake_left", "as_root")


def refusal(file: Path) -> tuple[str | None, str]:
    """Returns the code and the message of the failed import."""
    intake_id = queue(file)
    return refused_now(intake_id), intake_of(intake_id).message


def test_an_archive_by_another_tar_is_imported(tmp_path: Path) -> None:
    folder = tmp_path / "layout"
    for name, content in Layout().made().files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    archive = tmp_path / "image.tar"
    subprocess.run(["tar", "--format=pax", "-C", folder, "-cf", archive, "."], check=True)
    image = image_of(taken_in(archive))
    assert (image.index_digest, image.size_bytes) == (INDEX_DIGEST, SIZE_BYTES)
    assert image.intake is not None
    assert image.intake.archive is not None
    assert image.intake.archive.name == "there"


def _file(name: str, kind: bytes = tarfile.REGTYPE, link: str = "") -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.type, member.linkname = kind, link
    return member


@pytest.mark.parametrize(
    ("member", "code", "said"),
    [
        (_file("../escaped"), "archive_foreign", "leads out of it"),
        (_file("blobs/../../escaped"), "archive_foreign", "leads out of it"),
        (_file("/etc/cron.d/escaped"), "archive_foreign", "leads out of it"),
        (_file("blobs/link", tarfile.SYMTYPE, "/etc/passwd"), "archive_foreign", "not a regular file"),
        (_file("blobs/link", tarfile.LNKTYPE, "index.json"), "archive_foreign", "not a regular file"),
        (_file("blobs/device", tarfile.BLKTYPE), "archive_foreign", "not a regular file"),
        (_file("./index.json"), "file_damaged", "twice"),
        (_file("index.json/"), "file_damaged", "twice"),
    ],
)
def test_a_member_that_no_archive_has_is_refused(tmp_path: Path, member: tarfile.TarInfo, code: str, said: str) -> None:
    found, message = refusal(Layout().made().write(tmp_path / "a.tar", member))
    assert (found, said in message) == (code, True), message


def _changed_config(**changes: object) -> Layout:
    return Layout(config=config() | changes).made()


def _without(name: str) -> Layout:
    layout = Layout().made()
    del layout.files[name]
    return layout


def _with(name: str, content: bytes) -> Layout:
    layout = Layout().made()
    layout.files[name] = content
    return layout


def _without_a_layer() -> Layout:
    layout = Layout().made()
    del layout.files[layout.path_of(layout.layers[0])]
    return layout


def _with_a_changed_blob(of: Callable[[Layout], bytes]) -> Layout:
    layout = Layout().made()
    content = of(layout)
    layout.files[layout.path_of(content)] = content[:-1] + bytes([content[-1] ^ 1])
    return layout


def _with_a_shorter_layer() -> Layout:
    layout = Layout().made()
    layout.files[layout.path_of(layout.layers[0])] = layout.layers[0][:-1]
    return layout


def _of_two() -> Layout:
    layout = Layout().made()
    index = json.loads(layout.files[oci.INDEX_FILE])
    layout.files[oci.INDEX_FILE] = json.dumps(index | {"manifests": index["manifests"] * 2}).encode()
    return layout


def _of_other_bytes() -> Layout:
    return Layout(layers=[zstandard.compress(CONTENT[:-1] + b"?")]).made()


FOREIGN, DAMAGED = "archive_foreign", "file_damaged"


@pytest.mark.parametrize(
    ("make", "code", "said"),
    [
        (lambda: _without(oci.LAYOUT_FILE), FOREIGN, "no oci-layout: it is no OCI archive"),
        (lambda: _without(oci.INDEX_FILE), FOREIGN, "no index.json"),
        (lambda: _with(oci.LAYOUT_FILE, b"{}"), FOREIGN, "not of version 1.0.0"),
        (lambda: _with(oci.INDEX_FILE, b"{"), DAMAGED, "is not JSON"),
        (lambda: _with(oci.INDEX_FILE, b"[" * 100_000), DAMAGED, "is not JSON"),
        (lambda: _with(oci.INDEX_FILE, b"[]"), DAMAGED, "not a JSON object"),
        (lambda: _with(oci.INDEX_FILE, b"{}"), DAMAGED, "no list of manifests"),
        (lambda: _with(oci.INDEX_FILE, b'{"manifests": [1]}'), DAMAGED, "does not describe the manifest"),
        (lambda: _with(oci.INDEX_FILE, b'{"manifests": [{"digest": "md5:1"}]}'), DAMAGED, "not a SHA-256"),
        (lambda: _with(oci.INDEX_FILE, bytes(oci.MANIFEST_BYTES + 1)), FOREIGN, "over the limit"),
        (_of_two, FOREIGN, "has 2 images"),
        (lambda: Layout(config_type="application/vnd.oci.image.config.v1+json").made(), FOREIGN, "another program"),
        (lambda: Layout().made(config=None), FOREIGN, "another program"),
        (lambda: Layout(layer_type="application/octet-stream").made(), FOREIGN, "a layer of type"),
        (lambda: Layout().made(layers=None), DAMAGED, "no list of layers"),
        (lambda: _changed_config(schema_version=2), FOREIGN, "schema_version"),
        (lambda: _changed_config(fullness=0.5), FOREIGN, "some are missing"),
        (lambda: _changed_config(name="a\0b"), DAMAGED, "no database can store"),
        (lambda: _changed_config(name="a\ud800b"), DAMAGED, "no database can store"),
        (lambda: _changed_config(created_at="2026-01-01T00:00:00"), FOREIGN, "created_at"),
        (lambda: _changed_config(layout={"of": [2**64]}), DAMAGED, "no database can store"),
        (lambda: _changed_config(fullness=float("nan")), DAMAGED, "no database can store"),
        (lambda: _changed_config(intake=None), FOREIGN, "neither a recipe nor an import"),
        (lambda: _changed_config(size_bytes=SIZE_BYTES + 1), "image_size_refused", "whole sectors"),
        (lambda: _changed_config(size_bytes=2**50), "image_size_refused", "PATINA_INTAKE_QUOTA_BYTES"),
        (
            lambda: _changed_config(size_bytes=SIZE_BYTES - 512),
            DAMAGED,
            "more than the 1.00 MiB (1,048,064 bytes)",
        ),
        (
            lambda: _changed_config(size_bytes=SIZE_BYTES + 512),
            DAMAGED,
            "unpack to 1.00 MiB (1,048,576 bytes), and its manifest names 1.00 MiB (1,049,088 bytes)",
        ),
        (lambda: _changed_config(index_digest="1" * 64), DAMAGED, "another image than its manifest names"),
        (_of_other_bytes, DAMAGED, "another image than its manifest names"),
        (lambda: Layout(layers=[]).made(), DAMAGED, "unpack to 0 B"),
        (lambda: Layout(layers=[zstandard.compress(CONTENT)[:-9]]).made(), DAMAGED, "ends in the middle"),
        (lambda: Layout(layers=[b"no zstd"]).made(), DAMAGED, "damaged after 0 B unpacked"),
        (_without_a_layer, DAMAGED, "lacks layer 0, the blob sha256:"),
        (_with_a_shorter_layer, DAMAGED, "does not have the size that the archive names"),
        (lambda: _with_a_changed_blob(lambda layout: layout.layers[0]), DAMAGED, "layer 0 has the SHA-256"),
        (
            lambda: _with_a_changed_blob(lambda layout: json.dumps(layout.config).encode()),
            DAMAGED,
            "the config has the SHA-256",
        ),
    ],
)
def test_what_is_wrong_with_an_archive_is_named(
    tmp_path: Path, make: Callable[[], Layout], code: str, said: str
) -> None:
    found, message = refusal(make().write(tmp_path / "a.tar"))
    assert (found, said in message) == (code, True), message


def test_layers_of_another_length_are_the_same_image(tmp_path: Path) -> None:
    layers = [zstandard.compress(part) for part in (CONTENT[:4567], CONTENT[4567:])]
    image = image_of(taken_in(Layout(layers=layers).made().write(tmp_path / "a.tar")))
    assert image.index_digest == INDEX_DIGEST


@pytest.mark.parametrize("share", [0.5, 0.9])
def test_an_archive_that_was_cut_off_is_refused(tmp_path: Path, share: float) -> None:
    archive = Layout().made().write(tmp_path / "a.tar")
    os.truncate(archive, int(archive.stat().st_size * share))
    code, message = refusal(archive)
    assert code in (FOREIGN, DAMAGED), message
    assert ("cut off" in message) or ("cannot be read as a tar file" in message) or ("has no" in message), message


def test_an_archive_of_too_many_files_is_refused(tmp_path: Path) -> None:
    layout = Layout().made()
    layout.files |= {f"more-{number}": b"" for number in range(4 * oci.MOST_LAYERS_COUNT)}
    code, message = refusal(layout.write(tmp_path / "a.tar"))
    assert (code, "more than 2048 files" in message) == (FOREIGN, True), message


def test_headers_that_would_fill_the_memory_are_refused(tmp_path: Path) -> None:
    long_name = tarfile.TarInfo("././@LongLink")
    long_name.type, long_name.size = tarfile.GNUTYPE_LONGNAME, 2**33
    archive = tmp_path / "a.tar"
    archive.write_bytes(long_name.tobuf(tarfile.GNU_FORMAT) + bytes(2**20))
    code, message = refusal(archive)
    assert (code, "has a header of" in message) == (DAMAGED, True), message


def test_headers_without_an_end_are_refused(tmp_path: Path) -> None:
    extended = tarfile.TarInfo("PaxHeader")
    extended.type, extended.size = tarfile.XHDTYPE, 0
    archive = tmp_path / "a.tar"
    archive.write_bytes(extended.tobuf(tarfile.USTAR_FORMAT) * 20_000)
    assert refusal(archive)[0] == DAMAGED


def test_an_archive_declared_as_another_format_is_refused(tmp_path: Path) -> None:
    archive = Layout().made().write(tmp_path / "a.tar")
    assert refused_now(queue(archive, format="raw")) == "format_contradicted"
