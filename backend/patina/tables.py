"""Imports every table: whoever works on all of them imports this."""

import patina.action.models
import patina.batch.models
import patina.collection.models
import patina.intake.models
import patina.scan.models
import patina.webhook.models  # noqa: F401
