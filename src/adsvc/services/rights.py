from adsvc.errors import AdNotFoundError, ForbiddenError, UnauthenticatedError
from adsvc.repositories.accounts.rights import Standing


def require(standing: Standing) -> None:
    """Raises the refusal that comes first, if there is one."""
    if not standing.is_known:
        raise UnauthenticatedError
    if not standing.finds_ad:
        raise AdNotFoundError
    if not standing.may_change:
        raise ForbiddenError
