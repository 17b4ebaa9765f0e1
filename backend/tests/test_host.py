"""Hosts: joining, health, refusals on lost hosts, and removal."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import func, select, text, update

from host_rows import REPORT
from patina.db import engine, transaction
from patina.device import lease
from patina.device.models import Device, Lease
from patina.host import service as host_service
from patina.host.models import Host, JoinToken
from patina.image.models import Image
from patina.job.models import Job
from patina.run.models import Run
from patina.settings import forget_settings, settings
from patina_dev.testing.wait import wait_until
from run_requests import run_body

DeviceFactory = Callable[..., int]
ImageFactory = Callable[..., int]
ChooseSettings = Callable[..., None]
GIB = 2**30
HEALTHY_FOR = timedelta(seconds=20)  # as the settings have it
DATABASE_URL = "postgresql+psycopg://patina:secret@10.0.0.5:5432/patina"
REDIS_URL = "redis://:secret@10.0.0.5:6379/0"


@pytest.fixture
def choose(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChooseSettings]:
    """Yields a function that sets this server's settings, by their names without the prefix."""

    def _choose(**changes: str) -> None:
        for name, value in changes.items():
            monkeypatch.setenv(f"PATINA_{name.upper()}", value)
        forget_settings()

    yield _choose
    monkeypatch.undo()
    forget_settings()


@pytest.fixture
def reachable(choose: ChooseSettings) -> None:
    """Configures addresses of this server's services for other hosts."""
    choose(advertised_database_url=DATABASE_URL, advertised_redis_url=REDIS_URL)


def report(name: str = "lab-2", **changes: Any) -> int:
    key = changes.pop("worker_key", f"key of {name}")
    with transaction() as session:
        report = REPORT.model_copy(update=changes)
        return host_service.heartbeat(session=session, name=name, report=report, worker_key=key).id


def fall_silent(host_id: int, silence: timedelta = HEALTHY_FOR) -> None:
    with transaction() as session:
        session.execute(update(Host).where(Host.id == host_id).values(heartbeat_at=func.now() - silence))


def make_token(client: TestClient, **body: int) -> dict[str, Any]:
    answer = client.post("/api/v1/hosts/tokens", json=body)
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


def join(client: TestClient, token: str, name: str = "lab-2") -> tuple[int, dict[str, Any]]:
    answer = client.post("/api/v1/hosts/join", json={"token": token, "name": name})
    return answer.status_code, answer.json()


def test_a_token_is_shown_once_and_gives_a_host_what_it_needs(client: TestClient, reachable: None) -> None:
    made = make_token(client)
    status, joined = join(client, made["token"])
    assert status == 200
    assert joined["host_name"] == "lab-2"
    told = {"DATABASE_URL": DATABASE_URL, "REDIS_URL": REDIS_URL, "PATINA_HOST_NAME": "lab-2"}
    assert told.items() <= joined["environment"].items()
    assert "PATINA_STORE_BUCKET" not in joined["environment"]

    (listed,) = client.get("/api/v1/hosts/tokens").json()["items"]
    assert "token" not in listed
    assert (listed["used_count"], listed["uses_count"], listed["is_open"]) == (1, 1, False)
    with engine().connect() as connection:
        assert made["token"] not in str(connection.execute(text("SELECT * FROM join_token")).all())


def test_a_host_that_joins_is_told_of_the_bucket(client: TestClient, reachable: None, choose: ChooseSettings) -> None:
    choose(store_bucket="images", store_access_key="key", store_secret_key="hidden")
    environment = join(client, make_token(client)["token"])[1]["environment"]
    assert (environment["PATINA_STORE_BUCKET"], environment["PATINA_STORE_SECRET_KEY"]) == ("images", "hidden")


def test_a_token_serves_as_many_hosts_as_it_was_made_for(client: TestClient, reachable: None) -> None:
    token = make_token(client, uses_count=2)["token"]
    assert [join(client, token, name)[0] for name in ("lab-1", "lab-2", "lab-3")] == [200, 200, 403]


def test_a_token_that_is_used_up_expired_revoked_or_invented_is_refused(client: TestClient, reachable: None) -> None:
    used, expired, revoked = (make_token(client) for _ in range(3))
    assert join(client, used["token"])[0] == 200
    with transaction() as session:
        session.execute(update(JoinToken).where(JoinToken.id == expired["id"]).values(expires_at=func.now()))
    assert client.delete(f"/api/v1/hosts/tokens/{revoked['id']}").json()["is_open"] is False
    for token in (used["token"], expired["token"], revoked["token"], "join-invented"):
        status, problem = join(client, token)
        assert (status, problem["code"]) == (403, "join_token_refused")


