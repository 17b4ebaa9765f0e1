"""OCI archives: exported, carried by a registry, imported as the same image."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from fixture_types import MIB, MakeSandbox, StartRun
from intakes import image_of, layout_of, made, taken_in
from observe import run_of
from patina.cli.client import Client
from patina.cli.export import export
from patina.db import transaction
from patina.image import service as image_service
from patina.image.models import Image
from patina.image.schemas import ImageRead
from patina.job.state import JobState
from patina.settings import settings
from patina_dev.testing.registry import Registry
from patina_dev.testing.served import ServedApp

pytestmark = pytest.mark.usefixtures("no_intake_left", "as_root")
SIZE_BYTES = 128 * MIB


@pytest.fixture
def registry(tmp_path: Path) -> Iterator[Registry]:
    (tmp_path / "registry").mkdir()
    made = Registry(tmp_path / "registry")
    yield made
    made.close()


@pytest.fixture
def aged(make_sandbox: MakeSandbox, start_run: StartRun) -> ImageRead:
    """Returns an image that Patina aged."""
    from patina_worker import tasks

    run_id = start_run(make_sandbox(SIZE_BYTES))
    tasks.work(run_id)
    assert run_of(run_id).state == JobState.SUCCEEDED, run_of(run_id).message
    with transaction() as session:
        [image] = session.query(Image).all()
        return image_service.read(image)


def exported(server: ServedApp, image: ImageRead, target: Path) -> dict[str, Any]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATINA_URL", server.url)  # the access token is of that server
        client = Client()
    return export(client, client.call("GET", f"/images/{image.id}"), target, Console(quiet=True))


def layout_document(image: ImageRead) -> Any:
    with transaction() as session:
        return session.get_one(Image, image.id).layout


@pytest.mark.slow
def test_an_image_comes_back_from_a_registry_with_its_recipe_and_layout(
    server: ServedApp, aged: ImageRead, registry: Registry, tmp_path: Path
) -> None:
    out, back = tmp_path / "out.oci.tar", tmp_path / "back.oci.tar"
    exported(server, aged, out)
    registry.push(out, f"{aged.name}:latest")
    registry.pull(f"{aged.name}:latest", back)
    shutil.rmtree(settings().store_dir)

    image = image_of(taken_in(back, name="back", source="our registry"))

    assert (image.index_digest, image.size_bytes, image.mode) == (aged.index_digest, aged.size_bytes, aged.mode)
    assert (image.recipe, image.summary, image.fullness) == (aged.recipe, aged.summary, aged.fullness)
    assert image.is_readable == aged.is_readable
    assert layout_document(image) == layout_document(aged)
    assert (image.origin, image.run_id, image.profile) == ("imported", None, None)
    facts = image.intake
    assert facts is not None
    assert facts.archive is not None
    assert (facts.kind, facts.format, facts.source) == ("patina", "oci.tar", "our registry")
    assert (facts.archive.name, facts.archive.origin) == (aged.name, "aged")
    assert (facts.archive.manifest_digest, facts.archive.created_at) == (aged.manifest_digest, aged.created_at)
    assert "The digest is the same" in facts.layout_message
    again = tmp_path / "again.oci.tar"
    with transaction() as session:
        found = image_service.read(image_service.get_image(session=session, image_id=image.id))
    exported(server, found, again)


def test_an_imported_image_keeps_its_kind(server: ServedApp, tmp_path: Path) -> None:
    first = image_of(taken_in(made(tmp_path, "mkfs.ext4 -q"), kind="unaged"))
    archive = tmp_path / "image.oci.tar"
    exported(server, first, archive)

    image = image_of(taken_in(archive, name="second", kind="foreign"))

    assert (image.index_digest, image.recipe) == (first.index_digest, None)
    assert image.intake is not None
    assert image.intake.archive is not None
    assert (image.intake.kind, image.intake.archive.name) == ("unaged", first.name)
    assert image.intake.archive.origin == "imported"
    assert layout_of(image) == layout_of(first)
