"""Benchmarks of the API and of forecasts."""
