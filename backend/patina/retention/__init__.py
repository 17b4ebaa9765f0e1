"""Retention: rules of teams that delete images which are no longer needed; the storage that a team uses."""
