"""`python -m patina_dev.suite.browser PROJECT ARGUMENT...`: runs one project of the browser tests and its application.

The application is private, has a port of its own, and ends with the tests. As root this runs in a network namespace of
its own: a browser aborts its requests when a bridge is added or removed (ERR_NETWORK_CHANGED).
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from patina_dev.suite.throttle import throttled_cores
from patina_dev.testing.joined import Network, await_served
from patina_dev.testing.owner import SESSION, own
from patina_dev.testing.planted import assert_no_secret_in_logs
from patina_stack import PROJECT_DIR
from patina_stack.application import Application
from patina_stack.services import free_port


def main() -> int:
    """Runs the tests. Returns Playwright's exit status."""
    project, *arguments = sys.argv[1:]
    state_dir = Path(tempfile.mkdtemp(prefix="patina-browser-"))
    state_dir.chmod(0o755)
    trees = state_dir / "trees"  # of tests that change scanned trees
    trees.mkdir()
    network = Network()
    os.environ.update(
        PATINA_STATE_DIR=str(state_dir),
        # Not the default port, which another application could take while the tests restart this one.
        PATINA_PORT=str(free_port()),
        PATINA_SCAN_FOLDERS=f"{PROJECT_DIR / 'docs'}:{trees}",
        PATINA_TREES=str(trees),
        PATINA_WEBHOOK_PRIVATE_ADDRESSES="127.0.0.0/8",  # the receivers of the tests
    )
    if os.geteuid() == 0:  # a host joins in these tests, and comes by a bridge
        network.open()
        os.environ["PATINA_LISTEN"] = network.address
    else:  # no host can join; the API makes a token only if the services have advertised addresses
        os.environ["PATINA_ADVERTISED_DATABASE_URL"] = "postgresql+psycopg://patina@services.example/patina"
        os.environ["PATINA_ADVERTISED_REDIS_URL"] = "redis://services.example/0"
    with throttled_cores(state_dir / "gates") as gates:
        os.environ.update(gates)
        application = Application(state_dir=state_dir)
        try:
            application.start()
            own(application.environment()["DATABASE_URL"])
            if "PATINA_LISTEN" in os.environ:
                await_served(application, os.environ["PATINA_LISTEN"])
            environment = os.environ | {
                "PATINA_URL": application.url,
                "PATINA_SESSION": SESSION,
                "PATINA_STACK_CMD": f"{sys.executable} -m patina_stack",
            }
            argv = ["npx", "--no-install", "playwright", "test", f"--project={project}", *arguments]
            status = subprocess.run(argv, cwd=PROJECT_DIR / "e2e", env=environment, check=False).returncode
        finally:
            application.stop()
            network.close()
    assert_no_secret_in_logs(state_dir)
    return status


if __name__ == "__main__":
    sys.exit(main())
