"""The core's golden records, parsed as the worker parses them: both sides agree on the contract."""

from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from patina.activity.payload import job_payload
from patina.core.contract.age import AGE, CAPTURE, RESTORE, AgeSummary, Layout, Space
from patina.core.contract.delta import DELTA, GENERATION, TRACE
from patina.core.contract.disk_model import MODELS
from patina.core.contract.emulate import EMULATE, KEEP, EmulateRecord, EmulatorStatus
from patina.core.contract.history import HISTORY
from patina.core.contract.image import COLLECT, DIFF, ROLLBACK, VERIFY
from patina.core.contract.measured import WORKLOAD
from patina.core.contract.plan import plan_record
from patina.core.contract.scan import SCAN
from patina.core.contract.shingle import CAPACITY, CLEANING
from patina.settings import PROJECT_DIR

GOLDEN = PROJECT_DIR / "native" / "contract"
READERS: dict[str, TypeAdapter[Any]] = {
    "forecast": plan_record,
    "simulate": AGE.record,
    "layout": AGE.record,
    "layout_smrfs": AGE.record,
    "age_workload": AGE.record,
    **{
        command.name: command.record
        for command in (
            *(AGE, SCAN, CAPTURE, RESTORE, VERIFY, ROLLBACK, COLLECT, DIFF, TRACE, DELTA, GENERATION),
            WORKLOAD,
            HISTORY,
            MODELS,
            KEEP,
        )
    },
    "shingle_capacity": CAPACITY.record,
    "shingle_cleaning": CLEANING.record,
    EMULATE.name: TypeAdapter(EmulateRecord | EmulatorStatus),  # the status comes through its socket
}


def _lines() -> Iterator[tuple[str, str]]:
    for command in READERS:
        for line in (GOLDEN / f"{command}.jsonl").read_text().splitlines():
            yield command, line


def test_each_golden_file_has_a_reader() -> None:
    assert {file.stem for file in GOLDEN.glob("*.jsonl")} == READERS.keys()


@pytest.mark.parametrize(("command", "line"), list(_lines()))
def test_every_golden_record_is_understood_and_says_the_same_again(command: str, line: str) -> None:
    adapter = READERS[command]
    record = adapter.validate_json(line)
    assert adapter.validate_json(adapter.dump_json(record)) == record


@pytest.mark.parametrize("command", ["simulate", "age"])
def test_what_a_run_prints_can_be_stored_but_for_the_greeting(command: str) -> None:
    first, *rest = (GOLDEN / f"{command}.jsonl").read_text().splitlines()
    with pytest.raises(ValidationError):
        job_payload.validate_json(first)
    assert [job_payload.validate_json(line).type for line in rest][-1] == "summary"


def test_a_layout_tells_the_use_of_every_block() -> None:
    layout = job_payload.validate_json((GOLDEN / "layout.jsonl").read_text().splitlines()[-1])
    assert isinstance(layout, Layout)
    assert layout.block_map is not None
    cells = layout.block_map
    columns = (cells.free_blocks, cells.metadata_blocks, cells.data_blocks, cells.unwritten_blocks)
    blocks = [sum(cell) for cell in zip(*columns, strict=True)]
    assert blocks == [cells.cell_bytes // cells.block_size_bytes] * len(blocks)
    assert layout.files is not None
    assert sum(cells.data_blocks) + sum(cells.unwritten_blocks) == layout.files.blocks_count
    assert sum(cells.free_blocks) == layout.free_extents.free_blocks_count


def test_a_layout_of_a_shingled_disk_tells_which_free_blocks_are_unusable_or_maybe_damaged() -> None:
    layout = job_payload.validate_json((GOLDEN / "layout_smrfs.jsonl").read_text().splitlines()[-1])
    assert isinstance(layout, Layout)
    assert layout.block_map is not None
    assert layout.block_map.shingled is not None
    shingled = layout.block_map.shingled
    columns = (shingled.unusable_blocks, shingled.damaged_blocks, shingled.unusable_and_damaged_blocks)
    assert all(sum(column) > 0 for column in columns)
    for free, unusable, damaged, both in zip(layout.block_map.free_blocks, *columns, strict=True):
        assert both <= min(unusable, damaged)
        assert unusable + damaged - both <= free


def test_what_was_stored_before_shingled_disks_is_read_still() -> None:
    space = Space.model_validate_json(
        '{"type":"space","ops_count":7,"elapsed_s":1,"device_bytes":8192,"block_size_bytes":4096,'
        '"cell_bytes":4096,"free_blocks":[1,0]}'
    )
    assert space.shingled is None


def test_a_space_tells_of_every_cell_how_much_is_free() -> None:
    records = [job_payload.validate_json(line) for line in (GOLDEN / "age.jsonl").read_text().splitlines()[1:]]
    *_, space, summary = records
    assert isinstance(space, Space)
    assert isinstance(summary, AgeSummary)
    assert summary.free_extents is not None
    assert sum(space.free_blocks) == summary.free_extents.free_blocks_count
    assert len(space.free_blocks) == space.device_bytes // space.cell_bytes <= 1024


@pytest.mark.parametrize(
    "line",
    [
        '{"type":"sample"}',
        '{"type":"checkpoint","ops_count":-1,"elapsed_s":0}',
        '{"type":"checkpoint","ops_count":1,"elapsed_s":NaN}',
        '{"type":"checkpoint","ops_count":1,"elapsed_s":0,"mood":"good"}',
        '{"type":"unheard"}',
        "not json",
    ],
)
def test_a_record_outside_the_contract_is_refused(line: str) -> None:
    with pytest.raises(ValidationError):
        AGE.record.validate_json(line)
