"""The image slice."""
