"""Files and pasted texts as profiles: which are read, and that a bad row does not affect good ones."""

import io
import json
import zipfile
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from patina.settings import PROJECT_DIR, settings
from patina_dev.testing.owner import HEADERS

SIZE = "2\n4096 1\n8192 2\n"
DEPTH = "2\n0 1 0\n1 1 3\n"
AGE = "2\n1 1\n10 1\n"
HISTOGRAMS = {
    "size": [{"bytes": 4096, "weight": 1}, {"bytes": 8192, "weight": 2}],
    "depth": [{"depth": 0, "weight": 1, "subdirs": 0}, {"depth": 1, "weight": 1, "subdirs": 3}],
    "age": [{"age": 1, "weight": 1}, {"age": 10, "weight": 1}],
}
TEXTS = {"size_distribution.txt": SIZE, "dir_distribution.txt": DEPTH, "age_distribution.txt": AGE}
CSV = "histogram,edge,weight,subdirs\nsize,4096,1,\nsize,8192,2,\ndepth,0,1,0\ndepth,1,1,3\nage,1,1,\nage,10,1,\n"


@pytest.fixture(scope="module")
def client(app: FastAPI, database_of_module: None) -> Iterator[TestClient]:
    """Yields a client. Nothing is stored: one application serves all tests."""
    with TestClient(app, base_url="http://127.0.0.1", headers=HEADERS) as test_client:
        yield test_client


def asked(client: TestClient, files: dict[str, str | bytes], **fields: str) -> Any:
    parts = [
        ("files", (name, content.encode() if isinstance(content, str) else content)) for name, content in files.items()
    ]
    return client.post("/api/v1/profile_readings", files=parts, data=fields)


def read(client: TestClient, files: dict[str, str | bytes], **fields: str) -> Any:
    answer = asked(client, files, **fields)
    assert answer.status_code == 200, answer.text
    return answer.json()


def pasted(client: TestClient, text: str, histogram: str = "") -> Any:
    answer = client.post(
        "/api/v1/profile_readings", files=[("text", (None, text.encode()))], data={"histogram": histogram}
    )
    assert answer.status_code == 200, answer.text
    return answer.json()


