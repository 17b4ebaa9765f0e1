"""The digest of a profile, computed and validated by the core only."""

import json

from patina.core import client as core
from patina.profile.histogram import Histograms, ProfileInvalid


def profile_digest(document: dict[str, object]) -> str:
    """Returns the SHA-256, hex, of the normalised histograms of `document`. Raises ProfileInvalid with the core's
    message; CoreUnavailable without an answer."""
    answer = json.loads(core.ask({"profile": {name: document[name] for name in Histograms.model_fields}}))
    if answer["type"] == "profile":
        return str(answer["profile_digest"])
    raise ProfileInvalid(str(answer["message"]))
