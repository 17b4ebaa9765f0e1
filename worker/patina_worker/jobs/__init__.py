"""The common parts of all jobs: claim, run, end, reminders, and recovery when the process is gone."""
