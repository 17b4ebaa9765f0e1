"""The help of the command, and the completion of its words in a shell."""

from collections.abc import Callable

import pytest

from commands import Patina, printed
from trial_rows import make_image

Factory = Callable[..., int]


def test_the_help_lists_the_commands_by_what_they_are_for(patina: Patina) -> None:
    shown = printed(patina("--help"))
    panels = [line.split("─ ")[1].split(" ─")[0] for line in shown.splitlines() if line.startswith("╭")]
    assert panels[:4] == ["Options", "Runs and batches", "Images", "Devices and hosts"]
    assert "Commands" not in panels, "a command is in no panel"


def test_the_help_is_asked_for_in_three_ways(patina: Patina) -> None:
    asked = printed(patina("image", "show", "--help"))
    assert "Show an image" in asked
    assert printed(patina("image", "show", "-h")) == asked
    assert printed(patina("help", "image", "show")) == asked
    assert printed(patina("help")) == printed(patina("--help"))


def test_the_shell_completes_names_of_the_server(
    patina: Patina, make_device: Factory, publish_image: Factory, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_device("sandbox-1")
    make_image(publish_image, "aged")
    monkeypatch.setenv("_PATINA_COMPLETE", "complete_bash")
    for words, completed in (
        ("patina age /dev/san", "/dev/sandbox-1"),
        ("patina image show ag", "aged"),
        ("patina forecast agr", "agrawal"),
        ("patina runs --state pau", "paused"),
        ("patina age --file-system btr", "btrfs"),
    ):
        monkeypatch.setenv("COMP_WORDS", words)
        monkeypatch.setenv("COMP_CWORD", str(len(words.split()) - 1))
        assert completed in patina()[1].split()


def test_without_a_server_the_shell_completes_nothing(patina: Patina, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATINA_URL", "http://127.0.0.1:1")
    monkeypatch.setenv("_PATINA_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", "patina image show ag")
    monkeypatch.setenv("COMP_CWORD", "3")
    status, out, err = patina()
    assert (status, out.strip(), err) == (0, "", "")
