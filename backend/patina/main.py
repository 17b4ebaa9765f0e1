"""Builds the application: settings, routers, error handlers. No logic."""

import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from anyio import CapacityLimiter, to_thread
from fastapi import FastAPI
from sqlalchemy.orm import configure_mappers
from starlette.types import ASGIApp
from starlette_compress import CompressMiddleware, remove_compress_type

import patina.tables  # noqa: F401  # registers the kinds of jobs
from patina import __version__
from patina.account.known import forget_known
from patina.account.password import PasswordThreads
from patina.account.router import router as account_router
from patina.activity.stream import Hub
from patina.audit.router import router as audit_router
from patina.batch.router import router as batch_router
from patina.core import client as core
from patina.device.router import disk_model_router
from patina.device.router import router as device_router
from patina.device_action.router import restore_time_router
from patina.device_action.router import router as action_router
from patina.errors import TITLES, Problem
from patina.fit.fitter import Fitter
from patina.fit.router import router as fit_router
from patina.forecast.router import router as forecast_router
from patina.gc.router import router as gc_router
from patina.host.router import router as host_router
from patina.http.answer_headers import AnswerHeaders
from patina.http.body_limit import BodyLimit
from patina.http.frontend import install_frontend
from patina.http.guard import install_guards
from patina.http.health import router as health_router
from patina.http.problem import install_error_handlers
from patina.image.digest import Digests
from patina.image.router import router as image_router
from patina.image.saved_router import router as search_router
from patina.image.store_router import chunk_router
from patina.image.store_router import router as store_router
from patina.image.transfer import DOWNLOAD_THREADS_COUNT
from patina.image_import.router import router as image_import_router
from patina.job.router import notice_router
from patina.job.router import router as job_router
from patina.openid.router import router as openid_router
from patina.profile.router import router as profile_router
from patina.profile_import.router import READING_THREADS_COUNT
from patina.profile_import.router import router as profile_import_router
from patina.retention.router import router as retention_router
from patina.run.router import pace_router, simulation_router
from patina.run.router import router as run_router
from patina.scan.router import router as scan_router
from patina.settings import settings
from patina.shared_link.router import router as shared_link_router
from patina.study.router import router as study_router
from patina.trial.router import router as trial_router
from patina.trial.router import workload_router
from patina.use_case.retention_keeper import Keeper
from patina.webhook.deliverer import Deliverer
from patina.webhook.router import router as webhook_router

COMPRESSED_BYTES = 1024  # shorter responses are not compressed
DESCRIPTION = (
    "Ages file systems until they match a profile, and keeps the aged images in a catalog. "
    "Requests send an access token in the header Authorization, or the cookie of a session."
)


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    forget_known()
    app.state.hub = Hub()
    app.state.hub.start()
    app.state.digests = Digests()
    app.state.download_threads = CapacityLimiter(DOWNLOAD_THREADS_COUNT)
    app.state.reading_threads = CapacityLimiter(READING_THREADS_COUNT)
    app.state.password_threads = PasswordThreads()
    app.state.fitter = Fitter()
    app.state.deliverer = Deliverer()
    app.state.deliverer.start()
    app.state.keeper = Keeper()
    app.state.keeper.start()
    yield
    await app.state.deliverer.close()
    await app.state.keeper.close()
    await app.state.hub.close()
    await to_thread.run_sync(app.state.fitter.close)
    await to_thread.run_sync(app.state.digests.close)
    await to_thread.run_sync(core.close)


class _Application(FastAPI):
    """Adds the headers of every response outside Starlette's error middleware, which answers unforeseen errors."""

    def build_middleware_stack(self) -> ASGIApp:
        return AnswerHeaders(super().build_middleware_stack())

    def openapi(self) -> dict[str, Any]:
        """Returns the document with all codes of problems, which are known once all modules are loaded."""
        document = super().openapi()
        document["components"]["schemas"]["Problem"]["properties"]["code"]["enum"] = sorted(TITLES)
        return document


def build_app() -> FastAPI:
    """Builds the whole application."""
    app = _Application(
        title="Patina",
        version=__version__,
        description=DESCRIPTION,
        docs_url=None,  # a page of the frontend, at /api/docs
        redoc_url=None,
        openapi_url="/api/openapi.json",
        lifespan=_lifespan,
    )
    app.openapi_version = "3.2.0"  # the first version that describes event streams
    install_error_handlers(app)
    remove_compress_type("text/event-stream")  # little gain for single events, and a window in memory for each stream
    app.add_middleware(CompressMiddleware, minimum_size=COMPRESSED_BYTES, brotli=False)
    app.add_middleware(BodyLimit)
    install_guards(app)
    problem = {"model": Problem, "description": "Refused, as problem+json"}
    # Matched in this order: the most frequent routes first.
    for router in (
        job_router,
        run_router,
        device_router,
        image_router,
        notice_router,
        search_router,
        host_router,
        profile_router,
        action_router,
        restore_time_router,
        batch_router,
        forecast_router,
        pace_router,
        simulation_router,
        profile_import_router,
        fit_router,
        scan_router,
        trial_router,
        workload_router,
        study_router,
        disk_model_router,
        image_import_router,
        chunk_router,
        gc_router,
        webhook_router,
        account_router,
        retention_router,
        shared_link_router,
        openid_router,
        audit_router,
    ):
        app.include_router(router, prefix="/api/v1", responses={"4XX": problem, "5XX": problem})
    app.include_router(store_router, responses={"4XX": problem, "5XX": problem})
    app.include_router(health_router)
    install_frontend(app, settings().frontend_dir)
    return app


def build_lasting_app() -> FastAPI:
    """Builds the application of a dedicated process, and exempts its objects from garbage collection: a scan of these
    200 000 lasting objects takes a tenth of a second each time."""
    app = build_app()
    configure_mappers()
    gc.collect()
    gc.freeze()
    return app
