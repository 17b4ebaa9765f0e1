"""What does the work: one handler a kind of job, listed in registry.py."""
