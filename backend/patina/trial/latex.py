"""The results of a trial as a table for LaTeX, with booktabs."""

import math
import re

from patina.trial.schemas import Estimate, TrialFigure, TrialRead
from patina.trial.settings import TrialSettings
from patina.trial.workload import ROWS, UNITS

_ESCAPED = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "×": r"\texttimes{}",
} | {char: f"\\{char}" for char in "&%$#_{}"}
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_DIGITS_COUNT = 4  # of a mean without an interval
_MOST_DECIMALS_COUNT = 9


def latex_table(trial: TrialRead) -> str:
    """Returns a row for each arm, and for each workload a column: mean, half of the interval, rank. The times that the
    model of an emulated disk predicts have further columns."""
    settings = trial.settings
    figures = {(figure.arm, figure.workload): figure for figure in trial.figures}
    columns = _columns(trial)
    named = [escaped(settings.workloads[workload].label) for workload, _ in columns]
    units = ["predicted s" if is_predicted else _unit(settings, workload) for workload, is_predicted in columns]
    rows = [
        [
            escaped(arm.group or ""),
            escaped(arm.state or ""),
            *(
                (_predicted if is_predicted else _cell)(figures.get((index, workload)))
                for workload, is_predicted in columns
            ),
        ]
        for index, arm in enumerate(settings.arms)
    ]
    modelled = trial.device.emulation.model_label if trial.device.emulation else None
    has_predicted = any(is_predicted for _, is_predicted in columns)
    predicted = f" Predicted: on {escaped(modelled)}." if modelled is not None and has_predicted else ""
    title = f"Trial {trial.id}" + (f": {escaped(trial.name)}" if trial.name else "")
    return "\n".join(
        [
            r"% \usepackage{booktabs}",
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{title}. Mean and half of Student's 95\,\% interval of up to "
            rf"{settings.repetitions_count} repetitions; in parentheses the rank among the groups in one state."
            rf"{predicted}}}",
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


def _columns(trial: TrialRead) -> list[tuple[int, bool]]:
    """Returns the workload of each column, and whether it has the predicted times: only where there is one."""
    predicted = {figure.workload for figure in trial.figures if figure.prediction is not None}
    return [
        (workload, is_predicted)
        for workload in range(len(trial.settings.workloads))
        for is_predicted in (False, True)
        if workload in predicted or not is_predicted
    ]


def _unit(settings: TrialSettings, workload: int) -> str:
    return escaped(UNITS[ROWS[settings.workloads[workload].kind].metric])


def escaped(text: str) -> str:
    """Returns the text as LaTeX prints it, on one line."""
    return "".join(_ESCAPED.get(char, char) for char in _CONTROL.sub(" ", text))


def _line(cells: list[str]) -> str:
    return " & ".join(cells) + r" \\"


def _cell(figure: TrialFigure | None) -> str:
    if figure is None:
        return "--"
    rank = "" if figure.rank is None else f" ({figure.rank})"
    return f"{_estimate(figure.estimate)}{rank}"


def _predicted(figure: TrialFigure | None) -> str:
    return "--" if figure is None or figure.prediction is None else _estimate(figure.prediction.predicted_s)


def _estimate(estimate: Estimate) -> str:
    return f"${_number(estimate.mean, None if estimate.low is None else estimate.mean - estimate.low)}$"


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
