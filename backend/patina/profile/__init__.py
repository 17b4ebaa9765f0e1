"""The profile slice."""
