"""Jobs: the work of hosts. One table, one set of states, one journal for all kinds."""
