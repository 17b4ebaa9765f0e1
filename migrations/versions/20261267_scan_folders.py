"""Changes of a host's scan folders are in the audit trail; indexes for what used a version of a profile

Revision: 20261267
Follows: 20261266
"""

from alembic import op

revision = "20261267"
down_revision = "20261266"
branch_labels = None
depends_on = None

USERS = ("run", "image")
# The folders are changed on the host itself, without a request. Its worker reports them, and may not write the trail:
# the function can.
NOTE = """
CREATE FUNCTION note_scan_folders() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  INSERT INTO audit_entry (account_name, address, action, path, outcome, detail)
  VALUES (
    'administrator of host ' || NEW.name, 'local', 'change_scan_folders', '', 'done',
    jsonb_build_object('changed', jsonb_build_object('host ' || NEW.name, jsonb_build_object(
      'scan_folders', jsonb_build_array(left(OLD.scan_folders::text, 200), left(NEW.scan_folders::text, 200))
    )))
  );
  RETURN NULL;
END $$
"""
TRIGGER = """
CREATE TRIGGER note_scan_folders AFTER UPDATE OF scan_folders ON host FOR EACH ROW
  WHEN (OLD.scan_folders IS DISTINCT FROM NEW.scan_folders) EXECUTE FUNCTION note_scan_folders()
"""


def upgrade() -> None:
    for table in USERS:
        op.create_index(op.f(f"ix_{table}_profile_version_id"), table, ["profile_version_id"])
    op.execute(NOTE)
    op.execute(TRIGGER)


def downgrade() -> None:
    op.execute("DROP TRIGGER note_scan_folders ON host")
    op.execute("DROP FUNCTION note_scan_folders()")
    for table in USERS:
        op.drop_index(op.f(f"ix_{table}_profile_version_id"), table)
