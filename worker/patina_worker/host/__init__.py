"""This host: its disks and their users, sandbox devices, file systems, and the worker's files."""
