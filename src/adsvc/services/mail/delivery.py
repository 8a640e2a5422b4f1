"""What workers do with the entries of the outbox that are mails.

An account is looked up when its mail is sent. A mail that is no longer wanted by then (the account
has another address, or is deleted) counts as delivered.
"""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.headerregistry import Address
from textwrap import shorten
from typing import Any, NamedTuple

from adsvc.enums import MailOutcome, NotificationType, TokenPurpose
from adsvc.errors import (
    DeliveryError,
    NoMailboxError,
    ReceiverUnavailableError,
    UndeliverableError,
)
from adsvc.kit.db.database import Database
from adsvc.kit.db.faults import is_database_fault
from adsvc.kit.mail import FileTransport, SmtpTransport, Transport
from adsvc.kit.pictures.containers import variant_name
from adsvc.kit.security.tokens import LinkToken, Purpose, SignedLinks
from adsvc.kit.settings.validators import sender_address, smtp_server
from adsvc.repositories import notifications as notification_rows
from adsvc.repositories import outbox as outbox_rows
from adsvc.repositories.accounts import users as user_rows
from adsvc.repositories.accounts.mail_tokens import add_token, addressee, note_bounce
from adsvc.repositories.following import ALERT, FORGOTTEN_DAYS, alert_to_mail
from adsvc.repositories.notices import unread_to_mail
from adsvc.repositories.notifications import DEAL_NOTICES
from adsvc.repositories.outbox import DIGEST, NOTICE, ClaimedEntry
from adsvc.schemas.base import in_ascii
from adsvc.services.installation import signed_links
from adsvc.services.mail.rendering import (
    LETTER,
    LINKING,
    RECOVERY,
    SIGN_IN,
    VERIFICATION,
    Envelope,
    Letter,
    Post,
    language_for,
    render,
    subject_of,
)
from adsvc.services.mail.texts import own_of
from adsvc.services.notifications import ALL_NOTICES, SEARCH, notice_values
from adsvc.services.rate_limits import give_back, to_mailbox, try_take
from adsvc.settings import Settings
from adsvc.settings.colours import OWN_ACCENT, palettes

logger = logging.getLogger("adsvc.outbox")

HOURS = {
    TokenPurpose.VERIFY: 24,
    TokenPurpose.RESET: 1,
    TokenPurpose.REPORT: 7 * 24,
    TokenPurpose.LINK: 1,
}

NO_ADDRESS = "the account has no verified address"
OUTDATED = "the notice is not wanted or does not hold any more"
# Characters of an answer that are stored.
ANSWER_LENGTH = 500
# Characters of a message in a mail.
MESSAGE_EXCERPT = 500
# Notices that a digest names.
DIGEST_LINES = 20

# The sender of mails that are files.
FILE_SENDER = Address("adsvc", "noreply", "localhost")


def transport_of(settings: Settings) -> Transport:
    if settings.smtp_url is None:
        return FileTransport(settings.mail_dir)
    return SmtpTransport(
        smtp_server(settings.smtp_url.get_secret_value()),
        sender=_sender(settings).addr_spec,
        seconds=settings.mail_seconds,
    )


def _sender(settings: Settings) -> Address:
    return FILE_SENDER if settings.mail_from is None else sender_address(settings.mail_from)


class TokenRecipient(NamedTuple):
    user_id: int
    address: str
    language: str | None


@dataclass(frozen=True, slots=True)
class NoticeLetter:
    """The mail about a notice that still holds."""

    name: Letter
    address: str
    language: str
    values: Mapping[str, object]
    # What the link in it ends: as in `SignedLinks`.
    subject: str
    # The page of the storefront that it is about.
    path: str


