"""What all jobs of all hosts do: lists of them, their events, and what a user asks of any of them."""
