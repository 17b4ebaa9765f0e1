"""Handlers: one for each kind of job, listed in registry.py."""
