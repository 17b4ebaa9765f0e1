"""Lineage of an image, and what uses it: devices, trials."""

from sqlalchemy import literal, select
from sqlalchemy.orm import Session, aliased, lazyload

from patina.account.visibility import is_seen, seen
from patina.delta.models import Holding
from patina.device.models import Device
from patina.image.models import Image
from patina.image.schemas import DeviceOfImage, ImageUse, LineageImage, TrialOfImage
from patina.trial.models import Repetition, Trial

LISTED_COUNT = 200  # of each at most


def image_use(*, session: Session, image: Image) -> ImageUse:
    """Returns the images from its first ancestor on, and the devices and trials that use it."""
    return ImageUse(lineage=_lineage(session, image), devices=_devices(session, image), trials=_trials(session, image))


def _lineage(session: Session, image: Image) -> list[LineageImage]:
    """Returns the ancestors of the image and all their descendants, by depth first, siblings by age. An image that the
    sender does not see is left out with what descends from it alone."""
    root = _first_ancestor(session, image)
    tree = select(Image.id, literal(0).label("depth")).where(Image.id == root).cte("tree", recursive=True)
    child = aliased(Image)
    descend = select(child.id, tree.c.depth + 1).join(tree, child.parent_id == tree.c.id)
    tree = tree.union_all(descend.where(seen(child)))
    found = session.execute(
        select(Image.id, Image.name, Image.parent_id, Image.created_at, Image.deleted_at, tree.c.depth)
        .join(tree, tree.c.id == Image.id)
        .order_by(Image.id)
        .limit(LISTED_COUNT)
    ).all()
    children: dict[int, list[int]] = {}
    rows = {row.id: row for row in found}
    for row in found:
        if row.id != root:
            children.setdefault(row.parent_id, []).append(row.id)
    ordered, left = [], [root]
    while left:
        number = left.pop()
        row = rows[number]
        ordered.append(
            LineageImage(
                id=row.id,
                name=row.name,
                depth=row.depth,
                is_deleted=row.deleted_at is not None,
                created_at=row.created_at,
            )
        )
        left.extend(reversed(children.get(number, [])))
    return ordered


def _first_ancestor(session: Session, image: Image) -> int:
    """Returns the furthest ancestor that is reached over images that the sender sees."""
    at = image
    while at.parent_id is not None:
        parent = session.get(Image, at.parent_id)
        if parent is None or not is_seen(parent):
            break
        at = parent
    return at.id


def _devices(session: Session, image: Image) -> list[DeviceOfImage]:
    statement = select(Device).join(Holding, Holding.device_id == Device.id).where(Holding.image_id == image.id)
    devices = session.scalars(statement.order_by(Device.id).limit(LISTED_COUNT))
    return [DeviceOfImage(id=device.id, name=device.called) for device in devices]


def _trials(session: Session, image: Image) -> list[TrialOfImage]:
    measuring = select(Repetition.trial_id).where(Repetition.image_id == image.id)
    statement = select(Trial).where(Trial.id.in_(measuring), seen(Trial)).options(lazyload("*"))
    trials = session.scalars(statement.order_by(Trial.id.desc()).limit(LISTED_COUNT))
    return [TrialOfImage(id=trial.id, name=trial.name, state=trial.state) for trial in trials]
