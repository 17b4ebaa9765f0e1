"""Sessions of documents: fenced blocks with shell commands and what they print, run as they are written.

A block in `console` has a line for each command, after `$ `, and the lines that it prints; a line of `…` stands for any
lines. A block in `sh` is a script.
"""

import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from patina_stack import PROJECT_DIR

# The words by which a block is one of ours.
COMMANDS = re.compile(r"(?:^|[ /|])(?:patina|patina-admin|patina-worker|make|patina-core)(?= |$)", re.MULTILINE)
_FENCE = re.compile(r"(?P<indent> *)```(?P<language>\w*)\n(?P<text>.*?)^(?P=indent)```$", re.DOTALL | re.MULTILINE)
_HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
_ANY_LINES = "…"
_BAR = "━╸╺"

# What differs from one run to the next, and what is compared in its place. Digits in names are compared as they are.
VARYING = (
    (re.compile(r"\b\d{4}-\d\d-\d\d[ T]\d\d:\d\d[\d:.+Z]*"), "TIME"),
    (re.compile(r"\b\d+:\d\d:\d\d\b"), "TIME"),
    (re.compile(r"\b[0-9a-f]{64}\b"), "DIGEST"),
    (re.compile(r"\b[0-9a-f]{16}\b"), "DIGEST"),
    (re.compile(r"\bsandbox-[0-9a-f]{8}\b"), "sandbox-ID"),
    (re.compile(r"\bpatina-(token|link)-[\w-]+"), r"patina-\1-SECRET"),
    (re.compile(r"\bwhsec_[\w+/=]+"), "SECRET"),
    (re.compile(r"https?://127\.0\.0\.1:\d+"), "http://ADDRESS"),
    (re.compile(r"(?<![\w./-])-?\d[\d,]*(\.\d+)?(/\d[\d.]*)? (B|KiB|MiB|GiB|MB/s)(?!\w)"), "SIZE"),
    (re.compile(r"(?<![\w./-])-?\d[\d,]*(\.\d+)?(?![\w/-])"), "NUMBER"),
    (re.compile(f"[{_BAR}█]+"), "BAR"),
)


@dataclass(frozen=True)
class Block:
    """A fenced block: its document, the heading above it, the line where it begins, and what is in it."""

    document: str
    heading: str
    line: int
    language: str
    text: str

    @property
    def where(self) -> str:
        """Returns its place, for messages."""
        return f"{self.document}:{self.line}"

    def steps(self) -> list["Step"]:
        """Returns what is run, in order."""
        if self.language != "console":
            return [Step(self.where, self.text, None)]
        steps: list[Step] = []
        for line in self.text.splitlines():
            if line.startswith("$ "):
                steps.append(Step(self.where, line[2:], []))
            elif steps and steps[-1].shown is not None and line.startswith("> "):
                steps[-1] = Step(self.where, f"{steps[-1].script}\n{line[2:]}", [])
            else:
                assert steps, f"{self.where} begins with output"
                assert steps[-1].shown is not None
                steps[-1].shown.append(line)
        return steps


@dataclass(frozen=True)
class Step:
    """A command or script, and the lines that it prints; None where the document does not show them."""

    where: str
    script: str
    shown: list[str] | None


def blocks(document: str) -> Iterator[Block]:
    """Yields the fenced blocks of a document that have commands of Patina."""
    text = (PROJECT_DIR / document).read_text(encoding="utf-8")
    for found in _FENCE.finditer(text):
        if found["language"] not in ("", "sh", "console") or not COMMANDS.search(found["text"]):
            continue
        headings = _HEADING.findall(text[: found.start()])
        line = text.count("\n", 0, found.start()) + 1
        inner = "".join(each.removeprefix(found["indent"]) for each in found["text"].splitlines(keepends=True))
        yield Block(document, headings[-1] if headings else "", line, found["language"], inner)


class Shell:
    """Runs steps in one folder. `devices` are the sandbox devices made so far: the documents call the first /dev/loop0.

    A machine gives the next free number, and another program may have the first ones.
    """

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        self._folder = folder
        self._environment = environment

    def run(self, step: Step, devices: list[str], *, answers: str = "") -> None:
        """Runs a step, and compares what it prints. Raises AssertionError."""
        script = _renamed(step.script, {f"/dev/loop{index}": path for index, path in enumerate(devices)})
        argv = ["bash", "-euo", "pipefail", "-c", script]
        ended = subprocess.run(
            argv, cwd=self._folder, env=self._environment, input=answers, capture_output=True, text=True, check=False
        )
        assert ended.returncode == 0, f"{step.where}: {step.script}\n{ended.stdout}{ended.stderr}"
        if step.shown is not None:
            printed = _renamed(ended.stdout, {path: f"/dev/loop{index}" for index, path in enumerate(devices)})
            assert_printed(step, printed.splitlines())


def _renamed(text: str, names: dict[str, str]) -> str:
    """Returns the text with these paths of devices replaced, all at once."""
    return re.sub(r"/dev/loop\d+\b", lambda found: names.get(found[0], found[0]), text)


def assert_printed(step: Step, printed: list[str]) -> None:
    """Raises AssertionError unless the lines are those that the document shows, but for what varies."""
    shown = [compared(line) for line in step.shown or [] if line.strip()]
    found = [compared(line) for line in printed if line.strip()]
    whole = "\n".join(printed)
    assert _matches(shown, found), f"{step.where}: {step.script} printed\n{whole}\nnot\n" + "\n".join(step.shown or [])


def _matches(shown: list[str], found: list[str]) -> bool:
    if not shown:
        return not found
    if shown[0] == _ANY_LINES:
        return any(_matches(shown[1:], found[start:]) for start in range(len(found) + 1))
    return bool(found) and shown[0] == found[0] and _matches(shown[1:], found[1:])


def compared(line: str) -> str:
    """Returns a line with what varies replaced, and with single spaces."""
    for pattern, name in VARYING:
        line = pattern.sub(name, line)
    return " ".join(line.split())
