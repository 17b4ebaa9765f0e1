"""Job files of fio: only options that cannot leave the folder that a trial gives them.

fio can run programs and write to any path: the API and, right before it starts, the worker accept known options alone.
Options of reports stay out as well: the worker reads fio's default report.
"""

import re
from dataclasses import dataclass

from patina.errors import PatinaError

FioJobInvalid = PatinaError.of("fio_job_invalid", "The fio job cannot be used", status=422)

OPTIONS = frozenset(
    [
        "rw",
        "readwrite",
        "bs",
        "blocksize",
        "ba",
        "blockalign",
        "bsrange",
        "bssplit",
        "size",
        "filesize",
        "file_size",
        "io_size",
        "io_limit",
        "offset",
        "offset_increment",
        "nrfiles",
        "openfiles",
        "file_service_type",
        "numjobs",
        "iodepth",
        "iodepth_batch",
        "iodepth_batch_submit",
        "iodepth_batch_complete",
        "iodepth_batch_complete_min",
        "iodepth_batch_complete_max",
        "iodepth_low",
        "direct",
        "buffered",
        "fsync",
        "fdatasync",
        "sync",
        "sync_file_range",
        "end_fsync",
        "fsync_on_close",
        "overwrite",
        "fallocate",
        "fadvise_hint",
        "rwmixread",
        "rwmixwrite",
        "percentage_random",
        "random_distribution",
        "randrepeat",
        "randseed",
        "allrandrepeat",
        "norandommap",
        "softrandommap",
        "random_generator",
        "ioengine",
        "time_based",
        "runtime",
        "ramp_time",
        "startdelay",
        "loops",
        "thinktime",
        "thinktime_spin",
        "thinktime_blocks",
        "rate",
        "rate_min",
        "rate_iops",
        "rate_iops_min",
        "rate_process",
        "number_ios",
        "invalidate",
        "refill_buffers",
        "scramble_buffers",
        "buffer_compress_percentage",
        "buffer_compress_chunk",
        "buffer_pattern",
        "dedupe_percentage",
        "verify",
        "verify_interval",
        "verify_pattern",
        "do_verify",
        "group_reporting",
        "new_group",
        "lat_percentiles",
        "clat_percentiles",
        "slat_percentiles",
        "percentile_list",
        "thread",
        "create_serialize",
        "create_fsync",
        "create_on_open",
        "file_append",
        "unlink",
        "name",
        "description",
        "rw_sequencer",
        "zero_buffers",
        "gtod_reduce",
        "significant_figures",
        "continue_on_error",
    ]
)
SERIAL = frozenset({"stonewall", "wait_for_previous", "wait_for"})
ENGINES = frozenset({"sync", "psync", "vsync", "pvsync", "pvsync2", "libaio", "posixaio", "io_uring", "mmap"})
_SECTION = re.compile(r"\[(?P<name>[^\]]*)\]")
# Names are parts of file names: without a separator of paths.
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_ .+-]{0,79}")
# In a value, fio replaces what follows a dollar sign, and reads the file named in single quotes as a pattern.
_VALUE = re.compile(r"[A-Za-z0-9_ .,:;/%+*()@!?<>=\"-]+")
_COMMENT = re.compile(r"[;#].*")
MOST_LINE_CHARS = 1000  # fio reads at most 4095 bytes of a line; the rest would be another option


@dataclass(frozen=True)
class _Line:
    number: int
    text: str


def job_file(text: str, *, directory: str) -> str:
    """Returns the job file for fio, its files in `directory`. Raises FioJobInvalid with the line."""
    sections: list[str] = []
    out = ["[global]", f"directory={directory}"]
    for line in _lines(text):
        section = _SECTION.fullmatch(line.text)
        if section:
            sections.append(_section(line, section["name"], is_first=not sections))
            if sections[-1] != "global":
                out.append(f"[{sections[-1]}]")
            continue
        if not sections:
            raise FioJobInvalid(f"Line {line.number}: an option before the first section, such as [read].")
        out.append(_option(line))
    if not [name for name in sections if name != "global"]:
        raise FioJobInvalid("The job file has no section of a job, such as [read].")
    return "\n".join(out) + "\n"


def _lines(text: str) -> list[_Line]:
    """Returns the lines without their comments, but for empty ones."""
    found = []
    for number, whole in enumerate(text.splitlines(), start=1):
        line = _COMMENT.sub("", whole).strip()
        if len(line) > MOST_LINE_CHARS:
            raise FioJobInvalid(f"Line {number}: more than {MOST_LINE_CHARS} characters.")
        if line:
            found.append(_Line(number, line))
    return found


def _section(line: _Line, name: str, *, is_first: bool) -> str:
    """Returns the section's name."""
    if name == "global":
        if not is_first:
            raise FioJobInvalid(f"Line {line.number}: the section [global] comes first, and once.")
    elif name.startswith("global"):  # fio compares no more of the name
        raise FioJobInvalid(f"Line {line.number}: fio takes the section {name!r} for [global]; give it another name.")
    elif not _NAME.fullmatch(name):
        raise FioJobInvalid(
            f"Line {line.number}: the section {name!r} gives its files their names. It has up to 80 of A-Z, a-z, 0-9, "
            "'_', '.', '+', '-' and spaces, and begins with a letter or a digit."
        )
    return name


def _option(line: _Line) -> str:
    name, equals, value = (part.strip() for part in line.text.partition("="))
    if name in SERIAL:
        raise FioJobInvalid(
            f"Line {line.number}: {name} runs jobs one after the other, and their rates have no sum. Make each a "
            "workload of its own."
        )
    if name not in OPTIONS:
        raise FioJobInvalid(
            f"Line {line.number}: the option {name[:80]!r} is not allowed in a trial. Patina chooses files and "
            "programs; options of I/O, sizes, rates and times are allowed."
        )
    if name == "ioengine" and value not in ENGINES:
        raise FioJobInvalid(
            f"Line {line.number}: the engine {value[:80]!r} is not allowed in a trial; the engines are "
            f"{', '.join(sorted(ENGINES))}."
        )
    if not equals:
        return name
    if not value:
        raise FioJobInvalid(f"Line {line.number}: {name} has no value after its =.")
    if not _VALUE.fullmatch(value) or (name == "name" and not _NAME.fullmatch(value)):
        raise FioJobInvalid(f"Line {line.number}: the value of {name} has a character that is not allowed.")
    return f"{name}={value}"
