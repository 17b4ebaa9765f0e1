"""What a command answers to input that is wrong: the option that it was given with, and what is possible."""

from collections.abc import Callable

import pytest

from commands import Patina, answered, printed, refusal

Factory = Callable[..., int]


@pytest.fixture
def device(make_device: Factory) -> str:
    make_device("sandbox-1")
    return "/dev/sandbox-1"


def test_a_size_that_is_too_small_is_refused_in_the_unit_of_sizes(patina: Patina, host_id: int) -> None:
    assert "SIZE: must be 64.0 MiB or more" in refusal(patina("sandbox", "100KiB"))
    assert "'big' is not a size. Write 1GiB, 256MiB or a number of bytes." in refusal(patina("sandbox", "big"))


def test_a_setting_is_refused_by_its_option(patina: Patina, device: str) -> None:
    said = refusal(patina("age", device, "--file-system", "ntfs"))
    assert "--file-system: must be 'ext4', " in said
    assert "--set foo: there is no such field" in refusal(patina("age", device, "--set", "foo=1"))
    assert "--set append_fraction: must be 0.9 or less" in refusal(patina("age", device, "--set", "append_fraction=1"))
    assert "--max-overwrites: must be more than 0" in refusal(patina("age", device, "--max-overwrites", "-1"))
    assert "--mode: must be 'faithful'" in refusal(patina("age", device, "--mode", "quick"))


def test_a_condition_of_a_list_is_refused_by_its_option(patina: Patina) -> None:
    assert "--state: must be 'uploading', 'queued', " in refusal(patina("runs", "--state", "asleep"))


def test_percent_is_said_where_a_fraction_was_given(patina: Patina, device: str) -> None:
    said = refusal(patina("age", device, "--fullness", "0.6"), 2)
    assert said == "patina: --fullness 0.6: it is in percent, from 1 to 95. For 60% write 60."
    assert "in percent, from 1 to 95." in refusal(patina("forecast", "agrawal", "--fullness", 150), 2)
    assert "'much' is not a number of percent" in refusal(patina("age", device, "--max-rmse", "much"), 2)


def test_a_percent_sign_may_be_written(patina: Patina) -> None:
    asked = ("forecast", "agrawal", "--capacity", "1G", "--json")
    assert answered(patina(*asked, "--fullness", "60%", "--max-rmse", "1 %")) == answered(
        patina(*asked, "--fullness", 60, "--max-rmse", 1)
    )
    shown = printed(patina("forecast", "agrawal", "--capacity", "300MB"))
    assert "e+0" not in shown


def test_a_device_may_be_confirmed_by_its_name(patina: Patina, make_device: Factory) -> None:
    make_device("sandbox-2", holds="ext4")
    printed(patina("device", "name", "/dev/sandbox-2", "bench"))
    said = refusal(patina("age", "bench", "--workload", "fresh"))
    assert "give its serial, path or name (/dev/sandbox-2 or bench). The option is --confirm." in said


def test_a_trace_of_a_device_without_an_image_names_the_device(patina: Patina, device: str) -> None:
    assert f"{device} holds no image that Patina knows of" in refusal(patina("trace", device))
