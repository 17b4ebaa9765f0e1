"""What `make check` verifies of the tree."""
