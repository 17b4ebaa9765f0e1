"""Jobs: whatever a host is asked to do. One table, one set of states, one journal for every kind."""
