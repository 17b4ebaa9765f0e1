"""This host: its disks and what uses them, sandbox devices, file systems, and the files that the worker keeps."""
