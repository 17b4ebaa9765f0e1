"""The settings of an aging, defined once: the API takes and says them, the database stores them as one document, the
recipe keeps them, and the core reads those of `CoreSettings`.

One more setting is one more field here. Its range is in the database's CHECK (`checks`), in the OpenAPI document, and
in native/contract/age_request.json, which the core is tested against.
"""

from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator
from sqlalchemy import CheckConstraint

from patina.core.contract.age import CaptureMode
from patina.core.contract.way import AgingMode, FullnessOf
from patina.file_system.table import FileSystem
from patina.forecast.schemas import FileSettings, Fullness

# materialize: every file that is left can be read from disk. fallocate: space alone, where the mode allows it; else
# zeroes. write: incompressible bytes. sparse: length only.
DataMode = Literal["materialize", "fallocate", "write", "sparse"]


class StopConditions(BaseModel):
    """What ends a run before its plan does; without any it ends when it has converged. One budget at most."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    max_rmse: Annotated[float, Field(gt=0, le=1, description="Aim at this age RMSE and no better")] | None = None
    max_overwrites: Annotated[float, Field(gt=0, description="Write about this many capacities")] | None = None
    max_seconds: Annotated[float, Field(gt=0, le=10**8, description="Of aging; pauses do not count")] | None = None

    @model_validator(mode="after")
    def _one_budget(self) -> Self:
        if self.max_rmse is not None and self.max_overwrites is not None:
            raise ValueError("give max_rmse or max_overwrites, not both")
        return self


class CoreSettings(FileSettings, StopConditions):
    """What the core takes of them, by the names of its options."""

    fullness: Fullness
    fullness_of: Annotated[FullnessOf, Field(description="What the fullness is of")] = "files"
    mode: AgingMode = "faithful"
    data_mode: DataMode = "materialize"
    threads_count: Annotated[int, Field(ge=1, le=64, description="By default by the mode")] | None = None
    sync_ops: (
        Annotated[int, Field(ge=0, le=10**9, description="Sync after each so many operations; by default by the mode")]
        | None
    ) = None
    compressible_fraction: (
        Annotated[float, Field(ge=0, le=1, description="Zeroes among what is written; by default by the data mode")]
        | None
    ) = None
    seed: Annotated[int, Field(ge=0, lt=2**53, description="Chosen at random when absent")] | None = None

    @model_validator(mode="after")
    def _threads_of_the_mode(self) -> Self:
        if self.threads_count is not None and self.mode != "unbounded":
            raise ValueError(f"threads_count is set by mode {self.mode}; leave it out, or choose mode unbounded")
        return self


class AgeRequest(CoreSettings):
    """What `patina-core age --request` reads: settings, and what is of this host and this try."""

    mount: Annotated[str, Field(description="Where the fresh file system is mounted")]
    profile: Annotated[dict[str, Any], Field(description="The profile as its file has it")]
    checkpoint: str
    resume: Annotated[str | None, Field(description="A checkpoint to go on from")] = None
    sample_interval_ms: Annotated[int, Field(ge=10, le=3_600_000, description="By default 400")] | None = None
    record_survivors: Annotated[str | None, Field(description="Where the creates of the files that are left go")] = None


class SharedSettings(CoreSettings):
    """What is asked of an aging, whatever the device."""

    profile: str
    profile_version_number: Annotated[int, Field(ge=1, description="The latest when absent")] | None = None
    capture_mode: CaptureMode = "allocated"
    in_memory: Annotated[bool, Field(description="Age in the host's memory, then write the image to the device")] = (
        False
    )


class RunSettings(SharedSettings):
    """All that is asked of an aging, and shapes its image."""

    file_system: FileSystem = FileSystem.EXT4


def described() -> dict[str, dict[str, Any]]:
    """By name, the JSON schema of each setting's value, where it is not null. The page makes its fields of it."""
    document = RunSettings.model_json_schema()
    named = {f"#/$defs/{name}": schema for name, schema in document.get("$defs", {}).items()}
    found = {}
    for name, schema in document["properties"].items():
        of_value = schema.get("anyOf", [schema])[0]
        of_value = {**named.get(of_value.get("$ref"), of_value), "default": schema.get("default")}
        kept = ("type", "enum", "minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "description", "default")
        found[name] = {key: of_value[key] for key in kept if key in of_value}
    return found


def checks() -> list[CheckConstraint]:
    """The ranges of the settings, for the table that stores them in a column `settings`."""
    return [
        CheckConstraint(condition, name=f"setting_{name}")
        for name, schema in described().items()
        for condition in _conditions(name, schema)
    ]


def _conditions(name: str, schema: dict[str, Any]) -> list[str]:
    """A value that is absent, or null, fulfils all of them."""
    value = f"(settings ->> '{name}')"
    if "enum" in schema:
        allowed = ", ".join(f"'{word}'" for word in schema["enum"])
        return [f"{value} IN ({allowed})"]
    bounds = {"minimum": ">=", "exclusiveMinimum": ">", "maximum": "<=", "exclusiveMaximum": "<"}
    found = [f"{value}::numeric {sign} {schema[bound]}" for bound, sign in bounds.items() if bound in schema]
    return [" AND ".join(found)] if found else []
