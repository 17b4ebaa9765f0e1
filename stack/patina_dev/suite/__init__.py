"""The test suite: runs the layers at the same time, counts their reports, and leaves nothing behind."""
