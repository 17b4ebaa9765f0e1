"""The chunk store of this host and the bucket behind it: what comes in, goes out and is removed."""
