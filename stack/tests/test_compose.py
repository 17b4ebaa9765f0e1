"""Checks docker-compose.yml against rules of the Compose specification. Without an engine, it is not run."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from patina.http.answer_headers import HEADERS
from patina.http.frontend import NONCE, POLICY
from patina.settings import Settings
from patina_stack import PROJECT_DIR

SERVICE_KEYS = {
    "image", "build", "pid", "entrypoint", "command", "environment", "volumes", "healthcheck", "restart", "depends_on",
    "privileged", "shm_size", "stop_grace_period", "ports", "cap_drop", "security_opt",
}  # fmt: skip
CONDITIONS = {"service_started", "service_healthy", "service_completed_successfully"}
DURATION = re.compile(r"^(\d+(\.\d+)?(us|ms|s|m|h))+$")


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    document: dict[str, Any] = yaml.safe_load((PROJECT_DIR / "docker-compose.yml").read_text())
    return document


def test_the_stack_is_whole_and_only_known_keys_are_used(compose: dict[str, Any]) -> None:
    assert set(compose) == {"name", "services", "volumes", "x-environment"}
    assert set(compose["services"]) == {"postgres", "redis", "migrate", "api", "worker", "frontend"}
    for service in compose["services"].values():
        assert set(service) <= SERVICE_KEYS
        assert ("image" in service) != ("build" in service)


def test_every_service_waits_for_what_it_needs_by_a_condition_that_can_come_true(compose: dict[str, Any]) -> None:
    services = compose["services"]
    for service in services.values():
        for needed, wait in service.get("depends_on", {}).items():
            assert wait["condition"] in CONDITIONS
            if wait["condition"] == "service_healthy":
                assert "healthcheck" in services[needed]
            if wait["condition"] == "service_completed_successfully":
                assert services[needed]["restart"] == "no"


def test_health_checks_are_well_formed(compose: dict[str, Any]) -> None:
    for service in compose["services"].values():
        check = service.get("healthcheck", {"test": ["CMD", "x"], "interval": "1s", "timeout": "1s", "retries": 1})
        assert check["test"][0] in ("CMD", "CMD-SHELL")
        assert DURATION.match(check["interval"])
        assert DURATION.match(check["timeout"])
        assert isinstance(check["retries"], int)


def test_nothing_is_published_but_one_port_on_loopback(compose: dict[str, Any]) -> None:
    ports = [port for service in compose["services"].values() for port in service.get("ports", [])]
    assert len(ports) == 1
    assert ports[0].startswith("127.0.0.1:")


def test_only_the_worker_is_privileged(compose: dict[str, Any]) -> None:
    assert [name for name, service in compose["services"].items() if service.get("privileged")] == ["worker"]
    for name in ("api", "migrate"):
        service = compose["services"][name]
        assert (service["cap_drop"], service["security_opt"]) == (["ALL"], ["no-new-privileges:true"])
    assert "USER patina" in (PROJECT_DIR / "docker" / "backend.Dockerfile").read_text()


def test_named_volumes_are_declared(compose: dict[str, Any]) -> None:
    used = {v.split(":")[0] for s in compose["services"].values() for v in s.get("volumes", [])}
    assert {name for name in used if not name.startswith(("/", "."))} == set(compose["volumes"])
    assert all((PROJECT_DIR / name).exists() for name in used if name.startswith("."))


def test_every_dockerfile_is_there_and_copies_what_is_there(compose: dict[str, Any]) -> None:
    for service in compose["services"].values():
        if "build" not in service:
            continue
        dockerfile = PROJECT_DIR / service["build"]["dockerfile"]
        for line in dockerfile.read_text().splitlines():
            words = line.split()
            if words[:1] == ["COPY"] and not words[1].startswith("--from"):
                for source in words[1:-1]:
                    assert (PROJECT_DIR / source).exists(), f"{dockerfile.name}: {source}"


def _variables(text: str) -> set[str]:
    return set(re.findall(r"\$\{([A-Z_]+)", text))


def test_every_variable_that_compose_reads_is_in_the_example(compose: dict[str, Any]) -> None:
    example = (PROJECT_DIR / ".env.example").read_text()
    named = set(re.findall(r"^#?([A-Z_]+)=", example, re.MULTILINE))
    assert _variables((PROJECT_DIR / "docker-compose.yml").read_text()) <= named
    given = {name for service in compose["services"].values() for name in _environment_of(service)}
    ours = {name for name in given if name.startswith("PATINA_")}
    assert ours <= {f"PATINA_{field.upper()}" for field in Settings.model_fields}


def _environment_of(service: dict[str, Any]) -> dict[str, Any]:
    environment: dict[str, Any] = service.get("environment", {})
    return environment


def test_the_example_names_every_setting() -> None:
    example = (PROJECT_DIR / ".env.example").read_text()
    named = set(re.findall(r"^#?([A-Z_]+)=", example, re.MULTILINE))
    for field in Settings.model_fields:
        name = field.upper() if field in ("database_url", "redis_url") else f"PATINA_{field.upper()}"
        assert name in named, f"{name} is missing in .env.example"


def test_the_frontend_container_passes_on_every_path_of_the_api() -> None:
    nginx = Path(PROJECT_DIR / "docker" / "nginx.conf").read_text()
    for path in ("api", "healthz", "readyz", "version", "metrics"):
        assert path in nginx
    assert "proxy_buffering off" in nginx


def test_the_frontend_container_gives_the_headers_that_the_application_gives() -> None:
    nginx = Path(PROJECT_DIR / "docker" / "nginx.conf").read_text()
    assert POLICY.replace(NONCE, "$request_id") in nginx
    for name, value in HEADERS.items():
        assert value in nginx
        assert f"proxy_hide_header {name};" in nginx, "there would be two of it"
