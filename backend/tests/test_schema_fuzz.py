"""Requests made up from the API's own schema, against the real application and database: refused or answered, never
a 500."""

import os

import pytest
import schemathesis
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, Phase, settings
from schemathesis.checks import not_a_server_error

from patina_stack.services import PrivateServices

EXAMPLES_COUNT = 40
PATHS = r"^/api/v1/(profiles|profile_readings|fits|forecasts)"
