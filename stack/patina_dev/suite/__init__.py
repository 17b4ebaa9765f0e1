"""The test suite: runs the layers at the same time, counts what they report, and leaves nothing behind."""
