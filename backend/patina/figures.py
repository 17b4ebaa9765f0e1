"""Formats figures with units, for the terminal and for a job's log."""

import re

_IEC = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")
_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([kmgtp]?)(?:i?b)?\s*", re.IGNORECASE | re.ASCII)


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


def in_duration(seconds: float) -> str:
    """Returns a duration as the page does: 5.22 s, 2 min 3 s, 1 h 5 min, 2 d 3 h."""
    if seconds < 59.95:
        return f"{seconds:#.3g}".rstrip(".") + " s"
    whole = round(seconds)
    if whole >= 86_400:
        return f"{whole // 86_400} d {whole % 86_400 // 3_600} h"
    if whole >= 3_600:
        return f"{whole // 3_600} h {whole % 3_600 // 60} min"
    return f"{whole // 60} min {whole % 60} s"


def parse_size(text: str) -> int:
    """Parses "1GiB", "256 MiB", "1.5g", "1073741824" as bytes. Prefixes are binary, as on the page. Raises ValueError
    with the accepted forms."""
    found = _SIZE.fullmatch(text)
    if found is None:
        raise ValueError(f"{text!r} is not a size. Write 1GiB, 256MiB or a number of bytes.")
    number, prefix = found.groups()
    return int(float(number) * 1024 ** " kmgtp".index(prefix.lower() or " "))
