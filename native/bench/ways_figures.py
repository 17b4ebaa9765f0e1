"""Draws the free space by extent size of each mode, one SVG a file system, from the data of ways.py.

Usage, from the root of the repository:
    .venv/bin/python native/bench/ways_figures.py docs/studies/aging-speed.jsonl docs/studies
"""

import json
import math
import sys
from collections import defaultdict
from pathlib import Path

from ways import Row, distribution

MIB, PROFILE, FULLNESS = 1024, "agrawal", 0.7
BLOCK_BYTES = 4096
WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 640, 320, 56, 40, 24, 130
INK = {"reference": "#b5622f", "faithful": "#1f6f5c", "fast": "#5b8f9e", "unbounded": "#8a8178"}
DASH = {"reference": "", "faithful": "", "fast": "6 3", "unbounded": "2 3"}
NAME = {"reference": "reference", "faithful": "faithful", "fast": "fast", "unbounded": "as fast tools do"}


def _size(blocks: int) -> str:
    power = int(math.log2(blocks * BLOCK_BYTES))
    return f"{2 ** (power % 10)} {('B', 'KiB', 'MiB', 'GiB')[power // 10]}"


def figure(file_system: str, modes: dict[str, list[Row]]) -> str:
    """Return an SVG: share of the free blocks in free extents of up to a size, by size in powers of two."""
    largest = max(size for rows in modes.values() for size in distribution(rows))
    steps = int(math.log2(largest)) + 1

    def x(blocks: int) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * (math.log2(blocks) + 1) / steps

    def y(share: float) -> float:
        return HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * share

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" '
        'font-size="12">',
        f"<title>Free space by extent size, {file_system}, {MIB} MiB, {PROFILE}, {100 * FULLNESS:g} %</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fbfaf7"/>',
    ]
    for share in (0, 0.25, 0.5, 0.75, 1):
        parts.append(f'<path d="M{LEFT} {y(share):.1f}H{WIDTH - RIGHT}" stroke="#ddd6cd"/>')
        parts.append(
            f'<text x="{LEFT - 8}" y="{y(share) + 4:.1f}" text-anchor="end" fill="#5f574f">{100 * share:g} %</text>'
        )
    for power in range(0, steps, 2):
        at = x(2**power)
        parts.append(
            f'<text x="{at:.1f}" y="{HEIGHT - 22}" text-anchor="middle" fill="#5f574f">{_size(2**power)}</text>'
        )
    parts.append(
        f'<text x="{LEFT}" y="{HEIGHT - 6}" fill="#5f574f">'
        "share of the free space in free extents of less than twice this size</text>"
    )
    for index, mode in enumerate(mode for mode in INK if mode in modes):
        reached = distribution(modes[mode])
        points = " ".join(f"{x(size):.1f},{y(share):.1f}" for size, share in sorted(reached.items()))
        line = f'fill="none" stroke="{INK[mode]}" stroke-width="2" stroke-dasharray="{DASH[mode]}"'
        parts.append(f'<polyline points="{x(1) - (x(2) - x(1)):.1f},{y(0):.1f} {points}" {line}/>')
        row = TOP + 16 + 18 * index
        parts.append(f'<path d="M{WIDTH - RIGHT + 8} {row - 4}h20" {line}/>')
        parts.append(f'<text x="{WIDTH - RIGHT + 34}" y="{row}" fill="#2b2622">{NAME[mode]}</text>')
    return "\n".join([*parts, "</svg>", ""])


def main() -> None:
    """Write a figure for each file system."""
    data, folder = Path(sys.argv[1]), Path(sys.argv[2])
    modes: dict[str, dict[str, list[Row]]] = defaultdict(lambda: defaultdict(list))
    for line in data.read_text(encoding="utf-8").splitlines():
        row: Row = json.loads(line)
        if (row["size_mib"], row["profile"], row["fullness"]) == (MIB, PROFILE, FULLNESS):
            modes[row["file_system"]][row["mode"]].append(row)
    for name, of_modes in modes.items():
        if len(of_modes) < 2:
            continue
        (folder / f"aging-speed-{name}.svg").write_text(figure(name, of_modes), encoding="utf-8")


if __name__ == "__main__":
    main()
