"""The reading slice: what a file or a pasted text says of a profile. Nothing is stored."""
