"""The reading slice: reads a profile from files or a pasted text. Stores nothing."""
