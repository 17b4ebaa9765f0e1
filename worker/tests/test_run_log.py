"""What a worker writes into a run's journal."""

from fixture_types import MakeSandbox, StartRun
from observe import claim_of, payloads_of
from patina.run.event import Space
from patina.run.schemas import StopConditions
from patina.run.thinning import MOST_SPACES_COUNT, RECENT_SPACES_COUNT
from patina_worker.run_log import RunLog
from patina_worker.steer import Steering


def _space(ops_count: int) -> Space:
    return Space(
        type="space",
        ops_count=ops_count,
        elapsed_s=1,
        device_bytes=8192,
        block_size_bytes=4096,
        cell_bytes=4096,
        free_blocks=[1, 0],
    )


def test_old_spaces_make_room_for_new_ones_and_nothing_else_is_lost(
    make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    run_id = start_run(make_sandbox())
    claim = claim_of(run_id)
    steering = Steering(run_id=run_id, claim=claim, conditions=StopConditions(), spent_s=0)
    run_log = RunLog(run_id=run_id, claim=claim, steering=steering)
    for ops_count in range(MOST_SPACES_COUNT):
        run_log.age_record(_space(ops_count))
        run_log.step(f"step {ops_count}")

    def _kept(kind: str) -> list[dict[str, object]]:
        return [payload for payload in payloads_of(run_id) if payload["type"] == kind]

    assert len(_kept("space")) == MOST_SPACES_COUNT
    run_log.age_record(_space(MOST_SPACES_COUNT))
    run_log.step("the last")
    newest = range(MOST_SPACES_COUNT + 1 - RECENT_SPACES_COUNT, MOST_SPACES_COUNT + 1)
    assert [payload["ops_count"] for payload in _kept("space")] == list(newest)
    assert len(_kept("step")) == MOST_SPACES_COUNT + 1
