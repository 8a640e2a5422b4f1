"""What services read of a request of an account: a part of `api.dependencies.bodies.Call`."""

from typing import Protocol

from adsvc.db.database import Transaction
from adsvc.repositories.accounts.callers import CallerAccount
from adsvc.settings import Settings


class ClientRequest(Protocol):
    """A request that changes something, of a client that may be unknown."""

    @property
    def transaction(self) -> Transaction: ...
    @property
    def settings(self) -> Settings: ...
    @property
    def address(self) -> str: ...
    @property
    def user_agent(self) -> str: ...
    @property
    def language(self) -> str | None: ...


class AccountRequest(ClientRequest, Protocol):
    """A request of an account."""

    @property
    def user(self) -> CallerAccount: ...
    # None for a caller who sent user name and password, or a key.
    @property
    def session_id(self) -> int | None: ...
