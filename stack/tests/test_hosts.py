"""Two further hosts as two processes with state folders of their own, in network namespaces of their own."""

import json
import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest
import redis

from patina_dev.suite.throttle import throttled_cores
from patina_dev.testing.joined import (
    JoinedHost,
    Network,
    application_with_hosts,
    await_host,
    hosts_of,
    make_join_token,
)
from patina_dev.testing.loop_files import loop_files
from patina_dev.testing.owner import HEADERS
from patina_dev.testing.wait import HANG_S, wait_until
from patina_stack.application import Application

pytestmark = [pytest.mark.usefixtures("as_root"), pytest.mark.slow]

MIB = 2**20
SILENCE_S = 3600  # only the tests of lost hosts lose one
ENDED = {"succeeded", "failed", "canceled"}


class Refused(Exception):
    """The API refused a request."""

    def __init__(self, problem: dict[str, Any]) -> None:
        super().__init__(problem["detail"])
        self.code: str = problem["code"]


def profile_of(name: str, share: float) -> dict[str, object]:
    """Returns a profile with two equal bins of age, the first spanning this share of the horizon: a smaller share makes
    a longer run."""
    histograms = {
        "size": [{"bytes": 4096, "weight": 1}, {"bytes": 65536, "weight": 1}],
        "depth": [{"depth": 1, "weight": 1, "subdirs": 2}, {"depth": 2, "weight": 1, "subdirs": 4}],
        "age": [{"age": share * 1000, "weight": 1}, {"age": 1000, "weight": 1}],
    }
    return {"name": name, "title": name, "message": "for a test", "author": "a test", "histograms": histograms}


