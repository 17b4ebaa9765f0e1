"""Roles of accounts: each includes the rights of those before it."""

from enum import StrEnum


class Role(StrEnum):
    """What an account may do. In ascending order."""

    VIEWER = "viewer"  # reads
    MEMBER = "member"  # ages, measures, keeps profiles and images
    OPERATOR = "operator"  # hosts, webhooks, garbage collection
    OWNER = "owner"  # accounts

    def includes(self, other: "Role") -> bool:
        """Returns whether this role has all rights of the other."""
        order = list(Role)
        return order.index(self) >= order.index(other)
