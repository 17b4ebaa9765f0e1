"""Statistics of repetitions: mean, 95 % interval, outliers, ratios, ranks."""

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

# 97.5 % quantiles of Student's t by degrees of freedom, from 1; a test compares them with SciPy's.
_STUDENT = (
    12.7062047362, 4.3026527297, 3.1824463053, 2.7764451052, 2.5705818356, 2.4469118511, 2.3646242516, 2.3060041352,
    2.2621571628, 2.2281388520, 2.2009851601, 2.1788128297, 2.1603686565, 2.1447866879, 2.1314495456, 2.1199052992,
    2.1098155778, 2.1009220402, 2.0930240544, 2.0859634473, 2.0796138447, 2.0738730679, 2.0686576104, 2.0638985616,
    2.0595385528, 2.0555294386, 2.0518305165, 2.0484071418, 2.0452296421, 2.0422724563,
)  # fmt: skip
_NORMAL = 1.959963984540054
OUTLIER_SCORE = 3.5  # Iglewicz and Hoaglin, 1993: of the modified z-score
LEAST_FOR_OUTLIERS_COUNT = 5


def student(degrees_of_freedom: int) -> float:
    """Returns the 97.5 % quantile of Student's t."""
    if degrees_of_freedom <= len(_STUDENT):
        return _STUDENT[degrees_of_freedom - 1]
    # The expansion of Cornish and Fisher (Abramowitz and Stegun, 26.7.5); its error is below 1e-6 here.
    x, n = _NORMAL, float(degrees_of_freedom)
    first = (x**3 + x) / 4
    second = (5 * x**5 + 16 * x**3 + 3 * x) / 96
    third = (3 * x**7 + 19 * x**5 + 17 * x**3 - 15 * x) / 384
    return x + first / n + second / n**2 + third / n**3


@dataclass(frozen=True)
class Interval:
    """A mean with its 95 % interval; without one for fewer than two values."""

    count: int
    mean: float
    low: float | None
    high: float | None
    deviation: float | None


def interval_of(values: Sequence[float]) -> Interval:
    """Returns the mean and Student's 95 % interval. `values` must not be empty."""
    mean = statistics.fmean(values)
    if len(values) < 2:
        return Interval(len(values), mean, None, None, None)
    deviation = statistics.stdev(values)
    half = student(len(values) - 1) * deviation / math.sqrt(len(values))
    return Interval(len(values), mean, mean - half, mean + half, deviation)


def outliers_of(values: Sequence[float]) -> list[int]:
    """Returns the indexes of outliers by the modified z-score. They are shown, not dropped. None of fewer than five."""
    if len(values) < LEAST_FOR_OUTLIERS_COUNT:
        return []
    median = statistics.median(values)
    spread = statistics.median(abs(value - median) for value in values)
    if spread == 0:
        return [index for index, value in enumerate(values) if value != median]
    return [index for index, value in enumerate(values) if 0.6745 * abs(value - median) / spread > OUTLIER_SCORE]


def ratio_of(value: Interval, base: Interval) -> Interval | None:
    """Returns `value` over `base`; its interval by propagation of both errors. None where the base is 0."""
    if base.mean == 0:
        return None
    ratio = value.mean / base.mean
    if value.low is None or base.low is None or value.mean == 0:
        return Interval(min(value.count, base.count), ratio, None, None, None)
    relative = math.hypot((value.mean - value.low) / value.mean, (base.mean - base.low) / base.mean)
    half = abs(ratio) * relative
    return Interval(min(value.count, base.count), ratio, ratio - half, ratio + half, None)


def ranks_of(values: Mapping[str, Interval], *, is_more_better: bool) -> dict[str, int]:
    """Returns the rank of each name, 1 for the best mean."""
    ordered = sorted(values, key=lambda name: values[name].mean, reverse=is_more_better)
    return {name: rank for rank, name in enumerate(ordered, start=1)}


def are_apart(first: Interval, second: Interval) -> bool:
    """Returns whether the intervals do not touch: their order is not by chance."""
    if first.low is None or first.high is None or second.low is None or second.high is None:
        return False
    return first.high < second.low or second.high < first.low


def reversed_pairs(before: Mapping[str, Interval], after: Mapping[str, Interval]) -> list[tuple[str, str]]:
    """Returns the pairs of names whose order by mean differs beyond the intervals, in both."""
    names = sorted(before.keys() & after.keys())
    return [
        (first, second)
        for index, first in enumerate(names)
        for second in names[index + 1 :]
        if are_apart(before[first], before[second])
        and are_apart(after[first], after[second])
        and (before[first].mean < before[second].mean) != (after[first].mean < after[second].mean)
    ]
