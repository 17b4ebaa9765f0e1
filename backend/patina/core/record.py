"""Records common to all commands of patina-core: the first and, on failure, the last."""

from functools import cached_property
from typing import Annotated, Any, Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

Fraction = Annotated[float, Field(ge=0)]
Count = Annotated[int, Field(ge=0)]
Bytes = Annotated[int, Field(ge=0)]


class EventModel(BaseModel):
    """Strict on records that drive the product: an unknown field or a NaN violates the contract."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False, frozen=True)


class Hello(EventModel):
    """The first record of every command of patina-core."""

    type: Literal["hello"]
    schema_version: Literal[1]
    program: Literal["patina-core"]
    program_version: str
    command: str


class CoreError(EventModel):
    """The last record of a command that failed. `code` is one of the core's documented error codes."""

    type: Literal["error"]
    code: str
    message: str


Record = TypeVar("Record")
Result = TypeVar("Result", bound=EventModel)


class Command(Generic[Record, Result]):
    """A command of patina-core: its name, the union of its records, and its last record."""

    def __init__(self, name: str, records: Any, result: type[Result]) -> None:
        self.name = name
        self.result = result
        self._records = records

    @cached_property
    def record(self) -> TypeAdapter[Record]:
        """Returns the parser, built on first use: the API imports many commands and runs few."""
        records: Any = Annotated[self._records, Field(discriminator="type")]
        return TypeAdapter(records)
