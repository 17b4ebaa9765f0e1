"""`python -m patina_stack up|demo|services|down|status|restart-api|worker`: the stack from the command line."""

import argparse
import getpass
import os
import subprocess
import sys
from pathlib import Path

from patina.cli.token import keep_token
from patina_stack import PROJECT_DIR
from patina_stack.account import AccountMissing
from patina_stack.application import Application
from patina_stack.lock import locked
from patina_stack.privileged import NotPrivileged
from patina_stack.process import ProcessFailed
from patina_stack.services import ServiceMissing


def _up(application: Application) -> None:
    were_running = all(part.pid() is not None for part in application.parts())
    application.start()
    print(f"Patina {'is already running' if were_running else 'is running'}: {application.url}")
    where = os.environ.get("PATINA_LISTEN")
    if application.is_owned():
        print(f"It listens on {f'loopback and {where}' if where else 'loopback only'}. `make stop` ends it.")
        return
    print(f"It has no owner yet. Open this link, once, within a week:\n\n  {application.link(_token(application))}\n")
    if where:
        print(f"It listens on loopback only until then, and on {where} from then on.")


def _token(application: Application) -> str | None:
    return application.access("link")["token"]


def _demo(application: Application) -> None:
    """Ages a device as a user does, and prints the link that signs the browser in."""
    made = application.access("demo", os.environ.get("SUDO_USER") or getpass.getuser())
    access_token = made["access_token"] or ""
    keep_token(application.url, access_token)
    environment = os.environ | {"PATINA_URL": application.url, "PATINA_TOKEN": access_token}
    argv = [sys.executable, "-P", "-m", "patina.cli", "demo"]
    if subprocess.run(argv, env=environment, check=False).returncode != 0:
        raise ProcessFailed("The demo failed; see its output above.")
    print(f"\nThis link signs you in as {made['name']}, once, within a day:\n\n  {application.link(made['token'])}\n")
    print("The command line, bin/patina, is signed in already.")


def _services(application: Application) -> None:
    if application.services is not None:
        application.services.start()
        print("PostgreSQL and Redis run, and nothing else: for a restore. `make run` starts the rest.")


def _down(application: Application) -> None:
    application.stop()
    print(f"Patina has stopped. Its data is kept in {application.state_dir}.")


def _status(application: Application) -> None:
    for part in application.parts():
        pid = part.pid()
        print(f"{part.name:<12} {f'running, pid {pid}' if pid else 'stopped'}")
    if application.api.pid():
        print(application.url)


def _restart_api(application: Application) -> None:
    application.stop_api()
    application.start_api()


def _worker(application: Application) -> None:
    if application.api.pid() is None:
        raise ProcessFailed("Patina does not run here. Start it with `make run` first.")
    application.become_worker()


COMMANDS = {
    "up": _up,
    "demo": _demo,
    "services": _services,
    "down": _down,
    "status": _status,
    "restart-api": _restart_api,
    "worker": _worker,
}


def main() -> int:
    """Runs one command; a lock allows one at a time per state folder."""
    parser = argparse.ArgumentParser(prog="patina_stack")
    parser.add_argument("command", choices=COMMANDS)
    arguments = parser.parse_args()
    state_dir = Path(os.environ.get("PATINA_STATE_DIR", PROJECT_DIR / ".state")).resolve()
    state_dir.mkdir(parents=True, exist_ok=True, mode=0o755)
    try:
        with locked(state_dir / "lock"):
            COMMANDS[arguments.command](Application(state_dir=state_dir))
    except (AccountMissing, NotPrivileged, ProcessFailed, ServiceMissing) as error:
        print(f"patina: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
