"""Receives a form's files, up to the size of a profile; refuses larger bodies before it reads them."""

from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import dataclass
from typing import get_args

from fastapi import Request
from starlette.datastructures import FormData, UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser

from patina.errors import PatinaError
from patina.http.body_limit import lift_size
from patina.profile.histogram import HistogramName
from patina.profile_import.refusal import FileNotUnderstood, FileTooLarge, printable_name
from patina.profile_import.service import pasted
from patina.profile_import.source import SourceFile

MAX_BODY_BYTES = 2 * 2**20
MAX_FILES_COUNT = 16
_MAX_FIELDS_COUNT = 4
_HISTOGRAMS: dict[str, HistogramName] = {name: name for name in get_args(HistogramName)}


@dataclass(frozen=True)
class ReadingForm:
    """The received files; a pasted text is one file."""

    files: list[SourceFile]
    histogram: HistogramName | None


async def receive_form(request: Request) -> ReadingForm:
    """Returns the form's files, complete. Raises FileTooLarge, FileNotUnderstood."""
    lift_size(request)
    said = request.headers.get("content-length", "")
    if said.isdecimal() and int(said[:20]) > MAX_BODY_BYTES:
        raise _too_large()
    if not request.headers.get("content-type", "").lower().startswith("multipart/form-data"):
        raise FileNotUnderstood("Send the files as a form: multipart/form-data, in fields called `files`.")
    parser = MultiPartParser(
        request.headers,
        _bounded(request.stream()),
        max_files=MAX_FILES_COUNT,
        max_fields=_MAX_FIELDS_COUNT,
        max_part_size=MAX_BODY_BYTES,
    )
    try:
        form = await parser.parse()
    except MultiPartException as error:
        raise FileNotUnderstood(f"The form is damaged: {error.message}") from error
    except (LookupError, UnicodeError) as error:
        raise FileNotUnderstood("The form names an unknown encoding. Send it as UTF-8.") from error
    try:
        return await _content(form)
    finally:
        await form.close()


async def _bounded(pieces: AsyncIterator[bytes]) -> AsyncGenerator[bytes, None]:
    received_bytes = 0
    async for piece in pieces:
        received_bytes += len(piece)
        if received_bytes > MAX_BODY_BYTES:
            raise _too_large()
        yield piece


async def _content(form: FormData) -> ReadingForm:
    files: list[SourceFile] = []
    for value in form.getlist("files"):
        if not isinstance(value, UploadFile):
            raise FileNotUnderstood("The field `files` holds a text. Send a file in it, or the text in `text`.")
        files.append(SourceFile(printable_name(value.filename or "file"), await value.read()))
    text = form.get("text")
    if isinstance(text, str):
        files.append(pasted(text))
    if not files:
        raise FileNotUnderstood("The form holds neither `files` nor a `text`. Choose a file, or paste something.")
    return ReadingForm(files, _histogram(form.get("histogram")))


def _histogram(value: UploadFile | str | None) -> HistogramName | None:
    if value is None or value == "":
        return None
    if isinstance(value, str) and value in _HISTOGRAMS:
        return _HISTOGRAMS[value]
    raise FileNotUnderstood("The field `histogram` is size, depth or age.")


def _too_large() -> PatinaError:
    # The connection stays open, and the server discards the rest: a browser whose upload is cut off shows no response.
    return FileTooLarge(
        f"That is more than {MAX_BODY_BYTES // 2**20} MiB, and more than a profile can be: three histograms of at most "
        "256 bins. Make bins of your rows first, or scan the directory tree."
    )
