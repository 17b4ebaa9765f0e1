"""Statistics of repetitions, compared with SciPy's."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from patina.trial.statistics import (
    Interval,
    are_apart,
    interval_of,
    outliers_of,
    ranks_of,
    ratio_of,
    reversed_pairs,
    student,
)
from patina_dev.testing.property import property_cases

VALUES = st.lists(st.floats(1e-3, 1e9), min_size=2, max_size=40)


def interval(mean: float, half: float | None = 0.0) -> Interval:
    if half is None:
        return Interval(1, mean, None, None, None)
    return Interval(3, mean, mean - half, mean + half, half)


def test_the_quantiles_of_students_t_are_those_of_scipy() -> None:
    degrees = [*range(1, 1001), 10_000]
    assert [student(each) for each in degrees] == pytest.approx(list(stats.t.ppf(0.975, degrees)), rel=1e-5)


@settings(max_examples=property_cases(50))
@given(VALUES)
def test_the_interval_is_that_of_scipy(values: list[float]) -> None:
    found = interval_of(values)
    assert found.count == len(values)
    assert found.mean == pytest.approx(np.mean(values))
    assert found.low is not None
    assert found.high is not None
    error = stats.sem(values)
    half = 0.0 if error == 0 else error * stats.t.ppf(0.975, len(values) - 1)
    slack = 1e-9 * max(values)
    assert found.low == pytest.approx(np.mean(values) - half, rel=1e-5, abs=slack + 1e-5 * half)
    assert found.high == pytest.approx(np.mean(values) + half, rel=1e-5, abs=slack + 1e-5 * half)
    assert found.deviation == pytest.approx(np.std(values, ddof=1), rel=1e-6, abs=slack)


def test_one_value_has_no_interval() -> None:
    assert interval_of([4.0]) == Interval(1, 4.0, None, None, None)


def test_equal_values_have_an_interval_of_no_width() -> None:
    assert interval_of([4.0, 4.0, 4.0]) == Interval(3, 4.0, 4.0, 4.0, 0.0)


@pytest.mark.parametrize(
    ("values", "outliers"),
    [
        ([10.0, 11.0, 9.0, 10.5, 50.0], [4]),
        ([10.0, 11.0, 9.0, 10.5, 9.5], []),
        ([10.0, 11.0, 9.0, 100.0], []),  # fewer than five
        ([10.0, 10.0, 10.0, 10.0, 12.0], [4]),  # no spread
        ([10.0] * 6, []),
        ([0.1, 10.0, 11.0, 9.0, 10.5, 50.0], [0, 5]),
    ],
)
def test_outliers_are_far_from_the_median_by_its_spread(values: list[float], outliers: list[int]) -> None:
    assert outliers_of(values) == outliers


@settings(max_examples=property_cases(50))
@given(st.lists(st.floats(1e-3, 1e9), min_size=5, max_size=40))
def test_most_values_are_no_outliers(values: list[float]) -> None:
    found = outliers_of(values)
    assert found == sorted(set(found))
    assert len(found) <= len(values) / 2


def test_a_ratio_has_the_errors_of_both() -> None:
    ratio = ratio_of(interval(50.0, 3.0), interval(100.0, 8.0))
    assert ratio is not None
    half = 0.5 * math.hypot(3 / 50, 8 / 100)
    assert (ratio.mean, ratio.low, ratio.high) == pytest.approx((0.5, 0.5 - half, 0.5 + half))


@settings(max_examples=property_cases(50))
@given(VALUES, VALUES, st.floats(1e-3, 1e3))
def test_a_ratio_does_not_depend_on_the_unit(values: list[float], base: list[float], unit: float) -> None:
    one = ratio_of(interval_of(values), interval_of(base))
    other = ratio_of(interval_of([unit * value for value in values]), interval_of([unit * value for value in base]))
    assert one is not None
    assert other is not None
    assert other.mean == pytest.approx(one.mean)
    assert (one.low, one.high) == pytest.approx((other.low, other.high), rel=1e-6, abs=1e-6 * one.mean)


@pytest.mark.parametrize(("value", "base"), [(None, 1.0), (1.0, None)])
def test_a_ratio_without_an_interval_of_both_has_none(value: float | None, base: float | None) -> None:
    ratio = ratio_of(interval(3.0, value), interval(2.0, base))
    assert ratio is not None
    assert (ratio.mean, ratio.low, ratio.high, ratio.count) == (1.5, None, None, 1)


def test_there_is_no_ratio_to_nothing() -> None:
    assert ratio_of(interval(3.0), interval(0.0)) is None
    nothing = ratio_of(interval(0.0), interval(3.0))
    assert nothing is not None
    assert (nothing.mean, nothing.low) == (0.0, None)


def test_the_best_mean_has_rank_one() -> None:
    values = {"ext4": interval(3.0), "xfs": interval(5.0), "btrfs": interval(1.0)}
    assert ranks_of(values, is_more_better=True) == {"xfs": 1, "ext4": 2, "btrfs": 3}
    assert ranks_of(values, is_more_better=False) == {"btrfs": 1, "ext4": 2, "xfs": 3}


@pytest.mark.parametrize(
    ("first", "second", "apart"),
    [
        (interval(1.0, 0.4), interval(2.0, 0.5), True),
        (interval(1.0, 0.5), interval(2.0, 0.5), False),
        (interval(1.0, 2.0), interval(2.0, 0.1), False),
        (interval(1.0, None), interval(2.0, 0.1), False),
    ],
)
def test_intervals_that_do_not_touch_are_apart(first: Interval, second: Interval, apart: bool) -> None:
    assert are_apart(first, second) is apart
    assert are_apart(second, first) is apart


def test_a_pair_whose_order_aging_reverses_is_found() -> None:
    before = {"btrfs": interval(400.0, 9.0), "ext4": interval(300.0, 9.0), "xfs": interval(305.0, 9.0)}
    after = {"btrfs": interval(100.0, 9.0), "ext4": interval(250.0, 9.0), "xfs": interval(200.0, 9.0)}
    # ext4 and xfs change as well, but were not apart before.
    assert reversed_pairs(before, after) == [("btrfs", "ext4"), ("btrfs", "xfs")]


def test_an_order_that_stays_or_is_not_certain_is_no_change() -> None:
    before = {"ext4": interval(300.0, 9.0), "xfs": interval(200.0, 9.0), "gone": interval(1.0)}
    assert reversed_pairs(before, {"ext4": interval(30.0, 1.0), "xfs": interval(20.0, 1.0)}) == []
    assert reversed_pairs(before, {"ext4": interval(20.0, 9.0), "xfs": interval(30.0, 9.0)}) == []
    assert reversed_pairs(before, {"ext4": interval(20.0, None), "xfs": interval(30.0, None)}) == []


ESTIMATES = st.dictionaries(
    st.sampled_from("abcde"), st.builds(interval, st.floats(1, 100), st.floats(0, 5)), min_size=2
)


@settings(max_examples=property_cases(50))
@given(ESTIMATES, ESTIMATES)
def test_reversed_pairs_are_the_same_in_both_directions(
    before: dict[str, Interval], after: dict[str, Interval]
) -> None:
    found = reversed_pairs(before, after)
    assert found == reversed_pairs(after, before)
    for first, second in found:
        ranks = [ranks_of({n: v[n] for n in (first, second)}, is_more_better=True) for v in (before, after)]
        assert ranks[0][first] == ranks[1][second]
