"""Programs that the worker runs: how, as whom, in which version, and what they find in an image that came in."""
