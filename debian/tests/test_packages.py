"""The Debian packages, in a clean Debian with its own systemd: installed, used, upgraded, purged."""

import json
import os
import re
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from patina import __version__
from patina_dev.testing.loop_files import loop_files
from patina_dev.testing.machine import CleanMachine, dependencies
from patina_dev.testing.wait import wait_until
from patina_stack import PROJECT_DIR

# Tenths of the exposure that systemd-analyze finds: 100 is a program as root without any limit.
MOST_EXPOSURE = {"api": 15, "database": 17, "migrate": 13, "redis": 13, "worker": 67}
# What a purge must not leave.
LEFT = "ls -d /etc/patina* /usr/*/*patina* /var/lib/patina* /var/lib/private/patina* /dev/shm/patina*"
SERVICES = ("patina-api", "patina-redis", "patina-worker")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run([PROJECT_DIR / "stack/dist", folder], check=True)
    return folder


@pytest.fixture(scope="module")
def machine(as_root: None, built: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[CleanMachine]:
    packages = sorted(built.glob("*.deb"))
    clean = CleanMachine(tmp_path_factory.mktemp("machine"), dependencies(packages))
    try:
        clean.await_start()
        for package in packages:
            os.link(package, clean.root / "root" / package.name)
        yield clean
    finally:
        clean.close()


def _patina(machine: CleanMachine, *words: str) -> Any:
    """Runs the installed command, and returns its document."""
    return json.loads(machine.run("patina", *words, "--json"))


def _install(machine: CleanMachine) -> None:
    """Installs the packages, or upgrades to them; waits until the server and its host answer."""
    machine.run("sh", "-c", "exec dpkg --install /root/*.deb")
    _await_host(machine)


def _await_host(machine: CleanMachine) -> None:
    wait_until("the host reports", lambda: "is_healthy" in machine.run("patina", "hosts", "--json", check=False))
    wait_until("it is healthy", lambda: all(host["is_healthy"] for host in _patina(machine, "hosts")["items"]))


def _main_pids(machine: CleanMachine) -> dict[str, str]:
    show = ("systemctl", "show", "--property=MainPID", "--value")
    return {service: machine.run(*show, service).strip() for service in SERVICES}


@pytest.mark.slow
def test_packages_on_a_clean_debian(machine: CleanMachine) -> None:
    _install(machine)
    assert machine.run("patina", "--version").strip() == f"patina {__version__}"
    assert "Age file systems" in machine.run("man", "patina")
    _check_units(machine)
    before = set(loop_files())
    image = _age_a_sandbox(machine)
    assert [each["name"] for each in _patina(machine, "images")["items"]] == [image]

    pids = _main_pids(machine)
    _install(machine)
    assert not set(pids.values()) & set(_main_pids(machine).values()), "an upgrade restarts every service"
    assert machine.run("journalctl", "--unit=patina-migrate").count("Finished") == 2
    assert [each["name"] for each in _patina(machine, "images")["items"]] == [image]

    _restore_a_backup(machine)
    assert [each["name"] for each in _patina(machine, "images")["items"]] == [image]

    purged = ("patina-worker", "patina-server", "patina-common")
    machine.run("dpkg", "--purge", *purged)
    assert set(loop_files()) <= before
    assert machine.run("sh", "-c", LEFT, check=False) == ""
    assert "patina" not in machine.run("sh", "-c", "cat /proc/[0-9]*/comm")
    assert "patina" not in machine.run("runuser", "-u", "postgres", "--", "psql", "-c", r"\l", "-c", r"\du")


def _age_a_sandbox(machine: CleanMachine) -> str:
    """Ages a sandbox device, restores its image, and returns the image's name."""
    device = _patina(machine, "sandbox", "64MiB")["path"]
    machine.run("patina", "age", device, "--profile", "agrawal", "--fullness", "50")
    (image,) = _patina(machine, "images")["items"]
    machine.run("patina", "restore", image["name"], device, "--confirm", device)
    shown = _patina(machine, "image", "show", image["name"])
    assert (shown["size_bytes"], shown["name"]) == (64 * 2**20, image["name"])
    return str(image["name"])


def _restore_a_backup(machine: CleanMachine) -> None:
    """Makes a backup, loses all data, and restores it as docs/operations.md has it."""
    machine.run("patina-admin", "backup", "/root/backup")
    machine.run("systemctl", "stop", "patina-api", "patina-worker")
    machine.run("rm", "-r", "/var/lib/patina/images", "/var/lib/patina/store")
    machine.run("runuser", "-u", "postgres", "--", "dropdb", "patina")
    machine.run("systemctl", "start", "patina-database")
    machine.run("patina-admin", "restore", "/root/backup")
    machine.run("systemctl", "start", "patina-api", "patina-worker")
    _await_host(machine)


def _check_units(machine: CleanMachine) -> None:
    """Checks that systemd accepts the units, how far they are confined, and the account of each service."""
    units = [f"patina-{name}.service" for name in MOST_EXPOSURE]
    machine.run("systemd-analyze", "verify", *units)
    for name, exposure in MOST_EXPOSURE.items():
        machine.run("systemd-analyze", "security", f"--threshold={exposure}", f"patina-{name}.service")
    for service, pid in _main_pids(machine).items():
        status = machine.run("cat", f"/proc/{pid}/status")
        (uid, capabilities) = (re.search(pattern, status) for pattern in (r"Uid:\s+(\d+)", r"CapEff:\s+(\w+)"))
        assert uid is not None
        assert capabilities is not None
        is_worker = service == "patina-worker"
        assert (uid[1] == "0", int(capabilities[1], 16) != 0) == (is_worker, is_worker), service
    page = machine.run("/usr/lib/patina/.venv/bin/python", "-c", _GET, "http://127.0.0.1:8040/")
    assert "<title>Patina</title>" in page


_GET = "import sys, urllib.request; print(urllib.request.urlopen(sys.argv[1]).read().decode())"


@pytest.mark.slow
def test_the_bill_of_materials_names_what_the_packages_have(built: Path) -> None:
    document = json.loads((built / "patina.cdx.json").read_text(encoding="utf-8"))
    urls = {part["purl"].partition("?")[0] for part in document["components"]}
    python = re.findall(r"^(\S+)==(\S+)", (PROJECT_DIR / "requirements/runtime.txt").read_text(), re.MULTILINE)
    page = json.loads((PROJECT_DIR / "frontend/package.json").read_text(encoding="utf-8"))["dependencies"]
    assert {f"pkg:pypi/{name.partition('[')[0]}@{version}" for name, version in python} <= urls
    assert {f"pkg:npm/{name.replace('@', '%40')}@{version}" for name, version in page.items()} <= urls
    core = {url.partition("@")[0].removeprefix("pkg:deb/debian/") for url in urls if url.startswith("pkg:deb/")}
    assert {"libzstd-dev", "libssl-dev", "libxxhash-dev", "libfmt-dev", "libc6-dev"} <= core
    assert not {name for name in core if "gtest" in name}, "the tests are not in the packages"


def test_the_packages_have_the_version_of_the_command() -> None:
    project = tomllib.loads((PROJECT_DIR / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["version"] == __version__
