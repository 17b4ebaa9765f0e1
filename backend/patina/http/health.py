"""Liveness, readiness, version and metrics."""

from typing import Literal

import redis
from fastapi import Response
from fastapi.responses import PlainTextResponse
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from pydantic import BaseModel
from sqlalchemy.exc import SQLAlchemyError

from patina import __version__, revision
from patina.db import transaction
from patina.errors import PatinaError
from patina.http.routing import Router
from patina.settings import settings

router = Router(tags=["health"])


class Health(BaseModel):
    status: Literal["ok"]


class Readiness(BaseModel):
    is_ready: bool
    database: str
    redis: str


class Version(BaseModel):
    version: str


@router.get("/healthz", operation_id="get_health")
def get_health() -> Health:
    """Reports that the process is up."""
    return Health(status="ok")


@router.get("/readyz", operation_id="get_readiness", responses={503: {"model": Readiness}})
def get_readiness(response: Response) -> Readiness:
    """Reports whether the database, with this version's schema, and Redis respond; 503 if one does not."""
    database = broker = "ok"
    try:
        with transaction() as session:
            revision.require(session=session)
    except PatinaError as error:
        database = error.message
    except SQLAlchemyError as error:
        database = str(error).splitlines()[0]
    try:
        redis.Redis.from_url(settings().redis_url, socket_timeout=2).ping()
    except redis.RedisError as error:
        broker = str(error)
    is_ready = (database, broker) == ("ok", "ok")
    response.status_code = 200 if is_ready else 503
    return Readiness(is_ready=is_ready, database=database, redis=broker)


@router.get("/version", operation_id="get_version")
def get_version() -> Version:
    """Returns this server's version."""
    return Version(version=__version__)


@router.get("/metrics", operation_id="get_metrics", response_class=PlainTextResponse)
def get_metrics() -> Response:
    """Returns metrics for Prometheus."""
    return Response(generate_latest(), media_type=CONTENT_TYPE_LATEST)
