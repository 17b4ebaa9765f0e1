"""Runs the host's programs: as root or confined, and reads their versions."""
