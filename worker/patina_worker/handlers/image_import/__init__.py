"""Handles imports: from a file in the spool to a durable image of what it holds."""
