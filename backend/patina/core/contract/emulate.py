"""Records of `patina-core emulate`: lines of its standard output, and lines of its control socket."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from patina.core.record import Bytes, Command, CoreError, Count, EventModel, Fraction, Hello

Seed = Annotated[int, Field(ge=0, lt=2**63)]


class _Fault(BaseModel):
    """A fault of an emulated disk. `kind` is what the emulator's line has."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class PowerCut(_Fault):
    """Loses what was written after the last flush, and fails every request. The disk returns once no job holds it."""

    kind: Literal["power_cut"]
    lost: Literal["all", "random"] = Field(default="all", description="All of it, or a random part")
    seed: Seed = Field(default=0, description="Of the random part")


class _OfRange(_Fault):
    first_byte: Annotated[int, Field(ge=0, lt=2**50)]
    length_bytes: Annotated[int, Field(ge=1, le=2**50)]


class ReadError(_OfRange):
    """Reads of the range fail."""

    kind: Literal["read_error"]


class WriteError(_OfRange):
    """Writes to the range fail."""

    kind: Literal["write_error"]


class EndsEarly(_Fault):
    """Every request behind the size fails."""

    kind: Literal["ends_early"]
    size_bytes: Annotated[int, Field(ge=0, le=2**50)]


class Disappears(_Fault):
    """Every request fails."""

    kind: Literal["disappears"]


class ReadOnly(_Fault):
    """Every write fails."""

    kind: Literal["read_only"]


class Slow(_Fault):
    """Every request takes longer."""

    kind: Literal["slow"]
    delay_ms: Annotated[int, Field(ge=1, le=60_000)]


class NoFault(_Fault):
    """Ends all faults but a power cut."""

    kind: Literal["none"]


Fault = Annotated[
    PowerCut | ReadError | WriteError | EndsEarly | Disappears | ReadOnly | Slow | NoFault, Field(discriminator="kind")
]


class EmulatorFigures(EventModel):
    """Figures of an emulated disk, as its emulator measures them."""

    size_bytes: Bytes
    available_bytes: Bytes | None = Field(description="Most that it may store on its host; null: no limit")
    stored_bytes: Bytes = Field(description="Of its folder on the host, by what is allocated there")
    kept_bytes: Bytes = Field(description="Of its blocks, those that are kept")
    dropped_bytes: Bytes = Field(description="Of its blocks, those that are dropped; reads of them are generated")
    squashed_bytes: Bytes = Field(description="Written and dropped so far, also to the same block again")
    held_bytes: Bytes = Field(default=0, description="Data that is stored until its path is known")
    chosen_bytes: Bytes = Field(default=0, description="Of the kept blocks, data of kept paths")
    lost_held_bytes: Bytes = Field(
        default=0,
        description="Held data that was dropped for want of space, since the disk was made; some may be of kept paths",
    )
    used_bytes: Bytes | None = Field(
        default=None, description="Allocated by its file system, by its super block, as of its unmount; null: unknown"
    )
    saved_bytes: Bytes = Field(
        default=0, description="What a plain disk would store (all written, or all that is used) and this one does not"
    )
    memory_bytes: Bytes = Field(description="Of the emulator's process")
    file_system: str | None = Field(description="By whose rules blocks are kept; null: none is recognised")
    kept_whole_reason: str | None = Field(description="Why every block is kept; null: data is dropped")
    model: str | None
    time: str | None = Field(description="accurate or fast; null: no disk model")
    predicted_s: Fraction | None = Field(
        description="Time in which the modelled disk has a request, since the emulator was started; null: no disk model"
    )
    clock_s: Fraction | None = Field(description="Time since the first request, with predicted delays; null: no model")
    requests_count: Count
    delay_error_fraction: float | None = Field(
        description="Of accurate time: measured delay over the model's, less 1; null: not measured"
    )
    model_report: dict[str, Any] | None = Field(description="Figures of the disk model, by its kind")
    faults: list[dict[str, Any]] = Field(description="In force")
    error_code: str | None = Field(description="Of the last request that failed without a fault; null: none did")
    error: str | None = Field(description="Its message")
    error_age_s: Fraction | None = Field(default=None, description="Time since then")


class FileIdentity(EventModel):
    """The served file, as a loop device over it shows it."""

    device: str
    inode: int


class EmulatorStatus(EmulatorFigures):
    """Answers a request for the status, or a fault that is in force from now on, on the control socket."""

    type: Literal["status"]
    file: FileIdentity


class EmulatorReady(EventModel):
    """The file can be attached."""

    type: Literal["ready"]
    path: str
    size_bytes: Bytes


class EmulatorSummary(EmulatorFigures):
    """The last record, after SIGTERM."""

    type: Literal["summary"]
    command: Literal["emulate"]


EmulateRecord = Hello | EmulatorReady | EmulatorSummary | CoreError

EMULATE = Command[EmulateRecord, EmulatorSummary]("emulate", EmulateRecord, EmulatorSummary)


class KeepSummary(EventModel):
    """The last record of `patina-core keep`, which keeps the data of chosen paths as written and drops other data."""

    type: Literal["summary"]
    command: Literal["keep"]
    files_count: Count = Field(description="That match the paths")
    ranges_count: Count = Field(description="Of the disk, in which their data is")
    missing_bytes: Bytes = Field(description="Of them, bytes that were dropped before, and are generated")
    held_bytes: Bytes = Field(description="Written since the command began")
    chosen_bytes: Bytes
    lost_held_bytes: Bytes


KeepRecord = Hello | KeepSummary | CoreError

KEEP = Command[KeepRecord, KeepSummary]("keep", KeepRecord, KeepSummary)

ControlAnswer: TypeAdapter[EmulatorStatus | CoreError] = TypeAdapter(
    Annotated[EmulatorStatus | CoreError, Field(discriminator="type")]
)
