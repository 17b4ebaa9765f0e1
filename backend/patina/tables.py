"""Imports the modules of all tables and of all kinds of jobs, so that `Base.metadata` and `KINDS` are complete. No name
of theirs is used here."""

import patina.action.kind
import patina.batch.models
import patina.collection.kind
import patina.intake.kind
import patina.run.kind
import patina.scan.kind
import patina.webhook.models  # noqa: F401
