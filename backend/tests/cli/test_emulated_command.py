"""The command makes emulated disks, shows them, and makes them fail."""

import threading
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from commands import Patina, answered, made_by_hand, printed, refusal
from patina.db import transaction
from patina.device.emulation import Emulated, Emulation, FaultRead, Prediction
from run_rows import stored_run

GIB = 2**30
DeviceFactory = Callable[..., int]
EMULATION = Emulation(available_bytes=GIB, model="disk", model_label="Disk of a test").model_dump(mode="json")
FIGURES = Emulated(
    size_bytes=2**40,
    available_bytes=GIB,
    stored_bytes=3 * 2**20,
    kept_bytes=2**20,
    dropped_bytes=99 * 2**20,
    squashed_bytes=99 * 2**20,
    used_bytes=80 * 2**20,
    saved_bytes=97 * 2**20,
    memory_bytes=2**24,
    file_system="ext4",
    kept_whole_reason=None,
    model="disk",
    time="fast",
    predicted_s=4320.0,
    clock_s=5000.0,
    model_report=None,
    error_code=None,
    error=None,
    requests_count=9,
    delay_error_fraction=None,
    faults=[{"kind": "read_only"}],
    measured_at=datetime.now(UTC),
).model_dump(mode="json")


def test_an_emulated_disk_is_made_with_its_options(patina: Patina, host_id: int) -> None:
    asked: list[dict[str, Any]] = []
    worker = threading.Thread(target=lambda: asked.append(made_by_hand(2**40)))
    worker.start()
    options: tuple[object, ...] = ("--data", "text", "--seed", 5, "--compressible", 0.25, "--available", "2GiB")
    options += ("--keep-path", "database/**", "--keep-path", "etc/*.conf")
    said = printed(patina("sandbox", "1TiB", "--emulated", *options))
    worker.join()
    assert "/dev/loop77" in said
    assert "emulated, 1.00 TiB" in said
    assert asked[0] | {"model": None} == {
        **Emulation(available_bytes=2 * GIB, model_label=None, data="text", seed=5).model_dump(),
        "compressible_fraction": 0.25,
        "kept_paths": ["database/**", "etc/*.conf"],
    }


def test_a_stretched_raid_is_made(patina: Patina, host_id: int) -> None:
    asked: list[dict[str, Any]] = []
    worker = threading.Thread(target=lambda: asked.append(made_by_hand(2**40)))
    worker.start()
    options = ("--model", "hitachi-1tb", "--raid", 5, "--disks", 4, "--stretch-pieces", 8, "--keep-all")
    printed(patina("sandbox", "1TiB", "--emulated", *options, "--available", "1GiB"))
    worker.join()
    assert (asked[0]["raid"], asked[0]["stretch_pieces_count"]) == ({"level": 5, "disks_count": 4}, 8)
    assert asked[0]["keeps_all"]
    shown = " ".join(printed(patina("device", "show", "/dev/loop77")).split())
    assert "4 × Hitachi 1 TB, 7200 rpm, RAID-5, stretched in 8 pieces" in shown


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--raid", 5, "--disks", 2, "--model", "hitachi-1tb"), "--disks: RAID-5 needs 3 disks or more"),
        (("--stretch-pieces", 4), "--stretch-pieces: A stretch needs a disk model"),
        (("--available", "1MiB"), "--available: must be 64.0 MiB or more"),
    ],
)
def test_wrong_options_are_named_as_they_are_typed(
    patina: Patina, host_id: int, options: tuple[object, ...], said: str
) -> None:
    assert said in refusal(patina("sandbox", "1GiB", "--emulated", *options))


def test_an_odd_size_is_refused_in_words(patina: Patina, host_id: int) -> None:
    assert "SIZE: must be a multiple of 4.00 KiB" in refusal(patina("sandbox", str(GIB + 512)))


def test_options_of_emulated_disks_need_emulated(patina: Patina, host_id: int) -> None:
    assert "Add --emulated" in refusal(patina("sandbox", "1GiB", "--seed", 5), status=2)
    alone = patina("sandbox", "1GiB", "--emulated", "--raid", 5, "--model", "hitachi-1tb")
    assert "--raid and --disks are given together" in refusal(alone, status=2)


def test_the_disk_models_are_listed(patina: Patina, host_id: int) -> None:
    names = [model["name"] for model in answered(patina("disk-models", "--json"))["items"]]
    listed = printed(patina("disk-models"))
    assert [name for name in names if name not in listed] == []


