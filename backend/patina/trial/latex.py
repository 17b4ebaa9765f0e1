"""The results of a trial as a table for LaTeX, with booktabs."""

import math
import re

from patina.trial.schemas import TrialFigure, TrialRead
from patina.trial.workload import ROWS, UNITS

_ESCAPED = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
} | {char: f"\\{char}" for char in "&%$#_{}"}
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_DIGITS_COUNT = 4  # of a mean without an interval
_MOST_DECIMALS_COUNT = 9


def latex_table(trial: TrialRead) -> str:
    """Returns a row for each arm, and a column for each workload: mean, half of the interval, rank."""
    settings = trial.settings
    figures = {(figure.arm, figure.workload): figure for figure in trial.figures}
    named = [escaped(workload.label) for workload in settings.workloads]
    units = [escaped(UNITS[ROWS[workload.kind].metric]) for workload in settings.workloads]
    rows = [
        [
            escaped(arm.group or ""),
            escaped(arm.state or ""),
            *(_cell(figures.get((index, workload))) for workload in range(len(settings.workloads))),
        ]
        for index, arm in enumerate(settings.arms)
    ]
    title = f"Trial {trial.id}" + (f": {escaped(trial.name)}" if trial.name else "")
    return "\n".join(
        [
            r"% \usepackage{booktabs}",
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{title}. Mean and half of Student's 95\,\% interval of up to "
            rf"{settings.repetitions_count} repetitions; in parentheses the rank among the groups in one state.}}",
            rf"\label{{tab:trial-{trial.id}}}",
            rf"\begin{{tabular}}{{ll{'r' * len(named)}}}",
            r"\toprule",
            _line(["", "", *named]),
            _line(["group", "state", *units]),
            r"\midrule",
            *map(_line, rows),
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
            "",
        ]
    )


def escaped(text: str) -> str:
    """Returns the text as LaTeX prints it, on one line."""
    return "".join(_ESCAPED.get(char, char) for char in _CONTROL.sub(" ", text))


def _line(cells: list[str]) -> str:
    return " & ".join(cells) + r" \\"


def _cell(figure: TrialFigure | None) -> str:
    if figure is None:
        return "--"
    rank = "" if figure.rank is None else f" ({figure.rank})"
    low = figure.estimate.low
    return f"${_number(figure.estimate.mean, None if low is None else figure.estimate.mean - low)}${rank}"


def _number(mean: float, half: float | None) -> str:
    """Returns the mean to the place of the second digit of its error, and the error."""
    if half:
        decimals_count = _decimals_count(half, digits_count=2)
        return rf"{_digits(mean, decimals_count)} \pm {_digits(half, decimals_count)}"
    text = _digits(mean, _decimals_count(mean, digits_count=_DIGITS_COUNT))
    return text if half is None else rf"{text} \pm 0"


def _decimals_count(value: float, *, digits_count: int) -> int:
    """Returns how many decimals show so many digits of the value."""
    place = 0 if value == 0 else math.floor(math.log10(abs(value)))
    return min(max(digits_count - 1 - place, 0), _MOST_DECIMALS_COUNT)


def _digits(value: float, decimals_count: int) -> str:
    return f"{value:,.{decimals_count}f}".replace(",", r"\,")
