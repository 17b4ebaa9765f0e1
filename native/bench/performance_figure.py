"""Draws the seconds of the disk for each step and file system, from the runs that shingle_performance.sh wrote.

Usage, from the root of the repository:
    .venv/bin/python native/bench/performance_figure.py docs/studies/shingled-performance.csv FIGURE
"""

import csv
import math
import statistics
import sys
from collections import defaultdict
from pathlib import Path

INK = {"ext4": "#8a8178", "caveat": "#b5622f", "strict-append": "#1f6f5c"}
NAME = {"ext4": "ext4", "caveat": "SMRfs, Caveat-Scriptor", "strict-append": "SMRfs, strict append"}
LEFT, RIGHT, TOP, BOTTOM, ROW, LANE, WIDTH = 140, 40, 52, 36, 38, 10, 720
LEAST_S, MOST_S = 0.1, 100

Steps = dict[str, dict[str, list[float]]]


def _x(seconds: float) -> float:
    share = math.log(max(seconds, LEAST_S) / LEAST_S) / math.log(MOST_S / LEAST_S)
    return LEFT + (WIDTH - LEFT - RIGHT) * share


def _text(x: float, y: float, words: str, anchor: str = "start", ink: str = "#2b2622") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{ink}">{words}</text>'


def figure(steps: Steps) -> str:
    """Return an SVG: a dot at the mean, a line from the least to the most of the runs, on a logarithmic axis."""
    height = TOP + ROW * len(steps) + BOTTOM
    title = "Seconds of the disk by the model: mean, least and most of the runs; less is better"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" '
        'font-size="12">',
        f"<title>{title}</title>",
        f'<rect width="{WIDTH}" height="{height}" fill="#fbfaf7"/>',
        _text(LEFT, 18, title),
    ]
    for index, (kind, name) in enumerate(NAME.items()):
        at = LEFT + 180 * index
        parts += [f'<circle cx="{at + 4}" cy="36" r="4" fill="{INK[kind]}"/>', _text(at + 14, 40, name)]
    for seconds in (0.1, 1, 10, 100):
        at = _x(seconds)
        parts += [
            f'<path d="M{at:.1f} {TOP}V{height - BOTTOM}" stroke="#ddd6cd"/>',
            _text(at, height - 18, f"{seconds:g} s", "middle", "#5f574f"),
        ]
    for index, (step, kinds) in enumerate(steps.items()):
        top = TOP + ROW * index
        parts += [
            f'<path d="M{LEFT} {top}H{WIDTH - RIGHT}" stroke="#ece6dd"/>',
            _text(LEFT - 8, top + ROW / 2 + 4, step, "end"),
        ]
        for lane, (kind, ink) in enumerate(INK.items()):
            runs, y = kinds[kind], top + ROW / 2 + LANE * (lane - 1)
            parts += [
                f'<path d="M{_x(min(runs)):.1f} {y}H{_x(max(runs)):.1f}" stroke="{ink}" stroke-width="2"/>',
                f'<circle cx="{_x(statistics.fmean(runs)):.1f}" cy="{y}" r="4" fill="{ink}"/>',
            ]
    return "\n".join([*parts, "</svg>", ""])


def main() -> None:
    """Write the figure."""
    steps: Steps = defaultdict(lambda: defaultdict(list))
    with Path(sys.argv[1]).open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            steps[row["step"]][row["file_system"]].append(float(row["busy_s"]))
    Path(sys.argv[2]).write_text(figure(steps), encoding="utf-8")


if __name__ == "__main__":
    main()
