"""The settings of an aging, defined once: the schema of the API, of the document in the database and of the recipe; the
core reads those of `CoreSettings`.

To add a setting, add a field here. Its range is in the database's CHECK (`checks`), in the OpenAPI document, and
in native/contract/age_request.json, which the core is tested against.
"""

from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from patina.core.contract.age import CaptureMode
from patina.core.contract.way import AgingMode, FullnessOf
from patina.core.contract.workload import WorkloadName
from patina.file_system import options
from patina.file_system.table import FileSystem
from patina.forecast.schemas import FileSettings, Fullness

# materialize: every remaining file can be read from disk. fallocate: blocks without content where the mode allows it,
# else zeroes. write: incompressible bytes. sparse: length only.
DataMode = Literal["materialize", "fallocate", "write", "sparse"]


class StopConditions(BaseModel):
    """Conditions that end a run before its plan does; without any it ends when it has converged. One budget at most."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    max_rmse: Annotated[float, Field(gt=0, le=1, description="Target age RMSE")] | None = None
    max_overwrites: Annotated[float, Field(gt=0, description="Target overwrites")] | None = None
    max_seconds: Annotated[float, Field(gt=0, le=10**8, description="Seconds of aging, without pauses")] | None = None

    @model_validator(mode="after")
    def _one_budget(self) -> Self:
        if self.max_rmse is not None and self.max_overwrites is not None:
            raise ValueError("give max_rmse or max_overwrites, not both")
        return self


class ExactLength(StopConditions):
    """Stop conditions, or a number of operations that does not depend on the ages."""

    exact_ops_count: (
        Annotated[int, Field(ge=1, le=10**12, description="Exactly so many operations, even more than the ages need")]
        | None
    ) = None

    @model_validator(mode="after")
    def _one_length(self) -> Self:
        if self.exact_ops_count is not None and (self.max_rmse, self.max_overwrites) != (None, None):
            raise ValueError("give exact_ops_count or a budget (max_rmse, max_overwrites), not both")
        return self


# Settings of one workload only, and of a profile only.
OF_WORKLOAD = {"rounds_count": "fsfb", "ops_count": "churn", "survivors": "replay", "replay_of": "replay"}
WITHOUT_FULLNESS = ("replay", "fresh")
OF_PROFILE = (*FileSettings.model_fields, "fullness_of", "max_rmse", "max_overwrites", "exact_ops_count")


class CoreSettings(FileSettings, ExactLength):
    """The settings that the core reads, by the names of its options."""

    workload: Annotated[
        WorkloadName | None,
        Field(
            description="Instead of a profile. fsfb: small files, then rounds that replace 5 %; churn: creates and "
            "deletes of mostly 4 and 8 KiB; replay: the operation log of another run; fresh: no operations"
        ),
    ] = None
    rounds_count: (
        Annotated[int, Field(ge=0, le=10**6, description="For fsfb: rounds that replace 5 % of the bytes; default 500")]
        | None
    ) = None
    ops_count: (
        Annotated[int, Field(ge=1, le=10**12, description="For churn: total creates and deletes; default 100000")]
        | None
    ) = None
    survivors: Annotated[bool, Field(description="For a replay: only create the survivors")] = False
    fullness: Fullness | None = None
    fullness_of: Annotated[FullnessOf, Field(description="Which fullness the target is of")] = "files"
    mode: AgingMode = "faithful"
    data_mode: DataMode = "materialize"
    threads_count: Annotated[int, Field(ge=1, le=64, description="Default: by the mode")] | None = None
    sync_ops: (
        Annotated[int, Field(ge=0, le=10**9, description="Operations between commits; default: by the mode")] | None
    ) = None
    compressible_fraction: (
        Annotated[float, Field(ge=0, le=1, description="Fraction of zeroes in written data; default: by the data mode")]
        | None
    ) = None
    seed: Annotated[int, Field(ge=0, lt=2**53, description="Default: random")] | None = None

    @model_validator(mode="after")
    def _of_the_workload(self) -> Self:
        if self.workload == "fsfb" and self.rounds_count is None:
            self.rounds_count = 500
        if self.workload == "churn" and self.ops_count is None:
            self.ops_count = 100_000
        for name, workload in OF_WORKLOAD.items():
            value = getattr(self, name, None)
            if value is not None and value is not False and self.workload != workload:
                raise ValueError(f"{name} is a setting of the workload {workload}; leave it out")
        if (self.fullness is None) != (self.workload in WITHOUT_FULLNESS):
            raise ValueError(
                "a replay has the fullness of its log, a fresh file system none, and everything else needs a fullness"
            )
        given = [name for name in OF_PROFILE if getattr(self, name) != CoreSettings.model_fields[name].default]
        if self.workload is not None and given:
            raise ValueError(f"{', '.join(given)}: settings of a profile; leave them out, or choose a profile")
        return self

    @model_validator(mode="after")
    def _threads_of_the_mode(self) -> Self:
        if self.threads_count is not None and self.mode != "unbounded":
            raise ValueError(f"threads_count is set by mode {self.mode}; leave it out, or choose mode unbounded")
        return self


class AgeRequest(CoreSettings):
    """Request of `patina-core age --request`: settings, and parameters of this host and attempt."""

    mount: Annotated[str, Field(description="Mount point of the fresh file system")]
    profile: Annotated[dict[str, Any] | None, Field(description="Document of the profile; null for a workload")] = None
    log: Annotated[str | None, Field(description="The operation log to replay")] = None
    record: Annotated[str | None, Field(description="File for the log of its own operations")] = None
    checkpoint: str
    resume: Annotated[str | None, Field(description="A checkpoint to resume from")] = None
    sample_interval_ms: Annotated[int, Field(ge=10, le=3_600_000, description="Default 400")] | None = None
    record_survivors: Annotated[str | None, Field(description="File for the creates of the survivors")] = None


class SharedSettings(CoreSettings):
    """Settings of an aging, on any device."""

    profile: str | None = None
    profile_version_number: Annotated[int, Field(ge=1, description="Default: the latest")] | None = None
    replay_of: Annotated[int, Field(description="The run whose operation log to replay")] | None = None
    keeps_log: Annotated[bool, Field(description="Keep the operation log, for replays on the same host")] = False
    capture_mode: Annotated[
        CaptureMode,
        Field(description="Default: metadata on an emulated disk that drops data, else allocated"),
    ] = "allocated"
    in_memory: Annotated[bool, Field(description="Age in the host's memory, then write the image to the device")] = (
        False
    )

    @model_validator(mode="after")
    def _one_goal(self) -> Self:
        if (self.profile is None) == (self.workload is None):
            raise ValueError("give the name of a profile or a workload, one of the two")
        if self.profile is None and self.profile_version_number is not None:
            raise ValueError("profile_version_number: a setting of a profile; leave it out, or choose a profile")
        if (self.replay_of is None) == (self.workload == "replay"):
            raise ValueError("replay_of and the workload replay belong together")
        return self


class FileSystemSettings(BaseModel):
    """The file system to make on a device."""

    model_config = ConfigDict(extra="forbid")

    file_system: FileSystem = FileSystem.EXT4
    added_mkfs_options: Annotated[
        str,
        Field(
            pattern=options.PATTERN,
            max_length=options.CHARS,
            description='Added to those of Patina, as "-i 8192 -O ^metadata_csum"',
        ),
    ] = ""
    added_mount_options: Annotated[
        str,
        Field(
            pattern=options.PATTERN,
            max_length=options.CHARS,
            description='Added to those of Patina and of the mode, as "nodelalloc,stripe=16"',
        ),
    ] = ""


class RunSettings(SharedSettings, FileSystemSettings):
    """All settings that shape an aging's image."""


# Ranges in JSON schema, and their comparison in SQL.
BOUNDS = {"minimum": ">=", "exclusiveMinimum": ">", "maximum": "<=", "exclusiveMaximum": "<"}


def described() -> dict[str, dict[str, Any]]:
    """Returns, by name, the JSON schema of each setting's value, if not null, with the only goal that has it. The page
    generates its fields from it."""
    document = RunSettings.model_json_schema()
    named = {f"#/$defs/{name}": schema for name, schema in document.get("$defs", {}).items()}
    found = {}
    for name, schema in document["properties"].items():
        of_value = schema.get("anyOf", [schema])[0]
        of_value = {**named.get(of_value.get("$ref"), of_value), "default": schema.get("default")}
        kept = ("type", "enum", "pattern", "maxLength", *BOUNDS, "description", "default")
        found[name] = {key: of_value[key] for key in kept if key in of_value}
        if goal := OF_WORKLOAD.get(name) or ("profile" if name in OF_PROFILE else None):
            found[name]["of"] = goal
    return found
