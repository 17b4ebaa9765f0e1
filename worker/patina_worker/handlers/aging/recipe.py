"""The recipe of an image: begun once the file system is made, completed with the core's results."""

import os

from patina import __version__
from patina.core.contract.age import AgeSummary
from patina.core.contract.plan import Plan
from patina.core.contract.workload import RunPlan, WorkloadPlan
from patina.run.recipe import Recipe
from patina.run.settings import StopConditions
from patina.settings import settings
from patina_worker.handlers.aging.age_job import AgeJob
from patina_worker.host import file_system
from patina_worker.tools import versions


def recipe_of(job: AgeJob, made: file_system.Made) -> Recipe:
    """Returns the recipe as known once the file system is made."""
    return Recipe(
        **job.settings.model_dump(),
        schema_version=1,
        profile_digest=None,
        recorded_digest=None,
        capacity_bytes=None,
        block_size_bytes=None,
        device_size_bytes=job.target.size_bytes,
        device_model=job.target.model,
        file_system_uuid=made.uuid,
        mkfs_command=made.command,
        mkfs_features=made.features,
        mount_options=job.mount_options,
        horizon_ops_count=None,
        legs=[],
        way=None,
        plan_digest=None,
        kernel=os.uname().release,
        host=settings().host_name,
        patina_version=__version__,
        tools=versions.versions(),
    )


def completed(
    recipe: Recipe, plan: RunPlan, summary: AgeSummary, conditions: StopConditions, exact_ops_count: int | None
) -> Recipe:
    """Returns the recipe with the core's results and the conditions in force at the end."""
    return recipe.model_copy(
        update={
            "profile_digest": plan.profile_digest if isinstance(plan, Plan) else None,
            "recorded_digest": plan.recorded_digest if isinstance(plan, WorkloadPlan) else None,
            "capacity_bytes": plan.capacity_bytes,
            "block_size_bytes": plan.block_size_bytes,
            "horizon_ops_count": plan.horizon_ops_count,
            "plan_digest": summary.plan_digest,
            "legs": summary.legs,
            "way": summary.way,
            **conditions.model_dump(),
            "exact_ops_count": exact_ops_count,
        }
    )
