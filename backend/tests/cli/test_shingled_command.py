"""The command makes shingled disks and shows them."""

import threading
from collections.abc import Callable
from typing import Any

import pytest

from commands import Patina, made_by_hand, printed, refusal
from patina.device.shingle import AppendShingle, CaveatShingle

MIB = 2**20
GIB = 2**30
DeviceFactory = Callable[..., int]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (
            ("--shingled", "caveat", "--did", 32, "--dnor", 4, "--policy", "first"),
            {"interface": "caveat", "did_blocks": 32, "dnor_blocks": 4, "policy": "first"},
        ),
        (
            ("--shingled", "strict-append", "--band", "8MiB", "--clean", "oldest"),
            {"interface": "strict-append", "did_blocks": 16, "band_bytes": 8 * MIB, "clean": "oldest"},
        ),
    ],
)
def test_a_shingled_disk_is_made_with_its_options(
    patina: Patina, host_id: int, options: tuple[object, ...], expected: dict[str, Any]
) -> None:
    asked: list[dict[str, Any]] = []
    worker = threading.Thread(target=lambda: asked.append(made_by_hand(GIB, "shingle")))
    worker.start()
    said = printed(patina("sandbox", "1GiB", *options))
    worker.join()
    assert "shingled, 1.00 GiB" in said
    assert asked == [expected]


@pytest.mark.parametrize(
    ("options", "said", "status"),
    [
        (("--did", 32), "Add --shingled", 2),
        (("--shingled", "caveat", "--dnor", 17), "--dnor: The DNOR is at most the DID, 16 blocks", 1),
        (("--shingled", "strict-append", "--band", "1GiB"), "two bands need 2.00 GiB", 1),
        (("--shingled", "caveat", "--emulated"), "Emulate it with keeps_all", 1),
    ],
)
def test_what_is_no_shingled_disk_is_refused_as_it_is_typed(
    patina: Patina, host_id: int, options: tuple[object, ...], said: str, status: int
) -> None:
    assert said in refusal(patina("sandbox", "1GiB", *options), status=status)


@pytest.mark.parametrize(
    ("shingle", "said"),
    [
        (CaveatShingle(interface="caveat"), "caveat, DID 16, DNOR 0, policy best"),
        (AppendShingle(interface="strict-append"), "strict-append, DID 16, bands of 64.0 MiB, cleaner greedy"),
    ],
)
def test_a_device_shows_what_it_is(
    patina: Patina, make_device: DeviceFactory, shingle: CaveatShingle | AppendShingle, said: str
) -> None:
    make_device(shingle=shingle.model_dump(mode="json"))
    shown = " ".join(printed(patina("device", "show", "/dev/sandbox-1")).split())
    assert said in shown
    assert shown.endswith("smrfs")
