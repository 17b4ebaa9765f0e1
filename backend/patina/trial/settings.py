"""The settings of a trial: what is measured on what, and how."""

from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from patina.trial.workload import Workload

MOST_REPETITIONS_COUNT = 10_000
LEAST_REPETITIONS_COUNT = 3
NAME_CHARS = 80


class Arm(BaseModel):
    """One file system state that is measured: an image, or the image that an open run is to make."""

    model_config = ConfigDict(extra="forbid")

    image_id: Annotated[int, Field(ge=1)] | None = None
    run_id: Annotated[int, Field(ge=1, description="An open run, whose image it will be")] | None = None
    group: Annotated[
        str | None, Field(max_length=NAME_CHARS, description="What is compared in one state; default: its file system")
    ] = None
    state: Annotated[
        str | None,
        Field(
            max_length=NAME_CHARS, description="How it was aged; default: unaged, fresh, or its profile and fullness"
        ),
    ] = None
    series: Annotated[
        str | None,
        Field(max_length=NAME_CHARS, description="What its state is a point of: fsfb 95 %; null: nothing"),
    ] = None
    position: Annotated[float | None, Field(allow_inf_nan=False, description="In that series: rounds")] = None
    is_base: Annotated[
        bool | None,
        Field(description="The others of its group are compared with it. Default: the first unaged or fresh one"),
    ] = None
    has_journal: Annotated[
        bool, Field(description="false: ext3 and ext4 lose their journal before they are mounted")
    ] = True

    @property
    def label(self) -> str:
        """Returns its name for users: ext4, unaged."""
        return ", ".join(part for part in (self.group, self.state) if part)

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        if (self.image_id is None) == (self.run_id is None):
            raise ValueError("give image_id or run_id, one of the two")
        return self


class TrialSettings(BaseModel):
    """Everything that shapes the results."""

    model_config = ConfigDict(extra="forbid")

    arms: Annotated[list[Arm], Field(min_length=1, max_length=32)]
    workloads: Annotated[list[Workload], Field(min_length=1, max_length=32)]
    repetitions_count: Annotated[
        int, Field(ge=LEAST_REPETITIONS_COUNT, le=1_000, description="Of each workload on each arm")
    ] = LEAST_REPETITIONS_COUNT
    is_traced: Annotated[
        bool,
        Field(description="Record the writes, so that a rollback rewrites only them; false: it compares everything"),
    ] = True
    seed: Annotated[int, Field(ge=0, lt=2**53, description="Of the order, and of the workloads. Default: random")] | (
        None
    ) = None

    @model_validator(mode="after")
    def _fit_together(self) -> Self:
        labels = [workload.label for workload in self.workloads]
        twice = sorted({label for label in labels if labels.count(label) > 1})
        if twice:
            raise ValueError(f"two workloads are called {twice[0]}; give them different names")
        if len(self.arms) * len(self.workloads) * self.repetitions_count > MOST_REPETITIONS_COUNT:
            raise ValueError(f"more than {MOST_REPETITIONS_COUNT} repetitions; split the trial")
        return self
