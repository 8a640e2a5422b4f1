"""Requests that are refused for what the service depends on."""

from adsvc.errors.base import RefusalError


class UnavailableError(RefusalError):
    """Nothing was changed, or the outcome is unknown. `retry_after` is in seconds."""

    detail = "A part of the service cannot be reached now."
    retry_after = 1


class DatabaseUnavailableError(UnavailableError):
    """Its cause is the error of the driver."""

    detail = "The database cannot be reached now."


class ImageStoreUnavailableError(UnavailableError):
    detail = "The image store cannot be reached or is full."
    retry_after = 5


class DiskNearlyFullError(UnavailableError):
    retry_after = 30

    def __init__(self, place: str, kept: str) -> None:
        super().__init__(f"The disk of the {place} is nearly full: there is no room for {kept}.")


class OverloadedError(UnavailableError):
    detail = "The service has more of this work than it can do now."
