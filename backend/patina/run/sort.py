"""Orders of the list of runs."""

from enum import StrEnum


class RunSort(StrEnum):
    """What the list of runs is ordered by."""

    CREATED = "created"
    NAME = "name"
    SIZE = "size"
    FULLNESS = "fullness"
    AGE_RMSE = "age_rmse"
