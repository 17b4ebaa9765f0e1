"""Collects garbage: files of images that are gone from the catalog, chunks that no image names, deltas of no use."""

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import structlog
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from patina.collection import service
from patina.collection.models import Collection
from patina.collection.schemas import CollectionSummary
from patina.collection.service import CollectionUnderWay
from patina.db import transaction
from patina.delta.models import Holding
from patina.file_name import file_below
from patina.host.models import Host
from patina.image.download import open_index
from patina.image.models import Image
from patina.image.record import CollectSummary, collect_record
from patina.run.state import RunState
from patina.settings import settings
from patina.store.bucket import INDEXES, bucket
from patina_worker import delta_files, stopping
from patina_worker.bucket_collection import BucketCollection
from patina_worker.bucket_lock import collecting
from patina_worker.native import run_core

log = structlog.get_logger()


def collect(*, collection_id: int, is_dry_run: bool, grace_s: int) -> CollectionSummary:
    """One collection of this host's store, then of the bucket, by the catalog as it is at each."""
    local = _collect_folder(collection_id=collection_id, is_dry_run=is_dry_run, grace_s=grace_s)
    figures, remote = None, bucket()
    if remote is not None:
        with collecting(stopping.is_announced) as lock:
            with transaction() as session:
                kept = _kept_indexes(session)
            figures = BucketCollection(remote, lock, kept, grace_s, is_dry_run).collect()
    return CollectionSummary(**local.model_dump(), bucket=figures)


def _kept_indexes(session: Session) -> dict[str, str]:
    """By name, their digests."""
    kept = Image.deleted_at.is_(None) | (Image.deleted_at > service.oldest_kept())
    return {name: digest for name, digest in session.execute(select(Image.index_name, Image.index_digest).where(kept))}


def _kept_here(kept: set[str], elsewhere: set[str]) -> set[str]:
    """A host keeps the chunks of those images that it has the index of; the bucket or other hosts have the rest."""
    remote = bucket()
    if remote is None:
        return {name for name in kept if name not in elsewhere or file_below(settings().index_dir, name).exists()}
    here = {name for name in kept if file_below(settings().index_dir, name).exists()}
    if here != kept:
        there = {found.path.removeprefix(f"{INDEXES}/") for page in remote.pages(INDEXES) for found in page}
        for name in kept - here - there:
            open_index(name, None)  # says that it is nowhere: what it names could be anything
    return here


def _collect_folder(*, collection_id: int, is_dry_run: bool, grace_s: int) -> CollectSummary:
    with transaction() as session:
        named = _kept_indexes(session)
        elsewhere = set(session.scalars(select(Image.index_name).join(Host).where(Host.name != settings().host_name)))
        if not is_dry_run:
            _forget_deleted(session)
            delta_files.remove_unneeded(session=session, grace_s=grace_s)
    kept = _kept_here(set(named), elsewhere)
    folder = settings().index_dir
    folder.mkdir(parents=True, exist_ok=True)
    settings().store_dir.mkdir(parents=True, exist_ok=True)
    if not is_dry_run:
        _remove_indexes(folder, kept, grace_s)
    keep = settings().state_dir / f"collection-{collection_id}.keep"
    keep.write_text("".join(f"{file_below(folder, name)}\n" for name in sorted(kept)), encoding="utf-8")
    argv = ["gc", "--store", str(settings().store_dir), "--keep", str(keep), "--grace-seconds", str(grace_s)]
    summaries: list[CollectSummary] = []
    try:
        run_core(
            [*argv, "--dry-run"] if is_dry_run else argv,
            adapter=collect_record,
            on_record=lambda record: summaries.append(record) if isinstance(record, CollectSummary) else None,
            check=stopping.is_announced,
        )
    finally:
        keep.unlink(missing_ok=True)
    return summaries[-1]


def _forget_deleted(session: Session) -> None:
    """What holds an image that nobody can bring back holds nothing known."""
    gone = select(Image.id).where(Image.deleted_at < service.oldest_kept())
    held = session.scalars(select(Holding).where(Holding.image_id.in_(gone)))
    for holding in held:
        session.delete(holding)


def _remove_indexes(folder: Path, kept: set[str], grace_s: int) -> None:
    """Also those that a capture left behind which died before its image was in the catalog."""
    youngest = datetime.now(UTC).timestamp() - grace_s
    for entry in os.scandir(folder):
        if entry.is_file(follow_symlinks=False) and entry.name not in kept and entry.stat().st_mtime <= youngest:
            (folder / entry.name).unlink()
            log.info("removed an index that no image has", index=entry.name)


def schedule(*, session: Session, host: Host) -> bool:
    """Queue one when the last real one is a period old; whether it did."""
    since = datetime.now(UTC) - timedelta(seconds=settings().gc_period_s)
    recent = select(Collection.id).where(
        Collection.host_id == host.id, Collection.is_dry_run.is_(False), Collection.created_at > since
    )
    if host.created_at > since or session.scalar(recent.limit(1)) is not None:
        return False
    try:
        service.start_collection(session=session, host=session.merge(host), is_dry_run=False)
    except CollectionUnderWay:
        return False
    return True


def interrupt_dead(*, host_id: int) -> None:
    """When the worker starts, nobody collects any more."""
    with transaction() as session:
        session.execute(
            update(Collection)
            .where(Collection.host_id == host_id, Collection.state == RunState.RUNNING)
            .values(state=RunState.INTERRUPTED, finished_at=datetime.now(UTC))
            .execution_options(synchronize_session=False)
        )
