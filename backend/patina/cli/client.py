"""HTTP client of the API. A refusal becomes one sentence and an exit status."""

import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx2
from typer._click.globals import get_current_context

from patina.activity.payload import JobEvent
from patina.cli.token import authorization
from patina.job.state import ENDED, TERMINAL, JobState

DEFAULT_URL = "http://127.0.0.1:8040"
POLL_S = 0.3
# Waits for an API that restarts; runs go on without it.
RETRY_S = 30.0
AWAY = frozenset({"unreachable", "database_unavailable"})


# Exit statuses; 1 for every other code.
_STATUS = {"usage": 2, "not_followed": 130}


class Refused(Exception):
    """A refusal of the API, with its message."""

    def __init__(self, code: str, message: str, *, status: int | None = None) -> None:
        super().__init__(message)
        self.code = code
        #: The exit status: by default 2 for wrong usage, 130 for a job that goes on unwatched, else 1.
        self.status = _STATUS.get(code, 1) if status is None else status


# The option with which the command gives what a refusal asks for, by its code; and the options of fields of the API
# that are not called as their fields are.
_OPTIONS = {
    "confirmation_mismatch": "--confirm",
    "nothing_to_extend": "--operations",
    "added_mkfs_options": "--mkfs-options",
    "added_mount_options": "--mount-options",
    "available_bytes": "--available",
    "band_bytes": "--band",
    "capacity_bytes": "--capacity",
    "capture_mode": "--capture",
    "compressible_fraction": "--compressible",
    "data_mode": "--data",
    "did_blocks": "--did",
    "disks_count": "--disks",
    "dnor_blocks": "--dnor",
    "exact_ops_count": "--operations",
    "expires_in_s": "--hours",
    "keeps_log": "--keep-log",
    "profile_version_number": "--profile-version",
    "shingle": "--shingled",
    "size_bytes": "SIZE",
    "threads_count": "--threads",
}


def _option_of(field: str) -> str:
    """Returns what the running command calls a field of the API, such as `members.0.file_system`: its option, its
    argument or a setting of --set; else the field."""
    context = get_current_context(silent=True)
    field = re.sub(r"^(emulation\.(raid\.)?|shingle\.(caveat|strict-append)\.)", "", field)
    parts = field.split(".")
    name = next((part for part in parts if part != "members" and not part.isdigit()), field)
    own = {} if context is None else {str(each.name): each for each in context.command.params}
    if name in _OPTIONS:
        return _OPTIONS[name]
    if name in own:
        option = own[name]
        return max(option.opts, key=len) if option.param_type_name == "option" else name.upper()
    return f"--set {name}" if "settings" in own else field


def _refuse(response: httpx2.Response) -> None:
    """Raises Refused unless the response is a success."""
    if response.is_success:
        return
    problem = response.json() if "json" in response.headers.get("content-type", "") else {}
    code, detail = problem.get("code", "http"), problem.get("detail", response.text[:500])
    errors = problem.get("errors", [])
    for error in errors:
        detail = detail.replace(f"{error['field']}: ", f"{_option_of(error['field'])}: ", 1)
    codes = (code, *(error.get("code") for error in errors))
    option = next((_OPTIONS[each] for each in codes if each in _OPTIONS), None)
    raise Refused(code, detail if option is None else f"{detail} The option is {option}.")


class Client:
    """The requests that the command sends to a server, by default that of PATINA_URL."""

    def __init__(self, url: str | None = None) -> None:
        default = (os.environ.get("PATINA_URL") or DEFAULT_URL).rstrip("/")
        self.url = url or default
        headers = authorization(self.url, is_default=self.url == default)
        self._http = httpx2.Client(base_url=f"{self.url}/api/v1", timeout=30, headers=headers)

    def call(self, method: str, path: str, **request: Any) -> Any:
        """Returns the response's JSON; None if it has no content. Raises Refused."""
        response = self._send(method, path, **request)
        return response.json() if response.content else None

    def content(self, path: str, **request: Any) -> bytes:
        """Returns the content of a short response. Raises Refused."""
        return self._send("GET", path, **request).content

    def pieces(self, path: str, **request: Any) -> Iterator[bytes]:
        """Yields the content of a long response. Raises Refused."""
        with self._http.stream("GET", path, **request) as response:
            if not response.is_success:
                response.read()
                _refuse(response)
            yield from response.iter_bytes()

    def entity_tag(self, path: str) -> str:
        """Returns the ETag of what a later request is to change. Raises Refused."""
        return str(self._send("GET", path).headers["etag"])

    def _send(self, method: str, path: str, **request: Any) -> httpx2.Response:
        try:
            response = self._http.request(method, path, **request)
        except httpx2.TransportError as error:
            raise Refused(
                "unreachable", f"Nothing answers at {self.url} ({error}). Start it with `make run`."
            ) from error
        _refuse(response)
        return response

    def text(self, path: str) -> str:
        """Returns the text at a path of the server. Raises Refused."""
        with self.stream(path, {}) as response:
            return str(response.read().decode())

    @contextmanager
    def stream(self, path: str, headers: dict[str, str]) -> Iterator[httpx2.Response]:
        """Streams the response at a path of the server. Raises Refused; the caller handles a broken connection."""
        with self._http.stream("GET", f"{self.url}{path}", headers=headers) as response:
            if not response.is_success:
                response.read()
                _refuse(response)
            yield response

    def call_patiently(self, method: str, path: str, **request: Any) -> Any:
        """As `call`; waits for an API or a database that is unavailable for a while.

        The request must be idempotent.
        """
        last_try = time.monotonic() + RETRY_S
        while True:
            try:
                return self.call(method, path, **request)
            except Refused as refusal:
                if refusal.code not in AWAY or time.monotonic() > last_try:
                    raise
                time.sleep(POLL_S)

    def follow(self, run_id: int) -> Iterator[JobEvent]:
        """Yields a run's events until the run is at rest; reconnects after an interruption."""
        after, state = 0, JobState.QUEUED
        while True:
            page = self.call_patiently("GET", f"/jobs/{run_id}/events", params={"after": after})
            for item in page["items"]:
                event = JobEvent.model_validate(item)
                after = event.sequence
                state = event.payload.state if event.payload.type == "state" else state
                yield event
            if state in TERMINAL and self._is_at_rest(run_id):
                return
            time.sleep(POLL_S)

    def _is_at_rest(self, run_id: int) -> bool:
        run = self.call_patiently("GET", f"/runs/{run_id}")
        return run["state"] in ENDED or (run["state"] == JobState.INTERRUPTED and run["resumes_left_count"] == 0)


@contextmanager
def naming_server(client: Client) -> Iterator[None]:
    """Names the server in its refusals, for a command that asks several."""
    try:
        yield
    except Refused as refusal:
        if refusal.code == "sign_in_required":
            said = f"Not signed in to {client.url}. Run `patina sign-in --server {client.url}`."
        else:
            said = str(refusal) if client.url in str(refusal) else f"{client.url}: {refusal}"
        raise Refused(refusal.code, said) from refusal
