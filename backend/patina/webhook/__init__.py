"""Webhooks: post notices of runs to users' addresses."""
