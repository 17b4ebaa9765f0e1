"""Patina's worker: the only privileged process. It ages devices, captures them, and watches attached disks."""
