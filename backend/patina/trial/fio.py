"""Job files of fio: only options that cannot leave the folder that a trial gives them.

fio can run programs and write to any path: the API and, right before it starts, the worker accept known options alone.
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
        "stonewall",
        "wait_for_previous",
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
        "unified_rw_reporting",
        "zero_buffers",
        "gtod_reduce",
        "significant_figures",
        "continue_on_error",
    ]
)
ENGINES = frozenset({"sync", "psync", "vsync", "pvsync", "pvsync2", "libaio", "posixaio", "io_uring", "mmap"})
_SECTION = re.compile(r"^\[(?P<name>[^\]]{1,80})\]$")


@dataclass(frozen=True)
class _Line:
    number: int
    text: str


def job_file(text: str, *, directory: str) -> str:
    """Returns the job file for fio, its files in `directory`. Raises FioJobInvalid with the line."""
    sections: list[str] = []
    out = ["[global]", f"directory={directory}"]
    for line in _lines(text):
        section = _SECTION.match(line.text)
        if section:
            sections.append(section["name"])
            if section["name"] != "global":
                out.append(f"[{section['name']}]")
            elif len(sections) > 1:
                raise FioJobInvalid(f"Line {line.number}: the section [global] comes first, and once.")
            continue
        if not sections:
            raise FioJobInvalid(f"Line {line.number}: an option before the first section, such as [read].")
        out.append(_option(line))
    if not [name for name in sections if name != "global"]:
        raise FioJobInvalid("The job file has no section of a job, such as [read].")
    return "\n".join(out) + "\n"


def _lines(text: str) -> list[_Line]:
    found = [_Line(number, line.strip()) for number, line in enumerate(text.splitlines(), start=1)]
    return [line for line in found if line.text and line.text[0] not in "#;"]


def _option(line: _Line) -> str:
    name, equals, value = (part.strip() for part in line.text.partition("="))
    if name not in OPTIONS:
        raise FioJobInvalid(
            f"Line {line.number}: the option {name!r} is not allowed in a trial. Patina chooses files and programs; "
            "options of I/O, sizes, rates and times are allowed."
        )
    if name == "ioengine" and value not in ENGINES:
        raise FioJobInvalid(
            f"Line {line.number}: the engine {value!r} is not allowed in a trial; the engines are "
            f"{', '.join(sorted(ENGINES))}."
        )
    # A dollar sign would read the environment.
    if any(char in value for char in "$\\`\0"):
        raise FioJobInvalid(f"Line {line.number}: the value of {name} has a character that is not allowed.")
    return f"{name}={value}" if equals else name
