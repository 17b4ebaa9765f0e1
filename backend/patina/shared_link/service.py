"""Finds what a link shows."""

from sqlalchemy.orm import Session

from patina.account.actor import Guest
from patina.account.models import AccountLink, LinkPurpose
from patina.account.visibility import Shared
from patina.errors import PatinaError
from patina.image import service as image_service
from patina.job import service as job_service
from patina.job.models import Job
from patina.profile import service as profile_service
from patina.profile.models import Profile
from patina.run.models import Run
from patina.shared_link.schemas import Shown, ShownRead
from patina.study.models import Study
from patina.trial.models import Trial

NotShownByLinks = PatinaError.of("not_shown_by_links", "Links do not show it", status=422)


def find_shown(*, session: Session, shown: Shown) -> Shared:
    """Returns the row. Raises ImageUnknown, ProfileUnknown, JobUnknown, NotShownByLinks."""
    if shown.image_id is not None:
        return image_service.get_image(session=session, image_id=shown.image_id)
    if shown.profile is not None:
        return profile_service.get_profile(session=session, name=shown.profile)
    job = job_service.get_job(session=session, job_id=shown.job_id or 0, model=Job)
    if not isinstance(job, Run | Trial | Study):
        raise NotShownByLinks(
            f"Links show images, profiles, runs, trials and studies. Job {job.id} is of the kind {job.kind}."
        )
    return job


def row_of(*, session: Session, link: AccountLink) -> Shared:
    """Returns the row that a link shows. Raises ImageUnknown, ProfileUnknown, JobUnknown if the sender does not see
    it."""
    if link.purpose == LinkPurpose.PROFILE:
        profile = session.get_one(Profile, link.profile_id)
        return profile_service.get_profile(session=session, name=profile.name)
    return find_shown(session=session, shown=Shown(image_id=link.image_id, job_id=link.job_id))


def opened(*, session: Session, guest: Guest) -> ShownRead:
    """Returns what the link of a guest shows. Raises ImageUnknown for an image that was deleted."""
    if guest.table == LinkPurpose.PROFILE:
        return ShownRead(profile=session.get_one(Profile, guest.row_id).name)
    if guest.table == LinkPurpose.IMAGE:
        return ShownRead(image_id=image_service.get_image(session=session, image_id=guest.row_id).id)
    job = session.get_one(Job, guest.row_id)
    if isinstance(job, Study):
        return ShownRead(study_id=job.id)
    return ShownRead(trial_id=job.id) if isinstance(job, Trial) else ShownRead(run_id=job.id)
