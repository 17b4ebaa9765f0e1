"""Further hosts of one application, on this machine: each a worker with a state folder of its own, joined by a token.

A host may have a network namespace of its own: then it reaches the server only by the address of a bridge. For tests
and soaks; a host leaves no process, mount, loop device, namespace or bridge behind.
"""

import contextlib
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from patina_dev import SUITE_FOLDER
from patina_dev.testing.owner import HEADERS, own
from patina_dev.testing.planted import assert_no_secret_in_logs
from patina_dev.testing.wait import HANG_S, wait_until
from patina_stack.application import Application
from patina_stack.process import Part, ProcessFailed

STOP_PATIENCE_S = 20
_NAMESPACES = Path("/run/netns")
_OURS = ("PATINA_", "DATABASE_URL", "REDIS_URL")
_OF_THE_MACHINE = "PATINA_GATES"  # where a test holds cores


def _ip(*arguments: str, check: bool = True) -> None:
    done = subprocess.run(["ip", *arguments], capture_output=True, text=True, check=False)
    if check and done.returncode != 0:
        raise ProcessFailed(f"ip {' '.join(arguments)}: {done.stderr.strip()}")


@dataclass(frozen=True)
class Namespace:
    """A network namespace with one interface, on a bridge."""

    name: str

    def command(self, argv: list[str]) -> list[str]:
        """Returns the command that runs `argv` inside, with the mounts of the outside."""
        return ["nsenter", f"--net=/run/netns/{self.name}", "--", *argv]


class Network:
    """A bridge of this machine with one address, and namespaces whose only way out is that address."""

    def __init__(self) -> None:
        self._mark = secrets.token_hex(3)
        self._bridge = f"pb{self._mark}"
        subnet = f"10.{secrets.choice(range(64, 128))}.{secrets.choice(range(256))}"
        self._subnet = subnet
        self.address = f"{subnet}.1"
        self._namespaces: list[Namespace] = []

    def open(self) -> None:
        if SUITE_FOLDER in os.environ:
            (Path(os.environ[SUITE_FOLDER]) / "networks" / self._bridge).touch()
        _ip("link", "add", self._bridge, "type", "bridge")
        _ip("addr", "add", f"{self.address}/24", "dev", self._bridge)
        _ip("link", "set", self._bridge, "up")

    def add_namespace(self) -> Namespace:
        number = len(self._namespaces) + 1
        namespace = Namespace(f"patina-{self._mark}-{number}")
        outside, inside = f"pv{self._mark}{number}", f"pi{self._mark}{number}"
        _ip("netns", "add", namespace.name)
        self._namespaces.append(namespace)
        _ip("link", "add", outside, "type", "veth", "peer", "name", inside, "netns", namespace.name)
        _ip("link", "set", outside, "master", self._bridge, "up")
        _ip("-n", namespace.name, "addr", "add", f"{self._subnet}.{number + 1}/24", "dev", inside)
        _ip("-n", namespace.name, "link", "set", inside, "up")
        _ip("-n", namespace.name, "link", "set", "lo", "up")
        return namespace

    def cut(self, namespace: Namespace) -> None:
        """Disconnects the namespace, like a pulled cable."""
        _ip("link", "set", self._outside(namespace), "down")

    def mend(self, namespace: Namespace) -> None:
        _ip("link", "set", self._outside(namespace), "up")

    def close(self) -> None:
        for namespace in self._namespaces:
            _ip("netns", "del", namespace.name, check=False)
        _ip("link", "del", self._bridge, check=False)
        # `ip netns` mounts its folder at the first use; an empty one is unused.
        is_mounted = f" {_NAMESPACES} " in Path("/proc/self/mounts").read_text(encoding="utf-8")
        if is_mounted and not any(_NAMESPACES.iterdir()):
            subprocess.run(["umount", str(_NAMESPACES)], check=True)

    def _outside(self, namespace: Namespace) -> str:
        return f"pv{self._mark}{self._namespaces.index(namespace) + 1}"


