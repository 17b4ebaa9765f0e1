"""The whole application on one machine: PostgreSQL, Redis, migrations, the API, one worker.

DATABASE_URL and REDIS_URL replace the private services by the user's own.
"""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import LiteralString, NoReturn

import psycopg

from patina.image.signature import new_private_key
from patina.role_names import API_ROLE, HOST_ROLE
from patina_stack import PROJECT_DIR, roles
from patina_stack.account import Account
from patina_stack.privileged import NotPrivileged, start_worker, stop_worker, worker_part
from patina_stack.process import Part, ProcessFailed
from patina_stack.services import PrivateServices, free_port, in_url, port_is_free
from patina_worker.command import worker_command

DEFAULT_PORT = 8040
READY_PATIENCE_S = 300  # for a part that hangs; one that has ended is detected at once


class Application:
    """Starts, stops and finds the parts below one state folder."""

    def __init__(self, *, state_dir: Path) -> None:
        self.state_dir = state_dir
        self.run_dir = state_dir / "run"
        self.run_dir.mkdir(parents=True, exist_ok=True, mode=0o755)
        self.account = Account.for_folders(PROJECT_DIR, state_dir)
        self.api = Part("api", self.run_dir)
        self.worker = worker_part(self.run_dir)
        self._port_note = self.run_dir / "api.port"
        self._listen = os.environ.get("PATINA_LISTEN", "")
        self.services = None
        if "DATABASE_URL" not in os.environ or "REDIS_URL" not in os.environ:
            self.services = PrivateServices(state_dir=state_dir, run_dir=self.run_dir, listen=self._listen)

    @property
    def url(self) -> str:
        """Returns the application's URL, once it has been started."""
        return f"http://127.0.0.1:{self._port_note.read_text(encoding='utf-8')}"

    @property
    def manifest_key(self) -> Path:
        """Returns the path of the key that signs manifests."""
        return self.state_dir / os.environ.get("PATINA_MANIFEST_KEY", "manifest.key")

    def environment(self, role: str = roles.APPLICATION) -> dict[str, str]:
        """Returns the environment of a part that uses this role in the database and the broker."""
        environment = dict(os.environ)
        if self.services is not None:
            ports = self.services.ports
            urls = {
                roles.APPLICATION: (ports.database_url, ports.api_redis_url),
                API_ROLE: (ports.api_database_url, ports.api_redis_url),
                HOST_ROLE: (ports.host_database_url, ports.redis_url),
            }
            for name, url in zip(("DATABASE_URL", "REDIS_URL"), urls[role], strict=True):
                environment.setdefault(name, url)
        if self._listen:
            self._advertise(environment)
        return environment | {
            "PATINA_STATE_DIR": str(self.state_dir),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONSAFEPATH": "1",
            "LC_ALL": "C.UTF-8",
        }

    def _advertise(self, environment: dict[str, str]) -> None:
        """Sets the advertised addresses to those on the listen address, unless the user has set them."""
        trusted = environment.get("PATINA_TRUSTED_HOSTS", "localhost,127.0.0.1,[::1]")
        environment["PATINA_TRUSTED_HOSTS"] = f"{trusted},{in_url(self._listen)}"
        environment.setdefault("PATINA_ADVERTISED_URL", f"http://{in_url(self._listen)}:{self._last_port()}")
        if self.services is not None:
            for name, url in self.services.ports.advertised(self._listen).items():
                if name not in os.environ:  # else hosts receive the user's own
                    environment.setdefault(f"PATINA_ADVERTISED_{name}", url)

    def start(self) -> None:
        """Starts all parts and waits until they answer."""
        if self.services is not None:
            self.services.start()
            if self.services.are_parts_outdated:
                self.stop_api()
                stop_worker(self.run_dir, self.environment(HOST_ROLE))
        # The folder for files uploaded to the API, which has no privileges.
        self.account.own(self.state_dir / os.environ.get("PATINA_SPOOL", "spool"))
        if not self.manifest_key.exists():
            self.account.write_secret(self.manifest_key, new_private_key())
        self._python("patina.cli", "migrate")
        if self._is_api_outdated():
            if not self._answers("/readyz"):  # after a migration the worker would end at its next report
                stop_worker(self.run_dir, self.environment(HOST_ROLE))
            self.stop_api()
        self.start_api()
        start_worker(self.run_dir, self.environment(HOST_ROLE))
        self._await("/readyz", self.api)
        self._await_host()

    def start_api(self) -> None:
        """Starts the API, on its last port, on 8040, or on a free one."""
        if self.api.pid() is not None:
            return
        wanted = int(os.environ.get("PATINA_PORT", "0")) or self._last_port() or DEFAULT_PORT
        port = wanted if port_is_free(wanted) else free_port()
        self._port_note.write_text(str(port), encoding="utf-8")
        addresses = ["127.0.0.1", *filter(None, [self._listen])]
        argv = [sys.executable, "-m", "patina.serve", str(port), *addresses]
        self.api.start(self.account.command(argv), environment=self.environment(API_ROLE), cwd=self.state_dir)
        self._await("/healthz", self.api)

    def _is_api_outdated(self) -> bool:
        """Returns whether its program was changed after it was started, as by an upgrade."""
        if self.api.pid() is None:
            return False
        sources = (PROJECT_DIR / "backend" / "patina").rglob("*.py")
        return max(source.stat().st_mtime for source in sources) > self.api.started_at()

    def stop_api(self) -> None:
        """Stops the API; runs go on."""
        self.api.stop(signal.SIGTERM, patience_s=8)

    def become_worker(self) -> NoReturn:
        """Stops the worker that runs in the background, and replaces this process with one. NotPrivileged."""
        environment = self.environment(HOST_ROLE)
        if os.geteuid() != 0:
            raise NotPrivileged("The worker needs root: it makes file systems on block devices. Run this as root.")
        stop_worker(self.run_dir, environment)
        os.chdir(self.run_dir)
        argv = worker_command()
        os.execve(argv[0], argv, environment)

    def stop(self) -> None:
        """Stops all parts. No process, mount or loop device of Patina is left."""
        self.stop_api()
        stop_worker(self.run_dir, self.environment(HOST_ROLE))
        if self.services is not None:
            self.services.stop()

    def parts(self) -> list[Part]:
        """Returns the parts in the order of their start."""
        own = [self.services.postgresql, self.services.redis] if self.services is not None else []
        return [*own, self.api, self.worker]

    def _last_port(self) -> int:
        return int(self._port_note.read_text(encoding="utf-8")) if self._port_note.exists() else 0

    def access(self, *arguments: str) -> dict[str, str | None]:
        """Runs `python -m patina.use_case.access`, which needs no sign-in: a reader of the database's password
        administers this server. Returns what it printed."""
        made: dict[str, str | None] = json.loads(self._python("patina.use_case.access", *arguments, is_read=True))
        return made

    def link(self, token: str | None) -> str:
        """Returns the address of the page that uses a link. No server receives the part behind #."""
        return f"{self.url}/enter#{token}"

    def is_owned(self) -> bool:
        """Returns whether the server has an owner."""
        return self._has("SELECT 1 FROM account WHERE role = 'owner' AND closed_at IS NULL")

    def _has(self, question: LiteralString) -> bool:
        url = self.environment()["DATABASE_URL"].replace("+psycopg", "")
        with psycopg.connect(url) as connection:
            return connection.execute(question).fetchone() is not None

    def _python(self, module: str, *arguments: str, is_read: bool = False) -> str:
        """Runs one of Patina's modules to its end, without privileges. Returns its output if it is to be read."""
        argv = self.account.command([sys.executable, "-m", module, *arguments])
        output = subprocess.PIPE if is_read else None
        done = subprocess.run(argv, env=self.environment(), cwd=self.state_dir, stdout=output, text=True, check=False)
        if done.returncode != 0:
            raise ProcessFailed(
                f"{module} {' '.join(arguments)} failed with exit status {done.returncode}; see its output above."
            )
        return done.stdout or ""

    def _await(self, path: str, part: Part) -> None:
        deadline = time.monotonic() + READY_PATIENCE_S
        while not self._answers(path):
            if part.pid() is None:
                raise part.failed("ended at once")
            if time.monotonic() > deadline:
                raise part.failed(f"did not answer {path} within {READY_PATIENCE_S} s")
            time.sleep(0.05)

    def _answers(self, path: str) -> bool:
        try:
            with urllib.request.urlopen(self.url + path, timeout=2) as response:
                return bool(response.status == 200)
        except (urllib.error.URLError, OSError):
            return False

    def _await_host(self) -> None:
        """Waits until the worker has reported its host and devices."""
        deadline = time.monotonic() + READY_PATIENCE_S
        while not self._host_is_healthy():
            if self.worker.pid() is None:
                raise self.worker.failed("ended at once")
            if time.monotonic() > deadline:
                raise self.worker.failed(f"did not report its host within {READY_PATIENCE_S} s")
            time.sleep(0.1)

    def _host_is_healthy(self) -> bool:
        return self._has("SELECT 1 FROM host WHERE removed_at IS NULL AND heartbeat_at > now() - interval '20 s'")
