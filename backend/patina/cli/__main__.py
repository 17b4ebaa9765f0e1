"""Entry point of `python -m patina.cli`."""

from patina.cli.app import run

run()