def zipped(files: dict[str, str | bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return packed.getvalue()


def code(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


def problems(reading: Any) -> list[tuple[int, str]]:
    return [(row["line"], row["problem"]) for row in reading["rows"] if row["problem"]]


def digest_of(client: TestClient, histograms: dict[str, Any]) -> str:
    body = {"name": "x", "title": "x", "histograms": histograms, "message": "m", "author": "a"}
    return str(client.post("/api/v1/profiles", json=body).json()["latest_version"]["digest"])


@pytest.mark.parametrize("name", ["agrawal", "douceur", "meyer", "wang-lanl", "wang-os"])
def test_a_built_in_profile_is_read_as_itself(clean_database: None, client: TestClient, name: str) -> None:
    text = (settings().profiles_dir / f"{name}.json").read_text()
    reading = read(client, {"p.json": text})
    profile = client.get(f"/api/v1/profiles/{name}").json()
    assert (reading["format"], reading["problems"], problems(reading)) == ("patina", [], [])
    assert [reading[f] for f in ("title", "description", "source")] == [
        profile[f] for f in ("title", "description", "source")
    ]
    assert reading["digest"] == profile["latest_version"]["digest"]
    lines = text.splitlines()
    for row in reading["rows"]:
        assert json.loads(lines[row["line"] - 1].strip().rstrip(",")).get("weight") == row["weight"]


@pytest.mark.parametrize("as_zip", [True, False])
def test_geriatrix_texts_are_read(clean_database: None, client: TestClient, as_zip: bool) -> None:
    folder = {f"profile/{name}": text for name, text in TEXTS.items()}
    reading = read(client, {"p.zip": zipped({**folder, "__MACOSX/x": "y"})} if as_zip else dict(TEXTS))
    assert (reading["format"], reading["problems"], reading["histograms"]) == ("geriatrix", [], HISTOGRAMS)
    assert reading["digest"] == digest_of(client, HISTOGRAMS)
    assert [(r["file"], r["line"], r["edge"]) for r in reading["rows"]][:3] == [
        ("size_distribution.txt", 2, 4096), ("size_distribution.txt", 3, 8192), ("dir_distribution.txt", 2, 0),
    ]  # fmt: skip


def test_csv_with_a_heading_is_read_in_any_order_of_columns(client: TestClient) -> None:
    reading = read(client, {"p.csv": CSV})
    assert (reading["format"], problems(reading), reading["histograms"]) == ("csv", [], HISTOGRAMS)
    turned = "Weight;Histogram;Edge;Subdirs\r\n1;size;4096\r\n2;SIZE;8192\r\n1;depth;0;0\r\n1;depth;1;3\r\n"
    assert read(client, {"p.csv": turned})["histograms"] == HISTOGRAMS | {"age": []}


@pytest.mark.parametrize(
    ("text", "weights"),
    [
        ("4096\t1\n8192\t2,5\n", [1, 2.5]),
        ("4096,1\n8192,2.5", [1, 2.5]),
        ("4096, 1\n8192, 2.5", [1, 2.5]),
        ("4096;1\n8192;2,5\n", [1, 2.5]),
        ("4096 1,25\n8192 2,5\n", [1.25, 2.5]),
        ("4096   1\n\n  8192 2.5e0\n", [1, 2.5]),
        ("4,096\t1\n8,192\t1,234.5\n", [1, 1234.5]),
        ('"4,096","1"\n"8,192","1,234,567"\n', [1, 1234567]),
        ("4096\t0,125\n8192\t1,5\n", [0.125, 1.5]),
        ("4096\t1\r8192\t2\r", [1, 2]),
        ("bytes\tcount\n4096\t1\n8192\t2\n", [1, 2]),
        ("count\tbytes\n1\t4096\n2\t8192\n", [1, 2]),
        ("4096\t1\t\t\n8192\t2\t\t\n", [1, 2]),
    ],
)
def test_two_columns_are_read_as_people_write_numbers(client: TestClient, text: str, weights: list[float]) -> None:
    reading = pasted(client, text, "size")
    assert (reading["format"], problems(reading)) == ("columns", [])
    assert reading["histograms"]["size"] == [
        {"bytes": b, "weight": w} for b, w in zip((4096, 8192), weights, strict=True)
    ]


@pytest.mark.parametrize("text", ["4 KiB 100\n1 MiB 3\n", "4K\t100\n1M\t3\n", "4096 B;100\n1024 KiB;3\n"])
def test_sizes_are_read_with_units(client: TestClient, text: str) -> None:
    reading = pasted(client, text, "size")
    assert (problems(reading), reading["problems"]) == ([], [])
    assert reading["histograms"]["size"] == [{"bytes": 4096, "weight": 100}, {"bytes": 2**20, "weight": 3}]


def test_a_unit_that_may_mean_two_things_is_asked_about(client: TestClient) -> None:
    [(number, problem)] = problems(pasted(client, "1 KiB 1\n1 MB 1\n", "size"))
    assert (number, "may count by 1000 or by 1024; write KiB" in problem) == (2, True)


def test_a_first_row_with_an_error_is_no_heading(client: TestClient) -> None:
    reading = pasted(client, "4x 100y\n8 200\n", "age")
    assert problems(reading) == [(1, "the age: '4x' is not a number; write digits, such as 4096 or 1.5e6")]


def test_a_comma_that_may_mean_two_things_is_asked_about(client: TestClient) -> None:
    reading = pasted(client, "4,096\t1\n8192\t2\n", "size")
    [(line, problem)] = problems(reading)
    assert (line, "may part thousands or decimals" in problem) == (1, True)
    assert reading["histograms"]["size"] == [{"bytes": 8192, "weight": 2}]


def test_three_columns_are_depths(client: TestClient) -> None:
    assert pasted(client, "0 1 0\n1 1 3\n")["histograms"]["depth"] == HISTOGRAMS["depth"]


def test_a_heading_is_skipped_with_a_note(client: TestClient) -> None:
    reading = pasted(client, "how old\thow many\n1\t1\n10\t1\n", "age")
    assert reading["histograms"]["age"] == HISTOGRAMS["age"]
    assert [(p["line"], p["file"]) for p in reading["problems"]] == [(1, "pasted")]
    assert "heading" in reading["problems"][0]["message"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_text_in_unicode_is_read(client: TestClient, encoding: str) -> None:
    assert read(client, {"p.csv": CSV.encode(encoding)})["histograms"] == HISTOGRAMS


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("age,nan,1,", "the age is not finite"),
        ("age,inf,1,", "the age is not finite"),
        ("age,1e999,1,", "the age is not finite"),
        ("age,5,nan,", "the weight is not finite"),
        ("age,5,-1,", "the weight -1 is negative; write 0 or more"),
        ("age,-5,1,", "the age -5 is negative"),
        ("age,0,1,", "the age is 0"),
        ("age,5,1e16,", "the weight 1e+16 is above the limit"),
        ("age,five,1,", "the age: 'five' is not a number; write digits"),
        ("age,5,,", "the weight: a number is missing"),
        ("age,1,1,", "is in line 2 already; add the weights up"),
        ("age,0.5,1,", "not above 1 of line 2; sort the rows"),
        ("age,1_000,1,", "is not a number"),
        ("age,٣,1,", "is not a number"),
        ("size,1.5,1,", "the size 1.5 is not a whole number of bytes"),
        ("size,70368744177665,1,", "above the limit, 70368744177664"),
        ("size," + "9" * 5000 + ",1,", "is too long for a number"),
        ("depth,65,1,1", "the depth 65 is above the limit, 64"),
        ("depth,3,1,", "the number of directories at this depth is missing"),
        ("depth,3,1,1.5", "the subdirs 1.5 is not a whole number"),
        ("depth,3,1,100001", "above the limit, 100000"),
        ("color,3,1,", "'color' is no histogram; write size, depth or age"),
        ("age,5,1,,,7", "6 columns are more than a row has"),
        ('age,"5,1,', "the age: '5,1,' is not a number"),
    ],
)
def test_a_bad_row_is_named_and_the_good_ones_survive(client: TestClient, line: str, said: str) -> None:
    text = f"histogram,edge,weight,subdirs\nage,1,1,\n{line}\nage,10,1,\n"
    reading = read(client, {"p.csv": text})
    [(number, problem)] = problems(reading)
    assert (number, said in problem) == (3, True), problem
    assert reading["histograms"]["age"] == HISTOGRAMS["age"]


@pytest.mark.parametrize(
    ("bins", "said"),
    [
        ('{"age":NaN,"weight":1}', "not finite"),
        ('{"age":1e999,"weight":1}', "not finite"),
        ('{"age":-Infinity,"weight":1}', "not finite"),
        ('{"age":%s,"weight":1}' % ("9" * 20_000), "not finite"),
        ('{"age":%s,"weight":1}' % ("9" * 60), "above the limit"),
        ('{"age":"5","weight":1}', "is not a number"),
        ('{"age":true,"weight":1}', "is not a number"),
        ('{"age":[[]],"weight":1}', "is not a number"),
        ('{"age":5}', "'weight' is missing"),
        ("7", 'a bin is an object, such as {"age": 1, "weight": 1}'),
    ],
)
def test_a_bad_bin_is_named_and_the_good_ones_survive(client: TestClient, bins: str, said: str) -> None:
    text = f'{{"age": [\n{{"age":1,"weight":1}},\n{bins},\n{{"age":10,"weight":1}}\n]}}'
    reading = read(client, {"p.json": text})
    [(number, problem)] = problems(reading)
    assert (number, said in problem) == (3, True), problem
    assert reading["histograms"]["age"] == HISTOGRAMS["age"]


def test_what_stands_before_a_mistake_in_json_is_not_lost(client: TestClient) -> None:
    text = '{"title": "T\\ud800\\u0000",\n"age": [{"age":1,"weight":1},\n{"age":10,"weight":1},\n{"age": oops'
    reading = read(client, {"p.json": text})
    assert (reading["title"], reading["histograms"]["age"]) == ("T", HISTOGRAMS["age"])
    [problem] = reading["problems"]
    assert (problem["line"], "not JSON from here on" in problem["message"]) == (4, True)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1000000000\n1 1\n10 1\n", "announces '1000000000' rows"),
        ("nan\n1 1\n10 1\n", "announces 'nan' rows"),
        ("3\n1 1\n10 1\n", "announces 3 rows, but 2 are there"),
        ("2\n1 1\n10 1\n20 1\n", "Lines after the 2 announced rows"),
    ],
)
def test_a_count_that_does_not_fit_is_told(client: TestClient, text: str, said: str) -> None:
    reading = read(client, {"age_distribution.txt": text})
    assert reading["histograms"]["age"] == HISTOGRAMS["age"]
    assert [said in p["message"] for p in reading["problems"]] == [True]


