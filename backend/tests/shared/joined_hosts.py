"""Joins, connections and removals of hosts, for tests of their access."""

import psycopg
import pytest
import redis
from sqlalchemy import Engine, func, text, update
from sqlalchemy.orm import Session

from host_rows import REPORT
from patina.db import transaction
from patina.host import joining
from patina.host import service as host_service
from patina.host.models import Host
from patina.host.schemas import JoinCreate, JoinTokenCreate
from patina.use_case.remove_host import remove_host
from patina_stack import roles
from patina_stack.services import PrivateServices

Login = dict[str, str]
OWN_ROLES = "SELECT rolname FROM pg_roles WHERE rolname ~ '^patina_host_'"


def admin(services: PrivateServices) -> psycopg.Connection:
    return roles.connect_as_admin(services.ports.postgresql, services.ports.admin_password, "patina")


def join(api: Engine, name: str) -> Login:
    with transaction() as session:
        token = joining.make_token(session=session, create=JoinTokenCreate(), base_url="http://127.0.0.1").token
    with Session(api) as session:
        told = joining.join(session=session, create=JoinCreate(token=token, name=name)).environment
        session.commit()
    return told


def connect(told: Login) -> psycopg.Connection:
    return psycopg.connect(told["DATABASE_URL"].replace("+psycopg", ""), autocommit=True)


def broker_of(told: Login) -> redis.Redis:
    return redis.Redis.from_url(told["REDIS_URL"])


def make_role(api: Engine, name: str) -> tuple[str, str]:
    with api.begin() as connection:
        role, password = connection.execute(text("SELECT * FROM patina_access.make_role(:name)"), {"name": name}).one()
    return role, password


def fall_silent(name: str) -> int:
    """Makes the host silent; makes its row, if it has none."""
    with transaction() as session:
        host = host_service.heartbeat(session=session, name=name, report=REPORT, worker_key=None)
        session.execute(update(Host).values(heartbeat_at=func.now() - text("interval '1 hour'")))
        return host.id


def remove(api: Engine, name: str) -> None:
    host_id = fall_silent(name)
    with Session(api) as session:
        remove_host(session=session, host_id=host_id)
        session.commit()


def refuses(told: Login) -> bool:
    """Returns whether neither service lets the host in."""
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        connect(told)
    with pytest.raises(redis.AuthenticationError):
        broker_of(told).ping()
    return True
