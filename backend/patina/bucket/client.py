"""Client of the installation's bucket: `store/abcd/<digest>.cacnk` and `index/<name>.caibx`, as in the folders.

Failures raise a BucketRefusal that names the bucket and the reason. Thread-safe.
"""

import hashlib
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from obstore.exceptions import BaseError
from obstore.store import S3Store

from patina.bucket.refusal import BucketObjectTooLong, of_error
from patina.settings import Settings, settings

if TYPE_CHECKING:
    from obstore import ObjectMeta
    from obstore.store import ClientConfig, RetryConfig, S3Config

CHUNKS = "store"
INDEXES = "index"
# Few and short: a request of the API waits for them; callers that can wait longer try again.
_RETRIES_COUNT = 2
_RETRY_TIMEOUT = timedelta(seconds=10)
_CONNECT_TIMEOUT = timedelta(seconds=5)
_REQUEST_TIMEOUT = timedelta(seconds=60)  # 16 MiB, the longest chunk, at 280 KiB/s
_PAGE = 1_000  # the maximum of S3 for one list or delete
_LOOKERS_COUNT = 32


@dataclass(frozen=True)
class BucketObject:
    """Metadata of an object."""

    path: str
    size_bytes: int
    modified_at: datetime
    mark: int  # changes with the object's bytes
    e_tag: str | None


def _described(meta: "ObjectMeta") -> BucketObject:
    told_apart_by = meta["e_tag"] or meta["last_modified"].isoformat()
    return BucketObject(
        path=meta["path"],
        size_bytes=meta["size"],
        modified_at=meta["last_modified"],
        mark=int.from_bytes(hashlib.sha256(told_apart_by.encode()).digest()[:8]),
        e_tag=meta["e_tag"],
    )


class Bucket:
    """One bucket, below one prefix."""

    def __init__(self, chosen: Settings) -> None:
        self.name = "/".join(filter(None, (chosen.store_bucket, chosen.store_prefix)))
        config: S3Config = {"region": chosen.store_region, "virtual_hosted_style_request": False}
        if chosen.store_endpoint:
            config["endpoint"] = chosen.store_endpoint
        if chosen.store_access_key:
            config["access_key_id"] = chosen.store_access_key
            config["secret_access_key"] = chosen.store_secret_key.get_secret_value()
        client: ClientConfig = {
            "allow_http": chosen.store_endpoint.startswith("http://"),
            "connect_timeout": _CONNECT_TIMEOUT,
            "timeout": _REQUEST_TIMEOUT,
        }
        retry: RetryConfig = {"max_retries": _RETRIES_COUNT, "retry_timeout": _RETRY_TIMEOUT}
        self._s3 = S3Store(
            chosen.store_bucket,
            prefix=chosen.store_prefix or None,
            config=config,
            client_options=client,
            retry_config=retry,
        )

    @contextmanager
    def _asking(self, what: str) -> Iterator[None]:
        try:
            yield
        except (BaseError, OSError) as error:
            raise of_error(error, bucket=self.name, what=what) from error

    def require(self) -> None:
        """Raises a BucketRefusal if the bucket cannot be used: now, before hours of work."""
        with self._asking("listing"):
            next(iter(self._s3.list(INDEXES, chunk_size=1)), None)

    def look(self, path: str) -> BucketObject | None:
        """Returns the object's metadata; None when there is no object."""
        with self._asking(f"looking at {path}"):
            try:
                return _described(self._s3.head(path))
            except FileNotFoundError:
                return None

    def look_at_all(self, paths: Iterable[str]) -> Iterator[BucketObject | None]:
        """Returns the metadata of many objects, in order of the paths."""
        with ThreadPoolExecutor(_LOOKERS_COUNT, thread_name_prefix="bucket-look") as pool:
            yield from pool.map(self.look, paths)

    def get(self, path: str, *, max_bytes: int) -> tuple[BucketObject, bytes] | None:
        """Returns an object and its bytes; None when there is no object."""
        with self._asking(f"reading {path}"):
            try:
                answer = self._s3.get(path)
            except FileNotFoundError as error:
                if "NoSuchBucket" in str(error):
                    raise
                return None
            found = _described(answer.meta)
            if found.size_bytes > max_bytes:
                raise BucketObjectTooLong(f"{path} in the bucket {self.name} has {found.size_bytes} bytes: not ours.")
            return found, bytes(answer.bytes())

    def read(self, found: BucketObject, offset: int, length: int) -> bytes:
        """Reads a part of the found object. Raises BucketChanged when the object was replaced."""
        with self._asking(f"reading {found.path}"):
            part = (offset, offset + length)
            return bytes(self._s3.get(found.path, options={"range": part, "if_match": found.e_tag}).bytes())

    def put(self, path: str, data: bytes) -> None:
        """Stores an object atomically; the server checks the bytes against the request's signature."""
        with self._asking(f"writing {path}"):
            self._s3.put(path, data, use_multipart=False)

    def put_file(self, path: str, file: Path) -> None:
        """Stores a file of any size, as put()."""
        with self._asking(f"writing {path}"):
            self._s3.put(path, file)

    def pages(self, folder: str) -> Iterator[list[BucketObject]]:
        """Yields the objects below the folder, page by page."""
        with self._asking(f"listing {folder}"):
            for page in self._s3.list(folder, chunk_size=_PAGE):
                yield [_described(meta) for meta in page]

    def remove(self, paths: list[str]) -> None:
        """Deletes the objects, whether they exist or not. One page at most."""
        with self._asking(f"deleting {len(paths)} objects"):
            self._s3.delete(paths)


def bucket() -> Bucket | None:
    """Returns the installation's bucket, if it has one."""
    return _bucket(settings()) if settings().store_bucket else None


@lru_cache(maxsize=1)
def _bucket(chosen: Settings) -> Bucket:
    """Returns the client. Call it after forking: a child does not inherit its threads."""
    return Bucket(chosen)
