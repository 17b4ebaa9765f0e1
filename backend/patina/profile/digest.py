"""The digest of a profile, by the core: one implementation of it, and one judgement of what a profile may be."""

import json
import subprocess
from functools import lru_cache

from patina.errors import PatinaError
from patina.profile.histogram import Histograms, ProfileInvalid
from patina.settings import settings

TIMEOUT_S = 10
# The core tells a digest with a forecast only: at one of these capacities hardly a profile does not fit.
_CAPACITIES_BYTES = (2**40, 2**34, 2**50, 2**60, 2**28)
_FULLNESS = 0.5


class DigestUnavailable(PatinaError):
    code = "core_unavailable"
    status = 503
    title = "Native core unavailable"


def profile_digest(document: dict[str, object]) -> str:
    """SHA-256, hex, of the normalised histograms of `document`. ProfileInvalid with the core's own words;
    DigestUnavailable when there is no core to ask."""
    return _digest_of(json.dumps({name: document[name] for name in Histograms.model_fields}))


@lru_cache(maxsize=64)
def _digest_of(text: str) -> str:
    answer: dict[str, object] = {}
    for capacity_bytes in _CAPACITIES_BYTES:
        answer = _asked(text, capacity_bytes)
        if answer.get("code") != "profile_does_not_fit":
            break
    if answer["type"] == "plan":
        return str(answer["profile_digest"])
    raise ProfileInvalid(str(answer["message"]))


def _asked(text: str, capacity_bytes: int) -> dict[str, object]:
    """The core's last record: a plan, or an error."""
    argv = [str(settings().core), "forecast", "--profile", "-"]
    argv += ["--capacity", str(capacity_bytes), "--fullness", str(_FULLNESS)]
    try:
        done = subprocess.run(argv, input=text, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise DigestUnavailable(
            f"patina-core did not tell the profile's digest: {error}. Build it with `make native`."
        ) from error
    lines = done.stdout.splitlines()
    last: dict[str, object] = json.loads(lines[-1]) if lines else {}
    if last.get("type") not in ("plan", "error"):
        raise DigestUnavailable(f"patina-core forecast ended with {done.returncode}: {done.stderr[-500:]}")
    return last
