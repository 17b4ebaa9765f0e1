"""Figures in words: units once, for the terminal and for the log of a job."""

_IEC = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")


def in_bytes(count: float) -> str:
    """Three significant digits and an IEC unit: 12.4 MiB."""
    value = float(count)
    for unit in _IEC:
        if abs(value) < 1000 or unit == _IEC[-1]:
            break
        value /= 1024
    digits = 0 if unit == "B" or value >= 100 else 1 if value >= 10 else 2
    return f"{value:.{digits}f} {unit}"


def in_percent(fraction: float, digits: int = 4) -> str:
    """A fraction as percent."""
    return f"{fraction * 100:.{digits}f} %"


def parse_size(text: str) -> int:
    """ "1GiB", "256 MiB", "1073741824" as bytes. ValueError says what is understood."""
    compact = text.replace(" ", "")
    for power, unit in reversed(list(enumerate(_IEC))):
        if compact.lower().endswith(unit.lower()):
            return int(float(compact[: -len(unit)]) * 1024**power)
    if not compact.isdigit():
        raise ValueError(f"{text!r} is not a size; write 1GiB, 256MiB or a number of bytes")
    return int(compact)
