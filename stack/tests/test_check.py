"""Each check of the tree finds its violations."""

import os
import subprocess
from pathlib import Path

import pytest

from patina_dev.check import citations, commits, documents, folders, includes, prose


def test_a_folder_with_one_entry_too_many_is_named() -> None:
    files = [f"worker/jobs/{number}.py" for number in range(44)] + ["worker/jobs/inner/a.py", "worker/jobs/inner/b.py"]
    assert folders.violations(files) == []
    (line,) = folders.violations([*files, "worker/jobs/one_more.py"])
    assert line.startswith("worker/jobs/: 46 entries; 45 at most.")


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("native/src/base/gate.cc", '#include "model/plan.h"\n', "base includes model"),
        ("native/src/model/plan.cc", '#include "testing/test_places.h"\n', "model includes testing"),
        ("native/src/model/plan.cc", '#include "mix.h"\n', 'includes "mix.h" without its folder'),
        ("native/src/new/file.cc", "", "folder new has no place"),
        ("native/src/file.cc", "", "lies in no folder"),
    ],
)
def test_an_include_against_the_direction_is_named(name: str, text: str, words: str) -> None:
    (line,) = includes.violations({name: text})
    assert name in line
    assert words in line


def test_tests_of_the_core_include_any_folder() -> None:
    text = '#include "age/age.h"\n#include "base/gate.h"\n#include "testing/test_places.h"\n'
    assert includes.violations({"native/src/base/gate_test.cc": text, "native/src/testing/trial.h": text}) == []
    assert includes.violations({"native/src/age/age.cc": '#include "base/gate.h"\n#include <vector>\n'}) == []


def test_words_that_hide_the_subject_are_counted_whole_and_in_any_case() -> None:
    lines = "A line.\n" * 10_000
    assert prose.violations({"docs/a.md": lines + "Nobody "}) == []
    (line,) = prose.violations({"docs/a.md": lines + "Nobody knows whoever ", "docs/b.md": "nobodys"})
    assert "2 uses in 10000 lines" in line
    assert "docs/a.md (2)" in line


def test_a_long_line_of_a_document_is_named_where_it_could_be_broken() -> None:
    long = "word " * 30
    assert (
        documents.violations({"docs/a.md": f"{'x' * 101}\n| {long} |\n# {long}\n```\n{long}\n```\n", "b.py": long})
        == []
    )
    (line,) = documents.violations({"docs/a.md": f"short\n- {long}\n"})
    assert line.startswith("docs/a.md:2: 152 columns")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("see native/src/base/gone.h", "native/src/base/gone.h, which does not exist"),
        ("see gone.md", "gone.md, which does not exist"),
        ('(docs/design.md, "Another section")', 'the section "Another section" of docs/design.md'),
        ('# (docs/design.md, "How\n# things went")', 'the section "How things went" of docs/design.md'),
        ("(aging-model, section 6)", "a section of aging-model by its number"),
    ],
)
def test_a_citation_of_nothing_is_named(text: str, words: str) -> None:
    design = {"docs/design.md": "## How aging\n"}
    (line,) = citations.violations({"worker/a.py": text, **design})
    assert line.startswith("worker/a.py: ")
    assert words in line


def test_citations_of_what_exists_pass() -> None:
    text = '(docs/design.md, "How aging\n// converges"), RFC 9110, section 14, native/build/patina-core.h, ./src/a.css'
    files = {"native/src/a.cc": text, "docs/design.md": "## How aging converges\n"}
    assert citations.violations(files) == []


@pytest.mark.parametrize(
    ("subject", "problem"),
    [
        ("core: count each block once", None),
        ("e2e: bring back the second browser", None),
        ("Core: count", "no `area: `"),
        ("count each block once", "no `area: `"),
        ("core: counted each block", "'counted' is no imperative"),
        ("core: counting each block", "'counting' is no imperative"),
        ("core: " + "x" * 70, "76 characters"),
    ],
)
def test_subjects_of_commits_have_one_form(subject: str, problem: str | None) -> None:
    found = commits.problem_of(subject)
    assert (found is None) if problem is None else problem in (found or "")


def test_a_commit_of_another_form_is_named(tmp_path: Path) -> None:
    def _git(*words: str, date: str = "2026-11-01") -> None:
        who = ["-c", "user.name=Test", "-c", "user.email=test@example.org"]
        environment = os.environ | {"GIT_COMMITTER_DATE": f"{date}T12:00:00Z"}
        subprocess.run(["git", "-C", str(tmp_path), *who, *words], check=True, capture_output=True, env=environment)

    _git("init")
    for subject, date in (("Old style", "2026-11-01"), ("core: count blocks", "2026-12-01"), ("Oops", "2026-12-02")):
        _git("commit", "--allow-empty", "-m", subject, date=date)
    (line,) = commits.violations(tmp_path)
    assert "no `area: ` in 'Oops'" in line
