"""Figures in the texts of refusals and logs."""

import pytest

from patina.figures import exactly_bytes, in_bytes


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
