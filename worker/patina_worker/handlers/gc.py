"""Handles collections: removes indexes of deleted images, chunks that no image names, and unneeded deltas."""

import os
from datetime import UTC, datetime
from pathlib import Path

import structlog
from pydantic import BaseModel
from sqlalchemy import select
from sqlalchemy.orm import Session

from patina.bucket.client import INDEXES, bucket
from patina.core.contract.image import COLLECT, CollectSummary
from patina.core.supervised import run_core
from patina.db import transaction
from patina.delta.models import Holding
from patina.figures import in_bytes
from patina.file_name import file_below
from patina.gc.schemas import CollectionRequest, CollectionSummary
from patina.host.models import Host
from patina.image import service as image_service
from patina.image.download import open_index
from patina.image.models import Image
from patina.settings import settings
from patina_worker.host import delta_files, operation_log
from patina_worker.jobs.log import JobLog
from patina_worker.jobs.outcome import Done
from patina_worker.store.bucket_gc import BucketCollection
from patina_worker.store.bucket_lock import collecting

log = structlog.get_logger()


def handle(request: BaseModel, log: JobLog, lock: int) -> Done:
    """Collects in this host's store, then in the bucket, each by the catalog as it is then."""
    assert isinstance(request, CollectionRequest)
    log.enter("Collecting chunks that no image names")
    local = _collect_folder(log, request, lock)
    figures, remote = None, bucket()
    if remote is not None:
        log.enter("Collecting in the bucket")
        with collecting(log.must_stop) as bucket_lock:
            with transaction() as session:
                kept = _kept_indexes(session)
            collection = BucketCollection(remote, bucket_lock, kept, request.grace_s, request.is_dry_run)
            figures = collection.collect()
    summary = CollectionSummary(**local.model_dump(), bucket=figures)
    return Done(_said(summary, is_dry_run=request.is_dry_run), summary)


def _said(summary: CollectionSummary, *, is_dry_run: bool) -> str:
    chunks_count, freed_bytes = summary.removed_chunks_count, summary.removed_bytes
    if summary.bucket is not None:
        chunks_count += summary.bucket.removed_chunks_count
        freed_bytes += summary.bucket.removed_bytes
    return f"{chunks_count} chunks of {in_bytes(freed_bytes)} {'would be' if is_dry_run else 'were'} removed"


def _kept_indexes(session: Session) -> dict[str, str]:
    """Returns the digests of the kept indexes, by name."""
    kept = Image.deleted_at.is_(None) | (Image.deleted_at > image_service.oldest_kept())
    return {name: digest for name, digest in session.execute(select(Image.index_name, Image.index_digest).where(kept))}


def _kept_here(kept: set[str], elsewhere: set[str]) -> set[str]:
    """Returns the indexes whose chunks this host keeps: those it has; the bucket or other hosts have the rest."""
    remote = bucket()
    if remote is None:
        return {name for name in kept if name not in elsewhere or file_below(settings().index_dir, name).exists()}
    here = {name for name in kept if file_below(settings().index_dir, name).exists()}
    if here != kept:
        there = {found.path.removeprefix(f"{INDEXES}/") for page in remote.pages(INDEXES) for found in page}
        for name in kept - here - there:
            open_index(name, None)  # raises: the index is lost, so its chunks are unknown
    return here


def _collect_folder(log: JobLog, request: CollectionRequest, lock: int) -> CollectSummary:
    is_dry_run, grace_s = request.is_dry_run, request.grace_s
    with transaction() as session:
        named = _kept_indexes(session)
        elsewhere = set(session.scalars(select(Image.index_name).join(Host).where(Host.name != settings().host_name)))
        if not is_dry_run:
            _forget_deleted(session)
            delta_files.remove_unneeded(session=session, grace_s=grace_s)
            operation_log.remove_unneeded(session=session, grace_s=grace_s)
    kept = _kept_here(set(named), elsewhere)
    folder = settings().index_dir
    folder.mkdir(parents=True, exist_ok=True)
    settings().store_dir.mkdir(parents=True, exist_ok=True)
    if not is_dry_run:
        _remove_indexes(folder, kept, grace_s)
    keep = settings().state_dir / f"collection-{log.job_id}.keep"
    keep.write_text("".join(f"{file_below(folder, name)}\n" for name in sorted(kept)), encoding="utf-8")
    argv = ["--store", str(settings().store_dir), "--keep", str(keep), "--grace-seconds", str(grace_s)]
    argv += ["--dry-run"] if is_dry_run else []
    try:
        return run_core(COLLECT, argv, check=log.must_stop, inherit=(lock,))
    finally:
        keep.unlink(missing_ok=True)


def _forget_deleted(session: Session) -> None:
    """Deletes the holdings of images that can no longer be undeleted."""
    gone = select(Image.id).where(Image.deleted_at < image_service.oldest_kept())
    held = session.scalars(select(Holding).where(Holding.image_id.in_(gone)))
    for holding in held:
        session.delete(holding)


def _remove_indexes(folder: Path, kept: set[str], grace_s: int) -> None:
    """Removes old indexes that are not kept, also those of captures that died before their image was in the catalog."""
    youngest = datetime.now(UTC).timestamp() - grace_s
    for entry in os.scandir(folder):
        if entry.is_file(follow_symlinks=False) and entry.name not in kept and entry.stat().st_mtime <= youngest:
            (folder / entry.name).unlink()
            log.info("removed an index that no image has", index=entry.name)
