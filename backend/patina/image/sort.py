"""Orders of the catalog."""

from enum import StrEnum


class Sort(StrEnum):
    """Order of the catalog; `stored` and `fullness` begin with the largest."""

    NEWEST = "newest"
    OLDEST = "oldest"
    NAME = "name"
    STORED = "stored"
    FULLNESS = "fullness"
