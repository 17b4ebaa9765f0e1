"""Who may use a device

Revision: 20261261
Follows: 20261260
"""

import sqlalchemy as sa
from alembic import op

revision = "20261261"
down_revision = "20261260"
branch_labels = None
depends_on = None

# A worker asks before it begins a job. It cannot read accounts: the function can.
MAY_USE_DEVICE = """
CREATE FUNCTION may_use_device(asked_account_id bigint, asked_device_id bigint) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT device.users = 'members'
        OR EXISTS (
            SELECT FROM account
            WHERE account.id = asked_account_id AND closed_at IS NULL AND (
                role IN ('operator', 'owner')
                OR device.users = 'team' AND EXISTS (
                    SELECT FROM membership
                    WHERE membership.account_id = account.id AND membership.team_id = device.users_team_id
                )
            )
        )
    FROM device WHERE device.id = asked_device_id
$$
"""


def upgrade() -> None:
    op.add_column("device", sa.Column("users", sa.String(20), server_default="members", nullable=False))
    op.add_column("device", sa.Column("users_team_id", sa.BigInteger()))
    op.create_foreign_key(op.f("fk_device_users_team_id_team"), "device", "team", ["users_team_id"], ["id"])
    op.create_check_constraint(op.f("ck_device_users"), "device", "users IN ('members', 'team', 'operators')")
    op.create_check_constraint(
        op.f("ck_device_users_team_is_named"), "device", "(users = 'team') = (users_team_id IS NOT NULL)"
    )
    op.execute(MAY_USE_DEVICE)


def downgrade() -> None:
    op.execute("DROP FUNCTION may_use_device(bigint, bigint)")
    for name in ("users_team_is_named", "users"):
        op.drop_constraint(op.f(f"ck_device_{name}"), "device")
    for name in ("users_team_id", "users"):
        op.drop_column("device", name)
