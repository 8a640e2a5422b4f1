from typing import NoReturn

from adsvc.errors import AdNotFoundError, PreconditionFailedError
from adsvc.repositories import AdChangeRepository
from adsvc.repositories.accounts.rights import Caller
from adsvc.versions import Expected


async def require_expected(
    changes: AdChangeRepository, caller: Caller, ad_id: int, expected: Expected
) -> None:
    """Asks of the ad as it is now, before a change that will ask again."""
    if expected.versions is not None:
        expected.require(await _version(changes, caller, ad_id))


async def refuse_overtaken(
    changes: AdChangeRepository, caller: Caller, ad_id: int, expected: Expected
) -> NoReturn:
    """Refuses a change that found no ad as its sender expected it, who had the right to it."""
    if expected.versions is None:
        # Deleted a moment ago.
        raise AdNotFoundError
    raise PreconditionFailedError(await _version(changes, caller, ad_id))


async def _version(changes: AdChangeRepository, caller: Caller, ad_id: int) -> str:
    version = await changes.version(caller, ad_id)
    if version is None:
        raise AdNotFoundError
    return version
