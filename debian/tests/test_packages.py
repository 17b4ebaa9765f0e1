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
OUR_DATABASE = "FROM pg_database WHERE datname = 'patina'"
SERVICES = ("patina-api", "patina-redis", "patina-worker")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run([PROJECT_DIR / "stack/dist", folder], check=True)
    return folder


@pytest.fixture(scope="module")
def clean(as_root: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[CleanMachine]:
    made = CleanMachine(tmp_path_factory.mktemp("machine"), dependencies(PROJECT_DIR / "debian/control"))
    try:
        yield made
    finally:
        made.close("dpkg", "--purge", "patina-worker")  # after a failure: its loop devices


@pytest.fixture(scope="module")
def machine(clean: CleanMachine, built: Path) -> CleanMachine:
    """Returns a machine that has started, and has the packages in /root."""
    clean.boot()
    for package in built.glob("*.deb"):
        os.link(package, clean.root / "root" / package.name)
    return clean


def _patina(machine: CleanMachine, *words: str, check: bool = True) -> str:
    """Runs the installed command, and returns its output."""
    return machine.run("patina", *words, check=check)


def _document(machine: CleanMachine, *words: str) -> Any:
    """Runs the installed command, and returns the document of the API."""
    return json.loads(_patina(machine, *words, "--json"))


def _names_of_images(machine: CleanMachine) -> list[str]:
    return [each["name"] for each in _document(machine, "images")["items"]]


def _install(machine: CleanMachine) -> None:
    """Installs the packages, or upgrades to them; waits until the server and its host answer."""
    machine.run("sh", "-c", "exec dpkg --install /root/*.deb")
    _await_host(machine)


def _await_api(machine: CleanMachine) -> None:
    wait_until("the API answers", lambda: _patina(machine, "whoami", check=False) or _sign_in(machine))


def _sign_in(machine: CleanMachine) -> bool:
    """Makes the owner by the link that the administrator prints, unless the API does not answer yet."""
    enter = 'link=$(patina-admin link) && echo "a long password" | patina sign-in --link "$link" --name owner'
    return "as owner (owner)" in machine.run("sh", "-c", enter, check=False)


def _await_host(machine: CleanMachine) -> None:
    _await_api(machine)
    wait_until("the host reports", lambda: any(host["is_healthy"] for host in _document(machine, "hosts")["items"]))


def _main_pids(machine: CleanMachine) -> dict[str, str]:
    show = ("systemctl", "show", "--property=MainPID", "--value")
    return {service: machine.run(*show, service).strip() for service in SERVICES}


@pytest.mark.slow
def test_packages_on_a_clean_debian(machine: CleanMachine) -> None:
    _install(machine)
    assert _patina(machine, "--version").strip() == f"patina {__version__}"
    for command, about in (
        ("patina", "Age file systems"),
        ("patina-admin", "Administer the Patina server"),
        ("patina-worker", "Make this machine a host"),
    ):
        assert about in machine.run("man", command)
    _check_units(machine)
    assert _ask_postgresql(machine, f"SELECT pg_encoding_to_char(encoding), datcollate {OUR_DATABASE}") == "UTF8|C"
    image = _age_a_sandbox(machine)
    assert _names_of_images(machine) == [image]
    _age_an_emulated_disk(machine)
    assert _names_of_images(machine) == [image]

    pids = _main_pids(machine)
    _install(machine)
    assert not set(pids.values()) & set(_main_pids(machine).values()), "an upgrade restarts every service"
    assert machine.run("journalctl", "--unit=patina-migrate").count("Finished") == 2
    assert _names_of_images(machine) == [image]

    _restore_a_backup(machine)
    assert _names_of_images(machine) == [image]

    _join(machine)
    purged = ("patina-worker", "patina-server", "patina-common")
    machine.run("dpkg", "--purge", *purged)
    assert [file for file in loop_files().values() if file.startswith("/var/lib/patina/")] == []
    assert machine.run("sh", "-c", LEFT, check=False) == ""
    assert "patina" not in machine.run("sh", "-c", "cat /proc/[0-9]*/comm")
    assert _ask_postgresql(machine, f"SELECT datname {OUR_DATABASE}") == ""
    assert _ask_postgresql(machine, "SELECT rolname FROM pg_roles WHERE rolname LIKE 'patina%'") == ""


def _age_a_sandbox(machine: CleanMachine) -> str:
    """Ages a sandbox device, restores its image, and returns the image's name."""
    device = _document(machine, "sandbox", "64MiB")["path"]
    _patina(machine, "age", device, "--profile", "agrawal", "--fullness", "50")
    (image,) = _document(machine, "images")["items"]
    _patina(machine, "restore", image["name"], device, "--confirm", device)
    shown = _document(machine, "image", "show", image["name"])
    assert (shown["size_bytes"], shown["name"]) == (64 * 2**20, image["name"])
    return str(image["name"])


def _age_an_emulated_disk(machine: CleanMachine) -> None:
    """Ages a disk that the unit's emulator serves, which predicts a time; removes it and its image."""
    device = _document(machine, "sandbox", "2GiB", "--emulated", "--model", "hdd-7200")["path"]
    image = _document(machine, "age", device, "--profile", "agrawal", "--fullness", "10", "--mode", "fast")
    assert image["recipe"]["capture_mode"] == "metadata"
    run = _document(machine, "run", "show", str(image["run_id"]))
    assert run["prediction"]["predicted_s"] > run["prediction"]["elapsed_s"]
    _patina(machine, "image", "delete", image["name"], "--yes")
    _patina(machine, "device", "remove", device, "--yes")
    wait_until("the emulator has ended", lambda: "patina-emulated" not in machine.run("cat", "/proc/mounts"))


def _ask_postgresql(machine: CleanMachine, question: str) -> str:
    return machine.run("runuser", "-u", "postgres", "--", "psql", "--quiet", "-At", "-c", question).strip()


def _restore_a_backup(machine: CleanMachine) -> None:
    machine.run("patina-admin", "backup", "/var/backups/patina")
    refused = "patina-admin restore /var/backups/patina 2>&1 || true"
    assert "Stop it with `systemctl stop patina-api`" in machine.run("sh", "-c", refused)
    machine.run("sh", "-euc", _documented("systemctl start patina-database"))
    _await_host(machine)


def _join(machine: CleanMachine) -> None:
    """Makes the machine another host of its server, reached by the address of a network."""
    machine.add_address("10.0.0.5/32")
    machine.run("sh", "-euc", _documented("ADDRESS=10.0.0.5"))
    _await_api(machine)
    token = _document(machine, "join-token")["token"]
    machine.run("systemctl", "stop", "patina-worker")
    machine.run("sh", "-euc", _documented("--no-start").replace("TOKEN", token))
    wait_until("it has its name", lambda: "lab-2" in {host["name"] for host in _document(machine, "hosts")["items"]})


def _documented(line: str) -> str:
    """Returns the commands of *Install on Debian* with this line."""
    text = (PROJECT_DIR / "docs/operations.md").read_text(encoding="utf-8")
    section = text.partition("## Install on Debian\n")[2].partition("\n## ")[0]
    (found,) = [block for block in re.findall(r"```sh\n(.*?)```", section, re.DOTALL) if line in block]
    return str(found)


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
    readable = "find /etc/patina -type f -perm /077"
    assert machine.run("sh", "-c", readable) == "", "only root reads settings and credentials"
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
