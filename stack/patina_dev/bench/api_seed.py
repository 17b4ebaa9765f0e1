"""Fills a database like a lab's after some years, for the API's benchmark: by SQL, with records of the core."""

import json
import os
from dataclasses import dataclass
from typing import Any

import psycopg

from patina.run.recipe import Recipe
from patina.run.settings import RunSettings
from patina_dev.testing.planted_images import plant
from patina_stack import PROJECT_DIR

DEVICES_COUNT = 40
TOLD_RUNS_COUNT = 200  # with events
SAMPLES_COUNT = 500  # of each of those

_SETTINGS = {
    "profile": "agrawal", "profile_version_number": 1, "file_system": "ext4", "fullness": 0.7, "fullness_of": "files",
    "seed": 1, "mode": "unbounded", "data_mode": "fallocate", "capture_mode": "allocated", "in_memory": False,
    "threads_count": 2, "max_rmse": None, "max_overwrites": None, "max_seconds": None,
}  # fmt: skip
_RECIPE = {
    **_SETTINGS, "schema_version": 1, "profile_digest": "0" * 64, "device_size_bytes": 2**30,
    "device_model": "sandbox", "capacity_bytes": 2**30, "block_size_bytes": 4096, "file_system_uuid": "0000",
    "mkfs_command": ["mkfs.ext4", "-F", "/dev/loop0"],
    "mkfs_features": ["has_journal", "extent", "64bit", "flex_bg"], "mount_options": "rw,relatime",
    "horizon_ops_count": 100_000, "legs": [], "way": None, "plan_digest": "0" * 64, "recorded_digest": None,
    "kernel": "6.1.0", "host": "host-1", "patina_version": "0.1.0",
    "tools": {"mke2fs": "1.47.0", "patina-core": "0.1.0"},
}  # fmt: skip

_TOOLS = dict.fromkeys(("mke2fs", "mkfs.xfs", "mkfs.btrfs", "e2fsck", "xfs_repair", "blkid", "losetup"), "1.47.0")
_FACTS = {
    "wwn": "0x5000c500a1b2c3d4", "transport": "sata", "logical_sector_bytes": 512, "physical_sector_bytes": 4096,
    "can_discard": True, "is_read_only": False, "is_swap": False, "mounted_at": [], "holders": [], "partitions": [],
}  # fmt: skip

_HOSTS = """
INSERT INTO host (name, kernel, lacks, cores_count, memory_bytes, memory_free_bytes, tools, device_allow,
                  scan_folders, heartbeat_at)
SELECT 'host-' || i, '6.1.0', '{"f2fs": "this host''s kernel lacks f2fs"}', 16, 2::bigint ^ 36, 2::bigint ^ 35,
       %(tools)s, '[]', '[]', now() + interval '1 hour'
FROM generate_series(1, 4) i
"""
_DEVICES = """
INSERT INTO device (host_id, stable_id, kind, medium, path, size_bytes, is_rotational, condition, seen_at, holds,
                    facts)
SELECT 1 + i %% 4, 'sandbox-' || i, 'sandbox', 'file', '/dev/loop' || i, 1073741824, false, 'ready', now(), 'ext4',
       %(facts)s
FROM generate_series(1, %(devices)s) i
"""
_LEASES = """
INSERT INTO lease (device_id, holder, fence, acquired_at, released_at)
SELECT 1 + i %% %(devices)s, 'run ' || i, 1, now() - interval '1 hour', now()
FROM generate_series(1, %(runs)s) i
"""
_JOBS = """
INSERT INTO job (kind, host_id, device_id, lease_id, confirmed, request, is_automatic, resumes_left_count, state,
                 attempt, phase, error_code, message, done, total, unit, last_sequence, created_at, touched_at,
                 started_at, finished_at)
SELECT 'run', 1 + (1 + i %% %(devices)s) %% 4, 1 + i %% %(devices)s, i,
       '{"stable_id": "sandbox-1", "size_bytes": 1073741824}', '{"profile": "agrawal", "fullness": 0.7}', false, 3,
       CASE WHEN i %% 10 = 0 THEN 'failed' WHEN i %% 10 = 1 THEN 'canceled' ELSE 'succeeded' END, 1, 'capture',
       CASE WHEN i %% 10 = 0 THEN 'no_space' END,
       CASE WHEN i %% 10 = 0 THEN 'The device is full' ELSE 'The image is in the catalog' END, 1, 1, '', 0,
       now() - interval '2 hours', now(), now() - interval '1 hour', now()
FROM generate_series(1, %(runs)s) i
"""
_RUNS = """
INSERT INTO run (id, profile_version_id, settings, note, stop_reason, plan, summary, recipe)
SELECT job.id, version.id, %(settings)s::jsonb || jsonb_build_object('seed', job.id), 'A note of some words',
       CASE WHEN job.id %% 10 > 1 THEN 'converged' END, %(plan)s,
       CASE WHEN job.id %% 10 > 1 THEN %(summary)s::jsonb END, %(recipe)s
FROM job,
     (SELECT id FROM profile_version WHERE profile_id = (SELECT id FROM profile WHERE name = 'agrawal')) version
"""
_EVENTS = """
INSERT INTO job_event (job_id, sequence, follows, payload)
SELECT i, j, j - 1, CASE WHEN j = 1 THEN '{"type": "state", "state": "running", "phase": null, "message": "Started"}'
                    ELSE %(sample)s::jsonb || jsonb_build_object('ops_count', j * 100) END
FROM generate_series(1, %(told)s) i, generate_series(1, %(samples)s) j
"""
_NOTICES = """
INSERT INTO job_notice (job_id, sequence, kind, message, passed_on_at)
SELECT id, 1, state, 'The image is in the catalog', now() FROM job
"""
_IMAGES = """
INSERT INTO image (origin, run_id, profile_version_id, name, published_name, file_system, fullness, mode,
                   size_bytes, stored_bytes, index_digest, index_name, recipe, summary, capture, layout,
                   manifest_digest)
SELECT 'aged', run.id, run.profile_version_id, 'agrawal-70-ext4-' || run.id, 'agrawal-70-ext4-' || run.id,
       'ext4', 0.7, 'allocated', 1073741824, 3500000, repeat('0', 64), 'image-' || run.id || '.caibx', run.recipe,
       %(summary)s, %(capture)s, %(layout)s, repeat('0', 64)
FROM run ORDER BY run.id LIMIT %(images)s
"""


