"""An aged image passed from one server to another, through a registry, and verified without either."""

import json
from pathlib import Path

import pytest

from patina_dev.testing.installation import done, installation, refusal, run
from patina_dev.testing.registry import Registry

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("as_root")]


def test_an_aged_image_reaches_another_server_through_a_registry(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    out, back = tmp_path / "aged.oci.tar", tmp_path / "back.oci.tar"
    manifest, key, raw = tmp_path / "aged.json", tmp_path / "server.pub", tmp_path / "back.raw"
    (tmp_path / "registry").mkdir()
    with installation(tmp_path / "source") as source:
        source.up()
        device = json.loads(source.patina("sandbox", "128MiB", "--json"))["path"]
        source.patina("age", device, "--profile", "agrawal", "--fullness", "50", "--json")
        (aged,) = json.loads(source.patina("images", "--json"))["items"]
        shown = json.loads(source.patina("image", "show", aged["id"], "--json"))
        source.patina("image", "export", aged["name"], out)
        manifest.write_text(source.patina("image", "manifest", aged["name"]))
        key.write_text(source.patina("image", "manifest-key"))

    registry = Registry(tmp_path / "registry")
    try:
        registry.push(out, "aged:1")
        out.unlink()
        registry.pull("aged:1", back)
    finally:
        registry.close()

    with installation(tmp_path / "target") as target:
        target.up()
        imported = json.loads(target.patina("import", back, "--json"))
        assert imported["index_digest"] == shown["index_digest"]
        assert (imported["recipe"], imported["summary"]) == (shown["recipe"], shown["summary"])
        assert imported["intake"]["archive"]["name"] == shown["name"]
        said = target.patina("image", "show", "back")
        assert f"agrawal version 1, exported as {shown['name']}" in said
        target.patina("pull", "back", "-o", raw)

    words = ("verify", "--manifest", manifest, "--key", key, raw)
    assert "as signed" in done(run("patina.cli", *words))
    with raw.open("r+b") as file:
        file.seek(5 * 2**20 + 3)
        file.write(b"changed")
    assert "first in chunk 20 of 512" in refusal(run("patina.cli", *words, "--json"))
