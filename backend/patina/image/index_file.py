"""Sources of an index's bytes: a file of this host, or an object of the bucket."""

import hashlib
import os
import stat
from collections.abc import Hashable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:  # the command reads indexes too, without the client of buckets
    from patina.bucket.client import Bucket, BucketObject


class IndexFile(Protocol):
    """An open, immutable source: a change during reading is an error."""

    name: str
    size_bytes: int
    is_regular: bool
    identity: Hashable  # changes when the bytes may have changed

    def read(self, offset: int, length: int) -> bytes:
        """Returns at most so many bytes; fewer at the end. Raises OSError or BucketRefusal."""
        ...

    def close(self) -> None: ...


class LocalIndexFile:
    """Reads with pread: a file that shrinks meanwhile causes an error, not a crash."""

    def __init__(self, path: Path) -> None:
        self.name = str(path)
        # O_NONBLOCK: opening a FIFO must not wait for a writer.
        self._fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        file = os.fstat(self._fd)
        self.is_regular = stat.S_ISREG(file.st_mode)
        self.size_bytes = file.st_size
        self.identity: Hashable = (file.st_dev, file.st_ino, file.st_size, file.st_mtime_ns, file.st_ctime_ns)

    def read(self, offset: int, length: int) -> bytes:
        return os.pread(self._fd, length, offset)

    def close(self) -> None:
        os.close(self._fd)


class IndexBytes:
    """Bytes in memory."""

    is_regular = True

    def __init__(self, name: str, content: bytes) -> None:
        self.name = name
        self.size_bytes = len(content)
        self.identity: Hashable = (name, hashlib.sha256(content).digest())
        self._content = content

    def read(self, offset: int, length: int) -> bytes:
        return self._content[offset : offset + length]

    def close(self) -> None:
        """Does nothing: no file is open."""


class BucketIndexFile:
    """Reads ranges of the object; keeps none."""

    is_regular = True

    def __init__(self, bucket: "Bucket", found: "BucketObject") -> None:
        self.name = f"{found.path} in the bucket {bucket.name}"
        self.size_bytes = found.size_bytes
        self.identity: Hashable = (bucket.name, found)
        self._bucket, self._found = bucket, found

    def read(self, offset: int, length: int) -> bytes:
        return self._bucket.read(self._found, offset, length)

    def close(self) -> None:
        """Does nothing: no file is open."""