class JoinedHost:
    """One further host. `start` after `kill` is its return; `stop` removes all of it."""

    def __init__(self, *, name: str, state_dir: Path, namespace: Namespace | None = None) -> None:
        self.name = name
        self.state_dir = state_dir
        self.namespace = namespace
        run_dir = state_dir / "run"
        run_dir.mkdir(parents=True, exist_ok=True)
        self.worker = Part("worker", run_dir)

    def join(self, server_url: str, token: str) -> None:
        """Runs the command that joins and becomes the worker."""
        file = self.state_dir / "token"
        file.touch(mode=0o600)
        file.write_text(token, encoding="utf-8")
        self._launch("join", server_url, "--token", str(file), "--name", self.name)

    def start(self) -> None:
        """Starts the worker again, with the settings that it has kept."""
        self._launch("start")

    def kill(self) -> None:
        """Kills the worker, as a lack of memory would: its remains stay until it returns."""
        self.worker.stop(signal.SIGKILL, patience_s=STOP_PATIENCE_S)

    def stop(self) -> None:
        """Stops the worker, which releases its devices, and removes its mounts and loop devices."""
        self.worker.stop(signal.SIGTERM, patience_s=STOP_PATIENCE_S)
        cleanup = [sys.executable, "-m", "patina_worker.cleanup"]
        # The settings are required, but the cleanup makes no connection.
        environment = self.environment() | {"DATABASE_URL": "", "REDIS_URL": ""}
        subprocess.run(cleanup, env=environment, check=True, stdout=subprocess.DEVNULL)

    def environment(self) -> dict[str, str]:
        """Returns an environment without the server's settings: a machine that joins has only those it receives."""
        others = {
            name: value for name, value in os.environ.items() if name == _OF_THE_MACHINE or not name.startswith(_OURS)
        }
        return others | {"PATINA_STATE_DIR": str(self.state_dir), "LC_ALL": "C.UTF-8"}

    def _launch(self, *arguments: str) -> None:
        argv = [sys.executable, "-m", "patina_worker.join", *arguments]
        if self.namespace is not None:
            argv = self.namespace.command(argv)
        self.worker.start(argv, environment=self.environment(), cwd=self.state_dir)


def await_served(application: Application, address: str) -> None:
    """Waits until the API is served at the address: it is a moment after the server has got its owner."""
    port = int(application.url.rpartition(":")[2])
    wait_until(f"the API is served at {address}", lambda: is_served(address, port))


def is_served(address: str, port: int) -> bool:
    """Returns whether a server takes connections there."""
    with socket.socket() as connection:
        return connection.connect_ex((address, port)) == 0


def hosts_of(application: Application) -> dict[str, dict[str, Any]]:
    """Returns the API's hosts, by name."""
    asked = urllib.request.Request(f"{application.url}/api/v1/hosts", headers=HEADERS)
    with urllib.request.urlopen(asked, timeout=HANG_S) as answer:
        return {host["name"]: host for host in json.load(answer)["items"]}


def make_join_token(application: Application, *, uses_count: int = 1) -> dict[str, Any]:
    """Makes a token as the page Hosts does. Returns `token` and `server_url`."""
    body = json.dumps({"uses_count": uses_count}).encode()
    request = urllib.request.Request(
        f"{application.url}/api/v1/hosts/tokens", data=body, headers=HEADERS | {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=HANG_S) as answer:
        made: dict[str, Any] = json.load(answer)
        return made


def await_host(application: Application, host: JoinedHost, *, is_healthy: bool = True) -> None:
    """Waits until the host is healthy, or lost; ProcessFailed with the end of its log when its worker ends instead."""

    def _is_so() -> bool:
        if is_healthy and host.worker.pid() is None:
            raise host.worker.failed("ended at once")
        return hosts_of(application).get(host.name, {"is_healthy": None})["is_healthy"] is is_healthy

    wait_until(f"{host.name} is {'healthy' if is_healthy else 'lost'}", _is_so)


@contextmanager
def application_with_hosts(
    folder: Path, names: list[str], *, in_namespaces: bool = False, **settings: str
) -> Iterator[tuple[Application, list[JoinedHost], Network]]:
    """Yields a private application whose server has its own host `local`, and further hosts, joined and healthy.

    `folder` must be empty, and one that the account patina may enter or that has a closed ancestor. All of them end,
    and leave nothing behind, when the block does. Without namespaces they share this machine's network, and reach the
    server by the same bridge address. `settings` are the server's, by the names in its environment.
    """
    network = Network()
    hosts: list[JoinedHost] = []
    with contextlib.ExitStack() as ends:
        ends.callback(network.close)
        network.open()
        ends.enter_context(_environment(PATINA_LISTEN=network.address, **settings))
        server_dir = folder / "server"
        server_dir.mkdir(mode=0o755)
        application = Application(state_dir=server_dir)
        ends.callback(assert_no_secret_in_logs, folder)
        ends.callback(application.stop)
        application.start()
        own(application.environment()["DATABASE_URL"])
        await_served(application, network.address)
        made = make_join_token(application, uses_count=max(len(names), 1))
        for name in names:
            host_dir = folder / name
            host_dir.mkdir(mode=0o755)
            namespace = network.add_namespace() if in_namespaces else None
            host = JoinedHost(name=name, state_dir=host_dir, namespace=namespace)
            hosts.append(host)
            ends.callback(host.stop)
            host.join(made["server_url"], made["token"])
        for host in hosts:
            await_host(application, host)
        yield application, hosts, network


@contextmanager
def _environment(**chosen: str) -> Iterator[None]:
    """Replaces all of Patina's settings by these while the context lasts."""
    before = dict(os.environ)
    for name in [name for name in before if name.startswith(_OURS)]:
        del os.environ[name]
    os.environ.update(chosen)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
