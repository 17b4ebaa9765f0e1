"""The patina command: an HTTP client with the product's own words."""
