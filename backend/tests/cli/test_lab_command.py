"""Commands of what surrounds runs: devices, hosts, batches, jobs, notes, webhooks, stores, links, the account."""

import io
from collections.abc import Callable

import pytest
from sqlalchemy import update

from commands import Patina, answered, printed, refusal
from joined_hosts import fall_silent
from patina.db import transaction
from patina.job.models import Job
from patina.job.state import JobState
from patina.settings import forget_settings
from patina_dev.testing.owner import NAME
from trial_rows import make_image

Factory = Callable[..., int]


def end_job(number: int, state: JobState, **values: object) -> None:
    with transaction() as session:
        session.execute(update(Job).where(Job.id == number).values(state=state, **values))


@pytest.fixture
def ends_at_once(monkeypatch: pytest.MonkeyPatch) -> Callable[[JobState], None]:
    """Returns a function that sets how a job ends as soon as the command waits for it."""

    def _set(state: JobState) -> None:
        def _sleep(_: float) -> None:
            with transaction() as session:
                session.execute(update(Job).values(state=state, message="Looked at 3 chunks", error_code=None))

        monkeypatch.setattr("patina.cli.watch.time.sleep", _sleep)

    return _set


def test_a_device_is_shown_and_a_sandbox_is_removed_after_a_question(
    patina: Patina, make_device: Factory, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_device("sandbox-1", holds="ext4")
    shown = printed(patina("device", "show", "/dev/sandbox-1"))
    assert "sandbox-1" in shown
    assert "ext4" in shown
    assert answered(patina("device", "show", "/dev/sandbox-1", "--json"))["holding"] is None
    monkeypatch.setattr("sys.stdin", io.StringIO("n\n"))
    assert patina("device", "remove", "/dev/sandbox-1")[0] == 1
    assert answered(patina("device", "show", "/dev/sandbox-1", "--json"))["state"] == "available"
    assert "is being removed" in printed(patina("device", "remove", "/dev/sandbox-1", "--yes"))
    assert answered(patina("device", "show", "/dev/sandbox-1", "--json"))["state"] == "busy"


def test_a_removed_device_without_a_path_is_named_by_its_stable_id(patina: Patina, make_device: Factory) -> None:
    number = make_device("sandbox-1", path=None, condition="lost")
    said = printed(patina("device", "remove", str(number), "--yes"))
    assert said.strip() == "sandbox-1 is being removed."


def test_a_device_is_for_a_team_for_operators_and_for_every_member(patina: Patina, make_device: Factory) -> None:
    make_device("sandbox-1")
    printed(patina("team", "make", "lab"))
    users = ("device", "users", "/dev/sandbox-1")
    assert "by the team lab" in printed(patina(*users, "--team", "lab"))
    assert answered(patina(*users, "--operators", "--json"))["users"] == "operators"
    assert "by every member" in printed(patina(*users))
    assert "Choose --team or --operators" in refusal(patina(*users, "--team", "lab", "--operators"), status=2)


def test_a_lost_host_is_removed_and_a_healthy_one_is_not(patina: Patina, make_device: Factory) -> None:
    make_device("sandbox-1")
    (host,) = answered(patina("hosts", "--json"))["items"]
    assert "heartbeat just now" in refusal(patina("host", "remove", host["name"], "--yes"))
    assert "There is no host 'nowhere'" in refusal(patina("host", "remove", "nowhere"))
    fall_silent(host["name"])
    assert answered(patina("host", "remove", host["name"], "--json"))["removed_at"] is not None


def test_join_tokens_are_listed_and_revoked(patina: Patina, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DATABASE_URL", "REDIS_URL"):
        monkeypatch.setenv(f"PATINA_ADVERTISED_{name}", "redis://services.example/0")
    forget_settings()
    made = answered(patina("join-token", "--hosts", 2, "--json"))
    monkeypatch.delenv("PATINA_ADVERTISED_DATABASE_URL")
    monkeypatch.delenv("PATINA_ADVERTISED_REDIS_URL")
    forget_settings()
    assert "0 of 2" in printed(patina("host", "tokens"))
    assert "is revoked" in printed(patina("host", "revoke-token", made["id"]))
    assert "revoked" in printed(patina("host", "tokens"))


def test_jobs_are_listed_shown_and_tried_again(patina: Patina, run_id: int) -> None:
    assert answered(patina("jobs", "--open", "--kind", "run", "--json"))["items"][0]["id"] == run_id
    assert "queued" in printed(patina("jobs", run_id))
    assert printed(patina("jobs", "--state", "failed")).count("\n") == 1
    assert "There is no job 999" in refusal(patina("jobs", 999))
    assert "There is no job 999" in refusal(patina("follow", 999))
    assert f"Run {run_id} is queued" in printed(patina("retry", run_id))
    end_job(run_id, JobState.SUCCEEDED)
    assert "succeeded" in refusal(patina("retry", run_id))
    assert answered(patina("notices", run_id, "--json"))["items"] == []


def test_a_run_has_a_note_and_other_stop_conditions(patina: Patina, run_id: int) -> None:
    assert "has no note" in printed(patina("note", run_id))
    assert "for the talk" in printed(patina("note", run_id, "for the talk"))
    assert answered(patina("note", run_id, "--json"))["note"] == "for the talk"
    assert answered(patina("note", run_id, "", "--json"))["note"] == ""
    assert "run" in refusal(patina("stop-at", run_id, "--max-overwrites", 3)).lower()


def test_a_batch_is_listed_shown_and_stopped(
    patina: Patina, make_device: Factory, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_device("sandbox-1")
    make_device("sandbox-2")
    monkeypatch.setattr("patina.cli.batch.sleep", _interrupt)
    assert patina("age", "/dev/sandbox-1", "/dev/sandbox-2", "--workload", "fresh")[0] == 130
    (batch,) = answered(patina("batch", "list", "--json"))["items"]
    assert "fresh" in printed(patina("batch", "list"))
    assert "/dev/sandbox-2" in printed(patina("batch", "show", batch["id"]))
    assert "2 queued" in printed(patina("batch", "list"))
    assert "asked to stop" in printed(patina("batch", "stop", batch["id"]))
    _, followed, said = patina("batch", "follow", batch["id"])
    assert "did not succeed" in said
    assert "/dev/sandbox-1, canceled" in followed
    for run in batch["runs"]:
        end_job(run["id"], JobState.SUCCEEDED)
    assert "have ended. There is nothing to stop." in refusal(patina("batch", "stop", batch["id"]))
    assert "Look at the list of batches" in refusal(patina("batch", "show", 999))


def test_the_progress_of_a_batch_is_shown(patina: Patina, make_device: Factory) -> None:
    make_device("sandbox-1")
    make_device("sandbox-2")
    asked = ("age", "/dev/sandbox-1", "/dev/sandbox-2", "--workload", "fresh", "--file-system", "xfs", "--detach")
    assert printed(patina(*asked)).strip() == "Batch 1 is started. `patina batch follow 1` watches it."
    end_job(1, JobState.RUNNING, phase="materialize", done=1, total=4)
    shown = printed(patina("batch", "show", 1)).splitlines()
    assert shown[0].split() == ["run", "device", "file", "system", "state"]
    assert shown[1].split()[:5] == ["1", "/dev/sandbox-1", "xfs", "running,", "25"]


def test_a_run_is_started_and_not_watched(patina: Patina, make_device: Factory) -> None:
    make_device("sandbox-1")
    asked = ("age", "/dev/sandbox-1", "--workload", "fresh", "--detach")
    assert printed(patina(*asked)).strip() == "Run 1 is started. `patina follow 1` watches it."
    end_job(1, JobState.RUNNING)
    assert printed(patina("pause", 1)).strip() == "Run 1 is asked to pause."
    end_job(1, JobState.PAUSED)
    assert printed(patina("pause", 1)).strip() == "Run 1 is paused."
    assert printed(patina("resume", 1)).strip() == "Run 1 is asked to go on."


def _interrupt(_: float) -> None:
    raise KeyboardInterrupt


def test_webhooks_are_added_changed_tested_and_removed(patina: Patina) -> None:
    made = answered(patina("webhook", "add", "chat", "https://chat.example/hook", "--kind", "failed", "--json"))
    number = made["id"]
    assert made["secret"].startswith("whsec_")
    assert made["secret"] not in printed(patina("webhook", "list"))
    assert answered(patina("webhook", "change", number, "--off", "--json"))["is_enabled"] is False
    assert "off" in printed(patina("webhook", "show", number))
    printed(patina("webhook", "change", number, "--on"))
    delivery = answered(patina("webhook", "test", number, "--json"))
    assert "ping" in printed(patina("webhook", "deliveries", number))
    assert "is pending" in printed(patina("webhook", "send-again", number, delivery["id"]))
    assert "is removed" in printed(patina("webhook", "remove", number, "--yes"))
    assert answered(patina("webhook", "list", "--json"))["items"] == []


def test_garbage_is_collected_and_the_stores_are_listed(
    patina: Patina, host_id: int, ends_at_once: Callable[[JobState], None]
) -> None:
    assert answered(patina("stores", "--json"))["items"] == []
    printed(patina("stores"))
    ends_at_once(JobState.SUCCEEDED)
    assert "Looked at 3 chunks" in printed(patina("gc", "--dry-run"))
    ends_at_once(JobState.CANCELED)
    assert "ended canceled" in patina("gc")[2]


def test_who_leaves_a_collection_is_told_how_to_come_back(
    patina: Patina, host_id: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("patina.cli.watch.time.sleep", _interrupt)
    status, _, err = patina("gc")
    assert (status, "`patina follow 1` watches it" in err) == (130, True)
    status, _, err = patina("follow", 1)
    assert (status, "`patina follow 1` watches it" in err) == (130, True)


def test_the_values_of_the_images_are_counted(patina: Patina, publish_image: Factory) -> None:
    make_image(publish_image, "agrawal-70-ext4-1")
    make_image(publish_image, "meyer-50-xfs-2", file_system="xfs")
    found = answered(patina("images", "--counts", "--json"))
    assert found["images_count"] == 2
    assert answered(patina("images", "--counts", "--file-system", "xfs", "--json"))["images_count"] == 1
    assert "all that match" in printed(patina("images", "--counts", "--size", "1GiB"))
    assert "is not a size" in refusal(patina("images", "--size", "much"))


def test_a_run_that_has_ended_is_not_canceled(patina: Patina, publish_image: Factory) -> None:
    make_image(publish_image, "aged")
    run_id = answered(patina("image", "show", "aged", "--json"))["run_id"]
    for state, code in ((JobState.SUCCEEDED, None), (JobState.FAILED, "no_space")):
        end_job(run_id, state, error_code=code)
        assert f"Run {run_id} has {state}. There is nothing to stop." in refusal(patina("cancel", run_id))
    end_job(run_id, JobState.CANCELED, error_code=None)
    assert "is canceled" in printed(patina("cancel", run_id)), "what was asked for"


def test_links_show_an_image_a_profile_or_a_run(patina: Patina, publish_image: Factory) -> None:
    image_id = make_image(publish_image, "aged")
    run_id = answered(patina("image", "show", "aged", "--json"))["run_id"]
    assert image_id
    for shown in (("--image", "aged"), ("--profile", "agrawal"), ("--job", run_id)):
        made = answered(patina("link", "make", *shown, "--days", 1, "--json"))
        assert str(made["id"]) in printed(patina("link", "list", *shown))
        assert "/shared#patina-link-" in printed(patina("link", "make", *shown))
        assert "is revoked" in printed(patina("link", "revoke", made["id"]))
        [left] = answered(patina("link", "list", *shown, "--json"))["items"]
        assert left["id"] != made["id"]
    assert "Choose one of" in refusal(patina("link", "make", "--image", "aged", "--job", run_id), 2)
    assert "Choose one of" in refusal(patina("link", "list"), 2)


def test_invitations_are_listed_and_revoked(patina: Patina) -> None:
    made = answered(patina("account", "invite", "--note", "for Grace", "--json"))
    assert "for Grace" in printed(patina("account", "invitations"))
    assert "is revoked" in printed(patina("account", "revoke-link", made["id"]))
    assert answered(patina("account", "invitations", "--json"))["items"] == []


def test_every_token_is_revoked_after_a_question(patina: Patina, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("n\n"))
    assert patina("token", "revoke-all")[0] == 1
    assert NAME in printed(patina("whoami"))


def test_a_profile_is_described_and_fitted(patina: Patina) -> None:
    printed(patina("profile", "fork", "agrawal", "mine"))
    assert answered(patina("profile", "describe", "mine", "--tag", "lab", "--json"))["tags"] == ["lab"]
    assert "Name what to change" in refusal(patina("profile", "describe", "mine"), 2)
    assert "distance" in printed(patina("profile", "fit", "mine", "size", "lognormal", "--dry-run"))
    assert "version 2" in printed(patina("profile", "fit", "mine", "size", "lognormal"))
    assert "Fitted" in printed(patina("profile", "versions", "mine"))
    assert answered(patina("profile", "uses", "mine", "--json")) == {"items": []}
    assert "is fitted by" in refusal(patina("profile", "fit", "mine", "depth", "lognormal"))
    printed(patina("profile", "archive", "mine"))
    assert [each["name"] for each in answered(patina("profiles", "--archived", "--json"))["items"]] == ["mine"]


def test_a_folder_that_the_host_does_not_scan_makes_no_profile(patina: Patina, host_id: int) -> None:
    assert "scan" in refusal(patina("profile", "scan", "/srv/projects", "--name", "projects")).lower()
    assert "projects" not in printed(patina("profiles"))


def test_a_forecast_is_simulated_and_has_a_time_on_a_device(patina: Patina, make_device: Factory) -> None:
    make_device("sandbox-1")
    assert "simulated age RMSE" in printed(patina("forecast", "agrawal", "--capacity", "64MiB", "--simulate"))
    assert "a guess: no runs yet" in printed(patina("forecast", "agrawal", "--device", "/dev/sandbox-1"))


def test_plans_and_workloads_are_listed_and_described(patina: Patina) -> None:
    assert [plan["name"] for plan in answered(patina("plans", "--json"))][3:] == ["git", "write-amplification"]
    assert "Fullness" not in printed(patina("plans"))
    assert "varmail" in printed(patina("workloads"))
    assert "threads" in printed(patina("workloads", "varmail"))
    assert "There is no workload 'none'" in refusal(patina("workloads", "none"))
