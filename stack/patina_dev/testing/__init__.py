"""Support of the tests of every layer: services, an API, hosts, waiting."""
