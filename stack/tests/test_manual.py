"""The manual pages: complete, and accepted by the programs that read them."""

import re
import subprocess
from pathlib import Path

import pytest

from patina_dev.dist import manual


@pytest.fixture(scope="module", params=list(manual.PAGES))
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def page(name: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("manual") / f"{name}.{manual.PAGES[name].section}"
    file.write_text(manual.page(name, "2026-11-27"), encoding="utf-8")
    return file


def test_every_command_and_option_is_in_the_manual(name: str, page: Path) -> None:
    shown = _shown(page)
    for entry in manual.PAGES[name].entries():
        section = shown if entry.words == name else _section(shown, entry.words)
        assert f"{entry.words} {entry.usage}".strip() in section
        for word, about in entry.records:
            assert f"{word} {about}".strip() in section, entry.words


def test_the_manual_has_each_command_that_the_help_lists() -> None:
    words = {entry.words for described in manual.PAGES.values() for entry in described.entries()}
    assert {"patina age", "patina image", "patina image bring-back", "patina migrate"} <= words
    assert {"patina-admin backup", "patina-admin link", "patina-worker join", "patina-worker start"} <= words
    assert not any("settings-of-runs" in each for each in words), "it is hidden"


def test_the_examples_are_those_of_a_document_that_a_test_runs(name: str, page: Path) -> None:
    (_, _, examples) = _shown(page).partition("EXAMPLES")
    for line in manual.example(manual.PAGES[name]):
        assert line.isascii() is False or " ".join(line.split()) in examples


def test_man_and_its_index_accept_the_manual(name: str, page: Path) -> None:
    argv = ["man", "--warnings=w", "--encoding=UTF-8", "--local-file", str(page)]
    read = subprocess.run(argv, capture_output=True, text=True, check=True)
    assert read.stderr == ""
    found = subprocess.run(["lexgrog", str(page)], capture_output=True, text=True, check=True)
    about = manual.PAGES[name].entries()[0].about.rstrip(".")
    assert found.stdout.strip() == f'{page}: "{name} - {about}"'


def _shown(page: Path) -> str:
    """Returns the text that a reader sees, on one line."""
    argv = ["man", "--encoding=ascii", "--no-hyphenation", "--no-justification", "--local-file", str(page)]
    environment = {"MANWIDTH": "1000", "PATH": "/usr/bin:/bin", "MAN_KEEP_FORMATTING": ""}
    read = subprocess.run(argv, env=environment, capture_output=True, text=True, check=True)
    return " ".join(read.stdout.split())


def _section(shown: str, words: str) -> str:
    """Returns the text from the command's heading to the next one."""
    (_, _, rest) = shown.partition(f" {words} {words} [")
    assert rest, f"{words} has no section"
    return f"{words} [" + re.split(r" (patina(?:-[a-z]+)?(?: [a-z-]+)+) \1 \[", rest)[0]