@pytest.mark.parametrize("row", ["1", "1 2 3"])
def test_a_row_of_geriatrix_with_other_columns_is_named(client: TestClient, row: str) -> None:
    reading = read(client, {"age_distribution.txt": f"3\n1 1\n{row}\n10 1\n"})
    [(line, problem)] = problems(reading)
    assert (line, "a row has 2 numbers, age and weight" in problem) == (3, True)
    assert reading["histograms"]["age"] == HISTOGRAMS["age"]


def test_a_histogram_without_weight_is_told(client: TestClient) -> None:
    reading = read(client, {"p.csv": CSV.replace("age,1,1", "age,1,0").replace("age,10,1", "age,10,0")})
    assert reading["digest"] is None
    assert "Every weight of the age histogram is 0" in reading["problems"][0]["message"]


def test_a_histogram_is_taken_from_one_file(client: TestClient) -> None:
    reading = read(client, {"a.csv": CSV, "b.csv": CSV})
    assert reading["histograms"] == HISTOGRAMS
    assert [p["message"].split(" is in ")[0] for p in reading["problems"]] == [
        "The size histogram", "The depth histogram", "The age histogram",
    ]  # fmt: skip


def test_a_file_that_is_none_does_not_spoil_the_others(client: TestClient) -> None:
    reading = read(client, {"a.csv": CSV, "b.txt": "hello", "c.json": "{}"})
    assert reading["histograms"] == HISTOGRAMS
    assert [p["file"] for p in reading["problems"]] == ["b.txt", "c.json"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is no profile"),
        (b"hello", "is no profile"),
        (b"\x89PNG\r\n\x1a\n\x00", "is not UTF-8"),
        (b"[1, 2]", "is no profile"),
        (CSV.encode("utf-16-le"), "NUL characters"),
        (CSV.encode("utf-32"), "is UTF-32"),
        ("größe,1\n".encode("latin-1"), "line 1 has a byte"),
    ],
)
def test_what_is_no_profile_is_refused(client: TestClient, content: bytes, said: str) -> None:
    answer = asked(client, {"p.txt": content})
    assert code(answer) == (422, "file_not_understood")
    assert said in answer.json()["detail"]


