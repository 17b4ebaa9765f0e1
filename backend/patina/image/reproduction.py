"""Compares an image with the one that it reproduces."""

from typing import Any

from pydantic import BaseModel, Field
from sqlalchemy.orm import Session

from patina.account.visibility import is_seen
from patina.errors import NotFound
from patina.image.models import Image
from patina.image.schemas import ImageLink
from patina.run.recipe import Recipe

NotAReproduction = NotFound.of("not_a_reproduction", "The image reproduces none")

# What differs from one run to the next.
_OWN = {"file_system_uuid", "host"}


class RecipeDifference(BaseModel):
    """A member of the recipe that differs."""

    name: str
    before: str
    now: str


class Reproduction(BaseModel):
    """What two images by the same recipe have in common. A digest that one of them lacks is not compared."""

    image: ImageLink = Field(description="The image whose recipe was carried out again")
    has_same_plan: bool | None = Field(description="The same operations; null: not compared")
    has_same_layout: bool | None = Field(
        description="Every file at the same blocks, and the same free space; null: not compared"
    )
    has_same_extents: bool | None = Field(description="Every file at the same blocks; null: not compared")
    layout_digest: str | None
    layout_digest_before: str | None
    differences: list[RecipeDifference] = Field(description="Of the recipes; the device's host is not compared")


def compare(*, session: Session, image: Image) -> Reproduction:
    """Returns the comparison. Raises NotAReproduction, also where the earlier image is not shown."""
    before = None if image.reproduces_id is None else session.get(Image, image.reproduces_id)
    if before is None or before.deleted_at is not None or not is_seen(before):
        raise NotAReproduction(f"Image {image.name} was not made by the recipe of an image that is here.")
    layout, layout_before = image.layout or {}, before.layout or {}
    recipe, recipe_before = image.recipe or {}, before.recipe or {}
    return Reproduction(
        image=ImageLink(id=before.id, name=before.name),
        has_same_plan=_same(recipe.get("plan_digest"), recipe_before.get("plan_digest")),
        has_same_layout=_same(layout.get("layout_digest"), layout_before.get("layout_digest")),
        has_same_extents=_same(_extents(layout), _extents(layout_before)),
        layout_digest=layout.get("layout_digest"),
        layout_digest_before=layout_before.get("layout_digest"),
        differences=[
            RecipeDifference(name=name, before=_text(recipe_before.get(name)), now=_text(recipe.get(name)))
            for name in Recipe.model_fields
            if name not in _OWN and _compared(name, recipe) != _compared(name, recipe_before)
        ],
    )


def _compared(name: str, recipe: dict[str, Any]) -> object:
    """Returns the member, without the path of the device, which ends the command."""
    value = recipe.get(name)
    return value[:-1] if name == "mkfs_command" and value else value


def _extents(layout: dict[str, Any]) -> str | None:
    return (layout.get("files") or {}).get("extents_digest")


def _same(one: str | None, other: str | None) -> bool | None:
    return None if one is None or other is None else one == other


def _text(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {part}" for name, part in sorted(value.items()))
    if isinstance(value, list):
        return " ".join(map(str, value))
    return "none" if value is None else str(value)
