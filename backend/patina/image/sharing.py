"""Which entries of the catalog an account sees."""

from sqlalchemy import ColumnElement, exists
from sqlalchemy.orm import aliased

from patina.account.visibility import hidden
from patina.image.models import Image, ImageEntry

_Hidden = aliased(Image)
#: The condition that the account `viewer` sees the image of an entry. A search of all looks at the few images that are
#: not for everyone, and so costs no more.
SEEN: ColumnElement[bool] = ~exists().where(_Hidden.id == ImageEntry.image_id, hidden(_Hidden))
