"""Reads Patina's JSON bin by bin: each has its line number, and the bins before a syntax error are kept.

The output of the core's `scan` is read too: its last line has the profile as a member.
"""

import json
import re

from patina.profile.histogram import HistogramName
from patina.profile_import.draft import Draft, Row
from patina.profile_import.number import MAX_NUMBER_LENGTH, Cell, Unread
from patina.profile_import.refusal import FileTooLarge, shown
from patina.profile_import.source import SourceText

_FIELDS: dict[HistogramName, tuple[str, ...]] = {
    "size": ("bytes", "weight"),
    "depth": ("depth", "weight", "subdirs"),
    "age": ("age", "weight"),
}
_TEXT_LIMITS = {"title": 200, "description": 20_000, "source": 2_000}
# patina-core has the same limit.
MAX_JSON_LENGTH = 2**20
MAX_MEMBERS_COUNT = 100
_OF_CORE = re.compile(r'\s*{"type": ?"hello"')  # its first line
_BLANKS = re.compile(r"[ \t\n\r]*")


def _integer(text: str) -> int | float:
    # Python refuses to parse thousands of digits; a double makes them infinity, which a row can report.
    return int(text) if len(text) <= MAX_NUMBER_LENGTH else float(text)


_DECODER = json.JSONDecoder(parse_int=_integer)


def read_patina(draft: Draft, source: SourceText) -> None:
    """Reads the bins and the other members into `draft`. Raises FileTooLarge."""
    at = source.text.rstrip().rfind("\n") + 1 if _OF_CORE.match(source.text) else 0
    if len(source.text) - at > MAX_JSON_LENGTH:
        raise FileTooLarge(f"{source.name} is longer than {MAX_JSON_LENGTH} characters, and than any profile is.")
    walk = _Walk(draft, source, at)
    try:
        walk.document()
    except json.JSONDecodeError as error:
        draft.say(source.name, error.lineno, f"It is not JSON from here on ({error.msg}); what comes before was read.")
    except RecursionError:
        draft.say(source.name, walk.line, "It is nested too deeply to be a profile.")


class _Walk:
    """A parser of the document, value by value."""

    def __init__(self, draft: Draft, source: SourceText, at: int) -> None:
        self._draft = draft
        self._file = source.name
        self._text = source.text
        self._at = at
        self._counted_to = 0
        self.line = 1

    def document(self) -> None:
        """Parses the whole text: one object."""
        if not self._object():
            return
        self._skip()
        if self._at < len(self._text):
            raise json.JSONDecodeError("nothing may follow the object", self._text, self._at)

    def _object(self) -> bool:
        """Parses an object with the histograms, or one with a profile. Returns whether to go on."""
        self._expect("{", "an object of three histograms is expected")
        members_count = 0
        while not self._take("}"):
            members_count += 1
            if members_count > MAX_MEMBERS_COUNT:
                self._draft.say(self._file, self._count_lines(), "The rest was not read: no profile is that long.")
                return False
            key = self._value()
            if not isinstance(key, str):
                raise json.JSONDecodeError("a name between quotes is expected", self._text, self._at)
            self._expect(":", "a colon is expected")
            if key in _FIELDS:
                if not self._histogram(key):
                    return False
            elif key == "profile" and self._is_before("{"):
                if not self._object():
                    return False
            else:
                self._fact(key, self._value())
            if not self._take(","):
                self._expect("}", "a comma or the closing brace is expected")
                break
        return True

    def _histogram(self, name: HistogramName) -> bool:
        """Parses a histogram. Returns whether to go on."""
        self._skip()
        if not self._take("["):
            self._draft.say(self._file, self._count_lines(), f"'{name}' is not a list of bins.")
            self._value()
            return True
        is_wanted = self._draft.begin(name, self._file)
        while not self._take("]"):
            self._skip()
            line = self._count_lines()
            if self._draft.is_full:
                self._draft.say_full(self._file, line)
                return False
            element = self._value()
            if is_wanted:
                self._bin(name, line, element)
            if not self._take(","):
                self._expect("]", "a comma or the closing bracket is expected")
                break
        return True

    def _bin(self, histogram: HistogramName, line: int, element: object) -> None:
        fields = _FIELDS[histogram]
        if not isinstance(element, dict):
            problem = "a bin is an object, such as {" + ", ".join(f'"{name}": 1' for name in fields) + "}"
            self._draft.tell(histogram, self._file, line, None, None, None, problem)
            return
        cells = [_cell(element, name) for name in fields]
        subdirs = cells[2] if len(cells) == 3 else None
        self._draft.add(Row(histogram, self._file, line, cells[0], cells[1], subdirs))

    def _fact(self, name: str, value: object) -> None:
        limit = _TEXT_LIMITS.get(name)
        if limit is None or not isinstance(value, str):
            return
        if len(value) > limit:
            self._draft.say(self._file, self._count_lines(), f"The {name} was cut to {limit} characters.")
        # Control characters and lone surrogates can neither be stored nor sent.
        kept = "".join(c for c in value[:limit] if c.isprintable() or (c in "\n\t" and name != "title"))
        setattr(self._draft, name, kept)

    def _value(self) -> object:
        self._skip()
        value, self._at = _DECODER.raw_decode(self._text, self._at)
        return value

    def _skip(self) -> None:
        found = _BLANKS.match(self._text, self._at)
        assert found is not None
        self._at = found.end()

    def _is_before(self, mark: str) -> bool:
        self._skip()
        return self._text.startswith(mark, self._at)

    def _take(self, mark: str) -> bool:
        if not self._is_before(mark):
            return False
        self._at += 1
        return True

    def _expect(self, mark: str, message: str) -> None:
        if not self._take(mark):
            raise json.JSONDecodeError(message, self._text, self._at)

    def _count_lines(self) -> int:
        self.line += self._text.count("\n", self._counted_to, self._at)
        self._counted_to = self._at
        return self.line


def _cell(element: dict[str, object], name: str) -> Cell:
    if name not in element:
        return Unread(f"'{name}' is missing")
    value = element[name]
    if isinstance(value, bool) or not isinstance(value, int | float):
        return Unread(f"{shown(json.dumps(value)) if isinstance(value, str) else 'it'} is not a number; write digits")
    return value
