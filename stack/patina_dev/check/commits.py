"""Holds the form of commit subjects: `area: imperative`."""

import re
import subprocess
from pathlib import Path

from patina_stack import PROJECT_DIR

SINCE = "2026-11-26T14:00:00Z"  # earlier subjects stay as they are
CHARACTERS_LIMIT = 72
_FORM = re.compile(r"[a-z][a-z0-9-]*: (?P<verb>[a-z]+)\b")
_NO_IMPERATIVE = re.compile(r"(?:ed|ing)$")
_IMPERATIVE = {"bring", "string", "ring", "need", "feed", "seed", "embed", "exceed", "shed", "speed", "ping"}


def violations(root: Path = PROJECT_DIR) -> list[str]:
    """One line for each commit since SINCE whose subject has another form. Merges are left out."""
    git = ["git", "-C", str(root), "-c", "safe.directory=*"]
    command = [*git, "log", "--no-merges", f"--since={SINCE}", "--format=%h %s"]
    log = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found = []
    for line in log.splitlines():
        commit, _, subject = line.partition(" ")
        if problem := problem_of(subject):
            found.append(f"commit {commit}: {problem} in '{subject}'. Write `area: imperative`.")
    return found


def problem_of(subject: str) -> str | None:
    """What is wrong with a subject; None when nothing is."""
    if len(subject) > CHARACTERS_LIMIT:
        return f"{len(subject)} characters, more than {CHARACTERS_LIMIT},"
    form = _FORM.match(subject)
    if form is None:
        return "no `area: `"
    verb = form["verb"]
    if _NO_IMPERATIVE.search(verb) and verb not in _IMPERATIVE:
        return f"'{verb}' is no imperative"
    return None
