"""Tables profile and profile_version. Versions are immutable: a trigger of the database refuses to change one."""

from datetime import datetime

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Identity, UniqueConstraint, and_, func
from sqlalchemy.orm import Mapped, foreign, mapped_column, relationship

from patina.account.visibility import Shared, is_seen, rules
from patina.db import Base, JsonList


class Profile(Shared, Base):
    """Three histograms under a name. Its `revision` rises with every change, also of its versions."""

    __tablename__ = "profile"
    __table_args__ = (
        CheckConstraint("name ~ '^[a-z0-9][a-z0-9-]{0,62}$'", name="name_is_plain"),
        CheckConstraint("revision >= 1", name="revision_positive"),
        CheckConstraint("versions_count >= 1", name="versions_count_positive"),
        CheckConstraint("jsonb_typeof(tags) = 'array'", name="tags_is_list"),
        CheckConstraint("NOT is_builtin OR archived_at IS NULL", name="builtin_not_archived"),
        CheckConstraint("NOT is_builtin OR visibility = 'everyone'", name="builtin_is_seen"),
        *rules(),
        {"info": {"of_hosts": "SELECT"}},  # of users
    )

    id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    name: Mapped[str] = mapped_column(unique=True)
    title: Mapped[str]
    description: Mapped[str] = mapped_column(doc="Markdown")
    source: Mapped[str]
    is_builtin: Mapped[bool]
    tags: Mapped[JsonList] = mapped_column(server_default="[]", default=list)
    revision: Mapped[int] = mapped_column(server_default="1", default=1)
    versions_count: Mapped[int] = mapped_column(server_default="1", default=1)
    parent_version_id: Mapped[int | None] = mapped_column(
        ForeignKey("profile_version.id", use_alter=True), default=None, index=True
    )
    archived_at: Mapped[datetime | None]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    versions: Mapped[list["ProfileVersion"]] = relationship(
        back_populates="profile",
        order_by="ProfileVersion.number",
        foreign_keys="ProfileVersion.profile_id",
    )
    parent: Mapped["ProfileVersion | None"] = relationship(foreign_keys=parent_version_id)
    latest_version: Mapped["ProfileVersion"] = relationship(
        primaryjoin=lambda: and_(
            Profile.id == foreign(ProfileVersion.profile_id), Profile.versions_count == foreign(ProfileVersion.number)
        ),
        viewonly=True,
        uselist=False,
        lazy="selectin",
    )

    @property
    def seen_parent(self) -> "ProfileVersion | None":
        """Returns the version that it was forked from, if the sender of this request sees that profile."""
        return self.parent if self.parent is not None and is_seen(self.parent.profile) else None

    @property
    def entity_tag(self) -> str:
        """Returns the ETag, which changes with the profile and its versions."""
        return f'"{self.id}-{self.revision}"'


class ProfileVersion(Base):
    """The histograms, as in the profile's JSON. Immutable; deleted only with its profile."""

    __tablename__ = "profile_version"
    __table_args__ = (
        UniqueConstraint("profile_id", "number"),
        CheckConstraint("number >= 1", name="number_positive"),
        CheckConstraint("digest ~ '^[0-9a-f]{64}$'", name="digest"),
        CheckConstraint("message <> ''", name="message_not_empty"),
        CheckConstraint("author <> ''", name="author_not_empty"),
        {"info": {"of_hosts": "SELECT"}},  # of users
    )

    id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    profile_id: Mapped[int] = mapped_column(ForeignKey("profile.id", ondelete="CASCADE"))
    number: Mapped[int]
    message: Mapped[str]
    author: Mapped[str]
    digest: Mapped[str] = mapped_column(doc="SHA-256, hex, of the normalised histograms, by the core")
    size: Mapped[JsonList]
    depth: Mapped[JsonList]
    age: Mapped[JsonList]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    profile: Mapped[Profile] = relationship(back_populates="versions", lazy="joined", foreign_keys=profile_id)

    @property
    def name(self) -> str:
        """Returns the profile's name."""
        return self.profile.name
