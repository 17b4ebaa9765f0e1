"""Makes the image of a recipe again: a run with the same settings, seed and profile version, on a device."""

from pydantic import BaseModel, ConfigDict
from sqlalchemy import select
from sqlalchemy.orm import Session

from patina.account.visibility import seen
from patina.errors import PatinaError
from patina.image.models import Image
from patina.profile.models import Profile, ProfileVersion
from patina.run import service as run_service
from patina.run.models import Run
from patina.run.recipe import Recipe
from patina.run.schemas import Confirmation, Note, RunCreate
from patina.run.settings import RunSettings

RecipeMissing = PatinaError.of("recipe_missing", "The image has no recipe", status=409)
RecipeProfileMissing = PatinaError.of("recipe_profile_missing", "The profile of the recipe is not here", status=409)
RecipeForeign = PatinaError.of("recipe_foreign", "The recipe needs another server", status=409)


class ReproductionCreate(BaseModel):
    """The device on which a recipe is carried out again."""

    model_config = ConfigDict(extra="forbid")

    device_id: int
    confirmation: Confirmation
    note: Note = ""
    waits: bool = False


def reproduce_image(*, session: Session, image: Image, create: ReproductionCreate, idempotency_key: str | None) -> Run:
    """Queues a run by the image's recipe. The same key returns the same run. Raises RecipeMissing,
    RecipeProfileMissing, RecipeForeign, and what `start_run` raises."""
    if image.recipe is None:
        raise RecipeMissing(f"Image {image.name} was not aged by Patina: no recipe says how to make it again.")
    recipe = Recipe.model_validate(image.recipe)
    if recipe.replay_of is not None and image.run_id is None:
        raise RecipeForeign(
            f"The recipe of image {image.name} replays the operation log of a run of the server that made it. Carry it "
            "out there."
        )
    settings = recipe.model_dump(mode="json", include=set(RunSettings.model_fields))
    settings |= _profile_of(session, image, recipe)
    asked = RunCreate.model_validate(settings | create.model_dump(mode="json"))
    return run_service.start_run(
        session=session, create=asked, idempotency_key=idempotency_key, reproduces_id=image.id, source=image
    )


def _profile_of(session: Session, image: Image, recipe: Recipe) -> dict[str, object]:
    """Returns name and version of the recipe's profile here, which are others on another server."""
    if recipe.profile is None:
        return {}
    same = (
        select(Profile.name, ProfileVersion.number)
        .join(Profile, ProfileVersion.profile_id == Profile.id)
        .where(ProfileVersion.digest == recipe.profile_digest, seen(Profile))
        # The one that is named as in the recipe, if any.
        .order_by(Profile.name != recipe.profile, ProfileVersion.number != recipe.profile_version_number)
    )
    found = session.execute(same.limit(1)).one_or_none()
    if found is None:
        raise RecipeProfileMissing(
            f"The recipe of image {image.name} has version {recipe.profile_version_number} of the profile "
            f"{recipe.profile}, with the digest {recipe.profile_digest}. No profile here has that digest: import it."
        )
    return {"profile": found.name, "profile_version_number": found.number}
