"""No secret is in a log: those that the tests use, and anything in the form of one."""

import re
from pathlib import Path

from patina_dev.testing.owner import SESSION, TOKEN

#: Of every account with a password in the tests.
PASSWORD = "correct horse battery"
#: Of this server, at every provider of OpenID Connect in the tests; also in e2e/fixtures/provider.ts.
CLIENT_SECRET = "secret-of-the-client-in-the-tests"
_SECRET = re.compile(
    "|".join(
        (
            *map(re.escape, (PASSWORD, CLIENT_SECRET, SESSION, TOKEN)),
            r"patina-(?:token|session|link|browser|state|nonce|verifier)-[\w-]{40,}",
            r"\bjoin-[\w-]{40,}",
            r"whsec_[\w+/=]{20,}",
            r"\$argon2id\$",
            r"://[\w.]+:[^@\s/]{16,}@",  # a password in a URL
            r"PRIVATE KEY-----",
        )
    )
)


def secrets_in_logs(folder: Path) -> list[str]:
    """Returns the lines of logs below the folder that contain a secret, each with the name of its log."""
    return [
        f"{log.name}: {line[:500]}"
        for log in sorted(folder.rglob("*.log"))
        for line in log.read_text(encoding="utf-8", errors="replace").splitlines()
        if _SECRET.search(line)
    ]


def assert_no_secret_in_logs(folder: Path) -> None:
    """Raises AssertionError with the lines that contain one."""
    found = secrets_in_logs(folder)
    assert not found, "\n".join(found)
