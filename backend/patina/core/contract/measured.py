"""Records of `workload`: operations run and measured on files of a mounted file system."""

from typing import Literal

from pydantic import Field

from patina.core.record import Bytes, Command, CoreError, Count, EventModel, Fraction, Hello

Microseconds = Fraction


class WorkloadFileSet(EventModel):
    name: str
    files_count: Count
    preallocated_count: Count
    preallocated_bytes: Bytes
    directories_count: Count
    mean_bytes: float


class Personality(EventModel):
    """The workload as it is scaled for the file system. The last record with --describe."""

    type: Literal["personality"]
    name: str
    threads_count: Count
    run_s: float | None = Field(description="null: it runs until it is done")
    scale_fraction: float = Field(description="Of its files that are used; 1: all")
    files_count: Count
    preallocated_bytes: Bytes
    expected_bytes: Bytes
    file_sets: list[WorkloadFileSet]
    ignored: list[str] = Field(description="Statements without an effect, with their places: echo at 12:1")


class WorkloadProgress(EventModel):
    type: Literal["progress"]
    command: Literal["workload"]
    stage: Literal["allocate", "run"]
    elapsed_s: float
    total_s: float | None = Field(description="Of the run; null: it ends when it is done")
    done_bytes: Bytes = Field(description="Of the allocation")
    total_bytes: Bytes
    ops_count: Count = Field(description="Of the run")
    read_bytes: Bytes
    written_bytes: Bytes


class MeasuredOperation(EventModel):
    """Figures of the operations of one name, over all threads."""

    name: str
    kind: str
    is_counted: bool = Field(description="Whether it is an operation on a file, part of ops_count")
    count: Count
    bytes: Bytes
    mean_us: Microseconds
    p50_us: Microseconds
    p90_us: Microseconds
    p99_us: Microseconds
    p999_us: Microseconds
    max_us: Microseconds
    histogram: list[tuple[Microseconds, Count]] = Field(description="Latencies up to each value, in ascending order")


class WorkloadSummary(EventModel):
    type: Literal["summary"]
    command: Literal["workload"]
    name: str
    seed: Count
    threads_count: Count
    files_count: Count
    ops_count: Count
    ops_per_s: float
    written_bytes: Bytes = Field(description="By the workload's own writes, without those of the allocation")
    read_bytes: Bytes
    preallocated_bytes: Bytes
    allocate_s: float
    warm_up_s: float = Field(description="Before the measured time; its operations are not in the figures")
    elapsed_s: float = Field(description="Measured time")
    sync_s: float = Field(description="Time of the syncfs after the run")
    ended: Literal["time", "done", ""] = Field(description="Empty: only the files were allocated")
    steady_from_s: float | None = Field(description="When the pace became steady; null: it did not")
    steady_ops_per_s: float | None
    samples: list[tuple[float, Count]] = Field(description="Operations done by a time")
    operations: list[MeasuredOperation]


WorkloadRecord = Hello | Personality | WorkloadProgress | WorkloadSummary | CoreError

WORKLOAD = Command[WorkloadRecord, WorkloadSummary]("workload", WorkloadRecord, WorkloadSummary)
DESCRIBE = Command[WorkloadRecord, Personality]("workload", WorkloadRecord, Personality)
