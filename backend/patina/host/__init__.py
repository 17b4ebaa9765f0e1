"""The host slice."""
