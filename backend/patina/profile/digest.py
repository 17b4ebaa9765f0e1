"""The digest of a profile, by the core: one implementation of it, and one judgement of what a profile may be."""

import json

from patina.core import client as core
from patina.profile.histogram import Histograms, ProfileInvalid


def profile_digest(document: dict[str, object]) -> str:
    """SHA-256, hex, of the normalised histograms of `document`. ProfileInvalid with the core's own words;
    CoreUnavailable when there is no core to ask."""
    answer = json.loads(core.ask({"profile": {name: document[name] for name in Histograms.model_fields}}))
    if answer["type"] == "profile":
        return str(answer["profile_digest"])
    raise ProfileInvalid(str(answer["message"]))
