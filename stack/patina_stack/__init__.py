"""The stack: runs Patina's parts on one machine without configuration."""

from pathlib import Path

PROJECT_DIR = Path(__file__).resolve().parents[2]
