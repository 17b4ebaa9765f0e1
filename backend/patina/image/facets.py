"""Facets of the catalog: the values of the images that a search finds, with the number of images of each.

The counts of a facet ignore the values chosen for itself: they state what another choice would find.
"""

from functools import lru_cache

from pydantic import BaseModel, Field
from sqlalchemy import Executable, Integer, Text, cast, func, literal, null, select, union_all
from sqlalchemy.orm import Session

from patina.account.visibility import hidden, viewer
from patina.image.models import ImageEntry
from patina.image.search import FACETS, MATCHES, ImageSearch, is_one_of, text_of

MOST_VALUES_COUNT = 50  # of a facet, the most frequent


class FacetValue(BaseModel):
    value: str = Field(description="Empty: unknown")
    images_count: int


class Facet(BaseModel):
    name: str
    values: list[FacetValue] = Field(description="The most frequent first, at most 50")


class ImageFacets(BaseModel):
    images_count: int = Field(description="Images that the search finds")
    facets: list[Facet]


def count_images(*, session: Session, search: ImageSearch) -> ImageFacets:
    """Returns the facets of the images that a search finds."""
    values = search.values()
    limits = viewer()
    if limits is not None:
        values |= {"viewer": limits}
    found: dict[str, list[FacetValue]] = {name: [] for name in FACETS}
    total = 0
    for name, value, images_count in session.execute(_statement(frozenset(values)), values):
        if name is None:
            total = images_count or 0
        else:
            found[name].append(FacetValue(value=value, images_count=images_count))
    facets = [Facet(name=name, values=_most_frequent(counted)) for name, counted in found.items()]
    return ImageFacets(images_count=total, facets=facets)


def _most_frequent(values: list[FacetValue]) -> list[FacetValue]:
    return sorted(values, key=lambda value: (-value.images_count, value.value))[:MOST_VALUES_COUNT]


@lru_cache
def _statement(names: frozenset[str]) -> Executable:
    """Returns the query for conditions of these names: one pass over the images, then over their few combinations."""
    texts = [condition for name, condition in (("q", MATCHES), ("viewer", ~hidden(ImageEntry))) if name in names]
    columns = [column.label(name) for name, column in FACETS.items()]
    combinations = (
        select(*columns, func.count().label("images_count")).where(*texts).group_by(*columns).cte("combination")
    )
    of = combinations.c
    chosen = {name: is_one_of(name, of[name]) for name in sorted(names - {"q", "viewer"})}
    images_count = cast(func.sum(of.images_count), Integer)
    total = select(cast(null(), Text), cast(null(), Text), images_count).where(*chosen.values())
    each = [
        select(literal(name), text_of(of[name]), images_count)
        .where(*(condition for other, condition in chosen.items() if other != name))
        .group_by(of[name])
        for name in FACETS
    ]
    return union_all(total, *each)
