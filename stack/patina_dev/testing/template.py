"""The process that `python -m MODULE` is forked from in tests: it has loaded the modules of a worker and an API.

Loading those modules takes more processor time than most of the tests that start one. Standard input is a socket; a
message on it contains another socket, over which one process is requested:

    asked:     {"module": …, "arguments": […], "environment": {…}, "folder": …, "log": …}
    answered:  the pid, with its pidfd; then, once it has ended, the status of waitpid(2)

A forked process goes on when this one ends, as a started one does without its parent.
"""

import contextlib
import gc
import importlib
import json
import os
import runpy
import socket
import sys
from typing import Any

# Without `patina_worker.app`, which reads the settings, and makes the flag that one worker shares with its children.
LOADED = (
    "patina.main",
    "patina_worker.heartbeat",
    "patina_worker.handlers.aging.age",
    "patina_worker.handlers.device_action",
    "patina_worker.handlers.image_import",
    "uvicorn.lifespan.on",
    "uvicorn.loops.auto",
    "uvicorn.protocols.http.auto",
    "celery.apps.worker",
    "celery.concurrency.prefork",
    "celery.fixups.django",
    "celery.loaders.app",
    "celery.worker.components",
    "celery.worker.consumer",
    "kombu.transport.redis",
    "psycopg",
    "sqlalchemy.dialects.postgresql.psycopg",
)


def main() -> None:
    """Forks for each message. Only the child that becomes a module returns."""
    gc.disable()
    for name in LOADED:
        importlib.import_module(name)
    _expect_nothing_begun()
    gc.collect()
    gc.freeze()  # no collection of a child copies these pages
    gc.enable()
    control = socket.socket(fileno=os.dup(sys.stdin.fileno()))
    while True:
        message, descriptors, _, _ = socket.recv_fds(control, 1, 1)
        _reap()
        if not message:
            return
        connection = socket.socket(fileno=descriptors[0])
        if os.fork() == 0:
            break
        connection.close()
    control.close()
    _attend(connection)


def _expect_nothing_begun() -> None:
    """Raises RuntimeError if a module began a thread, which fork does not copy, or read this process's settings."""
    from patina.settings import forget_settings

    if len(os.listdir("/proc/self/task")) > 1:
        raise RuntimeError("A module that is loaded has begun a thread.")
    if forget_settings():
        raise RuntimeError("A module that is loaded has read the settings.")


def _reap() -> None:
    """Reaps ended children, so that their processor time counts as this process's."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _attend(connection: socket.socket) -> None:
    """Forks once more, and waits for the child's end. Only the child returns."""
    with connection.makefile("rb") as lines:
        asked = json.loads(lines.readline())
    pid = os.fork()
    if pid == 0:
        connection.close()
        _become(asked)
        return
    descriptor = os.pidfd_open(pid)
    socket.send_fds(connection, [f"{pid}\n".encode()], [descriptor])
    _, status = os.waitpid(pid, 0)
    connection.sendall(f"{status}\n".encode())
    os._exit(0)


def _become(asked: dict[str, Any]) -> None:
    os.setsid()
    nothing = os.open(os.devnull, os.O_RDONLY)
    log = os.open(asked["log"], os.O_WRONLY | os.O_APPEND)
    for descriptor, place in ((nothing, 0), (log, 1), (log, 2)):
        os.dup2(descriptor, place)
    os.close(nothing)
    os.close(log)
    os.chdir(asked["folder"])
    os.environ.clear()
    os.environ.update(asked["environment"])
    sys.argv[1:] = asked["arguments"]
    runpy.run_module(asked["module"], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
