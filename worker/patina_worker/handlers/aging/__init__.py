"""Handles runs: the steps of an aging, requests while it runs, and its reports."""
