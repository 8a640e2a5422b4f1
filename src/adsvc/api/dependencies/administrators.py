"""What only some may do, whatever the thing: administrators, moderators, who has verified mail."""

from typing import Annotated, Protocol

from fastapi import Depends

from adsvc.api.app_state import AppState, AppStateDep
from adsvc.api.dependencies.caller import CurrentUser
from adsvc.errors import ForbiddenError, MailNotVerifiedError
from adsvc.models import Role
from adsvc.repositories.accounts.callers import Account
from adsvc.settings import MailRequired


async def get_administrator(user: CurrentUser) -> Account:
    if user.role is not Role.ADMIN:
        raise ForbiddenError("Only an administrator may do this.")
    return user


Administrator = Annotated[Account, Depends(get_administrator)]


async def get_moderator(user: CurrentUser) -> Account:
    if user.role not in {Role.MODERATOR, Role.ADMIN}:
        raise ForbiddenError("Only a moderator or an administrator may do this.")
    return user


Moderator = Annotated[Account, Depends(get_moderator)]


class Reader(Protocol):
    @property
    def has_verified_mail(self) -> bool: ...


def lacks_mail(state: AppState, caller: Reader, act: MailRequired) -> bool:
    return not caller.has_verified_mail and state.settings.needs_mail_for(act)


def require_mail(state: AppState, caller: Reader, act: MailRequired) -> None:
    if lacks_mail(state, caller, act):
        raise MailNotVerifiedError


async def get_posting_user(user: CurrentUser, state: AppStateDep) -> Account:
    if not user.mail_verified and state.settings.needs_mail_for(MailRequired.POST):
        raise MailNotVerifiedError
    return user


PostingUser = Annotated[Account, Depends(get_posting_user)]
