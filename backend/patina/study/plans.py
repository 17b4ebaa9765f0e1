"""Ready-made plans of studies, for the page and the command, with the policies and limits that both offer."""

from dataclasses import dataclass
from typing import Any

from patina.core.contract.shingle import CLEANERS, PLACEMENTS
from patina.study import settings as limits
from patina.study.settings import CapacitySettings, CleaningSettings

_FULLNESSES = [0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95]


@dataclass(frozen=True)
class StudyPlan:
    """A ready-made study: each of its settings can be changed before the start."""

    name: str
    title: str
    summary: str
    settings: CapacitySettings | CleaningSettings


PLANS = (
    StudyPlan(
        name="capacity",
        title="Capacity, as published",
        summary="How much larger than its files a disk must be, under the five policies of the thesis, beside its "
        "figures.",
        settings=CapacitySettings(
            kind="capacity", policies=["best", "first", "next", "last-position", "worst"], did_blocks=[16, 512]
        ),
    ),
    StudyPlan(
        name="capacity-more",
        title="Capacity, three more policies",
        summary="The same of best fit that splits files, coalesces late, or places by what is really damaged.",
        settings=CapacitySettings(
            kind="capacity",
            policies=["best", "best-split", "best-late", "best-aware"],
            did_blocks=[16, 512],
            dnor_blocks=6,
        ),
    ),
    StudyPlan(
        name="cleaning",
        title="Cleaning",
        summary="What a strict-append disk moves to give space back, and what a Caveat-Scriptor disk writes until a "
        "file finds no place, from 50 to 95 % full.",
        settings=CleaningSettings(
            kind="cleaning", policies=["best", "next", "worst"], cleaners=list(CLEANERS), fullnesses=_FULLNESSES
        ),
    ),
    StudyPlan(
        name="did-fullness",
        title="DID and fullness",
        summary="What best fit writes until a file finds no place, by DID from 16 to 1024 blocks and by fullness.",
        settings=CleaningSettings(
            kind="cleaning",
            policies=["best"],
            did_blocks=[16, 32, 64, 128, 256, 512, 1024],
            fullnesses=_FULLNESSES,
            seeds_count=5,
        ),
    ),
)


def described() -> dict[str, Any]:
    """Returns the plans, the policies and the limits as the page reads them."""
    return {
        "plans": [
            {
                "name": plan.name,
                "title": plan.title,
                "summary": plan.summary,
                "settings": plan.settings.model_dump(mode="json"),
            }
            for plan in PLANS
        ],
        "policies": PLACEMENTS,
        "cleaners": CLEANERS,
        "limits": {
            "results_count": limits.MOST_RESULTS_COUNT,
            "seeds_count": limits.MOST_SEEDS_COUNT,
            "did_blocks": limits.MOST_DID_BLOCKS,
            "operations_count": limits.MOST_OPERATIONS_COUNT,
            "least_bytes": limits.LEAST_BYTES,
            "most_bytes": limits.MOST_BYTES,
            "times": limits.MOST_TIMES,
        },
    }
