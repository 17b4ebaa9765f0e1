"""Recently found actors by the digest of their secret, so that not every request costs a query.

A revocation in this process is seen at once, one elsewhere (`patina-admin`) after KEPT_S.
"""

import time

from patina.account.actor import Actor

KEPT_S = 3.0
MOST_COUNT = 10_000

_known: dict[str, tuple[Actor, float]] = {}
_changes_count = 0


def known(digest: str) -> Actor | None:
    """Returns the actor, if it was found lately."""
    actor, until = _known.get(digest, (None, 0.0))
    return actor if time.monotonic() < until else None


def changes_count() -> int:
    """Returns a number that rises with each revocation; read it before the query whose result is kept."""
    return _changes_count


def keep(digest: str, actor: Actor, *, changes: int) -> None:
    """Keeps a found actor, unless something was revoked since the query began."""
    if changes != _changes_count:
        return
    if len(_known) >= MOST_COUNT:
        _known.clear()
    _known[digest] = (actor, time.monotonic() + KEPT_S)


def forget_known() -> None:
    """Forgets all of them: something was revoked."""
    global _changes_count
    _changes_count += 1
    _known.clear()
