"""Records of `models`: the modelled disks that are built in, or the one of a file."""

from typing import Literal

from patina.core.record import Bytes, Command, CoreError, Count, EventModel, Hello


class DiskModel(EventModel):
    type: Literal["model"]
    name: str
    label: str
    description: str
    kind: Literal["rotating", "flash", "raid"]
    capacity_bytes: Bytes


class ModelsSummary(EventModel):
    type: Literal["summary"]
    command: Literal["models"]
    models_count: Count


ModelsRecord = Hello | DiskModel | ModelsSummary | CoreError

MODELS = Command[ModelsRecord, ModelsSummary]("models", ModelsRecord, ModelsSummary)
