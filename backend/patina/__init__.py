"""Patina's backend: profiles, forecasts, devices, runs and images, as an HTTP API and a command line."""

__version__ = "0.1.0"
