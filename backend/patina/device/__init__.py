"""The device slice."""
