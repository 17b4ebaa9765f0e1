"""Writes with holes: blocks of zeroes are left out of a file, and read as zeroes all the same."""

import os

BLOCK_BYTES = 2**16

_ZEROES = bytes(BLOCK_BYTES)


def write_sparse(descriptor: int, data: bytes, offset: int) -> None:
    """Write where nothing was written before. The caller gives the file its length."""
    for start in range(0, len(data), BLOCK_BYTES):
        block = data[start : start + BLOCK_BYTES]
        if block != _ZEROES[: len(block)]:
            _write(descriptor, block, offset + start)


def _write(descriptor: int, block: bytes, offset: int) -> None:
    while block:
        done = os.pwrite(descriptor, block, offset)
        block, offset = block[done:], offset + done
