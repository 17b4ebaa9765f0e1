"""Shows that the files and sections that comments and documents cite exist."""

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

_FOLDERS = "native|backend|worker|frontend|e2e|stack|migrations|docs|profiles|docker"
_PATH = re.compile(rf"(?<![\w/.-])((?:{_FOLDERS})/[\w./-]*\w\.(?:py|cc|h|ts|tsx|md|json|jsonl|sh|svg|png|css|ini))\b")
_DOCUMENT = re.compile(r"(?<![\w/.*{-])([a-z][\w-]*\.md)\b")
_SECTION = re.compile(r'(docs/[\w-]+\.md), "([^"]+)"')
_NUMBERED = re.compile(r"\b([a-z][a-z-]+), section \d+")  # of a document without a path; an RFC has capitals
_BREAK = re.compile(r"\n[ \t]*(?://|#|\*)?[ \t]*")  # a comment that goes on in the next line
# Of another project, an example of what does not exist, or made by a command. NAME and NOUN are placeholders.
_FOREIGN = re.compile(
    r"package-lock\.json$|^native/fuzz/seeds/|^stack/(tests/test_(check|suite)|patina_dev/check/citations)\.py$|\.jsonl$|^CHANGELOG\.md$"
)
_PLACEHOLDER = re.compile(r"\b(?:NAME|NOUN)(?=[_./]|\b)")
_MADE = ("native/build/", "frontend/dist/", "e2e/test-results/", "frontend/node_modules/", "e2e/node_modules/")


def violations(files: Mapping[str, str]) -> list[str]:
    """One line for each citation of a file, a document or a section that does not exist."""
    documents = {PurePosixPath(name).name for name in files if name.endswith(".md")}
    cited = {name: text for name, text in files.items() if not _FOREIGN.search(name)}
    return [line for name, text in sorted(cited.items()) for line in _of(name, text, files, documents)]


def _of(name: str, text: str, files: Mapping[str, str], documents: set[str]) -> Iterator[str]:
    text = _BREAK.sub(" ", text)
    for path in sorted(set(_PATH.findall(text))):
        if (
            path not in files
            and not _PLACEHOLDER.search(path)
            and not path.startswith(_MADE)
            and not _below(name, path, files)
        ):
            yield f"{name}: cites {path}, which does not exist."
    for document in sorted(set(_DOCUMENT.findall(text)) - documents):
        yield f"{name}: cites {document}, which does not exist."
    for document in sorted(set(_NUMBERED.findall(text))):
        yield f'{name}: cites a section of {document} by its number. Cite docs/FILE.md, "Section".'
    for document, section in sorted(set(_SECTION.findall(text))):
        if document in files and not re.search(rf"^#+ {re.escape(section)}$", files[document], re.MULTILINE):
            yield f'{name}: cites the section "{section}" of {document}, which does not exist.'


def _below(name: str, path: str, files: Mapping[str, str]) -> bool:
    """Whether the path is written from a folder above the file that cites it."""
    return any(str(folder / path) in files for folder in PurePosixPath(name).parents)
