"""What all jobs have in common: they are claimed, run, ended, reminded of, and ended when their process is gone."""
