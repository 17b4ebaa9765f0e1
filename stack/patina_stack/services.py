"""A private PostgreSQL 15 cluster and a private Redis 7, on own ports of loopback and of one more address if set.

Both need a password that is only in the state folder, so other users of the machine cannot use them. No system cluster
is touched.
"""

import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

import psycopg
import redis

from patina.role_names import API_ROLE, HOST_ROLE
from patina_stack import roles
from patina_stack.account import Account
from patina_stack.process import Part, ProcessFailed

POSTGRESQL_BIN = Path("/usr/lib/postgresql/15/bin")
START_PATIENCE_S = 30
PORT_TRIES_COUNT = 100
# The rights of the server's own parts: they can neither change Redis nor end it. The API also makes the users of hosts.
REDIS_RIGHTS = "~* &* +@all -@admin -@dangerous -@scripting"
REDIS_API_RIGHTS = f"{REDIS_RIGHTS} +acl|setuser +acl|deluser"
_PORTS = range(10_240, 65_536)
_GIVEN_PORTS = Path("/proc/sys/net/ipv4/ip_local_port_range")


class ServiceMissing(Exception):
    """A program that the stack needs is not installed."""


@dataclass(frozen=True)
class Ports:
    """The ports of the private services, and the passwords of their roles: the administrators', which no part receives;
    in the database the owner's, the API's, the server's own host's; in Redis the API's and that host's. `password` is
    the one of earlier versions, which joined hosts received."""

    postgresql: int
    redis: int
    password: str
    admin_password: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    owner_password: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    api_password: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    host_password: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    redis_api_password: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    redis_host_password: str = field(default_factory=lambda: secrets.token_urlsafe(24))

    @property
    def database_url(self) -> str:
        """Returns the URL for the database's owner."""
        return self._database_url(f"{roles.APPLICATION}:{self.owner_password}@127.0.0.1")

    @property
    def api_database_url(self) -> str:
        return self._database_url(f"{API_ROLE}:{self.api_password}@127.0.0.1")

    @property
    def host_database_url(self) -> str:
        """Returns the URL for the server's own host."""
        return self._database_url(f"{HOST_ROLE}:{self.host_password}@127.0.0.1")

    @property
    def redis_url(self) -> str:
        """Returns the URL for the server's own host."""
        return self._redis_url(f"{HOST_ROLE}:{self.redis_host_password}@127.0.0.1")

    @property
    def api_redis_url(self) -> str:
        return self._redis_url(f"{API_ROLE}:{self.redis_api_password}@127.0.0.1")

    @property
    def redis_admin_url(self) -> str:
        return self._redis_url(f"admin:{self.admin_password}@127.0.0.1")

    def advertised(self, address: str) -> dict[str, str]:
        """Returns the URLs for other hosts, without a role: each gets its own when it joins."""
        return {
            "DATABASE_URL": self._database_url(in_url(address)),
            "REDIS_URL": self._redis_url(in_url(address)),
        }

    def _database_url(self, place: str) -> str:
        return f"postgresql+psycopg://{place}:{self.postgresql}/patina"

    def _redis_url(self, place: str) -> str:
        return f"redis://{place}:{self.redis}/0"


def in_url(address: str) -> str:
    """Returns an address in the form of a URL's host."""
    return f"[{address}]" if ":" in address else address


def free_port() -> int:
    """Returns an unused loopback port outside of the kernel's range for outgoing connections.

    A server that is down for a moment can lose a port in that range: a client that tries to connect can get the same
    port as its own, and is then connected with itself (`ip_local_port_range`, Documentation/networking/ip-sysctl).
    """
    first, last = map(int, _GIVEN_PORTS.read_text(encoding="utf-8").split())
    kept = [port for port in _PORTS if not first <= port <= last] or _PORTS
    for _ in range(PORT_TRIES_COUNT):
        port = secrets.choice(kept)
        if port_is_free(port):
            return port
    raise ServiceMissing(f"No free port of this machine was found in {PORT_TRIES_COUNT} tries.")


def port_is_free(port: int) -> bool:
    """Returns whether a server can listen on the port."""
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True


