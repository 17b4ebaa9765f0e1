"""The run slice."""
