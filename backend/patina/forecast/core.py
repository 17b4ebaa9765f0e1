"""Ask patina-core for a forecast. The mathematics exists once, in the core (house.md, section 1)."""

import json
import subprocess

from patina.errors import PatinaError
from patina.forecast.plan import CoreError, Plan, plan_record
from patina.settings import settings

TIMEOUT_S = 10


class ForecastRefused(PatinaError):
    """The core's own refusal, under the core's own code."""

    status = 422
    title = "Forecast refused"

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class CoreUnavailable(PatinaError):
    code = "core_unavailable"
    status = 503
    title = "Native core unavailable"


def forecast(
    *,
    profile: dict[str, object],
    capacity_bytes: int,
    fullness: float,
    max_rmse: float | None = None,
    max_overwrites: float | None = None,
) -> Plan:
    """The plan for `profile` (its JSON document). ForecastRefused when it does not fit; CoreUnavailable otherwise."""
    argv = [str(settings().core), "forecast", "--profile", "-"]
    argv += ["--capacity", str(capacity_bytes), "--fullness", repr(fullness)]
    if max_rmse is not None:
        argv += ["--max-rmse", repr(max_rmse)]
    elif max_overwrites is not None:
        argv += ["--max-overwrites", repr(max_overwrites)]
    try:
        done = subprocess.run(
            argv, input=json.dumps(profile), capture_output=True, text=True, timeout=TIMEOUT_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise CoreUnavailable(f"patina-core forecast did not answer: {error}. Build it with `make native`.") from error
    lines = done.stdout.splitlines()
    last = plan_record.validate_json(lines[-1]) if lines else None
    if isinstance(last, Plan):
        return last
    if isinstance(last, CoreError):
        raise ForecastRefused(last.code, last.message)
    raise CoreUnavailable(f"patina-core forecast ended with {done.returncode}: {done.stderr[-500:]}")
