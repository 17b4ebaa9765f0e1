"""Requests and rows of studies, as the page sends them and as a worker leaves them."""

from typing import Any

from patina.db import transaction
from patina.study.models import StudyResult


def capacity_body(**changes: object) -> dict[str, Any]:
    """Returns a valid request for a study of capacity: two policies, two DIDs, three seeds, 4 MiB of files."""
    settings = {
        "kind": "capacity",
        "policies": ["best", "worst"],
        "did_blocks": [16, 512],
        "usable_bytes": 4 * 2**20,
        "operations_count": 500,
        "seeds_count": 3,
    }
    return {"settings": settings | changes}


def cleaning_body(**changes: object) -> dict[str, Any]:
    """Returns a valid request for a study of cleaning: a policy and a cleaner at one fullness, two seeds."""
    settings = {
        "kind": "cleaning",
        "policies": ["next"],
        "cleaners": ["greedy"],
        "fullnesses": [0.5],
        "size_bytes": 64 * 2**20,
        "band_bytes": 4 * 2**20,
        "times": 2,
        "seeds_count": 2,
    }
    return {"settings": settings | changes}


def capacity_summary(**changes: object) -> dict[str, Any]:
    """Returns the core's result of best fit with DID 16."""
    summary = {
        "type": "summary",
        "command": "shingle capacity",
        "policy": "best",
        "did_blocks": 16,
        "dnor_blocks": 0,
        "seed": 1,
        "total_blocks": 1200,
        "free_blocks": 300,
        "unusable_blocks": 60,
        "usable_blocks": 240,
        "allocated_blocks": 900,
        "split_files_count": 0,
        "attempts_count": 18,
    }
    return summary | changes


def cleaning_summary(**changes: object) -> dict[str, Any]:
    """Returns the core's result of a greedy cleaner."""
    summary = {
        "type": "summary",
        "command": "shingle cleaning",
        "interface": "strict-append",
        "policy": "greedy",
        "did_blocks": 16,
        "dnor_blocks": 0,
        "fullness": 0.5,
        "seed": 1,
        "total_blocks": 1000,
        "written_blocks": 2000,
        "moved_blocks": 500,
        "cleanings_count": 7,
        "live_blocks": 480,
        "is_full": False,
    }
    return summary | changes


def found(study_id: int, cell: int, *summaries: dict[str, Any]) -> None:
    """Stores results of a cell, with the seeds from 1."""
    with transaction() as session:
        session.add_all(
            StudyResult(study_id=study_id, cell=cell, seed=seed, summary=summary | {"seed": seed})
            for seed, summary in enumerate(summaries, start=1)
        )
