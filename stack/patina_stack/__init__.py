"""The stack: runs Patina's parts on one machine without configuration."""
