"""The patina command: an HTTP client of the API."""
