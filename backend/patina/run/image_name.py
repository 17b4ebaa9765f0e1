"""Names of images: a run may name its own in advance."""

from typing import Annotated

from pydantic import StringConstraints

NAME_PATTERN = r"^([0-9]+[._-]?)*[A-Za-z][A-Za-z0-9._-]*$"  # with a letter: images have numbers, too
NAME_CHARS = 100
ImageName = Annotated[str, StringConstraints(pattern=NAME_PATTERN, min_length=1, max_length=NAME_CHARS)]
