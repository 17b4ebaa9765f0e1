"""The chunk store of this host and the bucket behind it: capture, send, fetch and collection."""
