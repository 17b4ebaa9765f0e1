"""The forecast slice."""
