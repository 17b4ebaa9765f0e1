"""The words of the API are those of the glossary: one word for one thing."""

import re
from functools import cache
from typing import Any

from patina.main import build_app
from patina.settings import PROJECT_DIR

GLOSSARY = (PROJECT_DIR / "docs" / "glossary.md").read_text(encoding="utf-8")
# Of HTTP, of forms and of statistics: no terms of Patina.
COMMON = {
    "input",  # of a schema that differs from its output
    "chi", "confirmation", "control", "current", "deletion", "error", "field", "finish", "health", "item", "link",
    "mark", "problem", "progress", "readiness", "request", "result", "squared", "step", "summary", "update",
}  # fmt: skip
_WORD = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")


@cache
def _document() -> dict[str, Any]:
    return build_app().openapi()


def _words(names: set[str]) -> set[str]:
    return {word.lower() for name in names for word in _WORD.findall(name)}


def _is_in_glossary(word: str) -> bool:
    return re.search(rf"\b{word.removesuffix('s')}(s|es)?\b", GLOSSARY, re.IGNORECASE) is not None


def test_the_words_of_schemas_are_in_the_glossary() -> None:
    words = _words(set(_document()["components"]["schemas"])) - COMMON
    assert sorted(word for word in words if not _is_in_glossary(word)) == []


def test_no_name_of_the_api_has_a_word_that_the_glossary_replaces() -> None:
    section = GLOSSARY.split("## Words that are not used", 1)[1]
    replaced = {
        word for row in re.findall(r"^\| [^|]+ \| ([^|]+) \|$", section, re.MULTILINE) for word in row.split(", ")
    }
    assert {"alive", "native"} <= replaced, "the table of the glossary is read"
    document = _document()
    names = set(document["components"]["schemas"])
    for schema in document["components"]["schemas"].values():
        names |= set(schema.get("properties", {}))
    for path, operations in document["paths"].items():
        names |= {path} | {operation["operationId"] for operation in operations.values()}
    assert sorted(_words(names) & replaced) == []
