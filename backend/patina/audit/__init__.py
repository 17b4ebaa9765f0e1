"""The audit trail: who did what, to what, from where."""
