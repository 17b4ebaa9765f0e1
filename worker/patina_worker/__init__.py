"""Patina's worker: the only privileged process. It ages devices, captures them, and watches what is attached."""
