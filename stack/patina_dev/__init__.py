"""What developers run: the suite, checks, benchmarks, the soak test."""

# Names the folder of a run of the suite to its processes. No name of a setting: what starts another host or
# application passes none of those on.
SUITE_FOLDER = "TEST_SUITE_OF_PATINA"
