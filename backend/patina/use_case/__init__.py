"""Requests that concern several nouns at once: one file each, using the services of those nouns."""
