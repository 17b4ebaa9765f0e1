"""Bounds the words that hide who does what."""

import re
from collections import Counter
from collections.abc import Mapping

WORDS = ("nobody", "somebody", "whoever", "whatever")
LIMIT = 15  # uses of all of them in 100 000 lines
LINES_COUNT = 100_000
SHOWN_COUNT = 10
_USE = re.compile(rf"\b({'|'.join(WORDS)})\b", re.IGNORECASE)
# Generated, or written by another program.
_LEFT_OUT = re.compile(r"package-lock\.json$|schema\.d\.ts$|openapi\.json$|\.jsonl$|^native/fuzz/seeds/")
_OWN = ("stack/patina_dev/check/prose.py", "stack/tests/test_check.py")


def violations(files: Mapping[str, str]) -> list[str]:
    """One line when the words are used more often than the limit, with the files that use them most."""
    texts = {name: text for name, text in files.items() if name not in _OWN and not _LEFT_OUT.search(name)}
    lines_count = sum(text.count("\n") for text in texts.values())
    uses = Counter({name: len(_USE.findall(text)) for name, text in texts.items()})
    if uses.total() * LINES_COUNT <= LIMIT * lines_count:
        return []
    worst = ", ".join(f"{name} ({count})" for name, count in uses.most_common(SHOWN_COUNT) if count)
    return [
        f"{', '.join(WORDS)}: {uses.total()} uses in {lines_count} lines, more than {LIMIT} in {LINES_COUNT}. "
        f"Name the subject. {worst}"
    ]
