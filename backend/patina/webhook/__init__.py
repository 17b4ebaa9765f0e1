"""Webhooks: notices of runs, posted to addresses that the users name."""
