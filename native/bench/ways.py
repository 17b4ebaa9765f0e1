"""Measures how far each mode of aging is from the reference: free extents, extents a file, scores.

Every run makes a fresh file system on a loop device in memory as a worker does, ages it, unmounts it and measures the
device. One JSON line a run is appended to a file, and runs in the file are not repeated, so that days of runs can be
split. `--tables` prints the content of a file: means over the seeds with 95 % intervals, and the distance to the
reference. `--distances` prints the largest distance of each mode over all cases of a file, as JSON, beside the
time of one run as a multiple of the mode unbounded, from a second file that was measured on an idle machine.

Usage, as root, from the root of the repository:
    unshare --mount --propagation private .venv/bin/python native/bench/ways.py docs/studies/aging-speed.jsonl
    .venv/bin/python native/bench/ways.py docs/studies/aging-speed.jsonl --tables
    .venv/bin/python native/bench/ways.py docs/studies/aging-speed.jsonl --distances docs/studies/aging-cost.jsonl
"""

import argparse
import itertools
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, cast

ROOT = Path(__file__).resolve().parents[2]
MIB = 2**20
# Student's t for a 95 % interval, by degrees of freedom.
T_95 = {1: 12.71, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 6: 2.447, 7: 2.365, 8: 2.306, 9: 2.262}

# A case with fewer is inconclusive.
LEAST_SEEDS = 5

ORDER = ["reference", "faithful", "fast", "unbounded"]

Row = dict[str, Any]
Case = tuple[str, int, str, float]  # file system, MiB, profile, fullness


def _run(argv: Sequence[str]) -> str:
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(argv)} failed: exit status {done.returncode}: {done.stderr.strip()} {done.stdout[-500:]}")
    return done.stdout


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _last(output: str) -> Row:
    row: Row = json.loads(output.splitlines()[-1])
    return row


def measure(core: Path, case: Case, mode: str, seed: int) -> Row:
    """Run one aging and measure the layout of its unmounted device."""
    # A worker's settings; neither is connected to.
    os.environ |= {"PATINA_CORE": str(core), "DATABASE_URL": "postgresql://", "REDIS_URL": "redis://"}
    from patina.core.contract.way import AgingMode
    from patina_worker.host import file_system

    name, mib, profile, fullness = case
    with tempfile.TemporaryDirectory(dir="/dev/shm", prefix="patina-bench.") as made:
        backing, mount = Path(made) / "device.img", Path(made) / "mount"
        mount.mkdir()
        with backing.open("xb") as file:
            file.truncate(mib * MIB)
        device = _run(["losetup", "--find", "--show", str(backing)]).strip()
        try:
            file_system.make(name, device, size_bytes=mib * MIB, fs_uuid=file_system.new_uuid(name, seed), lock=0)
            _run(
                ["mount", "-t", name, "-o", file_system.mount_options(name, cast(AgingMode, mode)), device, str(mount)]
            )
            try:
                argv = [str(core), "age", "--mount", str(mount), "--profile", str(ROOT / f"profiles/{profile}.json")]
                argv += ["--fullness", str(fullness), "--seed", str(seed), "--mode", mode]
                started_s = time.monotonic()
                summary = _last(_run(argv))
                elapsed_s = time.monotonic() - started_s
                if summary["stop_reason"] not in ("converged", "fullness_missed"):
                    sys.exit(f"{name} {mib} MiB {mode} {seed} ended {summary['stop_reason']}; run it again")
            finally:
                _run(["umount", str(mount)])
            layout = _last(_run([str(core), "layout", "--device", device, "--map-cells", "0"]))
        finally:
            _run(["losetup", "--detach", device])
    free, files = layout["free_extents"], layout["files"]
    return {
        "file_system": name,
        "size_mib": mib,
        "profile": profile,
        "fullness": fullness,
        "mode": mode,
        "seed": seed,
        "elapsed_s": round(elapsed_s, 1),
        "ops_count": summary["ops_count"],
        "no_space_count": summary["no_space_count"],
        "fullness_statfs": summary["fullness_statfs"],
        "free_extents_count": free["extents_count"],
        "extents_per_file": files["extents_count"] / files["files_with_data_count"],
        "layout_score": files["layout_score"],
        "inter_file_score": files["inter_file_score"],
        "free_blocks": {str(each["min_blocks"]): each["blocks_count"] for each in free["bins"]},
        "kernel": Path("/proc/sys/kernel/osrelease").read_text(encoding="utf-8").strip(),
    }


def _read(file: Path) -> list[Row]:
    if not file.exists():
        return []
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def _case_of(row: Row) -> Case:
    return row["file_system"], row["size_mib"], row["profile"], row["fullness"]


def _of(values: Iterable[float]) -> str:
    """Return the mean and half the width of the 95 % interval."""
    all_of = list(values)
    mean = statistics.mean(all_of)
    if len(all_of) < 2:
        return f"{mean:.4g}"
    half = T_95[len(all_of) - 1] * statistics.stdev(all_of) / math.sqrt(len(all_of))
    return f"{mean:.4g} ± {half:.2g}"


def distribution(rows: Sequence[Row]) -> dict[int, float]:
    """Return the share of the free blocks in free extents of up to so many blocks, all seeds together."""
    blocks: dict[int, int] = defaultdict(int)
    for row in rows:
        for least, count in row["free_blocks"].items():
            blocks[int(least)] += count
    total = sum(blocks.values())
    sizes = sorted(blocks)
    return dict(zip(sizes, (done / total for done in itertools.accumulate(blocks[s] for s in sizes)), strict=True))


