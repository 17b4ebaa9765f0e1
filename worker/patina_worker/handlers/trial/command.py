"""A program of the host's command folder as a workload. Its command line, digest and output are recorded."""

import hashlib
import json
import math
import re

from patina.trial.workload import CommandWorkload
from patina_worker.handlers.trial.bench import FOLDER, Bench, Measured
from patina_worker.handlers.trial.device_traffic import between
from patina_worker.host.commands import command_of

OUTPUT_CHARS = 64 * 1024
MOST_FIGURES = 100
NAME = re.compile(r"[\w .%/+-]{1,80}", re.ASCII)


def command(bench: Bench, workload: CommandWorkload) -> Measured:
    """Runs it in an empty folder of the file system, which PATINA_MOUNT names. Raises CommandNotAllowed."""
    program = command_of(workload.program)
    digest = hashlib.sha256(program.read_bytes()).hexdigest()
    with bench.mounted() as mount:
        folder = mount / FOLDER
        folder.mkdir()
        before = bench.traffic()
        ran = bench.run(
            [str(program), *workload.arguments],
            workload.program,
            cwd=folder,
            variables={"PATINA_MOUNT": str(mount), "PATINA_SEED": str(bench.seed)},
        )
        device = between(before, bench.traffic())
    return Measured(
        value=ran.elapsed_s,
        elapsed_s=ran.elapsed_s,
        device=device,
        figures=_figures_of(ran.stdout),
        output={
            "argv": [workload.program, *workload.arguments],
            "sha256": digest,
            "stdout": ran.stdout[-OUTPUT_CHARS:],
            "stderr": ran.stderr[-OUTPUT_CHARS:],
        },
    )


def _figures_of(stdout: str) -> dict[str, float]:
    """Returns the numbers of a JSON object in the last line of the output, by their names; none of anything else."""
    last = stdout.strip().rpartition("\n")[2]
    try:
        found = json.loads(last)
        numbers = [
            (name, float(value))
            for name, value in (found.items() if isinstance(found, dict) else ())
            if isinstance(value, int | float) and not isinstance(value, bool) and NAME.fullmatch(name)
        ]
    except (ValueError, OverflowError, RecursionError):
        return {}
    return {name: value for name, value in numbers[:MOST_FIGURES] if math.isfinite(value)}
