"""Password hashes.

Only `adsvc.services.accounts.credentials`, which counts attempts, verifies passwords. An import
contract enforces that.
"""

import re
import secrets
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager

from pwdlib import PasswordHash
from pwdlib.exceptions import UnknownHashError
from pwdlib.hashers.argon2 import Argon2Hasher
from pwdlib.hashers.bcrypt import BcryptHasher

from adsvc.kit.bulkheads.admission import UNKNOWN_CLIENT, Client
from adsvc.kit.bulkheads.pools import ThreadPool, ThreadSlot
from adsvc.kit.normalisation import opaque

# bcrypt reads this much of a password. The bcrypt package rejects longer ones, and passlib cut
# them.
BCRYPT_MAX_BYTES = 72
BCRYPT_HASH = re.compile(r"\$2[abxy]\$([0-9]{2})\$")


class _BcryptVerifier(BcryptHasher):
    """Verifies hashes by passlib, which ignored everything after 72 bytes."""

    def verify(self, password: str | bytes, hash: str | bytes) -> bool:
        raw = password.encode() if isinstance(password, str) else password
        try:
            return super().verify(raw[:BCRYPT_MAX_BYTES], hash)
        except ValueError:
            # It looks like a hash, but has an invalid salt or cost.
            raise UnknownHashError(hash) from None


def _forms(password: str) -> Sequence[str]:
    """The form that is hashed, and the password as it was sent if that differs."""
    form = opaque(password)
    return (password,) if form == password else (form, password)


class Passwords:
    """Argon2id (RFC 9106) with one lane, off the event loop.

    Hashes with other parameters, and bcrypt hashes, are accepted and replaced at the next login.
    Until all of them are replaced, every login takes as long as theirs.
    """

    def __init__(self, pool: ThreadPool, *, memory_kib: int, iterations: int) -> None:
        argon2 = Argon2Hasher(time_cost=iterations, memory_cost=memory_kib, parallelism=1)
        self._hasher = PasswordHash((argon2, _BcryptVerifier()))
        self._pool = pool
        self._dummy_hash = self._hasher.hash(secrets.token_urlsafe())

    def slot(self, party: Client) -> AbstractAsyncContextManager[ThreadSlot]:
        """A place in the pool. Take it before any other work on a password."""
        return self._pool.slot(party)

    async def hash(self, password: str, party: Client = UNKNOWN_CLIENT) -> str:
        async with self._pool.slot(party) as slot:
            return await slot.run(self._hash, password)

    def _hash(self, password: str) -> str:
        return self._hasher.hash(_forms(password)[0])

    async def verify(
        self,
        password: str,
        stored: str | None,
        *,
        bcrypt_cost: int = 0,
        slot: ThreadSlot | None = None,
    ) -> tuple[bool, str | None]:
        """Whether the password is right, and the hash that should replace the stored one if any.

        A hash may be older than the form in which passwords are hashed (RFC 8265): the password is
        then tried as it was sent.

        Without a stored hash it is wrong. Every wrong password takes the same work: that of an
        Argon2id hash, and that of a bcrypt hash of `bcrypt_cost`, the highest cost among the
        accounts, or 0 if there is none; twice that if its two forms differ.
        """
        run = self._pool.run if slot is None else slot.run
        return await run(self._verify_forms, password, stored, bcrypt_cost)

    def _verify_forms(
        self, password: str, stored: str | None, bcrypt_cost: int
    ) -> tuple[bool, str | None]:
        forms = _forms(password)
        for form in forms:
            valid, replacement = self._verify(form, stored, bcrypt_cost)
            if valid:
                return True, replacement if form == forms[0] else self._hasher.hash(forms[0])
        return False, None

    def _verify(
        self, password: str, stored: str | None, bcrypt_cost: int
    ) -> tuple[bool, str | None]:
        bcrypt = BCRYPT_HASH.match(stored or "")
        try:
            valid, replacement = self._hasher.verify_and_update(
                password, stored or self._dummy_hash
            )
        except UnknownHashError:
            valid, replacement, bcrypt = self._hasher.verify(password, self._dummy_hash), None, None
        if stored is not None and valid:
            return True, replacement
        if bcrypt_cost:
            self._pay_difference(password, int(bcrypt[1]) if bcrypt else None, bcrypt_cost)
        return False, None

    def _pay_difference(self, password: str, paid: int | None, cost: int) -> None:
        """Does the work of a bcrypt hash of that cost, less what was `paid`."""
        raw = password.encode()[:BCRYPT_MAX_BYTES]
        if paid is None:
            BcryptHasher(rounds=cost).hash(raw)
            return
        self._hasher.verify(password, self._dummy_hash)
        # Each cost doubles the work: 2^c + … + 2^(n-1) = 2^n - 2^c.
        for step in range(paid, cost):
            BcryptHasher(rounds=step).hash(raw)
