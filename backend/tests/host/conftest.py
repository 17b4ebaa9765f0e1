"""The API's own roles in PostgreSQL and Redis, with which hosts join."""

from collections.abc import Iterator

import pytest
import redis
from sqlalchemy import Engine, create_engine

from joined_hosts import admin
from patina.settings import forget_settings
from patina_stack.services import PrivateServices

_DROP_OWN_ROLES = """
SELECT patina_access.drop_role(substr(shobj_description(oid, 'pg_authid'), 6)) FROM pg_roles
WHERE rolname ~ '^patina_host_'
"""


@pytest.fixture
def as_api(services: PrivateServices, clean_database: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Engine]:
    """Yields an engine of the API's role. The settings name the API's user of Redis, and addresses for other hosts."""
    ports = services.ports
    monkeypatch.setenv("REDIS_URL", ports.api_redis_url)
    for name, url in ports.advertised("0.0.0.0").items():  # this machine, by an address that is not on loopback
        monkeypatch.setenv(f"PATINA_ADVERTISED_{name}", url)
    forget_settings()
    made = create_engine(ports.api_database_url)
    yield made
    made.dispose()
    with admin(services) as connection:
        connection.execute(_DROP_OWN_ROLES)
    with redis.Redis.from_url(ports.redis_admin_url) as broker:
        for user in broker.acl_users():
            if user.startswith("patina_host."):
                broker.acl_deluser(user)
    monkeypatch.undo()
    forget_settings()
