"""Compares the tests that a layer's files define with the tests that its runner reports.

A runner that collects too little reports success. This module searches the source text by the same rules by which the
runner finds tests, so a file or a test that the runner misses is a failure of the layer.
"""

import ast
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from patina_dev.suite.report import Case

_GTEST = re.compile(r"^TEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\s*\)", re.MULTILINE)
# A call at the beginning of a line: test("…", test.each(…)(…) and it(…), but not test.use, test.skip.
_JAVASCRIPT = re.compile(r"^\s*(?:test|it)(?:\.(?:each|only|fixme|for)\b|\()", re.MULTILINE)


def missing_python(folder: Path, cases: Iterable[Case], *, root: Path) -> list[str]:
    """Returns the tests in `folder`'s test_*.py without a case, as `file::name`."""
    reported = {(case.file, case.name) for case in cases}
    return [
        f"{file}::{name}"
        for path in sorted(folder.rglob("test_*.py"))
        for file in [str(path.relative_to(root))]
        for name in _python_tests(path)
        if (file, name) not in reported
    ]


def _python_tests(path: Path) -> list[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    functions = (node for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    return [function.name for function in functions if function.name.startswith("test_")]


def missing_gtest(folder: Path, cases: Iterable[Case]) -> list[str]:
    """Returns the tests in `folder`'s *_test.cc without a case, as `file::Suite.Name`."""
    reported = {(case.file, case.name) for case in cases}
    return [
        f"{path.name}::{suite}.{name}"
        for path in sorted(folder.rglob("*_test.cc"))
        for suite, name in _GTEST.findall(path.read_text(encoding="utf-8"))
        if not name.startswith("DISABLED_") and (path.name, f"{suite}.{name}") not in reported
    ]


def missing_javascript(folder: Path, pattern: str, cases: Iterable[Case]) -> list[str]:
    """Returns the files of `folder` with more tests in their text than reported cases."""
    reported = Counter(Path(case.file).name for case in cases)
    missing = []
    for path in sorted(folder.rglob(pattern)):
        written_count = len(_JAVASCRIPT.findall(path.read_text(encoding="utf-8")))
        if reported[path.name] < max(written_count, 1):
            missing.append(f"{path.name}: {written_count} tests are written, {reported[path.name]} were executed")
    return missing