def test_a_device_shows_what_was_kept_and_predicted(patina: Patina, make_device: DeviceFactory) -> None:
    fault = FaultRead.model_validate(
        {
            "fault": {"kind": "read_only"},
            "asked_at": datetime.now(UTC),
            "done_at": datetime.now(UTC),
            "error": "It has ended.",
        }
    )
    emulation, figures = EMULATION | {"kept_paths": ["database/**"]}, FIGURES | {"lost_held_bytes": 2**21}
    make_device("sandbox-1", emulation=emulation, emulated=figures, fault=fault.model_dump(mode="json"))
    shown = " ".join(printed(patina("device", "show", "sandbox-1")).split())
    for text in (
        "1.00 TiB",
        "80.0 MiB",
        "3.00 MiB on the host",
        "97.0 MiB, 97.0 % of what a plain disk would store",
        "1 h 12 min on Disk of a test",
        "database/**",
        "2.00 MiB, maybe of kept paths",
        "read only, failed: It has ended.",
    ):
        assert text in shown


def test_an_empty_disk_does_not_say_that_all_of_it_is_kept(patina: Patina, make_device: DeviceFactory) -> None:
    why = "It has no file system that Patina can classify."
    blank = FIGURES | {"file_system": None, "kept_whole_reason": why}
    make_device("sandbox-1", emulation=EMULATION, emulated=blank)
    make_device("sandbox-2", emulation=EMULATION, emulated=blank, holds="unrecognised content")
    assert why not in in_line(printed(patina("device", "show", "sandbox-1")))
    assert why in in_line(printed(patina("device", "show", "sandbox-2")))


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        (("power-cut", "--lost", "random", "--seed", 3), {"kind": "power_cut", "lost": "random", "seed": 3}),
        (
            ("read-error", "--first", "1MiB", "--length", "4KiB"),
            {"kind": "read_error", "first_byte": 2**20, "length_bytes": 4096},
        ),
        (("ends-early", "--size", "512MiB"), {"kind": "ends_early", "size_bytes": 2**29}),
        (("slow", "--delay", 15), {"kind": "slow", "delay_ms": 15}),
        (("none",), {"kind": "none"}),
    ],
)
def test_a_fault_is_asked(
    patina: Patina, make_device: DeviceFactory, words: tuple[object, ...], asked: dict[str, Any]
) -> None:
    make_device("sandbox-1", emulation=EMULATION)
    assert "/dev/sandbox-1" in printed(patina("device", "fault", "sandbox-1", *words))
    assert answered(patina("device", "show", "sandbox-1", "--json"))["fault"]["fault"] == asked
    assert "being sent" in printed(patina("device", "show", "sandbox-1"))


def test_a_fault_without_its_range_is_refused(patina: Patina, make_device: DeviceFactory) -> None:
    make_device("sandbox-1", emulation=EMULATION)
    assert "first_byte" in refusal(patina("device", "fault", "sandbox-1", "read-error"))


@pytest.fixture
def run_ids(make_device: DeviceFactory) -> list[int]:
    """Returns a run with a predicted time, and one without."""
    prediction = Prediction(model_label="Disk of a test", time="fast", elapsed_s=41.0, predicted_s=4320.0)
    ids = []
    for name, found in (("sandbox-1", prediction.model_dump(mode="json")), ("sandbox-2", None)):
        with transaction() as session:
            run = stored_run(session=session, device_id=make_device(name, emulation=EMULATION), prediction=found)
            ids.append(run.id)
    return ids


def in_line(said: str) -> str:
    return " ".join(said.split())


def test_a_run_shows_the_predicted_time(patina: Patina, run_ids: list[int]) -> None:
    predicted, plain = run_ids
    said = "aging took 41.0 s here; predicted 1 h 12 min on Disk of a test"
    assert said in in_line(printed(patina("run", "show", predicted)))
    assert "predicted" not in printed(patina("run", "show", plain))
    listed = {line.split()[0]: in_line(line) for line in printed(patina("runs")).splitlines()}
    assert listed[str(predicted)].endswith(said)
    assert "predicted" not in listed[str(plain)]
    items = answered(patina("runs", "--json"))["items"]
    assert [run["prediction"] and run["prediction"]["predicted_s"] for run in items] == [None, 4320.0]


def test_a_comparison_has_the_predicted_time_where_a_run_has_one(patina: Patina, run_ids: list[int]) -> None:
    predicted, plain = run_ids
    rows = [in_line(line) for line in printed(patina("run", "compare", plain, predicted)).splitlines()]
    assert "predicted time - 1 h 12 min on Disk of a test" in rows
    assert "predicted" not in printed(patina("run", "compare", plain, plain))
