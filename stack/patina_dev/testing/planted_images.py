"""`python -m patina_dev.testing.planted_images COUNT`: plants so many images in the catalog of the installation of
PATINA_STATE_DIR, and prints what they are, as JSON; 0 removes all of them.

Rows alone, made like the aged images that there are: some thousand combinations of properties, some of them frequent.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any

import psycopg
from psycopg.rows import dict_row

from patina_stack.application import Application

_PLANT = """
WITH original AS (SELECT row_number() OVER (ORDER BY id) - 1 AS place, count(*) OVER () AS images_count, *
                  FROM image WHERE origin = 'aged' AND index_name NOT LIKE 'more-%%'),
     numbered AS (
  SELECT number,
         (ARRAY['ext4', 'ext4', 'ext4', 'xfs', 'xfs', 'btrfs', 'ext3', 'ext2'])[1 + number * 31 %% 8] file_system,
         (ARRAY['agrawal', 'meyer', 'wang', 'home', 'mail'])[1 + number * 17 %% 5] profile,
         (ARRAY['6.1.0', '6.1.0', '6.12.9', '6.18.2', '5.15.0'])[1 + number * 13 %% 5] kernel,
         (ARRAY[NULL, 'Samsung SSD 990 PRO', 'WDC WD40EFRX', 'INTEL SSDPE2KX', NULL])[1 + number / 7 %% 5] model,
         'host-' || 1 + number / 11 %% 4 host
  FROM generate_series(1, %(count)s) number),
     made AS (SELECT *, profile || '-' || file_system || '-' || number AS name FROM numbered)
INSERT INTO image (origin, run_id, profile_version_id, name, published_name, file_system, fullness, mode,
                   size_bytes, stored_bytes, index_digest, index_name, recipe, summary, capture, layout,
                   manifest_digest)
SELECT 'aged', of.run_id, of.profile_version_id, made.name, made.name, made.file_system,
       (10 + made.number %% 85) / 100.0, 'allocated', 2::bigint ^ (30 + made.number %% 7),
       1000 * (made.number * 7919 %% 99991), repeat('0', 64), 'more-' || made.number || '.caibx',
       of.recipe || jsonb_build_object('profile', made.profile, 'kernel', made.kernel, 'host', made.host,
                                       'device_model', made.model),
       of.summary, of.capture, of.layout, repeat('0', 64)
FROM made JOIN original of ON of.place = made.number %% of.images_count
ORDER BY made.number
"""
_PLANTED = """
SELECT name, file_system, recipe->>'profile' AS profile, recipe->>'kernel' AS kernel, stored_bytes
FROM image WHERE index_name LIKE 'more-%' ORDER BY id
"""


def plant(connection: psycopg.Connection, count: int) -> None:
    """Plants so many images. There must be an aged one. The connection commits by itself."""
    with psycopg.ClientCursor(connection) as cursor:  # the value in the text: the planner knows it
        cursor.execute(_PLANT, {"count": count})
    connection.execute("ANALYZE image")


def planted(connection: psycopg.Connection) -> list[dict[str, Any]]:
    """Returns what the planted images are, in the order of their making."""
    with connection.cursor(row_factory=dict_row) as cursor:
        return cursor.execute(_PLANTED).fetchall()


def main() -> None:
    """Plants images, or removes them."""
    count = int(sys.argv[1])
    url = Application(state_dir=Path(os.environ["PATINA_STATE_DIR"])).environment()["DATABASE_URL"]
    with psycopg.connect(url.replace("+psycopg", ""), autocommit=True) as connection:
        if count == 0:
            connection.execute("DELETE FROM image WHERE index_name LIKE 'more-%'")
        else:
            plant(connection, count)
        json.dump(planted(connection), sys.stdout)


if __name__ == "__main__":
    main()
