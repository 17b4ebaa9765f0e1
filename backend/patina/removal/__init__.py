"""The removal slice."""
