from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import Record

if TYPE_CHECKING:
    from ..models.deal import Deal
    from ..models.decision import Decision
    from ..models.exported_block import ExportedBlock
    from ..models.exported_comment import ExportedComment
    from ..models.exported_contact import ExportedContact
    from ..models.exported_conversation import ExportedConversation
    from ..models.exported_favorite import ExportedFavorite
    from ..models.exported_life import ExportedLife
    from ..models.exported_message import ExportedMessage
    from ..models.exported_push import ExportedPush
    from ..models.exported_report import ExportedReport
    from ..models.exported_session import ExportedSession
    from ..models.exported_sign_in import ExportedSignIn
    from ..models.exported_terms import ExportedTerms
    from ..models.exported_user import ExportedUser
    from ..models.identity import Identity
    from ..models.key import Key
    from ..models.notification import Notification
    from ..models.passkey import Passkey
    from ..models.preferences import Preferences
    from ..models.saved_search import SavedSearch
    from ..models.webhook import Webhook


T = TypeVar("T", bound="AccountExport")


@_attrs_define
class AccountExport(Record):
    """Everything that is stored about an account, except the password's hash.

    Attributes:
        user (ExportedUser): The account itself.
        sessions (list[ExportedSession]): Where the account is logged in.
        preferences (Preferences): In which ways the caller wants each type of notifications.
        keys (list[Key]): Its keys for programs, without their secrets.
        webhooks (list[Webhook]): Its webhooks, without their secrets.
        passkeys (list[Passkey]): Its passkeys, without their public keys.
        identities (list[Identity]): How it signs in with others.
        sign_ins (list[ExportedSignIn]): From where it has logged in.
        terms (list[ExportedTerms]): The versions of the terms that it has accepted.
        ads (list[ExportedLife]): Its ads, whatever their status.
        comments (list[ExportedComment]): The comments it wrote.
        decisions (list[Decision]): Moderators' decisions about the account, its ads and its comments.
        favorites (list[ExportedFavorite]): The ads that it keeps.
        searches (list[SavedSearch]): Its saved searches.
        notifications (list[Notification]): Its notifications.
        push (list[ExportedPush]): The browsers that it gets notifications in.
        reports (list[ExportedReport]): The reports it made.
        conversations (list[ExportedConversation]): Its conversations.
        blocks (list[ExportedBlock]): The accounts that it has blocked.
        contacts (list[ExportedContact]): The ads whose phone number it has read.
        deals (list[Deal]): Its deals, with the ratings.
        messages (list[ExportedMessage]): The messages of its conversations.
    """

    user: ExportedUser
    sessions: list[ExportedSession]
    preferences: Preferences
    keys: list[Key]
    webhooks: list[Webhook]
    passkeys: list[Passkey]
    identities: list[Identity]
    sign_ins: list[ExportedSignIn]
    terms: list[ExportedTerms]
    ads: list[ExportedLife]
    comments: list[ExportedComment]
    decisions: list[Decision]
    favorites: list[ExportedFavorite]
    searches: list[SavedSearch]
    notifications: list[Notification]
    push: list[ExportedPush]
    reports: list[ExportedReport]
    conversations: list[ExportedConversation]
    blocks: list[ExportedBlock]
    contacts: list[ExportedContact]
    deals: list[Deal]
    messages: list[ExportedMessage]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        user = self.user.to_dict()

        sessions = []
        for sessions_item_data in self.sessions:
            sessions_item = sessions_item_data.to_dict()
            sessions.append(sessions_item)

        preferences = self.preferences.to_dict()

        keys = []
        for keys_item_data in self.keys:
            keys_item = keys_item_data.to_dict()
            keys.append(keys_item)

        webhooks = []
        for webhooks_item_data in self.webhooks:
            webhooks_item = webhooks_item_data.to_dict()
            webhooks.append(webhooks_item)

        passkeys = []
        for passkeys_item_data in self.passkeys:
            passkeys_item = passkeys_item_data.to_dict()
            passkeys.append(passkeys_item)

        identities = []
        for identities_item_data in self.identities:
            identities_item = identities_item_data.to_dict()
            identities.append(identities_item)

        sign_ins = []
        for sign_ins_item_data in self.sign_ins:
            sign_ins_item = sign_ins_item_data.to_dict()
            sign_ins.append(sign_ins_item)

        terms = []
        for terms_item_data in self.terms:
            terms_item = terms_item_data.to_dict()
            terms.append(terms_item)

        ads = []
        for ads_item_data in self.ads:
            ads_item = ads_item_data.to_dict()
            ads.append(ads_item)

        comments = []
        for comments_item_data in self.comments:
            comments_item = comments_item_data.to_dict()
            comments.append(comments_item)

        decisions = []
        for decisions_item_data in self.decisions:
            decisions_item = decisions_item_data.to_dict()
            decisions.append(decisions_item)

        favorites = []
        for favorites_item_data in self.favorites:
            favorites_item = favorites_item_data.to_dict()
            favorites.append(favorites_item)

        searches = []
        for searches_item_data in self.searches:
            searches_item = searches_item_data.to_dict()
            searches.append(searches_item)

        notifications = []
        for notifications_item_data in self.notifications:
            notifications_item = notifications_item_data.to_dict()
            notifications.append(notifications_item)

        push = []
        for push_item_data in self.push:
            push_item = push_item_data.to_dict()
            push.append(push_item)

        reports = []
        for reports_item_data in self.reports:
            reports_item = reports_item_data.to_dict()
            reports.append(reports_item)

        conversations = []
        for conversations_item_data in self.conversations:
            conversations_item = conversations_item_data.to_dict()
            conversations.append(conversations_item)

        blocks = []
        for blocks_item_data in self.blocks:
            blocks_item = blocks_item_data.to_dict()
            blocks.append(blocks_item)

        contacts = []
        for contacts_item_data in self.contacts:
            contacts_item = contacts_item_data.to_dict()
            contacts.append(contacts_item)

        deals = []
        for deals_item_data in self.deals:
            deals_item = deals_item_data.to_dict()
            deals.append(deals_item)

        messages = []
        for messages_item_data in self.messages:
            messages_item = messages_item_data.to_dict()
            messages.append(messages_item)

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "user": user,
                "sessions": sessions,
                "preferences": preferences,
                "keys": keys,
                "webhooks": webhooks,
                "passkeys": passkeys,
                "identities": identities,
                "signIns": sign_ins,
                "terms": terms,
                "ads": ads,
                "comments": comments,
                "decisions": decisions,
                "favorites": favorites,
                "searches": searches,
                "notifications": notifications,
                "push": push,
                "reports": reports,
                "conversations": conversations,
                "blocks": blocks,
                "contacts": contacts,
                "deals": deals,
                "messages": messages,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.deal import Deal  # noqa: PLC0415
        from ..models.decision import Decision  # noqa: PLC0415
        from ..models.exported_block import ExportedBlock  # noqa: PLC0415
        from ..models.exported_comment import ExportedComment  # noqa: PLC0415
        from ..models.exported_contact import ExportedContact  # noqa: PLC0415
        from ..models.exported_conversation import ExportedConversation  # noqa: PLC0415
        from ..models.exported_favorite import ExportedFavorite  # noqa: PLC0415
        from ..models.exported_life import ExportedLife  # noqa: PLC0415
        from ..models.exported_message import ExportedMessage  # noqa: PLC0415
        from ..models.exported_push import ExportedPush  # noqa: PLC0415
        from ..models.exported_report import ExportedReport  # noqa: PLC0415
        from ..models.exported_session import ExportedSession  # noqa: PLC0415
        from ..models.exported_sign_in import ExportedSignIn  # noqa: PLC0415
        from ..models.exported_terms import ExportedTerms  # noqa: PLC0415
        from ..models.exported_user import ExportedUser  # noqa: PLC0415
        from ..models.identity import Identity  # noqa: PLC0415
        from ..models.key import Key  # noqa: PLC0415
        from ..models.notification import Notification  # noqa: PLC0415
        from ..models.passkey import Passkey  # noqa: PLC0415
        from ..models.preferences import Preferences  # noqa: PLC0415
        from ..models.saved_search import SavedSearch  # noqa: PLC0415
        from ..models.webhook import Webhook  # noqa: PLC0415

        d = dict(src_dict)
        user = ExportedUser.from_dict(d.pop("user"))

        sessions = []
        _sessions = d.pop("sessions")
        for sessions_item_data in _sessions:
            sessions_item = ExportedSession.from_dict(sessions_item_data)

            sessions.append(sessions_item)

        preferences = Preferences.from_dict(d.pop("preferences"))

        keys = []
        _keys = d.pop("keys")
        for keys_item_data in _keys:
            keys_item = Key.from_dict(keys_item_data)

            keys.append(keys_item)

        webhooks = []
        _webhooks = d.pop("webhooks")
        for webhooks_item_data in _webhooks:
            webhooks_item = Webhook.from_dict(webhooks_item_data)

            webhooks.append(webhooks_item)

        passkeys = []
        _passkeys = d.pop("passkeys")
        for passkeys_item_data in _passkeys:
            passkeys_item = Passkey.from_dict(passkeys_item_data)

            passkeys.append(passkeys_item)

        identities = []
        _identities = d.pop("identities")
        for identities_item_data in _identities:
            identities_item = Identity.from_dict(identities_item_data)

            identities.append(identities_item)

        sign_ins = []
        _sign_ins = d.pop("signIns")
        for sign_ins_item_data in _sign_ins:
            sign_ins_item = ExportedSignIn.from_dict(sign_ins_item_data)

            sign_ins.append(sign_ins_item)

        terms = []
        _terms = d.pop("terms")
        for terms_item_data in _terms:
            terms_item = ExportedTerms.from_dict(terms_item_data)

            terms.append(terms_item)

        ads = []
        _ads = d.pop("ads")
        for ads_item_data in _ads:
            ads_item = ExportedLife.from_dict(ads_item_data)

            ads.append(ads_item)

        comments = []
        _comments = d.pop("comments")
        for comments_item_data in _comments:
            comments_item = ExportedComment.from_dict(comments_item_data)

            comments.append(comments_item)

        decisions = []
        _decisions = d.pop("decisions")
        for decisions_item_data in _decisions:
            decisions_item = Decision.from_dict(decisions_item_data)

            decisions.append(decisions_item)

        favorites = []
        _favorites = d.pop("favorites")
        for favorites_item_data in _favorites:
            favorites_item = ExportedFavorite.from_dict(favorites_item_data)

            favorites.append(favorites_item)

        searches = []
        _searches = d.pop("searches")
        for searches_item_data in _searches:
            searches_item = SavedSearch.from_dict(searches_item_data)

            searches.append(searches_item)

        notifications = []
        _notifications = d.pop("notifications")
        for notifications_item_data in _notifications:
            notifications_item = Notification.from_dict(notifications_item_data)

            notifications.append(notifications_item)

        push = []
        _push = d.pop("push")
        for push_item_data in _push:
            push_item = ExportedPush.from_dict(push_item_data)

            push.append(push_item)

        reports = []
        _reports = d.pop("reports")
        for reports_item_data in _reports:
            reports_item = ExportedReport.from_dict(reports_item_data)

            reports.append(reports_item)

        conversations = []
        _conversations = d.pop("conversations")
        for conversations_item_data in _conversations:
            conversations_item = ExportedConversation.from_dict(conversations_item_data)

            conversations.append(conversations_item)

        blocks = []
        _blocks = d.pop("blocks")
        for blocks_item_data in _blocks:
            blocks_item = ExportedBlock.from_dict(blocks_item_data)

            blocks.append(blocks_item)

        contacts = []
        _contacts = d.pop("contacts")
        for contacts_item_data in _contacts:
            contacts_item = ExportedContact.from_dict(contacts_item_data)

            contacts.append(contacts_item)

        deals = []
        _deals = d.pop("deals")
        for deals_item_data in _deals:
            deals_item = Deal.from_dict(deals_item_data)

            deals.append(deals_item)

        messages = []
        _messages = d.pop("messages")
        for messages_item_data in _messages:
            messages_item = ExportedMessage.from_dict(messages_item_data)

            messages.append(messages_item)

        account_export = cls(
            user=user,
            sessions=sessions,
            preferences=preferences,
            keys=keys,
            webhooks=webhooks,
            passkeys=passkeys,
            identities=identities,
            sign_ins=sign_ins,
            terms=terms,
            ads=ads,
            comments=comments,
            decisions=decisions,
            favorites=favorites,
            searches=searches,
            notifications=notifications,
            push=push,
            reports=reports,
            conversations=conversations,
            blocks=blocks,
            contacts=contacts,
            deals=deals,
            messages=messages,
        )

        account_export.additional_properties = d
        return account_export

    @property
    def additional_keys(self) -> list[str]:
        return list(self.additional_properties.keys())

    def __getitem__(self, key: str) -> Any:
        return self.additional_properties[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self.additional_properties[key] = value

    def __delitem__(self, key: str) -> None:
        del self.additional_properties[key]

    def __contains__(self, key: str) -> bool:
        return key in self.additional_properties
