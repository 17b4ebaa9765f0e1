"""Imports the modules of all tables and kinds of jobs, so that `Base.metadata` and `KINDS` are complete. Uses none of
their names."""

import patina.account.models
import patina.audit.models
import patina.batch.models
import patina.device_action.kind
import patina.gc.kind
import patina.image_import.kind
import patina.openid.models
import patina.retention.models
import patina.run.kind
import patina.scan.kind
import patina.study.kind
import patina.trial.kind
import patina.webhook.models  # noqa: F401  # this and those above: see the first line
