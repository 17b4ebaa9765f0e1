"""Plans of a run under other stop conditions."""

from patina.core.contract.plan import Plan
from patina.errors import PatinaError
from patina.forecast import core as forecast
from patina.profile import service as profile_service
from patina.run.models import Run
from patina.run.settings import StopConditions

WorkloadHasNoBudget = PatinaError.of("workload_has_no_budget", "A workload has no budget", status=409)


def check_conditions(*, run: Run, conditions: StopConditions) -> None:
    """Refuses conditions that the run cannot meet: the errors of a forecast, WorkloadHasNoBudget."""
    if run.profile_version is not None:
        plan_of(run=run, capacity_bytes=run.device.capacity_estimate_bytes(run.in_force.file_system), asked=conditions)
    elif conditions.max_rmse is not None or conditions.max_overwrites is not None:
        raise WorkloadHasNoBudget(
            f"Run {run.id} carries out the workload {run.in_force.workload}, which has no histograms. Leave out "
            "max_rmse and max_overwrites; max_seconds ends it."
        )


def plan_of(*, run: Run, capacity_bytes: int, asked: StopConditions) -> Plan:
    """Returns the plan of a run with a profile. Raises the errors of a forecast."""
    assert run.profile_version is not None
    assert run.fullness_of_files is not None
    return forecast.forecast(
        profile=profile_service.document_of(run.profile_version),
        capacity_bytes=capacity_bytes,
        fullness=run.fullness_of_files,
        max_rmse=asked.max_rmse,
        max_overwrites=asked.max_overwrites,
        files=run.in_force,
    )
