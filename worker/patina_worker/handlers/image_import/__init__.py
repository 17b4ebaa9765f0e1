"""Handles imports: makes a durable image of a file in the spool."""
