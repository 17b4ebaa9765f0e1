"""Jobs of all kinds and hosts: their lists, their events, and requests to stop or retry them."""
