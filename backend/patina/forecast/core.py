"""Requests forecasts from patina-core. The mathematics exists once, in the core."""

from patina.core import client as core
from patina.core.contract.plan import Plan, plan_record
from patina.core.record import CoreError
from patina.errors import TITLES, PatinaError
from patina.forecast.schemas import FileSettings

# Titles of the core's errors for a forecast (native/src/base/error_code.h).
TITLES |= {"usage": "Forecast refused", "profile_does_not_fit": "The profile does not fit"}


class ForecastRefused(PatinaError):
    """The core's refusal, under the core's code."""

    status = 422

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.title = TITLES.get(code, "Forecast refused")


def forecast(
    *,
    profile: dict[str, object],
    capacity_bytes: int,
    fullness: float,
    max_rmse: float | None = None,
    max_overwrites: float | None = None,
    max_ops: int | None = None,
    files: FileSettings | None = None,
) -> Plan:
    """Returns the plan for `profile` (its JSON document). Raises ForecastRefused or core.CoreUnavailable."""
    budget = {"max_rmse": max_rmse, "max_overwrites": max_overwrites, "max_ops": max_ops}
    request = {"profile": profile, "capacity_bytes": capacity_bytes, "fullness": fullness}
    if files is not None:
        request |= files.model_dump(include=set(FileSettings.model_fields))
    answer = plan_record.validate_json(core.ask(request | {k: v for k, v in budget.items() if v is not None}))
    if isinstance(answer, CoreError):
        raise ForecastRefused(answer.code, answer.message)
    if isinstance(answer, Plan):
        return answer
    raise core.CoreUnavailable(f"patina-core answered {answer.type!r} to a request for a forecast.")
