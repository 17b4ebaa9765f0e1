"""What a request does to several nouns at once: each a file, over the services of those nouns."""
