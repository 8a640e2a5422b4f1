"""Refusals that nothing below this floor knows."""

from adsvc import errors


class MethodNotAllowedError(errors.RefusalError):
    detail = "This address does not have that method; see Allow."

    def __init__(self, allowed: list[str]) -> None:
        super().__init__()
        self.allowed = allowed


class InternalError(errors.RefusalError):
    detail = "The service failed; the log has the cause under this request's id."