def test_revoking_twice_is_revoking_once_and_an_unknown_token_is_not_found(client: TestClient, reachable: None) -> None:
    token_id = make_token(client)["id"]
    first, second = (client.delete(f"/api/v1/hosts/tokens/{token_id}").json() for _ in range(2))
    assert first == second
    answer = client.delete("/api/v1/hosts/tokens/999")
    assert (answer.status_code, answer.json()["code"]) == (404, "join_token_unknown")


def test_the_name_of_a_living_host_is_refused_and_costs_no_use_and_a_dead_ones_is_free(
    client: TestClient, reachable: None
) -> None:
    host_id = report("lab-2")
    token = make_token(client)["token"]
    status, problem = join(client, token, "lab-2")
    assert (status, problem["code"]) == (409, "host_name_taken")
    fall_silent(host_id)
    assert join(client, token, "lab-2")[0] == 200


@pytest.mark.parametrize("name", ["", "a b", "-a", "lab/2", "x" * 64, "../etc"])
def test_a_senseless_name_is_refused(client: TestClient, reachable: None, name: str) -> None:
    status, problem = join(client, make_token(client)["token"], name)
    assert (status, problem["errors"][0]["field"]) == (422, "name")


def test_no_host_joins_a_server_whose_services_are_on_loopback(client: TestClient) -> None:
    answer = client.post("/api/v1/hosts/tokens", json={})
    assert (answer.status_code, answer.json()["code"]) == (409, "join_not_configured")
    assert "PATINA_ADVERTISED_DATABASE_URL" in answer.json()["detail"]


def test_the_address_of_the_server_is_the_one_that_was_asked_or_the_one_it_was_told(
    client: TestClient, reachable: None, choose: ChooseSettings
) -> None:
    assert make_token(client)["server_url"] == "http://127.0.0.1"
    choose(advertised_url="https://patina.lab/")
    assert make_token(client)["server_url"] == "https://patina.lab"


def test_a_second_worker_under_a_living_hosts_name_is_refused_and_may_take_a_dead_ones(clean_database: None) -> None:
    host_id = report("lab-2")
    with pytest.raises(host_service.HostNameTaken):
        report("lab-2", worker_key="key of another machine")
    fall_silent(host_id)
    assert report("lab-2", worker_key="key of another machine") == host_id
    with pytest.raises(host_service.HostNameTaken):
        report("lab-2")