def _ports(state_dir: Path, *, are_running: bool) -> tuple[Ports, bool]:
    """Returns the ports of this state folder, kept over restarts, chosen anew where another process has taken one; and
    whether an earlier version wrote them, with fewer passwords."""
    note = state_dir / "services.json"
    kept = json.loads(note.read_text(encoding="utf-8")) if note.exists() else None
    if kept is None:
        ports = Ports(postgresql=free_port(), redis=free_port(), password=secrets.token_urlsafe(24))
    else:
        ports = Ports(**kept)
        if not are_running and not (port_is_free(ports.postgresql) and port_is_free(ports.redis)):
            ports = replace(ports, postgresql=free_port(), redis=free_port())
    if asdict(ports) != kept:
        temporary = note.with_suffix(f".{os.getpid()}")
        temporary.touch(mode=0o600)
        temporary.write_text(json.dumps(asdict(ports)), encoding="utf-8")
        temporary.replace(note)
    return ports, kept is not None and asdict(ports).keys() != kept.keys()


class PrivateServices:
    """PostgreSQL and Redis below one state folder.

    Their data survives a crash of their processes, and by default also one of the machine.
    """

    def __init__(self, *, state_dir: Path, run_dir: Path, listen: str = "", survives_power_loss: bool = True) -> None:
        self.state_dir = state_dir
        self._survives_power_loss = survives_power_loss
        self.addresses = ["127.0.0.1", *filter(None, [listen])]
        self.account = Account.for_folders(state_dir)
        self.postgresql = Part("postgresql", run_dir)
        self.redis = Part("redis", run_dir)
        are_running = self.postgresql.pid() is not None or self.redis.pid() is not None
        self.ports, is_earlier = _ports(state_dir, are_running=are_running)
        # Parts that run with the passwords of an earlier version must be restarted.
        self.are_parts_outdated = is_earlier and are_running

    def start(self) -> None:
        """Starts both and waits until they answer. ProcessFailed with the log's tail otherwise."""
        if not (POSTGRESQL_BIN / "initdb").exists() or shutil.which("redis-server") is None:
            raise ServiceMissing("postgresql-15 or redis-server is not installed. Run `make setup`.")
        running = self.postgresql.pid()
        if running is None:
            self._start_postgresql()
        else:
            self._write_host_rules()  # those of an earlier version lack the administrator
            os.kill(running, signal.SIGHUP)
        if self.redis.pid() is not None and self._redis_knows_nobody():
            self.stop_redis()
        if self.redis.pid() is None:
            self._start_redis()
        self._await(self.postgresql, self._postgresql_answers)
        self._await(self.redis, self._redis_answers)

    def stop(self) -> None:
        """Stops both; their data stays."""
        self.stop_redis()
        self.postgresql.stop(signal.SIGINT, patience_s=20)

    def stop_redis(self) -> None:
        """Stops Redis only."""
        self.redis.stop(signal.SIGTERM, patience_s=10)

    def _start_postgresql(self) -> None:
        data = self.state_dir / "postgresql"
        if not (data / "PG_VERSION").exists():
            self._make_cluster(data)
        _await_no_process_in(data)
        # No process uses the folder: a pid file is left over from a killed one.
        (data / "postmaster.pid").unlink(missing_ok=True)
        settings = {
            "listen_addresses": ",".join(self.addresses),
            "hba_file": str(self._write_host_rules()),
            "port": str(self.ports.postgresql),
            "unix_socket_directories": "",
            "log_timezone": "UTC",
            "timezone": "UTC",
            "shared_buffers": "64MB",
            "random_page_cost": "1.1",  # the tables fit in memory
            "dynamic_shared_memory_type": "mmap",  # a killed server leaves nothing outside its own folder
        }
        if not self._survives_power_loss:
            # A commit has reached the kernel when it returns: a killed server loses none.
            settings |= {"fsync": "off", "full_page_writes": "off"}
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        argv = [str(POSTGRESQL_BIN / "postgres"), "-D", str(data), *options]
        self.postgresql.start(self.account.command(argv), environment=_environment(), cwd=self.state_dir)

    def _write_host_rules(self) -> Path:
        """Writes pg_hba.conf: the server's own roles may connect from this machine, with the password; those of joined
        hosts also from the networks of the listen address."""
        own = ",".join((roles.ADMIN, roles.APPLICATION, API_ROLE, HOST_ROLE))
        rules = [
            f"host all {own} 127.0.0.1/32 scram-sha-256",
            f"host all {own} all reject",
            "host patina all 127.0.0.1/32 scram-sha-256",
        ]
        if len(self.addresses) > 1:
            rules.append("host patina all samenet scram-sha-256")
        path = self.state_dir / "postgresql.hba"
        self.account.write_secret(path, "".join(f"{rule}\n" for rule in rules))
        return path

    def _make_cluster(self, data: Path) -> None:
        shutil.rmtree(data, ignore_errors=True)
        self.account.own(data)
        password_file = data.parent / "postgresql.password"
        self.account.write_secret(password_file, self.ports.admin_password)
        argv = [
            str(POSTGRESQL_BIN / "initdb"), "-D", str(data), "-U", roles.ADMIN, "-E", "UTF8", "--locale=C",
            "-A", "scram-sha-256", f"--pwfile={password_file}", "--no-instructions",
        ]  # fmt: skip
        done = subprocess.run(
            self.account.command(argv), capture_output=True, text=True, env=_environment(), cwd=data.parent, check=False
        )
        password_file.unlink()
        if done.returncode != 0:
            shutil.rmtree(data, ignore_errors=True)
            raise ProcessFailed(f"initdb failed with exit status {done.returncode}:\n{done.stdout}{done.stderr}")

    def _start_redis(self) -> None:
        data = self.account.own(self.state_dir / "redis")
        (data / "redis.conf").unlink(missing_ok=True)  # of an earlier version
        config = self.state_dir / "redis.conf"
        self.account.write_secret(
            config,
            f"bind {' '.join(self.addresses)}\nport {self.ports.redis}\n"
            f"user default off\nuser {HOST_ROLE} on >{self.ports.redis_host_password} {REDIS_RIGHTS}\n"
            f"user {API_ROLE} on >{self.ports.redis_api_password} {REDIS_API_RIGHTS}\n"
            f"user admin on >{self.ports.admin_password} ~* &* +@all\n"
            f"dir {data}\nappendonly yes\nappendfsync everysec\ndaemonize no\n",
        )
        argv = ["redis-server", str(config)]
        self.redis.start(self.account.command(argv), environment=_environment(), cwd=self.state_dir)

    def _await(self, part: Part, answers: Callable[[], bool]) -> None:
        deadline = time.monotonic() + START_PATIENCE_S
        while not answers():
            if part.pid() is None:
                raise part.failed("ended at once")
            if time.monotonic() > deadline:
                raise part.failed(f"did not answer within {START_PATIENCE_S} s")
            time.sleep(0.05)

    def _postgresql_answers(self) -> bool:
        ports = self.ports
        try:
            roles.prepare(
                port=ports.postgresql,
                admin_password=ports.admin_password,
                earlier_password=ports.password,
                passwords={
                    roles.APPLICATION: ports.owner_password,
                    API_ROLE: ports.api_password,
                    HOST_ROLE: ports.host_password,
                },
            )
        except psycopg.OperationalError:
            return False
        return True

    def _redis_knows_nobody(self) -> bool:
        """Returns whether an earlier version started it, without a user for the API."""
        try:
            redis.Redis.from_url(self.ports.api_redis_url, socket_timeout=2).ping()
        except redis.AuthenticationError:
            return True
        except redis.RedisError:
            return False
        return False

    def _redis_answers(self) -> bool:
        try:
            return bool(redis.Redis.from_url(self.ports.redis_url, socket_timeout=2).ping())
        except redis.RedisError:
            return False


def _await_no_process_in(folder: Path) -> None:
    """Waits until the backends of a killed server have ended, which they do by themselves; else ProcessFailed."""
    deadline = time.monotonic() + START_PATIENCE_S
    while pids := [pid for pid in Path("/proc").glob("[0-9]*") if _works_in(pid, folder)]:
        if time.monotonic() > deadline:
            raise ProcessFailed(f"process {pids[0].name} of an earlier PostgreSQL still runs in {folder}. End it.")
        time.sleep(0.05)


def _works_in(process: Path, folder: Path) -> bool:
    try:
        return (process / "cwd").readlink() == folder
    except OSError:
        return False


def _environment() -> dict[str, str]:
    """Returns the minimal environment of a service."""
    return {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C", "TZ": "UTC"}
