"""Job files of fio: none leaves its folder or runs a program."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from patina.trial.fio import ENGINES, MOST_LINE_CHARS, OPTIONS, FioJobInvalid, job_file
from patina_dev.testing.property import property_cases

FOLDER = "/mnt/trial-1/patina-workload"
JOB = """
; random writes and reads
[global]
size = 1m
ioengine=libaio ; asynchronous
bs=4k

[write]
rw=randwrite # of 4 KiB
\tiodepth = 16

[read back]
rw=randread
bssplit=4k/60:8k/40
random_distribution=zipf:1.2
verify_pattern=0xdeadbeef
"""


def refusal(job: str) -> str:
    with pytest.raises(FioJobInvalid) as raised:
        job_file(job, directory=FOLDER)
    assert raised.value.code == "fio_job_invalid"
    return raised.value.message


def test_an_allowed_job_passes_and_gets_the_folder() -> None:
    assert job_file(JOB, directory=FOLDER).splitlines() == [
        "[global]",
        f"directory={FOLDER}",
        "size=1m",
        "ioengine=libaio",
        "bs=4k",
        "[write]",
        "rw=randwrite",
        "iodepth=16",
        "[read back]",
        "rw=randread",
        "bssplit=4k/60:8k/40",
        "random_distribution=zipf:1.2",
        "verify_pattern=0xdeadbeef",
    ]


@pytest.mark.parametrize("option", ["stonewall", "wait_for_previous", "wait_for=write"])
def test_jobs_that_run_one_after_the_other_are_refused(option: str) -> None:
    assert "workload of its own" in refusal(f"[write]\nrw=write\n[read]\n{option}\nrw=read\n")


def test_a_job_without_global_options_gets_the_folder_too() -> None:
    assert job_file("[read]\nrw=read\n", directory=FOLDER) == f"[global]\ndirectory={FOLDER}\n[read]\nrw=read\n"


@pytest.mark.parametrize("engine", sorted(ENGINES))
def test_engines_that_only_read_and_write_are_allowed(engine: str) -> None:
    assert f"\nioengine={engine}\n" in job_file(f"[read]\nioengine={engine}", directory=FOLDER)


@pytest.mark.parametrize(
    "line",
    [
        "filename=/dev/sda",
        "filename = ../../etc/passwd",
        "FileName=/dev/sda",
        "filename_format=/etc/$jobnum",
        "directory=/",
        "directory",
        "exec_prerun=reboot",
        "exec_postrun=reboot",
        "write_iolog=/etc/cron.d/x",
        "read_iolog=/etc/passwd",
        "write_bw_log=/etc/x",
        "opendir=/etc",
        "include /etc/passwd",
        "include=/etc/passwd",
        "ioengine=external:/tmp/evil.so",
        "ioengine=exec",
        "ioengine=net",
        "ioengine",
        "ioengine=",
        "aux_path=/",
        "verify_state_load=1",
        "profile=act",
        "cgroup=/",
        "ioscheduler=none",
        "cpus_allowed=0",
        "file_service_type=sequential --filename=x\tfilename",
        "unified_rw_reporting=1",  # the worker reads the default report
        "size=",
        "size=$HOME",
        "size=${HOME}",
        "size=`id`",
        "size=1m\\",
        "size=1m\0",
        "size=1m\x01",
        "size=1\u0661m",
        "buffer_pattern='/etc/shadow'",  # read from a file
        "verify_pattern='/etc/shadow'",
        "name=../x",
        "description=" + "x" * MOST_LINE_CHARS,
        "=1",
        "\0",
        "[global]",
        "[globals]",
        "[global ]",
        "[../x]",
        "[a/b]",
        "[.x]",
        "[]",
        "[" + "x" * 81 + "]",
        "[a]b]",
        "[a] x",
        "[caf\u00e9]",
        "[a:b]",
        "[$a]",
    ],
)
def test_what_could_leave_the_folder_or_run_a_program_is_refused_with_its_line(line: str) -> None:
    assert refusal(f"[read]\nrw=read\n{line}\n").startswith("Line 3: ")


def test_options_stand_in_a_section_and_a_job_is_needed() -> None:
    assert refusal("\n# first\nrw=read\n[read]") == "Line 3: an option before the first section, such as [read]."
    for empty in ("", "# nothing", "[global]\nrw=read"):
        assert refusal(empty) == "The job file has no section of a job, such as [read]."


@pytest.mark.parametrize("separator", ["\r", "\r\n", "\x0b", "\x0c", "\x1c", "\x85", "\u2028"])
def test_whatever_divides_lines_hides_no_option(separator: str) -> None:
    assert "filename" in refusal(f"[read]\nsize=1m{separator}filename=/dev/sda\n")


def test_a_long_line_that_is_a_comment_is_no_option() -> None:
    assert job_file(f"[read]\nrw=read ;{'x' * 5000}filename=/x", directory=FOLDER).endswith("[read]\nrw=read\n")


WORDS = st.sampled_from(
    [
        "directory",
        "filename",
        "Directory",
        "include",
        "[",
        "]",
        "=",
        " ",
        "\t",
        ";",
        "#",
        "$",
        "'",
        "/",
        "..",
        "x",
        "4k",
    ]
)
NAMES = st.sampled_from(sorted(OPTIONS)) | st.lists(WORDS, max_size=4).map("".join) | st.text(max_size=6)
OPTION_LINES = st.tuples(NAMES, st.sampled_from(["=", " = ", "", " ", "\x0b"]), NAMES).map("".join)
SECTION_LINES = (st.lists(WORDS, max_size=4).map("".join) | st.text("abc /.", max_size=8)).map("[{}]".format)
LINES = OPTION_LINES | SECTION_LINES | st.tuples(st.sampled_from(sorted(OPTIONS)), st.just("=4k")).map("".join)
JOBS = st.lists(LINES, max_size=5).map(lambda lines: "\n".join(["[job]", *lines]))


@settings(max_examples=property_cases(300))
@given(JOBS)
def test_no_line_but_ours_names_a_file_or_a_folder(job: str) -> None:
    try:
        written = job_file(job, directory=FOLDER)
    except FioJobInvalid:
        return
    first, second, *lines = written.removesuffix("\n").split("\n")  # as fio divides them
    assert (first, second) == ("[global]", f"directory={FOLDER}")
    for line in lines:
        assert len(line.encode()) < 4096
        if re.fullmatch(r"\[[\w .+-]+\]", line):
            assert not line.startswith(("[global", "[."))
            continue
        name, _, value = line.partition("=")
        assert name in OPTIONS - {"filename", "directory"}
        assert not set(value) & set("$`\\';#[]")
