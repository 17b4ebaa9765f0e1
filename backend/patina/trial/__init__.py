"""The trial slice."""
