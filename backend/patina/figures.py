"""Formats figures with units, for the terminal and for a job's log."""

_IEC = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")


def in_bytes(count: float) -> str:
    """Returns three significant digits and an IEC unit: 12.4 MiB."""
    value = float(count)
    for unit in _IEC:
        if abs(value) < 1000 or unit == _IEC[-1]:
            break
        value /= 1024
    digits = 0 if unit == "B" or value >= 100 else 1 if value >= 10 else 2
    return f"{value:.{digits}f} {unit}"


def exactly_bytes(count: int) -> str:
    """Returns an IEC unit and every digit: 1.00 GiB (1,073,741,825 bytes). For sizes that must be equal."""
    text = in_bytes(count)
    return text if count < 1000 else f"{text} ({count:,} bytes)"


def in_percent(fraction: float, digits: int = 4) -> str:
    """Returns a fraction as percent."""
    return f"{fraction * 100:.{digits}f} %"


def parse_size(text: str) -> int:
    """Parses "1GiB", "256 MiB", "1073741824" as bytes. Raises ValueError with the accepted forms."""
    compact = text.replace(" ", "")
    for power, unit in reversed(list(enumerate(_IEC))):
        if compact.lower().endswith(unit.lower()):
            return int(float(compact[: -len(unit)]) * 1024**power)
    if not compact.isdigit():
        raise ValueError(f"{text!r} is not a size; write 1GiB, 256MiB or a number of bytes")
    return int(compact)
