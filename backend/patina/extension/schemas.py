"""What the API takes of extensions."""

from patina.run.schemas import Confirmation, Note
from patina.run.settings import StopConditions


class ExtensionCreate(StopConditions):
    """When the run that goes on is to stop. The time counts from where it goes on."""

    confirmation: Confirmation
    note: Note = ""