def test_two_columns_that_may_be_sizes_or_ages_are_asked_for(client: TestClient) -> None:
    answer = asked(client, {"p.csv": "1,1\n10,1\n"})
    assert code(answer) == (422, "histogram_unnamed")
    assert "p.csv has columns of numbers, which may be sizes, depths or ages" in answer.json()["detail"]
    assert read(client, {"p.csv": "1,1\n10,1\n"}, histogram="age")["histograms"]["age"] == HISTOGRAMS["age"]
    several = asked(client, {"p.csv": "1,1\n10,1\n", "q.csv": "1,1\n10,1\n"})
    assert code(several) == (422, "file_not_understood")


@pytest.mark.parametrize(
    ("table", "histogram"),
    [
        ("age,weight\n1,2\n", "age"),
        ("Size;Files\n1;2\n", "size"),
        ("bytes\tshare\n1\t2\n", "size"),
        ("depth,weight,subdirs\n1,2,3\n", "depth"),
    ],
)
def test_a_heading_names_the_histogram_of_columns(client: TestClient, table: str, histogram: str) -> None:
    reading = read(client, {"p.csv": table})
    assert [name for name, bins in reading["histograms"].items() if bins] == [histogram]
    assert (reading["format"], reading["histograms"][histogram][0]["weight"]) == ("columns", 2)


@pytest.mark.parametrize("is_last_line_only", [True, False])
def test_the_output_of_the_cores_scan_is_read(client: TestClient, is_last_line_only: bool) -> None:
    output = (PROJECT_DIR / "native" / "contract" / "scan.jsonl").read_text(encoding="utf-8")
    last = output.splitlines()[-1]
    reading = read(client, {"tree.json": f"{last}\n" if is_last_line_only else output})
    profile = json.loads(last)["profile"]
    assert [bin_["bytes"] for bin_ in reading["histograms"]["size"]] == [bin_["bytes"] for bin_ in profile["size"]]
    assert (reading["format"], len(reading["digest"]), reading["problems"]) == ("patina", 64, [])
    assert {row["line"] for row in reading["rows"]} == {1 if is_last_line_only else output.count("\n")}


def test_a_form_without_a_file_is_refused(client: TestClient) -> None:
    def posted(**request: Any) -> Any:
        return client.post("/api/v1/profile_readings", **request)

    broken = {"content-type": "multipart/form-data; boundary=x; charset=hex"}
    for answer in (
        posted(),
        posted(json={}),
        posted(files={"other": ("a", b"b")}),
        posted(files={"files": (None, b"text")}),
        posted(files={"files": ("a.csv", CSV)}, data={"histogram": "color"}),
        posted(content=b"--x\r\n\r\n", headers={"content-type": "multipart/form-data"}),
        posted(content=b"??", headers={"content-type": "multipart/form-data; boundary=x"}),
        posted(content=b'--x\r\nContent-Disposition: form-data; name="text"\r\n\r\na\r\n--x--', headers=broken),
        posted(files=[("files", (f"{i}.csv", CSV)) for i in range(17)]),
    ):
        assert code(answer) == (422, "file_not_understood")
