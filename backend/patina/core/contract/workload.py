"""What `age` is about to do in place of a plan: a workload of another study, or a recorded operation log."""

from typing import Annotated, Literal

from pydantic import Field

from patina.core.contract.plan import Plan
from patina.core.record import Bytes, Count, EventModel

WorkloadName = Literal["fsfb", "churn", "replay"]


class WorkloadPlan(EventModel):
    """The second record of `age --workload`."""

    type: Literal["workload"]
    workload: WorkloadName
    capacity_bytes: Bytes
    block_size_bytes: Bytes
    horizon_ops_count: Count = Field(description="Operations, expected")
    recorded_digest: str | None = Field(description="SHA-256, hex, of the recorded stream; null where none is replayed")


RunPlan = Annotated[Plan | WorkloadPlan, Field(discriminator="type")]
