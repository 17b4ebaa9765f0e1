"""The scan slice."""
