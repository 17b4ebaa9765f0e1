"""The core's plan: the result of a forecast, and the first event of a run."""

from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from patina.core.record import Bytes, CoreError, Count, EventModel, Fraction, Hello
from patina.profile.histogram import HistogramName


class SetAsideBin(EventModel):
    """A bin of the profile that this capacity cannot represent (docs/design.md, "How aging converges")."""

    histogram: HistogramName
    edge: float = Field(description="The bin's edge: bytes, directory depth or relative age")
    target_fraction: Fraction = Field(description="Its share of the profile before renormalising")
    reason: Literal["too_large", "too_rare"]


class PlannedBin(EventModel):
    edge: float = Field(description="Bytes, directory depth, or relative age (unitless, ascending)")
    target_fraction: Fraction


class CurvePoint(EventModel):
    """One point of the cost-against-accuracy curve."""

    ops_count: Count
    overwrites: float
    age_rmse: Fraction


class PlannedHistograms(EventModel):
    size: list[PlannedBin]
    depth: list[PlannedBin]
    age: list[PlannedBin]


class Mix(EventModel):
    """Modifications: fractions of the operations of stable aging."""

    append: Fraction
    overwrite: Fraction
    truncate: Fraction
    rename: Fraction
    punch_hole: Fraction


class PlannedRmsePoint(EventModel):
    ops_count: Count
    age_rmse: Fraction = Field(description="Age RMSE of the live files at that point, in the windows of the horizon")


class Plan(EventModel):
    """Requirements of a profile at a capacity and fullness. The result of `forecast`, the second record of
    `simulate` and `age`. Source: CMU-PDL-16-105, appendix, as restated in docs/design.md."""

    type: Literal["plan"]
    profile_digest: str = Field(description="SHA-256, hex, of the normalised histograms")
    capacity_bytes: Bytes
    block_size_bytes: Bytes
    fullness: Fraction = Field(description="Target: block-rounded user data over capacity")
    fullness_statfs_target: Fraction | None = Field(
        default=None, description="Target of statfs at the end, where that is the goal"
    )
    fullness_band: Fraction = Field(description="Largest planned distance of the files' fullness from the target")
    seed: int
    files_count: Count = Field(description="K, expected live files")
    mean_file_bytes: float = Field(description="Mean block-rounded file size")
    minimal_horizon_ops_count: Count = Field(description="T_min")
    horizon_ops_count: Count = Field(description="T, the tick at which the run ends")
    rapid_ops_count: Count = Field(description="Creates of rapid aging, expected")
    written_bytes: Bytes = Field(description="Bytes of all creates, expected")
    overwrites: float = Field(description="written_bytes over capacity")
    critical_age_bin: Count = Field(description="Index into histograms.age of the bin that sets T_min")
    runner_up_horizon_ops_count: Count = Field(description="T_min if the critical bin were relaxed to the next one")
    age_rmse: Fraction = Field(description="Best age RMSE reachable at this horizon, beside the integer floor")
    rmse_floor: Fraction = Field(description="0.29/K, the best that whole files allow")
    budget: Literal["none", "max_rmse", "max_overwrites", "max_ops"]
    size_draw: Literal["exact", "log_uniform"] = Field(description="Sizes: the bin's edge, or drawn within the bin")
    mix: Mix
    set_aside: list[SetAsideBin]
    histograms: PlannedHistograms
    planned_rmse: list[PlannedRmsePoint] = Field(description="Planned course of the age RMSE")
    curve: list[CurvePoint]


PlanRecord = Annotated[Hello | Plan | CoreError, Field(discriminator="type")]
plan_record: TypeAdapter[PlanRecord] = TypeAdapter(PlanRecord)
