"""The terms of the site: the page `termsPage`, in the version that was published last."""

from adsvc.errors import InvalidRequestError, TermsRequiredError
from adsvc.kit.db.database import Database, Transaction
from adsvc.kit.faults import unknown
from adsvc.kit.invalidation import LruCache
from adsvc.repositories.accounts import terms as terms_rows
from adsvc.settings import Settings, TermsVersion

MOST_REMEMBERED = 10_000


class TermsCheck:
    """Whether accounts have accepted the terms in force. Remembers those that have."""

    def __init__(self, database: Database, settings: Settings) -> None:
        self._database = database
        self._settings = settings
        self._accepted: LruCache[tuple[int, TermsVersion], bool] = LruCache(MOST_REMEMBERED)

    async def require(self, user_id: int) -> None:
        """`TermsRequiredError` if the account has not."""
        terms = self._settings.terms
        if terms is None or self._accepted.get((user_id, terms)):
            return
        if not await terms_rows.has_accepted(self._database.reader, user_id, *terms):
            raise TermsRequiredError
        self._accepted.keep((user_id, terms), True)  # noqa: FBT003 - a value


async def accept(transaction: Transaction, settings: Settings, user_id: int, version: int) -> None:
    terms = settings.terms
    if terms is None or version != terms.version:
        raise InvalidRequestError(unknown("must be that of the terms in force").at("/version"))
    await terms_rows.accept(transaction, user_id, *terms)
