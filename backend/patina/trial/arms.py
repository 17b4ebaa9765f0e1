"""What a trial measures: its images, checked, with their names in results."""

from dataclasses import dataclass
from itertools import chain, count

from sqlalchemy.orm import Session

from patina.device.models import Device
from patina.device.shingle import require_file_system
from patina.errors import PatinaError
from patina.figures import exactly_bytes
from patina.image import service as image_service
from patina.image.models import Image, Origin
from patina.image.place import require_within_reach
from patina.job import service as job_service
from patina.job.state import ENDED, JobState
from patina.run import service as run_service
from patina.run.models import Run
from patina.run.settings import RunSettings
from patina.trial.settings import NAME_CHARS, Arm, TrialSettings
from patina.trial.workload import ROWS

UNAGED, FRESH = "unaged", "fresh"
FREE_SHARE_OF_UNKNOWN = 0.25  # of a device, where nothing is known of how full its file system is
# Of the free space of the fullest image, for the files of a workload: deleted blocks are not free before a commit.
FREE_SHARE_OF_FILES = 0.25
JOURNALED = frozenset({"ext3", "ext4"})

TrialNeedsData = PatinaError.of("trial_needs_data", "The image's files have no data", status=409)
NotMeasurable = PatinaError.of("not_measurable", "This image cannot be measured", status=409)
RunMadeNoImage = PatinaError.of("run_made_no_image", "The run makes no image", status=409)
TwoBases = PatinaError.of("two_bases", "A group has two bases", status=422)


@dataclass(frozen=True)
class _Source:
    """What an arm measures, by its image or by the run that is to make it."""

    name: str
    file_system: str
    state: str
    free_bytes: int
    rounds_count: int | None  # of fsfb

    @property
    def full_state(self) -> str:
        """Returns the state, with its rounds."""
        return self.state if self.rounds_count is None else f"{self.state}, {self.rounds_count} rounds"


def in_force(*, session: Session, device: Device, settings: TrialSettings) -> tuple[list[Arm], int]:
    """Returns the arms with their groups and states, and the bytes that a workload's files may take on each of them.
    Raises ImageUnknown, ImageElsewhere, JobUnknown, NotMeasurable, TrialNeedsData, RunMadeNoImage, DiskIsShingled,
    TwoBases."""
    arms: list[Arm] = []
    sources = []
    for arm in settings.arms:
        source_of = _of_image if arm.run_id is None else _of_run
        sources.append(source_of(session, device, settings, arm))
        arms.append(_named(arm, sources[-1], arms))
    fit_bytes = int(min(source.free_bytes for source in sources) * FREE_SHARE_OF_FILES)
    return _with_bases(arms, sources), fit_bytes


def _of_image(session: Session, device: Device, settings: TrialSettings, arm: Arm) -> _Source:
    assert arm.image_id is not None
    image = image_service.get_image(session=session, image_id=arm.image_id)
    _check_image(image, device, arm)
    _check_data(f"Image {image.name}", reads_disk(image, device), settings)
    return _Source(
        image.name,
        image.file_system or "",
        _state_of_image(image),
        _free_bytes(image.size_bytes, image.fullness),
        (image.recipe or {}).get("rounds_count"),
    )


def reads_disk(image: Image, device: Device) -> bool | None:
    """Returns whether reading the image's files on the device reads the disk; None: not measured. An emulated disk
    generates the content that an image without contents lacks, where files have blocks."""
    if image.mode != "metadata" or not device.drops_data:
        return image.is_readable
    if (image.recipe or {}).get("data_mode") == "sparse":
        return False
    files = (image.layout or {}).get("files")
    return None if files is None else bool(files["unwritten_blocks_count"] == 0)


def _of_run(session: Session, device: Device, settings: TrialSettings, arm: Arm) -> _Source:
    assert arm.run_id is not None
    run = run_service.get_run(session=session, run_id=arm.run_id)
    _check_run(run, device, arm)
    made = run.in_force
    _check_data(f"The image of run {run.id}", made.data_mode in ("materialize", "write"), settings)
    fullness = 0 if made.workload == FRESH else made.fullness
    return _Source(
        f"run {run.id}",
        made.file_system,
        _state_of_run(run, made),
        _free_bytes(run.device.size_bytes, fullness),
        made.rounds_count,
    )


def _free_bytes(size_bytes: int, fullness: float | None) -> int:
    return int(size_bytes * (FREE_SHARE_OF_UNKNOWN if fullness is None else max(0.95 - fullness, 0.02)))


def _check_image(image: Image, device: Device, arm: Arm) -> None:
    if image.size_bytes > device.size_bytes:
        raise NotMeasurable(
            f"Image {image.name} has {exactly_bytes(image.size_bytes)}, device {device.path} "
            f"{exactly_bytes(device.size_bytes)}. Take a device that is as large."
        )
    if image.file_system is None:
        raise NotMeasurable(f"The file system of image {image.name} is unknown, so it cannot be mounted.")
    if image.mode == "metadata" and not device.drops_data:
        raise NotMeasurable(
            f"Image {image.name} has metadata only; capture its run in mode allocated or exact, or choose an emulated "
            "disk, which generates the data of files."
        )
    if image.intake is not None and image.intake.get("is_clean") is not True:
        raise NotMeasurable(f"The file system of image {image.name} was not found clean, so it is not mounted.")
    _check_file_system(image.file_system, device, arm, f"Image {image.name}")
    require_within_reach(image, device.host)


