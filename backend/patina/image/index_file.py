"""Where the bytes of an index come from: a file of this host, or an object of the bucket."""

import os
import stat
from collections.abc import Hashable
from pathlib import Path
from typing import Protocol

from patina.bucket.client import Bucket, BucketObject


class IndexFile(Protocol):
    """Opened, and the same to its end: what changes meanwhile is an error."""

    name: str
    size_bytes: int
    is_regular: bool
    identity: Hashable  # another one when the bytes may be others

    def read(self, offset: int, length: int) -> bytes:
        """At most so many bytes; fewer at the end. OSError or BucketRefusal."""
        ...

    def close(self) -> None: ...


class LocalIndexFile:
    """Every read is a pread: a file that shrinks meanwhile is an error, not a crash."""

    def __init__(self, path: Path) -> None:
        self.name = str(path)
        # Without O_NONBLOCK a FIFO would make it wait for a writer.
        self._fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        file = os.fstat(self._fd)
        self.is_regular = stat.S_ISREG(file.st_mode)
        self.size_bytes = file.st_size
        self.identity: Hashable = (file.st_dev, file.st_ino, file.st_size, file.st_mtime_ns, file.st_ctime_ns)

    def read(self, offset: int, length: int) -> bytes:
        return os.pread(self._fd, length, offset)

    def close(self) -> None:
        os.close(self._fd)


class BucketIndexFile:
    """Read by ranges, nothing kept."""

    is_regular = True

    def __init__(self, bucket: Bucket, found: BucketObject) -> None:
        self.name = f"{found.path} in the bucket {bucket.name}"
        self.size_bytes = found.size_bytes
        self.identity: Hashable = (bucket.name, found)
        self._bucket, self._found = bucket, found

    def read(self, offset: int, length: int) -> bytes:
        return self._bucket.read(self._found, offset, length)

    def close(self) -> None:
        """Nothing is open."""
