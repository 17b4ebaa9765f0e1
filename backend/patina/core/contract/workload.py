"""The goal of `age` without a plan: a workload of another study, or a recorded operation log."""

from typing import Annotated, Literal

from pydantic import Field

from patina.core.contract.plan import Plan
from patina.core.record import Bytes, Count, EventModel

WorkloadName = Literal["fsfb", "churn", "replay", "fresh"]


class WorkloadPlan(EventModel):
    """The second record of `age --workload`."""

    type: Literal["workload"]
    workload: WorkloadName
    capacity_bytes: Bytes
    block_size_bytes: Bytes
    horizon_ops_count: Count = Field(description="Expected operations")
    recorded_digest: str | None = Field(description="SHA-256, hex, of the recorded stream; null without a replay")


RunPlan = Annotated[Plan | WorkloadPlan, Field(discriminator="type")]
