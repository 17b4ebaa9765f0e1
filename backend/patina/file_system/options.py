"""Options of mkfs and mount that a user adds to those of the table.

Root passes them, so only options of the row are accepted, and of those only values that name no file, device or
identity. The API checks them, and the worker once more: it builds its commands with these functions alone.

A form is the option or the value itself, or has a place for one: N for a number, SIZE for a number with a unit or
without, FEATURE for the name of a feature.
"""

import re
from functools import cache

from patina.errors import PatinaError
from patina.file_system.row import MOUNT_OPTIONS
from patina.file_system.table import FileSystem, row_of

_PLACES = {
    "N": "[0-9]{1,12}",
    "SIZE": "[0-9]{1,12}[kKmMgG]?",
    "FEATURE": "(?!journal_dev)[a-z][a-z0-9_-]*",  # a journal for another device holds no files
}
# Nothing that a shell or a path needs. Also a constraint of the database.
PATTERN = r"^[A-Za-z0-9 ,=:^_.-]*$"
CHARS = 200

OptionsRefused = PatinaError.of("options_refused", "Options of the file system refused", status=422)


def require(file_system: FileSystem, mkfs: str, mount: str) -> None:
    """Raises OptionsRefused for options that this file system is not made or mounted with."""
    mkfs_command(file_system, "", 0, mkfs)
    mount_list(file_system, mount)


def mkfs_command(name: str, identity: str, size_bytes: int, added: str) -> list[str]:
    """Returns the row's command with the added options, without the device. An option replaces the row's own, or is
    merged into its list, because most mkfs accept an option once only. Raises OptionsRefused."""
    row = row_of(name)
    argv = row.mkfs(identity, size_bytes)
    _check_characters(added)
    words = added.split()
    for option, value in zip(words[::2], [*words[1::2], *[""] * (len(words) % 2)], strict=True):
        known = row.mkfs_options.get(option)
        if known is None:
            raise OptionsRefused(
                f"{option!r} is no option that Patina passes to {argv[0]}. Write options with their values, as "
                f'"-i 8192". Possible are {", ".join(row.mkfs_options)}.'
            )
        entries = value.split(",") if known.is_list else [value]
        wrong = [entry for entry in entries if not _has_form(entry, known.forms)]
        if wrong:
            raise OptionsRefused(
                f"{', '.join(map(repr, wrong))} is no value that Patina passes with {option} to {argv[0]}. Possible: "
                f"{', '.join(known.forms)}."
            )
        _merge(argv, option, entries, is_list=known.is_list)
    return argv


def mount_list(name: str, added: str) -> list[str]:
    """Returns the added mount options. Raises OptionsRefused."""
    _check_characters(added)
    options = [option for option in re.split("[ ,]+", added) if option]
    possible = (*row_of(name).own_mount_options, *MOUNT_OPTIONS)
    wrong = [option for option in options if not _has_form(option, possible)]
    if wrong:
        raise OptionsRefused(
            f"{', '.join(map(repr, wrong))} is no option that Patina mounts {name} with. Possible are "
            f"{', '.join(possible)}."
        )
    return options


def _has_form(text: str, forms: tuple[str, ...]) -> bool:
    return any(_pattern(form).fullmatch(text) for form in forms)


@cache
def _pattern(form: str) -> re.Pattern[str]:
    parts = re.split(f"({'|'.join(_PLACES)})", form)
    return re.compile("".join(_PLACES.get(part, re.escape(part)) for part in parts))


def _check_characters(text: str) -> None:
    if len(text) > CHARS or re.fullmatch(PATTERN.strip("^$"), text) is None:
        raise OptionsRefused(
            f"Options have at most {CHARS} letters, digits, spaces and , = : ^ _ . - and no other character: {text!r}."
        )


def _merge(argv: list[str], option: str, entries: list[str], *, is_list: bool) -> None:
    if option not in argv:
        argv += [option, ",".join(entries)]
        return
    at = argv.index(option) + 1
    named = {_name_of(entry) for entry in entries}
    kept = [entry for entry in argv[at].split(",") if _name_of(entry) not in named] if is_list else []
    argv[at] = ",".join([*kept, *entries])


def _name_of(entry: str) -> str:
    return entry.removeprefix("^").partition("=")[0]
