"""Handles runs: the steps of an aging, what is asked of it meanwhile, and what it reports."""
