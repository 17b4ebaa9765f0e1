"""Records of `history`: the history of a source tree, as a stream for git fast-import."""

from typing import Literal

from patina.core.record import Bytes, Command, CoreError, Count, EventModel, Hello


class HistoryProgress(EventModel):
    type: Literal["progress"]
    command: Literal["history"]
    commits_count: Count


class HistorySummary(EventModel):
    type: Literal["summary"]
    command: Literal["history"]
    commits_count: Count
    files_count: Count
    written_bytes: Bytes
    elapsed_s: float


HistoryRecord = Hello | HistoryProgress | HistorySummary | CoreError

HISTORY = Command[HistoryRecord, HistorySummary]("history", HistoryRecord, HistorySummary)