class MailDeliveries:
    """Delivers entries; each of `kinds` has its handler."""

    def __init__(self, database: Database, settings: Settings, transport: Transport) -> None:
        self._database = database
        self._transport = transport
        self._settings = settings
        self._notice_mails = database.writer
        self._links: dict[Purpose, SignedLinks] = {}
        self._handlers: Mapping[str, Callable[[ClaimedEntry], Awaitable[None]]] = {
            LETTER: self._letter,
            VERIFICATION: self._verification,
            RECOVERY: self._recovery,
            SIGN_IN: self._sign_in,
            LINKING: self._linking,
            NOTICE: self._noticed,
            ALERT: self._noticed,
            DIGEST: self._digest,
        }
        self.kinds = frozenset(self._handlers)

    async def deliver(self, entry: ClaimedEntry) -> None:
        """Raises a `DeliveryError` if the entry has to be tried again or given up."""
        await self._handlers[entry.kind](entry)

    async def _letter(self, entry: ClaimedEntry) -> None:
        payload = entry.payload
        user = await addressee(self._database.writer, payload["user_id"])
        if user is None:
            return
        address = payload.get("address") or (user.mail if user.mail_verified else None)
        if address is None:
            await self._omit(entry, payload["user_id"], payload["letter"], NO_ADDRESS)
            return
        language, values = self._language(user.language), payload["values"]
        if "decision" in values:
            # Whom a decision suspends cannot log in to read it.
            subject = str(values["decision"])
            token = await self._token(Purpose.APPEAL, payload["user_id"], subject)
            values = {**values, "token": token}
        await self._send(entry, payload["user_id"], payload["letter"], address, language, values)

    async def _noticed(self, entry: ClaimedEntry) -> None:
        """A mail about a notice, unless the account has had its share: then the digest has it."""
        letter = await self._described(entry.kind, entry.payload)
        user_id = entry.payload["user_id"]
        if letter is None:
            kind = entry.payload.get("type", entry.kind)
            await self._omit(entry, user_id, kind, f"{NO_ADDRESS}, or {OUTDATED}")
        elif await outbox_rows.take_share(
            self._notice_mails, user_id, entry.id, entry.kind, entry.payload
        ):
            link = await self._unsubscribe_link(user_id, letter.subject)
            to = letter.address, letter.language
            await self._send(entry, user_id, letter.name, *to, letter.values, unsubscribe=link)
        else:
            await self._omit(entry, user_id, letter.name, "the next digest has it")

    async def _described(self, kind: str, payload: Mapping[str, Any]) -> NoticeLetter | None:
        """None if the account does not want it any more, or it does not hold."""
        if kind == ALERT:
            return await self._alert(payload)
        if "conversation" in payload:
            return await self._unread_messages(payload)
        about = NotificationType(payload["type"])
        found = await notification_rows.to_mail(
            self._database.writer, payload["user_id"], about, payload["ad_id"], payload["data"]
        )
        if found is None:
            return None
        language = self._language(found.language)
        values = notice_values(
            about, found.title, self._settings, language, payload["data"], ad=payload["ad_id"]
        )
        path = "/my/deals" if about in DEAL_NOTICES else f"/a/{payload['ad_id']}"
        return NoticeLetter(Letter.NOTICE, found.mail, language, values, about, path)

    async def _unread_messages(self, payload: Mapping[str, Any]) -> NoticeLetter | None:
        kind = NotificationType(payload["type"])
        user_id, conversation_id = payload["user_id"], payload["conversation"]
        found = await unread_to_mail(self._database.writer, user_id, kind, conversation_id)
        if found is None:
            return None
        texts = [shorten(text, MESSAGE_EXCERPT, placeholder=" …") for text in found.texts]
        language = self._language(found.language)
        values = notice_values(
            kind, found.title, self._settings, language, conversation=conversation_id, texts=texts
        )
        return NoticeLetter(
            Letter.NOTICE, found.mail, language, values, kind, f"/messages/{conversation_id}"
        )

    async def _alert(self, payload: Mapping[str, Any]) -> NoticeLetter | None:
        """Of the ads those that are still shown; without any there is no mail."""
        user_id, search_id = payload["user_id"], payload["search"]
        found = await alert_to_mail(
            self._database.writer,
            search_id,
            user_id,
            payload["ads"],
            is_question=payload["is_last"],
        )
        if found is None:
            return None
        ads = json.loads(found["ads"])
        if not ads:
            return None
        language = self._language(found["language"])
        for ad in ads:
            ad["price"] = self._settings.money.text(ad["price"], language)
        values = {
            "name": found["name"],
            "query": found["query"],
            "search": search_id,
            "count": max(payload["count"] - len(payload["ads"]) + len(ads), len(ads)),
            "ads": [] if payload["is_last"] else ads,
            "days": FORGOTTEN_DAYS,
        }
        letter = Letter.SEARCH_FORGOTTEN if payload["is_last"] else Letter.SEARCH_MATCHED
        path = f"/my/searches/{search_id}"
        return NoticeLetter(letter, found["mail"], language, values, f"{SEARCH}{search_id}", path)

    async def _digest(self, entry: ClaimedEntry) -> None:
        """The subjects of the newest notices, each once, and how many there are beyond them."""
        user_id = entry.payload["user_id"]
        found = await outbox_rows.digested(self._notice_mails, user_id)
        if found is None:
            return
        lines: dict[str, str] = {}
        address, language = found.mail, self._language(found.language)
        for kind, payload in found.newest:
            letter = await self._described(kind, payload)
            if letter is None or len(lines) == DIGEST_LINES:
                continue
            site = {"site": self._settings.site_name, "texts": ()}
            subject = subject_of(letter.name, language, {**site, **letter.values})
            lines.setdefault(subject, f"{self._post.base}{letter.path}")
        if lines and address is not None:
            values = {"lines": list(lines.items()), "count": len(found.ids)}
            link = await self._unsubscribe_link(user_id, ALL_NOTICES)
            to = address, language
            await self._send(entry, user_id, Letter.DIGEST, *to, values, unsubscribe=link)
        await outbox_rows.end_digest(self._notice_mails, user_id, found.ids)

    async def _unsubscribe_link(self, user_id: int, kind: str) -> str:
        token = await self._token(Purpose.UNSUBSCRIBE, user_id, kind)
        return f"{self._post.base}/unsubscribe?token={token}"

    async def _token(self, purpose: Purpose, user_id: int, subject: str) -> str:
        if self._links.get(purpose) is None:
            async with self._database.transaction() as transaction:
                self._links[purpose] = await signed_links(transaction, purpose)
        return self._links[purpose].token(user_id, subject)

    async def _verification(self, entry: ClaimedEntry) -> None:
        payload = entry.payload
        to = TokenRecipient(payload["user_id"], payload["address"], payload["language"])
        await self._prove(entry, to, TokenPurpose.VERIFY, Letter.VERIFY_ADDRESS)

    async def _linking(self, entry: ClaimedEntry) -> None:
        payload = entry.payload
        to = TokenRecipient(payload["user_id"], payload["address"], payload["language"])
        values = {"provider": payload["provider"]}
        await self._prove(entry, to, TokenPurpose.LINK, Letter.SIGN_IN_LINK, values)

    async def _recovery(self, entry: ClaimedEntry) -> None:
        async with self._database.autocommit() as session:
            user = await user_rows.get_by_username(session, entry.payload["username"])
        if user is None:
            return
        if user.mail is None:
            await self._omit(entry, user.id, Letter.RESET_PASSWORD, "it has no address")
            return
        language = entry.payload["language"] or user.language
        to = TokenRecipient(user.id, user.mail, language)
        if not user.mail_verified:
            await self._verification_first(entry, to)
            return
        # The account's chosen name goes only to a verified address.
        values = {"username": user.username}
        await self._prove(entry, to, TokenPurpose.RESET, Letter.RESET_PASSWORD, values)

    async def _sign_in(self, entry: ClaimedEntry) -> None:
        payload = entry.payload
        user = await addressee(self._database.writer, payload["user_id"])
        if user is None:
            return
        if user.mail is None or not user.mail_verified:
            await self._omit(entry, payload["user_id"], Letter.SIGN_IN_NEW, NO_ADDRESS)
            return
        values = {
            "network": payload["network"],
            "device": payload["device"],
            "at": f"{entry.created_at.astimezone(UTC):%Y-%m-%d %H:%M} UTC",
        }
        to = TokenRecipient(payload["user_id"], user.mail, user.language)
        since = entry.created_at
        await self._prove(entry, to, TokenPurpose.REPORT, Letter.SIGN_IN_NEW, values, since)

    async def _verification_first(self, entry: ClaimedEntry, to: TokenRecipient) -> None:
        """An unverified address gets nothing but its verification.

        It counts for the mailbox like a new address: many accounts may have named it.
        """
        # A repeated attempt was counted the first time.
        is_first, counted = entry.attempts == 1, to_mailbox(to.address)
        letter = Letter.VERIFY_BEFORE_RESET
        if is_first and not await try_take(self._database, self._settings, counted):
            await self._omit(entry, to.user_id, letter, "the mailbox has had its share of mails")
            return
        try:
            await self._prove(entry, to, TokenPurpose.VERIFY, letter)
        except ReceiverUnavailableError:
            # This attempt does not count; the next one counts as the first again.
            if is_first:
                await give_back(self._database, self._settings, counted)
            raise

    async def _prove(
        self,
        entry: ClaimedEntry,
        to: TokenRecipient,
        purpose: TokenPurpose,
        letter: Letter,
        values: Mapping[str, object] | None = None,
        since: datetime | None = None,
    ) -> None:
        """Sends a new token, good from now or from `since` on.

        The database stores only its digest.
        """
        token, hours = LinkToken.new(), HOURS[purpose]
        writer, key = self._database.writer, (to.user_id, purpose, to.address)
        if await add_token(writer, token.hash, *key, seconds=hours * 3600, since=since):
            known = {**(values or {}), "token": token.text, "hours": hours}
            language = self._language(to.language)
            await self._send(entry, to.user_id, letter, to.address, language, known)
        else:
            await self._omit(entry, to.user_id, letter, "it has another address, or none")

    async def _send(
        self,
        entry: ClaimedEntry,
        user_id: int,
        letter: str,
        address: str,
        language: str,
        values: Mapping[str, object],
        *,
        unsubscribe: str | None = None,
    ) -> None:
        recipient = in_ascii(address)
        if recipient is None:
            raise UndeliverableError("The address is none.")
        envelope = Envelope(
            recipient, entry.id, entry.message_id, entry.created_at, language, unsubscribe
        )
        own = own_of(self._settings.mail_texts, letter, values, language)
        # The first letter of a kind imports or compiles its template, which takes long.
        mail = await asyncio.to_thread(render, letter, values, self._post, envelope, own)
        outcome, answer = MailOutcome.REFUSED, "there was no answer in time"
        try:
            answer = await self._transport.send(mail)
            outcome = MailOutcome.SENT
        except DeliveryError as error:
            answer = str(error)
            if isinstance(error, NoMailboxError):
                await self._bounced(entry, address)
            raise
        finally:
            await self._note(entry, user_id, letter, outcome, answer)

    async def _bounced(self, entry: ClaimedEntry, address: str) -> None:
        user_id = entry.payload.get("user_id")
        for each in await note_bounce(self._database.writer, address, user_id):
            logger.warning("Account %d: its mail address is verified no longer.", each)

    async def _omit(self, entry: ClaimedEntry, user_id: int, letter: str, reason: str) -> None:
        await self._note(entry, user_id, letter, MailOutcome.OMITTED, reason)

    async def _note(
        self, entry: ClaimedEntry, user_id: int, letter: str, outcome: MailOutcome, answer: str
    ) -> None:
        """A mail that was sent must not be sent again because the note fails."""
        number = entry.message_id, entry.attempts
        logger.info("Account %d, %s: %s, %s", user_id, letter, outcome, answer)
        try:
            await outbox_rows.add_attempt(
                self._database.writer, user_id, letter, *number, outcome, answer[:ANSWER_LENGTH]
            )
        except Exception as error:
            if not is_database_fault(error):
                raise

    def _language(self, wanted: str | None) -> str:
        return language_for(wanted, self._settings.languages, self._settings.further_languages)

    @property
    def _post(self) -> Post:
        settings = self._settings
        icon = settings.site_icon and variant_name(settings.site_icon, "apple")
        accent, _ = palettes(settings.theme_accent or OWN_ACCENT)
        return Post(settings.site_name, settings.link_base, _sender(settings), icon, accent)
