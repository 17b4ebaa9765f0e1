"""Figures on the terminal: the report of a finished run, the free-extent histogram."""

from typing import Any

from rich.console import Console
from rich.table import Table

from patina.cli.terminal import print_table
from patina.figures import in_bytes, in_percent


def report(console: Console, *, summary: dict[str, Any], image: dict[str, Any]) -> None:
    """Prints the achieved figures beside the requested ones."""
    table = Table(show_header=False, box=None, pad_edge=False)
    histograms = summary["histograms"]
    for name in ("age", "size", "depth") if histograms else ():
        figures = histograms[name]
        floor = in_percent(figures["rmse_floor"])
        table.add_row(f"{name} RMSE", in_percent(figures["rmse"]), f"best possible with whole files {floor}")
    target, goal = summary["fullness_target"], summary["fullness_statfs_target"]
    measured, files = summary["fullness_statfs"], in_percent(summary["fullness"], 2)
    planned = "" if target is None else f"{'asked for' if goal is None else 'planned'} {in_percent(target, 1)}"
    table.add_row("fullness of the files", files, planned)
    if measured is not None:
        asked = "" if goal is None else f", asked for {in_percent(goal, 1)}"
        table.add_row("fullness, measured", in_percent(measured, 2), f"by statfs, with metadata{asked}")
    ops = f"{summary['ops_count']:,} operations, device written {summary['overwrites']:.1f} times"
    table.add_row("operations", f"{summary['ops_per_s']:,.0f} /s", ops)
    table.add_row("plan digest", summary["plan_digest"][:16], f"seed {image['recipe']['seed']}")
    stored = f"of {in_bytes(image['size_bytes'])}, image {image['name']}"
    table.add_row("image", in_bytes(image["stored_bytes"]), stored)
    print_table(table)
    if summary["free_extents"]:
        console.print()
        free_extents(console, summary["free_extents"])


def free_extents(console: Console, measured: dict[str, Any]) -> None:
    """Prints the free-extent histogram, weighted by blocks as e2freefrag prints it."""
    block = measured["block_size_bytes"]
    free = measured["free_blocks_count"]
    mean = in_bytes(measured["mean_extent_bytes"])
    console.print(f"free extents: {measured['extents_count']:,}, mean {mean}, free {in_bytes(free * block)}")
    for item in measured["bins"]:
        share = item["blocks_count"] / free if free else 0.0
        low = in_bytes(item["min_blocks"] * block)
        console.print(f"  {low:>9}+ {item['extents_count']:>7,}  {'█' * round(share * 40)} {share * 100:.1f} %")