def _kolmogorov_smirnov(some: Sequence[Row], others: Sequence[Row]) -> float:
    """Return the largest distance of the two distributions of free blocks over extent size, in powers of two."""
    one, two = distribution(some), distribution(others)
    reached_one = reached_two = largest = 0.0
    for size in sorted(one.keys() | two.keys()):
        reached_one, reached_two = one.get(size, reached_one), two.get(size, reached_two)
        largest = max(largest, abs(reached_one - reached_two))
    return largest


def _difference(rows: Sequence[Row], reference: Sequence[Row], what: str) -> str:
    """Return the difference of the means, in per cent of the reference; of scores, often near 0, in points of 1."""
    of_rows, of_reference = (statistics.mean(row[what] for row in each) for each in (rows, reference))
    if what.endswith("_score"):
        return f" ({of_rows - of_reference:+.4f})"
    return f" ({100 * (of_rows / of_reference - 1):+.1f} %)"


def tables(rows: Sequence[Row]) -> None:
    """Print one table in Markdown. Run times are not in it: some runs shared the machine."""
    by_case: dict[Case, dict[str, list[Row]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        by_case[_case_of(row)][row["mode"]].append(row)
    _say("| device | mode | seeds | free extents | extents a file | layout score | inter-file score | KS |")
    _say("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for (name, mib, profile, fullness), modes in sorted(by_case.items()):
        reference = modes.get("reference")
        for mode in sorted(modes, key=ORDER.index):
            of_mode = modes[mode]
            cells = [f"{name}, {mib} MiB, {profile}, {100 * fullness:g} %", mode, str(len(of_mode))]
            for what in ("free_extents_count", "extents_per_file", "layout_score", "inter_file_score"):
                is_compared = reference is not None and mode != "reference"
                distance = _difference(of_mode, reference or [], what) if is_compared else ""
                cells.append(_of(row[what] for row in of_mode) + distance)
            cells.append(f"{_kolmogorov_smirnov(of_mode, reference):.3f}" if reference and mode != "reference" else "")
            _say("| " + " | ".join(cells) + " |")


def _largest(cases: Sequence[tuple[Sequence[Row], Sequence[Row]]], what: str, *, is_score: bool) -> float:
    """Return the largest difference of the means, as a fraction of the reference's; of scores, in points of 1."""
    largest = 0.0
    for rows, reference in cases:
        mean, of_reference = (statistics.mean(row[what] for row in each) for each in (rows, reference))
        difference = abs(mean - of_reference)
        largest = max(largest, difference if is_score else difference / of_reference)
    return largest


def distances(rows: Sequence[Row], costs: Sequence[Row]) -> dict[str, dict[str, dict[str, float]]]:
    """Return the figures of a mode that users see before they choose it, by file system and mode."""
    by_case: dict[Case, dict[str, list[Row]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        by_case[_case_of(row)][row["mode"]].append(row)
    seconds = {(row["file_system"], row["mode"]): row["elapsed_s"] for row in costs}
    found: dict[str, dict[str, dict[str, float]]] = defaultdict(dict)
    for name, mode in sorted({(row["file_system"], row["mode"]) for row in rows}):
        cases = [
            (modes[mode], modes["reference"])
            for case, modes in by_case.items()
            if case[0] == name and min(len(modes[mode]), len(modes["reference"])) >= LEAST_SEEDS
        ]
        if not cases:
            continue
        found[name][mode] = {
            "free_extents_fraction": round(_largest(cases, "free_extents_count", is_score=False), 3),
            "extents_per_file_fraction": round(_largest(cases, "extents_per_file", is_score=False), 3),
            "layout_score": round(_largest(cases, "layout_score", is_score=True), 3),
            "inter_file_score": round(_largest(cases, "inter_file_score", is_score=True), 3),
            "time_ratio": round(seconds[name, mode] / seconds[name, "unbounded"], 1),
        }
    return found


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--tables", action="store_true", help="print the content of the file; run nothing")
    parser.add_argument("--distances", type=Path, metavar="COSTS", help="print the largest distances; run nothing")
    parser.add_argument("--core", type=Path, default=ROOT / "native/build/patina-core")
    parser.add_argument("--file-systems", default="ext4,xfs,btrfs")
    parser.add_argument("--sizes-mib", default="384,1024,4096")
    parser.add_argument("--profiles", default="agrawal,meyer")
    parser.add_argument("--fullness", default="0.7")
    parser.add_argument("--modes", default="reference,faithful,fast,unbounded")
    parser.add_argument("--seeds", type=int, default=5)
    return parser.parse_args()


def main() -> None:
    """Run the missing cases, or print the tables."""
    asked = _arguments()
    if asked.tables:
        tables(_read(asked.data))
        return
    if asked.distances is not None:
        _say(json.dumps(distances(_read(asked.data), _read(asked.distances)), indent=2))
        return
    sizes = [int(size) for size in asked.sizes_mib.split(",")]
    fullness = [float(each) for each in asked.fullness.split(",")]
    cases = itertools.product(sizes, asked.profiles.split(","), fullness, asked.file_systems.split(","))
    for mib, profile, full, name in cases:
        case: Case = (name, mib, profile, full)
        for seed, mode in itertools.product(range(1, asked.seeds + 1), asked.modes.split(",")):
            if any((_case_of(row), row["mode"], row["seed"]) == (case, mode, seed) for row in _read(asked.data)):
                continue
            row = measure(asked.core, case, mode, seed)
            with asked.data.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")
            _say(f"{name} {mib} MiB {profile} {full} {mode} {seed}: {row['elapsed_s']} s")


if __name__ == "__main__":
    main()