@dataclass(frozen=True)
class Seeded:
    """The counts of rows. Ids begin at 1; the first runs have events."""

    runs_count: int
    images_count: int
    devices_count: int
    told_runs_count: int
    events_count: int


def _record(file: str, kind: str) -> dict[str, Any]:
    lines = (PROJECT_DIR / "native" / "contract" / file).read_text(encoding="utf-8").splitlines()
    found: dict[str, Any] = next(record for record in map(json.loads, lines) if record["type"] == kind)
    return found


def seed(*, runs_count: int, images_count: int = 0) -> Seeded:
    """Migrates the database of DATABASE_URL and fills it; two images for each five runs, and others up to a number."""
    of_runs_count = runs_count * 2 // 5
    told_runs_count = min(TOLD_RUNS_COUNT, runs_count)
    recipe = Recipe.model_validate(_RECIPE).model_dump(mode="json")
    documents = {
        "plan": _record("age.jsonl", "plan"),
        "summary": _record("age.jsonl", "summary"),
        "sample": _record("age.jsonl", "sample"),
        "capture": _record("capture.jsonl", "summary"),
        "layout": _record("layout.jsonl", "layout"),
        "settings": {name: recipe[name] for name in RunSettings.model_fields},
        "recipe": recipe,
        "tools": _TOOLS,
        "facts": _FACTS,
    }
    values = {name: json.dumps(document) for name, document in documents.items()} | {
        "runs": runs_count,
        "images": of_runs_count,
        "devices": DEVICES_COUNT,
        "told": told_runs_count,
        "samples": SAMPLES_COUNT,
    }
    with psycopg.connect(os.environ["DATABASE_URL"].replace("+psycopg", ""), autocommit=True) as connection:
        for statement in (_HOSTS, _DEVICES, _LEASES, _JOBS, _RUNS, _EVENTS, _NOTICES, _IMAGES):
            with psycopg.ClientCursor(connection) as cursor:  # values in the text: each is named several times
                cursor.execute(statement, values)
        plant(connection, max(0, images_count - of_runs_count))
        connection.execute("VACUUM ANALYZE")
    return Seeded(
        runs_count=runs_count,
        images_count=max(of_runs_count, images_count),
        devices_count=DEVICES_COUNT,
        told_runs_count=told_runs_count,
        events_count=told_runs_count * SAMPLES_COUNT,
    )