def test_a_host_is_judged_by_the_databases_clock_alone(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """No worker's or API's clock matters: no stored or compared time comes from one."""
    host_id = report()

    def _age_s() -> float:
        with engine().connect() as connection:
            age_s = connection.scalar(select(func.extract("epoch", func.clock_timestamp() - Host.heartbeat_at)))
        assert age_s is not None
        return float(age_s)

    def _is_healthy() -> bool:
        is_healthy: bool = client.get("/api/v1/hosts").json()["items"][0]["is_healthy"]
        return is_healthy

    def _seen_in_time() -> list[bool]:
        """Returns whether a host with a recent heartbeat was healthy; empty if the check took too long."""
        fall_silent(host_id, HEALTHY_FOR - timedelta(seconds=10))
        is_healthy = _is_healthy()
        return [is_healthy] if _age_s() < HEALTHY_FOR.seconds else []

    assert _age_s() >= 0
    assert wait_until("the host is looked at in time", _seen_in_time) == [True]
    fall_silent(host_id)
    assert not _is_healthy()


def test_the_devices_of_a_silent_host_are_lost_and_say_so_until_it_is_heard_again(
    client: TestClient, make_device: DeviceFactory, host_id: int
) -> None:
    device_id = make_device()
    fall_silent(host_id)
    lost = client.get(f"/api/v1/devices/{device_id}").json()
    assert lost["state"] == "lost"
    assert "host local has been silent since" in lost["state_reason"]
    report("local", worker_key=None)
    assert client.get(f"/api/v1/devices/{device_id}").json()["state"] == "available"


def test_on_a_silent_host_nothing_starts_but_what_may_wait(
    client: TestClient, make_device: DeviceFactory, host_id: int
) -> None:
    device_id = make_device()
    fall_silent(host_id)
    body = run_body(device_id)
    refused = [
        client.post("/api/v1/runs", json=body),
        client.post("/api/v1/devices", json={"size_bytes": GIB}),
        client.post(
            "/api/v1/actions",
            json={"kind": "verify", "device_id": device_id, "image_id": 1, "confirmation": body["confirmation"]},
        ),
    ]
    assert [(answer.status_code, answer.json()["code"]) for answer in refused] == [(409, "host_lost")] * 3
    waits = client.post("/api/v1/runs", json=body | {"waits": True})
    assert (waits.status_code, waits.json()["state"]) == (202, "queued")
    events = client.get(f"/api/v1/jobs/{waits.json()['id']}/events").json()["items"]
    assert "host local has been silent since" in events[0]["payload"]["message"]


def test_without_a_name_the_servers_own_host_is_meant_among_several(client: TestClient, host_id: int) -> None:
    report("lab-2")
    made = client.post("/api/v1/devices", json={"size_bytes": GIB})
    assert made.json()["host"]["name"] == "local"
    made = client.post("/api/v1/devices", json={"size_bytes": GIB, "host_name": "lab-2"})
    assert made.json()["host"]["name"] == "lab-2"


def remove(client: TestClient, host_id: int) -> tuple[int, dict[str, Any]]:
    answer = client.delete(f"/api/v1/hosts/{host_id}")
    return answer.status_code, answer.json()


def test_a_living_host_and_an_unknown_one_are_not_removed(client: TestClient, host_id: int) -> None:
    status, problem = remove(client, host_id)
    assert (status, problem["code"]) == (409, "host_alive")
    status, problem = remove(client, 999)
    assert (status, problem["code"]) == (404, "no_such_host")


def test_a_host_that_may_still_be_at_work_is_not_removed(client: TestClient, run_id: int, host_id: int) -> None:
    lease_id = client.get(f"/api/v1/runs/{run_id}").json()["device"]["active_lease"] and _lease_of(run_id)
    with transaction() as session:
        lease.claim(session=session, lease_id=lease_id, ttl=timedelta(hours=1))
    fall_silent(host_id)
    status, problem = remove(client, host_id)
    assert (status, problem["code"]) == (409, "host_in_use")
    assert f"run {run_id}" in problem["detail"]


def _lease_of(run_id: int) -> int:
    with transaction() as session:
        lease_id = session.get_one(Run, run_id).lease_id
    assert lease_id is not None
    return lease_id


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("queued", "canceled"),
        ("running", "interrupted"),
        ("paused", "interrupted"),
        ("canceling", "canceled"),
    ],
)
def test_jobs_of_a_removed_host_end_and_their_leases_are_released(
    client: TestClient, run_id: int, host_id: int, before: str, after: str
) -> None:
    lease_id = _lease_of(run_id)
    with transaction() as session:
        fence = lease.claim(session=session, lease_id=lease_id, ttl=timedelta(seconds=-1))
        session.execute(update(Job).where(Job.id == run_id).values(state=before))
    fall_silent(host_id)
    assert remove(client, host_id)[0] == 200
    run = client.get(f"/api/v1/runs/{run_id}").json()
    assert (run["state"], run["resumes_left_count"]) == (after, 0)
    with transaction() as session:
        released = session.get_one(Lease, lease_id)
        assert released.released_at is not None
        assert released.fence != fence
    events = client.get(f"/api/v1/jobs/{run_id}/events").json()["items"]
    assert "was removed" in events[-1]["payload"]["message"]


def test_a_removed_host_leaves_the_lists_with_its_devices_and_comes_back_when_it_is_heard(
    client: TestClient, make_device: DeviceFactory, host_id: int
) -> None:
    make_device()
    fall_silent(host_id)
    assert remove(client, host_id)[1]["removed_at"] == remove(client, host_id)[1]["removed_at"] is not None
    assert client.get("/api/v1/hosts").json()["items"] == []
    assert client.get("/api/v1/devices").json()["items"] == []
    report("local", worker_key=None)
    assert [host["name"] for host in client.get("/api/v1/hosts").json()["items"]] == ["local"]
    assert len(client.get("/api/v1/devices").json()["items"]) == 1


