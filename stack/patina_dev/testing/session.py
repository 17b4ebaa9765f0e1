"""Sessions of documents: fenced blocks with shell commands and what they print, run as they are written.

A block in `console` has a line for each command, after `$ `, and the lines that it prints. A block in `sh` has commands
alone.
"""

import re
import shlex
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from patina_stack import PROJECT_DIR

# The words by which a block is one of ours.
COMMANDS = re.compile(r"(?:^|[ /|])(?:patina|patina-admin|patina-worker|make|patina-core)(?= |$)", re.MULTILINE)
_FENCE = re.compile(r"(?P<indent> *)```(?P<language>\w*)\n(?P<text>.*?)^(?P=indent)```$", re.DOTALL | re.MULTILINE)
_HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
_ANYTHING = "…"
_SHELLS = ("", "sh", "bash", "shell", "console")
_BAR = "━╸╺"

# What differs from one run to the next, and what is compared in its place. Digits in names are compared as they are.
VARYING = (
    (re.compile(r"\b\d{4}-\d\d-\d\d[ T]\d\d:\d\d[\d:.+Z]*"), "TIME"),
    (re.compile(r"\b\d+:\d\d:\d\d\b"), "TIME"),
    (re.compile(r"\b[0-9a-f]{64}\b"), "DIGEST"),
    (re.compile(r"\b[0-9a-f]{16}\b"), "NUMBER"),  # a digest, or a seed that has as many digits
    (re.compile(r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"), "UUID"),
    (re.compile(r"\bsandbox-[0-9a-f]{8}\b"), "sandbox-ID"),
    (re.compile(r"\bpatina-(token|link)-[\w-]+"), r"patina-\1-SECRET"),
    (re.compile(r"\bwhsec_[\w+/=]+"), "SECRET"),
    (re.compile(r"https?://127\.0\.0\.1:\d+"), "http://ADDRESS"),
    (re.compile(r"(?<![\w./-])-?\d[\d,]*(\.\d+)?(/\d[\d.]*)? (B|KiB|MiB|GiB|[kMG]B/s)(?!\w)"), "SIZE"),
    (re.compile(r"(?<![\w./-])-?\d[\d,]*(\.\d+)? (ms|s|min)(?!\w)"), "DURATION"),
    (re.compile(r", \d+ disturbed"), ""),  # by other programs of the machine
    (re.compile(r"(?<![\w./-])-?\d[\d,]*(\.\d+)?(?![\w/-])"), "NUMBER"),
    (re.compile(f"[{_BAR}█]+"), "BAR"),
)


@dataclass(frozen=True)
class Step:
    """One command, and the lines that it prints; None where the document does not show them."""

    where: str
    script: str
    shown: list[str] | None


@dataclass(frozen=True)
class Block:
    """A fenced block: its document, the heading above it, the line where it begins, and what is in it."""

    document: str
    heading: str
    line: int
    language: str
    text: str

    def steps(self) -> Iterator[Step]:
        """Yields its commands in order. Raises AssertionError if it begins with output."""
        where = f"{self.document}:{self.line}"
        if self.language != "console":
            yield from (Step(where, command, None) for command in _commands(self.text.splitlines()))
            return
        first, *rest = re.split(r"^\$ ", self.text, flags=re.MULTILINE)
        assert first == "", f"{where} begins with output"
        for command, _, shown in (each.partition("\n") for each in rest):
            yield Step(where, command, shown.splitlines())


def _commands(lines: list[str]) -> Iterator[str]:
    """Yields the commands of a script. One may have several lines: a loop, or a line that ends with a backslash."""
    command = ""
    for line in lines:
        command = f"{command}\n{line}" if command else line
        check = subprocess.run(["bash", "-n"], input=command, capture_output=True, text=True, check=False)
        if check.returncode == 0 and not line.endswith("\\"):
            if command.strip():
                yield command
            command = ""
    assert not command, f"this is no whole command: {command}"


def blocks(document: str) -> Iterator[Block]:
    """Yields the fenced blocks of a document that have commands of Patina."""
    text = (PROJECT_DIR / document).read_text(encoding="utf-8")
    for found in _FENCE.finditer(text):
        if found["language"] not in _SHELLS or not COMMANDS.search(found["text"]):
            continue
        headings = _HEADING.findall(text[: found.start()])
        line = text.count("\n", 0, found.start()) + 1
        inner = "".join(each.removeprefix(found["indent"]) for each in found["text"].splitlines(keepends=True))
        yield Block(document, headings[-1] if headings else "", line, found["language"], inner)


class Shell:
    """One bash, in one folder: a later step has the variables of an earlier one.

    The documents call the first sandbox device /dev/loop0 and the second /dev/loop1. A machine gives the next free
    numbers. `devices` returns the paths of those that there are, in the order in which they were made.
    """

    def __init__(self, folder: Path, environment: dict[str, str], devices: Callable[[], list[str]]) -> None:
        self._folder = folder
        self._files = folder / ".session"
        self._files.mkdir()
        self._devices = devices
        pipe = subprocess.PIPE
        argv = ["bash", "--norc", "-o", "pipefail"]
        self._bash = subprocess.Popen(argv, cwd=folder, env=environment, stdin=pipe, stdout=pipe, text=True)

    def run(self, step: Step, *, answers: str = "") -> None:
        """Runs a step, and compares what it prints. Raises AssertionError."""
        paths = self._devices()
        script = _renamed(step.script, {f"/dev/loop{index}": path for index, path in enumerate(paths)})
        files = {name: self._files / name for name in ("script", "answers", "out", "err")}
        files["script"].write_text(script + "\n", encoding="utf-8")
        files["answers"].write_text(answers, encoding="utf-8")
        quoted = {name: shlex.quote(str(file)) for name, file in files.items()}
        assert self._bash.stdin is not None
        assert self._bash.stdout is not None
        self._bash.stdin.write(
            ". {script} <{answers} >{out} 2>{err}; echo $?\n".format(**quoted)  # the shell itself reads our lines
        )
        self._bash.stdin.flush()
        status = self._bash.stdout.readline().strip()
        printed, said = (files[name].read_text(encoding="utf-8") for name in ("out", "err"))
        assert status == "0", f"{step.where}: {step.script} ended with {status}\n{printed}{said}"
        if step.shown is not None:
            paths = self._devices() or paths  # it may have made one, or removed the last
            assert_printed(step, _renamed(printed, {path: f"/dev/loop{n}" for n, path in enumerate(paths)}))

    def close(self) -> None:
        """Ends the shell."""
        assert self._bash.stdin is not None
        self._bash.stdin.close()
        self._bash.wait()


def _renamed(text: str, names: dict[str, str]) -> str:
    """Returns the text with these paths of devices replaced, all at once."""
    return re.sub(r"/dev/loop\d+\b", lambda found: names.get(found[0], found[0]), text)


def assert_printed(step: Step, printed: str) -> None:
    """Raises AssertionError unless the lines are those that the document shows, but for what varies."""
    shown, found = (
        [compared(line) for line in lines if line.strip()] for lines in (step.shown or [], printed.splitlines())
    )
    wanted = "\n".join(step.shown or [])
    assert _matches(shown, found), f"{step.where}: {step.script} printed\n{printed}\nnot\n{wanted}"


def _matches(shown: list[str], found: list[str]) -> bool:
    """Reports whether the lines are those shown: a line of … stands for any lines, and … in a line for any text."""
    if not shown:
        return not found
    if shown[0] == _ANYTHING:
        return any(_matches(shown[1:], found[start:]) for start in range(len(found) + 1))
    pattern = ".*".join(map(re.escape, shown[0].split(_ANYTHING)))
    return bool(found) and re.fullmatch(pattern, found[0]) is not None and _matches(shown[1:], found[1:])


def compared(line: str) -> str:
    """Returns a line with what varies replaced, and with single spaces."""
    for pattern, name in VARYING:
        line = pattern.sub(name, line)
    return " ".join(line.split())
