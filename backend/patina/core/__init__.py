"""patina-core: the contract of its lines (contract/), and the two ways to start it: a process that stays and answers
(client.py), and a run of one command to its end (supervised.py)."""
