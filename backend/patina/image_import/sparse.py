"""Sparse writes: blocks of zeroes become holes, which read as zeroes."""

import os

BLOCK_BYTES = 2**16

_ZEROES = bytes(BLOCK_BYTES)


def write_sparse(descriptor: int, data: bytes, offset: int) -> None:
    """Writes data to an unwritten range, leaving holes. The caller sets the file's length."""
    for start in range(0, len(data), BLOCK_BYTES):
        block = data[start : start + BLOCK_BYTES]
        if block != _ZEROES[: len(block)]:
            _write(descriptor, block, offset + start)


def _write(descriptor: int, block: bytes, offset: int) -> None:
    while block:
        done = os.pwrite(descriptor, block, offset)
        block, offset = block[done:], offset + done
