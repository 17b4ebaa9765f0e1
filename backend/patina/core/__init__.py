"""patina-core: the contract of its records (contract/), and two ways to run it: as a lasting process that answers
requests (client.py), or for one command (supervised.py)."""