def _check_run(run: Run, device: Device, arm: Arm) -> None:
    if run.state in ENDED and run.state != JobState.SUCCEEDED:
        raise RunMadeNoImage(f"Run {run.id} {run.state} and made no image. Choose an image, or start the run again.")
    if run.state == JobState.SUCCEEDED:
        raise RunMadeNoImage(f"Run {run.id} has ended. Choose its image.")
    if run.host_id != device.host_id:
        raise NotMeasurable(f"Run {run.id} is on host {run.host.name}; choose a device of that host.")
    if run.device.size_bytes > device.size_bytes:
        raise NotMeasurable(f"The image of run {run.id} will be larger than device {device.path}.")
    if run.in_force.capture_mode == "metadata" and not device.drops_data:
        raise NotMeasurable(
            f"Run {run.id} captures metadata only; start one with capture mode allocated or exact, or choose an "
            "emulated disk, which generates the data of files."
        )
    _check_file_system(run.in_force.file_system, device, arm, f"The image of run {run.id}")


def _check_file_system(name: str, device: Device, arm: Arm, what: str) -> None:
    require_file_system(device, name)
    host = device.host
    why = host.lacks.get(name)
    if why is not None:
        raise NotMeasurable(f"{what} cannot be mounted on host {host.name}: {why}.")
    if not arm.has_journal and name not in JOURNALED:
        raise NotMeasurable(f"{what} is {name}; only {', '.join(sorted(JOURNALED))} can lose their journal.")


def _check_data(what: str, is_readable: bool | None, settings: TrialSettings) -> None:
    reading = [workload.label for workload in settings.workloads if ROWS[workload.kind].reads_data]
    if is_readable is False and reading:
        raise TrialNeedsData(
            f"{what} has files whose data was never written: {', '.join(reading)} would read nothing from the disk. "
            "Age the same recipe with data mode materialize first (gets_data), or leave that workload out."
        )


def _state_of_image(image: Image) -> str:
    recipe = image.recipe or {}
    if recipe.get("survivors") or (image.intake or {}).get("kind") == UNAGED:
        state = UNAGED
    elif image.workload == FRESH:
        state = FRESH
    else:
        version = image.profile_version
        what = version.profile.title if version else image.workload or recipe.get("profile") or "imported"
        # The goal, as file systems with the same goal are compared: the fullness achieved differs a little.
        state = _aged(what, recipe.get("fullness") or image.fullness)
    return f"{state} after a trial" if image.origin == Origin.TRIAL else state


def _state_of_run(run: Run, made: RunSettings) -> str:
    if made.survivors:
        return UNAGED
    if made.workload == FRESH:
        return FRESH
    return _aged(run.profile.title if run.profile else made.workload or "", made.fullness)


def _aged(what: str, fullness: float | None) -> str:
    return what if fullness is None else f"{what} {fullness * 100:.0f} %"


def _named(arm: Arm, source: _Source, before: list[Arm]) -> Arm:
    """Returns the arm with its group and state; two arms never have both in common."""
    group = arm.group or (source.file_system if arm.has_journal else f"{source.file_system} without journal")
    wanted = arm.state or source.full_state
    taken = {other.state for other in before if other.group == group}
    name = source.name[: NAME_CHARS // 2]
    endings = chain(["", f" ({name})"], (f" ({name}, {number})" for number in count(2)))
    cut = (wanted[: NAME_CHARS - len(ending)].rstrip() + ending for ending in endings)
    named: dict[str, object] = {"group": group, "state": next(state for state in cut if state not in taken)}
    if source.rounds_count is not None and arm.position is None:
        named |= {"series": arm.series or source.state, "position": source.rounds_count}
    return arm.model_copy(update=named)


def _with_bases(arms: list[Arm], sources: list[_Source]) -> list[Arm]:
    """Returns the arms with the base of each group: the one that is given, else the first that is unaged or fresh."""
    bases: dict[str | None, int] = {}
    for index, arm in enumerate(arms):
        if arm.is_base and arm.group in bases:
            raise TwoBases(
                f"Group {arm.group} has two bases, {arms[bases[arm.group]].state} and {arm.state}. Keep one."
            )
        if arm.is_base:
            bases[arm.group] = index
    for index, (arm, source) in enumerate(zip(arms, sources, strict=True)):
        if arm.is_base is None and source.state in (UNAGED, FRESH):
            bases.setdefault(arm.group, index)
    return [arm.model_copy(update={"is_base": bases.get(arm.group) == index}) for index, arm in enumerate(arms)]


def image_of_run(session: Session, run_id: int) -> Image | None:
    """Returns the image that the run made; None for a run that made none, or whose image was deleted since."""
    run = job_service.get_job(session=session, job_id=run_id, model=Run)
    if run.result is None:
        return None
    image = session.get(Image, run.result["image_id"])
    return None if image is None or image.deleted_at is not None else image
