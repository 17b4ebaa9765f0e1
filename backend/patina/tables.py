"""Imports the modules of all tables, so that `Base.metadata` is complete. No name of theirs is used here."""

import patina.action.models
import patina.batch.models
import patina.collection.models
import patina.intake.models
import patina.scan.models
import patina.webhook.models  # noqa: F401