@pytest.fixture
def image_elsewhere(client: TestClient, publish_image: ImageFactory) -> int:
    """Returns an image whose index was never here: another host, lab-2, captured it."""
    index = settings().index_dir / "theirs.caibx"
    index.write_bytes(b"an index")
    image_id = publish_image(index.name)
    index.unlink()
    with transaction() as session:
        session.execute(update(Image).where(Image.id == image_id).values(host_id=report("lab-2")))
    return image_id


def test_an_image_of_another_host_is_not_restored_here_without_a_bucket(
    client: TestClient, make_device: DeviceFactory, image_elsewhere: int
) -> None:
    device_id = make_device("sandbox-here")
    with transaction() as session:
        device = session.get_one(Device, device_id)
        confirmation = {"stable_id": device.stable_id, "size_bytes": device.size_bytes, "typed": device.path}
    body = {"device_id": device_id, "image_id": image_elsewhere, "confirmation": confirmation}
    for kind in ("restore", "verify"):
        answer = client.post("/api/v1/actions", json={"kind": kind, **body})
        assert (answer.status_code, answer.json()["code"]) == (409, "image_elsewhere")
        assert "store of host lab-2" in answer.json()["detail"]
    assert client.get(f"/api/v1/devices/{device_id}").json()["state"] == "available"


def test_an_image_of_another_host_says_where_it_is_and_is_no_download_here(
    client: TestClient, image_elsewhere: int
) -> None:
    url = f"/api/v1/images/{image_elsewhere}"
    place = client.get(url).json()["place"]
    assert place == {"bucket": None, "host": "lab-2", "is_host_healthy": True, "is_host_removed": False}
    for path in ("/downloads", "/download/raw", "/index.caibx"):
        answer = client.get(url + path)
        assert (answer.status_code, answer.json()["code"]) == (409, "image_elsewhere"), path


def test_an_image_of_another_host_can_be_deleted_and_keeps_no_other_from_it(
    client: TestClient, image_elsewhere: int, publish_image: ImageFactory
) -> None:
    told = client.get(f"/api/v1/images/{image_elsewhere}/deletion").json()
    assert (told["frees_bytes"], told["shared_bytes"]) == (None, None)
    assert client.delete(f"/api/v1/images/{image_elsewhere}").status_code in (200, 204)


def test_an_image_of_a_removed_host_says_that_it_is_out_of_reach(client: TestClient, image_elsewhere: int) -> None:
    with transaction() as session:
        host_id = session.scalars(select(Host.id).where(Host.name == "lab-2")).one()
    fall_silent(host_id)
    assert remove(client, host_id)[0] == 200
    assert client.get(f"/api/v1/images/{image_elsewhere}").json()["place"]["is_host_removed"] is True
    answer = client.get(f"/api/v1/images/{image_elsewhere}/index.caibx")
    assert "which was removed" in answer.json()["detail"]


def test_the_schema_of_this_version_is_the_one_that_alembic_makes() -> None:
    from alembic.config import Config
    from alembic.script import ScriptDirectory

    from patina import revision
    from patina.settings import PROJECT_DIR

    script = ScriptDirectory.from_config(Config(PROJECT_DIR / "migrations" / "alembic.ini"))
    assert revision.newest() == script.get_current_head()
    assert revision.known() == [each.revision for each in reversed(list(script.walk_revisions()))]


@pytest.mark.parametrize(("found", "code"), [("0001", "database_older"), ("ffff", "database_newer")])
def test_a_server_whose_database_is_another_versions_is_not_ready_and_says_which(
    client: TestClient, found: str, code: str
) -> None:
    from patina import revision

    with engine().begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = :found"), {"found": found})
    try:
        answer = client.get("/readyz")
        with transaction() as session, pytest.raises((revision.DatabaseOlder, revision.DatabaseNewer)) as refused:
            revision.require(session=session)
    finally:
        with engine().begin() as connection:
            connection.execute(text("UPDATE alembic_version SET version_num = :found"), {"found": revision.newest()})
    assert refused.value.code == code
    assert answer.status_code == 503
    assert f"schema {found}" in answer.json()["database"]


def test_a_database_from_before_the_first_migration_is_not_upgraded(clean_database: None) -> None:
    from patina import revision
    from patina.migrate import migrate

    with engine().begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '0024'"))
    try:
        with pytest.raises(revision.DatabaseTooOld, match="schema 0024, of a version that was never released"):
            migrate()
    finally:
        with engine().begin() as connection:
            connection.execute(text("UPDATE alembic_version SET version_num = :found"), {"found": revision.newest()})
