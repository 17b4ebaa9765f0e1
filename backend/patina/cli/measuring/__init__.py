"""Commands that measure: trials of images, studies of shingled disks."""
