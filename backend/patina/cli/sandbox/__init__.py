"""Commands of sandbox devices: emulated and shingled disks."""
