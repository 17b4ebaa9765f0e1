"""Figures in the texts of refusals and logs."""

import pytest

from patina.figures import exactly_bytes, in_bytes, in_duration, parse_size


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (512, "512 B"),
        (64 * 2**20, "64.0 MiB"),
        (2**30 + 1, "1.00 GiB"),
        (1023 * 2**20, "1.00 GiB"),
        (3 * 2**40, "3.00 TiB"),
    ],
)
def test_a_size_has_three_digits_and_an_iec_unit(count: int, text: str) -> None:
    assert in_bytes(count) == text


def test_sizes_that_must_be_equal_are_told_apart_to_the_byte() -> None:
    assert exactly_bytes(2**30) == "1.00 GiB (1,073,741,824 bytes)"
    assert exactly_bytes(2**30 + 512) == "1.00 GiB (1,073,742,336 bytes)"
    assert exactly_bytes(512) == "512 B"


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("512", 512),
        ("512 B", 512),
        ("300MiB", 300 * 2**20),
        ("300MB", 300 * 2**20),
        ("300M", 300 * 2**20),
        ("1.5 g", 1536 * 2**20),
    ],
)
def test_a_size_is_read_as_on_the_page(text: str, count: int) -> None:
    assert parse_size(text) == count


@pytest.mark.parametrize("text", ["", "big", "MiB", "-1GiB", "1.5.2GiB", "1XiB"])
def test_what_is_not_a_size_is_refused_with_the_forms(text: str) -> None:
    with pytest.raises(ValueError, match=r"is not a size\. Write 1GiB, 256MiB or a number of bytes"):
        parse_size(text)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(5.219, "5.22 s"), (50, "50.0 s"), (123, "2 min 3 s"), (3_900, "1 h 5 min"), (183_600, "2 d 3 h")],
)
def test_a_duration_is_said_as_on_the_page(seconds: float, text: str) -> None:
    assert in_duration(seconds) == text
