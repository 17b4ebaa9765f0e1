"""The extension slice."""
