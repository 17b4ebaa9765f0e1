"""The study slice."""
