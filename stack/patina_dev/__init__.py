"""The developers' tools: the suite, checks, benchmarks, the soak test."""

# The variable that names the folder of a suite's run to its processes. It has no setting's name, because starters of
# other hosts and applications drop all settings.
SUITE_FOLDER = "TEST_SUITE_OF_PATINA"
