"""What lists show of long documents stands in columns of its own: to take it out of each costs more than all the rest

Revision: 0018
Follows: 0017
"""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    rmse = sa.Computed("(summary #>> '{histograms,age,rmse}')::double precision", persisted=True)
    op.add_column("run", sa.Column("age_rmse", sa.Double(), rmse, nullable=True))
    age = sa.Computed("(summary #> '{histograms,age}')::json", persisted=True)
    op.add_column("image", sa.Column("age", sa.JSON(), age, nullable=True))


def downgrade() -> None:
    op.drop_column("image", "age")
    op.drop_column("run", "age_rmse")
