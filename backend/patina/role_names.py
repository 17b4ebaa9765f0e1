"""The names of the roles of the private PostgreSQL, which are also those of the users of the private Redis."""

API_ROLE = "patina_api"
HOST_ROLE = "patina_host"  # of the server's own host; each joined host has a role of its own, a member of this one
ACCESS_SCHEMA = "patina_access"  # of the functions that make and drop the roles of joined hosts
