"""Runs the workloads of trials: one function for each kind. patina/trial/workload.py has their settings."""

import json
import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from patina.core.contract.measured import WORKLOAD, WorkloadSummary
from patina.core.supervised import run_core
from patina.trial.fio import job_file
from patina.trial.measurement import DeviceTraffic
from patina.trial.workload import FioWorkload, PersonalityWorkload, PostmarkWorkload
from patina_worker.handlers.trial.bench import FOLDER, Bench, Measured
from patina_worker.handlers.trial.command import command
from patina_worker.handlers.trial.device_traffic import between
from patina_worker.handlers.trial.git import git
from patina_worker.handlers.trial.passes import du, find, grep, rm
from patina_worker.handlers.trial.programs import ProgramFailed


def _personality(bench: Bench, workload: PersonalityWorkload) -> Measured:
    """Allocates the files, empties the caches by unmounting, and runs."""
    used_before, space_amplification = 0, None
    with tempfile.TemporaryDirectory() as temporary:
        spec = workload.name
        if workload.spec is not None:
            file = Path(temporary) / "workload.f"
            file.write_text(workload.spec, encoding="utf-8")
            spec = str(file)
        argv = ["--mount", str(bench.folder), "--spec", spec, "--seed", str(bench.seed)]
        argv += ["--seconds", str(workload.seconds), "--warm-up", str(workload.warm_up_s)]
        argv += [] if workload.files_count is None else ["--files", str(workload.files_count)]
        argv += [] if workload.fit_bytes is None else ["--fit", str(workload.fit_bytes)]

        def _run(stage: str) -> tuple[WorkloadSummary, DeviceTraffic]:
            nonlocal used_before, space_amplification
            with bench.mounted():
                used_before = used_before or bench.used_bytes()
                before = bench.traffic()
                summary = run_core(
                    WORKLOAD,
                    [*argv, "--only", stage],
                    check=bench.check,
                    on_record=bench.on_record,
                    inherit=(bench.lock,),
                )
                traffic = between(before, bench.traffic())
                space_amplification = bench.space_amplification(used_before)
                return summary, traffic

        _, allocated = _run("allocate")
        summary, device = _run("run")
    return Measured(
        value=summary.ops_per_s,
        elapsed_s=summary.elapsed_s,
        device=device,
        allocated=allocated,
        written_bytes=summary.written_bytes,
        space_amplification=space_amplification,
        read_bytes=summary.read_bytes,
        operations=summary.operations,
        samples=summary.samples,
        steady_from_s=summary.steady_from_s,
        figures={
            "ops_count": summary.ops_count,
            "files_count": summary.files_count,
            "preallocated_bytes": summary.preallocated_bytes,
            "sync_s": summary.sync_s,
        },
    )


def _fio(bench: Bench, workload: FioWorkload) -> Measured:
    with bench.mounted() as mount:
        folder = mount / FOLDER
        folder.mkdir()
        used_before = bench.used_bytes()
        before = bench.traffic()
        argv = ["fio", "--output-format=json", "-"]
        ran = bench.run(argv, "fio", cwd=folder, stdin=job_file(workload.job, directory=str(folder)))
        device = between(before, bench.traffic())
        space_amplification = bench.space_amplification(used_before)
    report = _json_of(ran.stdout)
    jobs = report.get("jobs", [])
    read_bytes = sum(int(job["read"]["io_bytes"]) for job in jobs)
    written_bytes = sum(int(job["write"]["io_bytes"]) for job in jobs)
    bytes_per_s = sum(float(job[way]["bw_bytes"]) for job in jobs for way in ("read", "write"))
    iops = sum(float(job[way]["iops"]) for job in jobs for way in ("read", "write"))
    return Measured(
        value=bytes_per_s,
        elapsed_s=max((float(job["job_runtime"]) / 1000 for job in jobs), default=ran.elapsed_s),
        device=device,
        written_bytes=written_bytes,
        space_amplification=space_amplification,
        read_bytes=read_bytes,
        figures={"iops": iops},
        output=report,
    )


def _json_of(text: str) -> dict[str, Any]:
    """Returns fio's report. It may print warnings before it."""
    start = text.find("{")
    try:
        found = json.loads(text[start:]) if start >= 0 else None
    except ValueError:
        found = None
    if not isinstance(found, dict) or "jobs" not in found:
        raise ProgramFailed("fio printed no report; see its output below.", log=text[-4000:])
    return found


_TRANSACTIONS = re.compile(r"(\d+) seconds of transactions \((\d+) per second\)")


def _postmark(bench: Bench, workload: PostmarkWorkload) -> Measured:
    """Runs Katcher's program. It measures whole seconds; its own time is in the figures."""
    with bench.mounted() as mount:
        folder = mount / FOLDER
        folder.mkdir()
        commands = (
            f"set location {folder}\nset number {workload.files_count}\n"
            f"set transactions {workload.transactions_count}\nset seed {bench.seed % 2**31}\nrun\nquit\n"
        )
        before = bench.traffic()
        ran = bench.run(["postmark"], "postmark", cwd=folder, stdin=commands)
        device = between(before, bench.traffic())
    found = _TRANSACTIONS.search(ran.stdout)
    if found is None:
        raise ProgramFailed("postmark printed no result; see its output below.", log=ran.stdout[-4000:])
    return Measured(
        value=workload.transactions_count / ran.elapsed_s,
        elapsed_s=ran.elapsed_s,
        device=device,
        figures={"own_transactions_s": float(found[1]), "own_transactions_per_s": float(found[2])},
        output={"text": ran.stdout},
    )


RUNS: dict[str, Callable[[Bench, Any], Measured]] = {
    "personality": _personality,
    "fio": _fio,
    "postmark": _postmark,
    "git": git,
    "command": command,
    "grep": grep,
    "find": find,
    "du": du,
    "rm": rm,
}