@dataclass
class Lab:
    """A server, and the hosts lab-1 and lab-2."""

    application: Application
    hosts: list[JoinedHost]
    network: Network

    def ask(self, path: str, body: dict[str, object] | None = None, method: str | None = None) -> dict[str, Any]:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            f"{self.application.url}/api/v1{path}",
            data=data,
            method=method,
            headers=HEADERS | {"Content-Type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=HANG_S) as answer:
                found: dict[str, Any] = json.load(answer)
                return found
        except urllib.error.HTTPError as error:
            raise Refused(json.load(error)) from error

    def refusal(self, path: str, body: dict[str, object] | None = None, method: str | None = None) -> str:
        with pytest.raises(Refused) as refused:
            self.ask(path, body, method)
        return refused.value.code

    def miss(self, host: JoinedHost) -> None:
        """Waits until the host is silent while the server's own worker beats. Then ends the waiting time at once."""
        self._await_beat()  # a heartbeat in flight has arrived by then
        last = self._beat_of(host.name)
        self._await_beat()
        assert self._beat_of(host.name) == last
        with self.database() as connection:
            connection.execute(
                "UPDATE host SET heartbeat_at = heartbeat_at - make_interval(secs => %s) WHERE name = %s",
                [SILENCE_S, host.name],
            )
        await_host(self.application, host, is_healthy=False)

    def _await_beat(self) -> None:
        before = self._beat_of("local")
        wait_until("the server's own worker beats", lambda: self._beat_of("local") != before)

    def _beat_of(self, name: str) -> str:
        beat: str = hosts_of(self.application)[name]["heartbeat_at"]
        return beat

    def denials(self) -> list[dict[str, Any]]:
        """Returns the commands that Redis has denied, which a worker must not need."""
        services = self.application.services
        assert services is not None
        with redis.Redis.from_url(services.ports.redis_admin_url) as broker:
            found: list[dict[str, Any]] = broker.acl_log()
        return [denial for denial in found if denial["reason"] != "auth"]

    @contextmanager
    def database(self) -> Iterator[psycopg.Connection]:
        services = self.application.services
        assert services is not None
        with psycopg.connect(services.ports.database_url.replace("+psycopg", ""), autocommit=True) as connection:
            yield connection

    def sandbox_on(self, host: JoinedHost) -> dict[str, Any]:
        body = {"size_bytes": 128 * MIB, "medium": "memory", "host_name": host.name}
        device_id = self.ask("/devices", body)["id"]
        path = f"/devices/{device_id}"
        wait_until(f"a sandbox on {host.name}", lambda: self.ask(path)["state"] == "available")
        return self.ask(path)

    def age(self, device: dict[str, Any], **changes: object) -> int:
        confirmation = {name: device[name] for name in ("stable_id", "size_bytes")} | {"typed": device["path"]}
        body = {"device_id": device["id"], "profile": "quick", "fullness": 0.5, "confirmation": confirmation}
        run_id: int = self.ask("/runs", body | changes)["id"]
        return run_id

    def run(self, run_id: int) -> dict[str, Any]:
        return self.ask(f"/runs/{run_id}")

    def wait_for_end(self, run_id: int) -> None:
        wait_until(f"run {run_id} ends", lambda: self.run(run_id)["state"] in ENDED)

    def wait_for_samples(self, run_id: int, least: int) -> None:
        wait_until(f"run {run_id} is under way", lambda: self.samples_count(run_id) >= least)

    def samples_count(self, run_id: int) -> int:
        items = self.ask(f"/jobs/{run_id}/events?limit=1000")["items"]
        return sum(event["payload"]["type"] == "sample" for event in items)

    def states(self, run_id: int) -> list[str]:
        items = self.ask(f"/jobs/{run_id}/events?limit=1000")["items"]
        found = [event["payload"]["state"] for event in items if event["payload"]["type"] == "state"]
        return [state for number, state in enumerate(found) if found[:number][-1:] != [state]]


def _left(folder: Path) -> list[str]:
    """Returns the processes, mounts and loop devices that name the folder."""
    left = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes() + (process / "environ").read_bytes()
        except OSError:
            continue
        if str(folder).encode() in words and process.name != str(os.getpid()):
            left.append(words.split(b"\0")[0].decode())
    left += [line for line in Path("/proc/self/mounts").read_text().splitlines() if str(folder) in line]
    return left + [file for file in loop_files().values() if str(folder) in file]


@pytest.fixture(scope="module")
def lab(as_root: None) -> Iterator[Lab]:
    folder = Path(tempfile.mkdtemp(prefix="patina-hosts-"))
    folder.chmod(0o755)
    try:
        with (
            throttled_cores(folder / "gates") as gates,
            application_with_hosts(
                folder, ["lab-1", "lab-2"], in_namespaces=True, PATINA_HOST_SILENCE_S=str(SILENCE_S), **gates
            ) as (application, hosts, network),
        ):
            made = Lab(application, hosts, network)
            for name, share in (("quick", 0.5), ("slow", 0.0002)):
                made.ask("/profiles", profile_of(name, share))
            yield made
            assert made.denials() == []
            names = [host.namespace.name for host in hosts if host.namespace]
        assert _left(folder) == []
        namespaces = subprocess.run(["ip", "netns", "list"], capture_output=True, text=True, check=True).stdout
        assert [name for name in names if name in namespaces] == []
        bridges = subprocess.run(["ip", "-br", "addr"], capture_output=True, text=True, check=True).stdout
        assert network.address not in bridges
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def test_a_host_joins_by_one_command_and_keeps_what_it_was_told_for_root_alone(lab: Lab) -> None:
    assert set(hosts_of(lab.application)) == {"local", "lab-1", "lab-2"}
    for host in lab.hosts:
        kept = host.state_dir / "worker.json"
        assert stat.S_IMODE(kept.stat().st_mode) == 0o600
        told = json.loads(kept.read_text())
        assert told["PATINA_HOST_NAME"] == host.name
        assert lab.network.address in told["DATABASE_URL"]
        assert host.namespace is not None
        # The host reaches the server only by the bridge: it has a loopback of its own.
        outside = [
            sys.executable,
            "-c",
            f"import socket; socket.create_connection(('127.0.0.1', {lab.application.url.rpartition(':')[2]}), 2)",
        ]
        assert subprocess.run(host.namespace.command(outside), capture_output=True, check=False).returncode != 0


def test_from_the_network_the_database_accepts_hosts_alone(lab: Lab) -> None:
    services = lab.application.services
    assert services is not None
    for url in (services.ports.database_url, services.ports.api_database_url, services.ports.host_database_url):
        with pytest.raises(psycopg.OperationalError, match="rejects connection"):
            psycopg.connect(url.replace("+psycopg", "").replace("127.0.0.1", lab.network.address))


def test_a_token_that_was_used_up_joins_no_host_and_a_living_hosts_name_is_refused(lab: Lab, tmp_path: Path) -> None:
    made = make_join_token(lab.application)
    argv = [sys.executable, "-m", "patina_worker.join", "join", made["server_url"], "--state-dir", str(tmp_path)]
    taken = subprocess.run(
        [*argv, "--token", "-", "--name", "lab-1"], input=made["token"], capture_output=True, text=True, check=False
    )
    assert taken.returncode == 78
    assert "There is a healthy host called lab-1" in taken.stderr
    invented = subprocess.run(
        [*argv, "--token", "-", "--name", "lab-3"], input="no-token\n", capture_output=True, text=True, check=False
    )
    assert invented.returncode == 78
    assert "This join token is unknown" in invented.stderr
    seen_by_all = subprocess.run(
        [*argv, "--token", made["token"], "--name", "lab-3"], capture_output=True, text=True, check=False
    )
    assert seen_by_all.returncode == 78
    assert "and not the token itself" in seen_by_all.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_second_worker_under_a_living_hosts_name_ends_with_a_sentence(lab: Lab, tmp_path: Path) -> None:
    shutil.copy(lab.hosts[0].state_dir / "worker.json", tmp_path / "worker.json")
    twin = JoinedHost(name="lab-1", state_dir=tmp_path)
    twin.start()
    wait_until("the twin ends", lambda: twin.worker.pid() is None)
    assert "There is a healthy host called lab-1" in twin.worker.log_tail()


def test_runs_go_to_their_own_host_and_images_say_where_they_are(lab: Lab) -> None:
    devices = [lab.sandbox_on(host) for host in lab.hosts]
    runs = [lab.age(device) for device in devices]
    for run_id, host in zip(runs, lab.hosts, strict=True):
        lab.wait_for_end(run_id)
        run = lab.run(run_id)
        assert run["state"] == "succeeded", run["message"]
        assert run["recipe"]["host"] == host.name
        (image,) = lab.ask(f"/images?run_id={run_id}")["items"]
        assert image["place"]["host"] == host.name

    images = [lab.ask(f"/images?run_id={run_id}")["items"][0] for run_id in runs]
    target = lab.ask(f"/devices/{devices[1]['id']}")
    confirmation = {name: target[name] for name in ("stable_id", "size_bytes")} | {"typed": target["path"]}
    body = {"kind": "restore", "device_id": target["id"], "confirmation": confirmation}
    assert lab.refusal("/actions", body | {"image_id": images[0]["id"]}) == "image_elsewhere"
    action_id = lab.ask("/actions", body | {"image_id": images[1]["id"]})["id"]
    wait_until("the restore ends", lambda: lab.ask(f"/actions/{action_id}")["state"] in ENDED)
    assert lab.ask(f"/actions/{action_id}")["state"] == "succeeded"

    for host in lab.hosts:  # chunks of another host's store are not missing in this one's
        lab.ask("/collections", {"host_name": host.name})
    wait_until("collections end", lambda: all(c["state"] in ENDED for c in lab.ask("/jobs?kind=collection")["items"]))
    assert {c["state"] for c in lab.ask("/jobs?kind=collection")["items"]} == {"succeeded"}


def test_a_killed_host_is_missed_while_the_other_goes_on_and_its_return_resumes_what_it_had(lab: Lab) -> None:
    first, second = lab.hosts
    lost, kept = (lab.sandbox_on(host) for host in lab.hosts)
    lost_run, kept_run = lab.age(lost, profile="slow"), lab.age(kept, profile="slow")
    for run_id in (lost_run, kept_run):
        lab.wait_for_samples(run_id, 2)

    first.kill()
    lab.miss(first)
    card = lab.ask(f"/devices/{lost['id']}")
    assert (card["state"], card["host"]["is_healthy"]) == ("busy", False)
    assert lab.refusal("/devices", {"size_bytes": 64 * MIB, "host_name": first.name}) == "host_lost"
    assert lab.refusal(f"/hosts/{card['host']['id']}", method="DELETE") in ("host_in_use", "host_alive")
    assert hosts_of(lab.application)[second.name]["is_healthy"] is True
    before = lab.samples_count(kept_run)
    wait_until("the other host's run goes on", lambda: lab.samples_count(kept_run) > before)

    first.start()
    await_host(lab.application, first)
    wait_until("the lost run goes on", lambda: lab.states(lost_run)[-2:] == ["queued", "running"])
    wait_until("it ages", lambda: lab.run(lost_run)["phase"] == "stable")
    for run_id in (lost_run, kept_run):
        lab.ask(f"/runs/{run_id}/stop_conditions", {"max_seconds": 0.5}, "PUT")
        lab.wait_for_end(run_id)
    assert lab.run(lost_run)["state"] == "succeeded", lab.run(lost_run)["error_log"]
    assert lab.states(lost_run) == ["queued", "running", "interrupted", "queued", "running", "succeeded"]
    assert lab.states(kept_run) == ["queued", "running", "succeeded"]
    assert lab.ask(f"/devices/{lost['id']}")["state"] == "available"


def test_a_host_whose_cable_was_pulled_is_missed_and_is_back_when_it_is_mended(lab: Lab) -> None:
    host = lab.hosts[1]
    assert host.namespace is not None
    lab.network.cut(host.namespace)
    try:
        lab.miss(host)
        assert host.worker.pid() is not None
    finally:
        lab.network.mend(host.namespace)
    await_host(lab.application, host)


def test_a_removed_host_leaves_with_its_devices_and_returns_once_it_has_joined_again(lab: Lab) -> None:
    folder = lab.hosts[0].state_dir.parent / "lab-3"
    folder.mkdir()
    host = JoinedHost(name="lab-3", state_dir=folder)
    made = make_join_token(lab.application)
    try:
        host.join(made["server_url"], made["token"])
        await_host(lab.application, host)
        device = lab.sandbox_on(host)
        worker_pid = host.worker.pid()
        assert worker_pid is not None
        os.kill(worker_pid, signal.SIGSTOP)
        try:
            lab.miss(host)
            lab.ask(f"/hosts/{device['host']['id']}", method="DELETE")
        finally:
            os.kill(worker_pid, signal.SIGCONT)
        assert "lab-3" not in hosts_of(lab.application)
        assert device["id"] not in [each["id"] for each in lab.ask("/devices")["items"]]
        for _ in range(2):  # the worker that still ran, and one that is started again
            wait_until("its worker ends", lambda: host.worker.pid() is None)
            assert "Join again with a new token" in host.worker.log_tail()
            host.start()
        wait_until("its worker ends", lambda: host.worker.pid() is None)
        made = make_join_token(lab.application)
        host.join(made["server_url"], made["token"])
        await_host(lab.application, host)
        assert lab.ask(f"/devices/{device['id']}")["state"] == "available"
    finally:
        host.stop()


@pytest.mark.parametrize(("found", "said"), [("0001", "Run `patina migrate`"), ("ffff", "to the server's version")])
def test_a_worker_leaves_a_database_of_another_version_alone(lab: Lab, found: str, said: str) -> None:
    host = lab.hosts[0]
    with lab.database() as connection:
        (true,) = connection.execute("SELECT version_num FROM alembic_version").fetchone() or ("",)
        connection.execute("UPDATE alembic_version SET version_num = %s", [found])
        try:
            wait_until("the running worker ends", lambda: host.worker.pid() is None)
            host.start()
            wait_until("it does not start again", lambda: host.worker.pid() is None)
        finally:
            connection.execute("UPDATE alembic_version SET version_num = %s", [true])
    assert said in host.worker.log_tail()
    # The server's own worker left as well.
    lab.application.start()
    host.start()
    await_host(lab.application, host)
