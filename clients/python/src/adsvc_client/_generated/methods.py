"""The methods of a client, one for each operation."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, TypeVar

from ..operation import IfMatch, Operation
from ..uploads import Text, Upload
from . import operations
from .models.access_rule_list import AccessRuleList
from .models.account import Account
from .models.account_export import AccountExport
from .models.account_limits import AccountLimits
from .models.account_status import AccountStatus
from .models.account_summary import AccountSummary
from .models.accounts import Accounts
from .models.ad import Ad
from .models.ad_details import AdDetails
from .models.ad_facets import AdFacets
from .models.ad_map import AdMap
from .models.ad_stats import AdStats
from .models.ad_status import AdStatus
from .models.administered_ads import AdministeredAds
from .models.administered_site import AdministeredSite
from .models.ads import Ads
from .models.analytics import Analytics
from .models.attribute import Attribute
from .models.audit_event import AuditEvent
from .models.audit_events import AuditEvents
from .models.audit_kind import AuditKind
from .models.block import Block
from .models.blocks import Blocks
from .models.case import Case
from .models.case_status import CaseStatus
from .models.case_summary import CaseSummary
from .models.cases import Cases
from .models.categories import Categories
from .models.category import Category
from .models.change_maintenance_mode import ChangeMaintenanceMode
from .models.comment import Comment
from .models.comments import Comments
from .models.confirmed_totp import ConfirmedTotp
from .models.conversation import Conversation
from .models.conversations import Conversations
from .models.create_ad_status import CreateAdStatus
from .models.create_import_mode import CreateImportMode
from .models.create_search_notify import CreateSearchNotify
from .models.created_invitation import CreatedInvitation
from .models.created_key import CreatedKey
from .models.created_totp import CreatedTotp
from .models.created_webhook import CreatedWebhook
from .models.deal import Deal
from .models.deals import Deals
from .models.decide_ads_action import DecideAdsAction
from .models.decided_ads import DecidedAds
from .models.decision import Decision
from .models.decision_ground import DecisionGround
from .models.decisions import Decisions
from .models.deletion import Deletion
from .models.deletions import Deletions
from .models.deliveries import Deliveries
from .models.delivery import Delivery
from .models.delivery_status import DeliveryStatus
from .models.event_type import EventType
from .models.events import Events
from .models.expelled_content import ExpelledContent
from .models.extended_ad import ExtendedAd
from .models.favorite import Favorite
from .models.favorites import Favorites
from .models.get_mail_kind import GetMailKind
from .models.health import Health
from .models.identities import Identities
from .models.identity_provider import IdentityProvider
from .models.identity_providers import IdentityProviders
from .models.images import Images
from .models.import_ import Import
from .models.imported_row import ImportedRow
from .models.imported_rows import ImportedRows
from .models.imports import Imports
from .models.job_list import JobList
from .models.key_scope import KeyScope
from .models.keys import Keys
from .models.list_import_rows_status import ListImportRowsStatus
from .models.list_outbox_status import ListOutboxStatus
from .models.location import Location
from .models.made_decision import MadeDecision
from .models.mail_attempt import MailAttempt
from .models.mail_attempts import MailAttempts
from .models.mail_texts import MailTexts
from .models.mail_texts_list import MailTextsList
from .models.maintenance import Maintenance
from .models.make_decision_action import MakeDecisionAction
from .models.message import Message
from .models.messages import Messages
from .models.moved_ads import MovedAds
from .models.notification import Notification
from .models.notifications import Notifications
from .models.offer import Offer
from .models.outbox_entries import OutboxEntries
from .models.outbox_entry import OutboxEntry
from .models.overview import Overview
from .models.own_ads import OwnAds
from .models.passkey import Passkey
from .models.passkey_assertion import PasskeyAssertion
from .models.passkey_creation_options import PasskeyCreationOptions
from .models.passkey_request_options import PasskeyRequestOptions
from .models.passkeys import Passkeys
from .models.phone_number import PhoneNumber
from .models.place import Place
from .models.places import Places
from .models.preferences import Preferences
from .models.price_type import PriceType
from .models.push_browsers import PushBrowsers
from .models.push_keys import PushKeys
from .models.rating import Rating
from .models.ratings import Ratings
from .models.readiness_part import ReadinessPart
from .models.ready import Ready
from .models.report import Report
from .models.report_reason import ReportReason
from .models.role import Role
from .models.run_job_name import RunJobName
from .models.save_page_place import SavePagePlace
from .models.saved_search import SavedSearch
from .models.saved_searches import SavedSearches
from .models.search_ads import SearchAds
from .models.seller import Seller
from .models.sessions import Sessions
from .models.set_up_categories import SetUpCategories
from .models.setting_list import SettingList
from .models.similar_ads import SimilarAds
from .models.site import Site
from .models.site_change import SiteChange
from .models.site_changes import SiteChanges
from .models.site_invitations import SiteInvitations
from .models.site_page import SitePage
from .models.site_pages import SitePages
from .models.sort import Sort
from .models.suggestions import Suggestions
from .models.test_mail_kind import TestMailKind
from .models.token_form_grant_type import TokenFormGrantType
from .models.token_pair import TokenPair
from .models.update_colors import UpdateColors
from .models.update_message_ways import UpdateMessageWays
from .models.update_search_notify import UpdateSearchNotify
from .models.update_section import UpdateSection
from .models.update_site import UpdateSite
from .models.update_site_banner_type_0 import UpdateSiteBannerType0
from .models.update_site_contact import UpdateSiteContact
from .models.update_site_features_type_0 import UpdateSiteFeaturesType0
from .models.update_site_headline_type_0 import UpdateSiteHeadlineType0
from .models.update_site_registration import UpdateSiteRegistration
from .models.update_site_welcome_type_0 import UpdateSiteWelcomeType0
from .models.user import User
from .models.webhook import Webhook
from .models.webhooks import Webhooks
from .models.write_mail_kind import WriteMailKind
from .types import UNSET, Unset

T = TypeVar("T")


class Methods(ABC):
    """A method for each operation, by the name of the operation."""

    @abstractmethod
    def _run(self, operation: Operation[T]) -> T: ...

    def login(
        self,
        *,
        username: str,
        password: str,
    ) -> TokenPair:
        """Log in.

        Args:
            username: The account's user name, in upper or lower case. Spaces and invisible characters
                around it do not count.
            password: The account's password.
        """

        return self._run(
            operations.login(
                username=username,
                password=password,
            )
        )

    def complete_login(
        self,
        *,
        challenge: str,
        code: str,
    ) -> TokenPair:
        """Complete a login by a second factor.

        Args:
            challenge: That of the refused login.
            code: A code of the authenticator app, or a recovery code. Spaces, hyphens and case do
                not matter. Each counts once.
        """

        return self._run(
            operations.complete_login(
                challenge=challenge,
                code=code,
            )
        )

    def register(
        self,
        *,
        username: str,
        password: str,
        invitation: str | Unset = UNSET,
        accepted_terms: int | None | Unset = UNSET,
        first_name: str | Unset = UNSET,
        last_name: str | Unset = UNSET,
        phone: str | Unset = UNSET,
        role: Literal["USER"] | Unset = UNSET,
        idempotency_key: str | Unset = UNSET,
    ) -> User:
        """Create an account.

        Args:
            username: The name to log in with; a mail address, for example. Letters and digits of any
                script, ASCII punctuation and single spaces (RFC 8265, UsernameCasePreserved).
                Upper and lower case are the same name.
            password: The password for the new account. Frequent passwords, sequences and passwords
                made of the account's names are refused (`weak-password`).
            invitation: The code of an invitation, where `registration` of `GET /site` is `invitation`.
            accepted_terms: The `version` of `terms` of `GET /site`, where there are any and the person
                accepts them.
            first_name: First name; may be empty.
            last_name: Last name; may be empty.
            phone: Phone number. Empty, or 5 to 32 characters with 5 to 15 digits, as people write
                and copy it: spaces, dots, slashes, dashes, brackets and a plus sign do not
                matter. The answer has it in a form whose digits, and the plus sign, can be
                dialled.
            role: May be left out. Registration makes ordinary accounts only; any other value is
                refused.
            idempotency_key: One is made for each call where it is left out.
        """

        return self._run(
            operations.register(
                username=username,
                password=password,
                invitation=invitation,
                accepted_terms=accepted_terms,
                first_name=first_name,
                last_name=last_name,
                phone=phone,
                role=role,
                idempotency_key=idempotency_key,
            )
        )

    def validate_register(
        self,
        *,
        username: str,
        password: str,
        invitation: str | Unset = UNSET,
        accepted_terms: int | None | Unset = UNSET,
        first_name: str | Unset = UNSET,
        last_name: str | Unset = UNSET,
        phone: str | Unset = UNSET,
        role: Literal["USER"] | Unset = UNSET,
    ) -> None:
        """Judge what would be sent, and change nothing: Create an account.

        Args:
            username: The name to log in with; a mail address, for example. Letters and digits of any
                script, ASCII punctuation and single spaces (RFC 8265, UsernameCasePreserved).
                Upper and lower case are the same name.
            password: The password for the new account. Frequent passwords, sequences and passwords
                made of the account's names are refused (`weak-password`).
            invitation: The code of an invitation, where `registration` of `GET /site` is `invitation`.
            accepted_terms: The `version` of `terms` of `GET /site`, where there are any and the person
                accepts them.
            first_name: First name; may be empty.
            last_name: Last name; may be empty.
            phone: Phone number. Empty, or 5 to 32 characters with 5 to 15 digits, as people write
                and copy it: spaces, dots, slashes, dashes, brackets and a plus sign do not
                matter. The answer has it in a form whose digits, and the plus sign, can be
                dialled.
            role: May be left out. Registration makes ordinary accounts only; any other value is
                refused.
        """

        return self._run(
            operations.validate_register(
                username=username,
                password=password,
                invitation=invitation,
                accepted_terms=accepted_terms,
                first_name=first_name,
                last_name=last_name,
                phone=phone,
                role=role,
            )
        )

    def set_up(
        self,
        *,
        username: str,
        password: str,
        token: str,
        invitation: str | Unset = UNSET,
        accepted_terms: int | None | Unset = UNSET,
        first_name: str | Unset = UNSET,
        last_name: str | Unset = UNSET,
        phone: str | Unset = UNSET,
        role: Literal["USER"] | Unset = UNSET,
        site: None | Unset | UpdateSite = UNSET,
        categories: SetUpCategories | Unset = UNSET,
    ) -> User:
        """Set up a new site.

        Args:
            username: The name to log in with; a mail address, for example. Letters and digits of any
                script, ASCII punctuation and single spaces (RFC 8265, UsernameCasePreserved).
                Upper and lower case are the same name.
            password: The password for the new account. Frequent passwords, sequences and passwords
                made of the account's names are refused (`weak-password`).
            token: That of the link.
            invitation: The code of an invitation, where `registration` of `GET /site` is `invitation`.
            accepted_terms: The `version` of `terms` of `GET /site`, where there are any and the person
                accepts them.
            first_name: First name; may be empty.
            last_name: Last name; may be empty.
            phone: Phone number. Empty, or 5 to 32 characters with 5 to 15 digits, as people write
                and copy it: spaces, dots, slashes, dashes, brackets and a plus sign do not
                matter. The answer has it in a form whose digits, and the plus sign, can be
                dialled.
            role: May be left out. Registration makes ordinary accounts only; any other value is
                refused.
            site: Members of the site that are to differ from the defaults.
            categories: The tree of categories to begin with; `empty` for none.
        """

        return self._run(
            operations.set_up(
                username=username,
                password=password,
                token=token,
                invitation=invitation,
                accepted_terms=accepted_terms,
                first_name=first_name,
                last_name=last_name,
                phone=phone,
                role=role,
                site=site,
                categories=categories,
            )
        )

    def issue_token(
        self,
        *,
        grant_type: TokenFormGrantType,
        username: str | Unset = UNSET,
        password: str | Unset = UNSET,
        refresh_token: str | Unset = UNSET,
    ) -> TokenPair:
        """Request tokens (OAuth 2.0).

        Args:
            grant_type: `password` begins a session, `refresh_token` renews its tokens.
            username: The account's user name. Only with `password`.
            password: The account's password. Only with `password`.
            refresh_token: The session's refresh token. Only with `refresh_token`.
        """

        return self._run(
            operations.issue_token(
                grant_type=grant_type,
                username=username,
                password=password,
                refresh_token=refresh_token,
            )
        )

    def revoke_token(
        self,
        *,
        token: str,
        token_type_hint: str | Unset = UNSET,
    ) -> None:
        """End a session.

        Args:
            token: The refresh token or an access token of the session.
            token_type_hint: Ignored; RFC 7009 has it.
        """

        return self._run(
            operations.revoke_token(
                token=token,
                token_type_hint=token_type_hint,
            )
        )

    def get_me(
        self,
        *,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> User:
        """Get the caller's account.

        Args:
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return self._run(
            operations.get_me(
                if_none_match=if_none_match,
            )
        )

    def delete_me(
        self,
        *,
        current_password: str | Unset = UNSET,
        if_match: IfMatch | Unset = UNSET,
    ) -> None:
        """Delete the caller's account.

        Args:
            current_password: The account's password, which confirms the change. Required of an account that
                has one; another one needs a login of the last five minutes.
            if_match: What was read, or its tag.
        """

        return self._run(
            operations.delete_me(
                current_password=current_password,
                if_match=if_match,
            )
        )

    def update_me(
        self,
        *,
        first_name: str | Unset = UNSET,
        last_name: str | Unset = UNSET,
        phone: str | Unset = UNSET,
        mail: str | Unset = UNSET,
        current_password: str | Unset = UNSET,
        if_match: IfMatch | Unset = UNSET,
    ) -> User:
        """Change the caller's account.

        Args:
            first_name: First name; may be empty.
            last_name: Last name; may be empty.
            phone: Phone number. Empty, or 5 to 32 characters with 5 to 15 digits, as people write
                and copy it: spaces, dots, slashes, dashes, brackets and a plus sign do not
                matter. The answer has it in a form whose digits, and the plus sign, can be
                dialled.
            mail: The new mail address of the account. It receives a link and counts once the link
                was followed.
            current_password: The account's password. Required with `mail`; ignored without it.
            if_match: What was read, or its tag.
        """

        return self._run(
            operations.update_me(
                first_name=first_name,
                last_name=last_name,
                phone=phone,
                mail=mail,
                current_password=current_password,
                if_match=if_match,
            )
        )

    def validate_update_me(
        self,
        *,
        first_name: str | Unset = UNSET,
        last_name: str | Unset = UNSET,
        phone: str | Unset = UNSET,
        mail: str | Unset = UNSET,
        current_password: str | Unset = UNSET,
        if_match: IfMatch | Unset = UNSET,
    ) -> None:
        """Judge what would be sent, and change nothing: Change the caller's account.

        Args:
            first_name: First name; may be empty.
            last_name: Last name; may be empty.
            phone: Phone number. Empty, or 5 to 32 characters with 5 to 15 digits, as people write
                and copy it: spaces, dots, slashes, dashes, brackets and a plus sign do not
                matter. The answer has it in a form whose digits, and the plus sign, can be
                dialled.
            mail: The new mail address of the account. It receives a link and counts once the link
                was followed.
            current_password: The account's password. Required with `mail`; ignored without it.
            if_match: What was read, or its tag.
        """

        return self._run(
            operations.validate_update_me(
                first_name=first_name,
                last_name=last_name,
                phone=phone,
                mail=mail,
                current_password=current_password,
                if_match=if_match,
            )
        )

    def get_my_limits(
        self,
        *,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> AccountLimits:
        """Get the caller's limits.

        Args:
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return self._run(
            operations.get_my_limits(
                if_none_match=if_none_match,
            )
        )

    def accept_terms(
        self,
        *,
        version: int,
    ) -> None:
        """Accept the terms of the site.

        Args:
            version: That of `terms` of `GET /site`.
        """

        return self._run(
            operations.accept_terms(
                version=version,
            )
        )

    def replace_my_image(
        self,
        *,
        image: Upload,
        if_match: IfMatch | Unset = UNSET,
    ) -> User:
        """Replace the caller's avatar.

        Args:
            image: A JPEG, PNG or WebP file. Its content decides, not its name or type.
            if_match: What was read, or its tag.
        """

        return self._run(
            operations.replace_my_image(
                image=image,
                if_match=if_match,
            )
        )

    def export_me(
        self,
    ) -> AccountExport:
        """Export everything stored about the caller."""

        return self._run(operations.export_me())

    def export_user(
        self,
        id: int,
    ) -> AccountExport:
        """Export everything stored about an account."""

        return self._run(
            operations.export_user(
                id,
            )
        )

    def export_my_ads(
        self,
    ) -> None:
        """Export the caller's ads as CSV."""

        return self._run(operations.export_my_ads())

    def set_password(
        self,
        *,
        current_password: str,
        new_password: str,
    ) -> TokenPair:
        """Change the caller's password (deprecated).

        Args:
            current_password: The account's password, which confirms the change.
            new_password: The new password. Frequent passwords, sequences and passwords made of the
                account's names are refused (`weak-password`).
        """

        return self._run(
            operations.set_password(
                current_password=current_password,
                new_password=new_password,
            )
        )

    def change_password(
        self,
        *,
        current_password: str,
        new_password: str,
    ) -> TokenPair:
        """Change the caller's password.

        Args:
            current_password: The account's password, which confirms the change.
            new_password: The new password. Frequent passwords, sequences and passwords made of the
                account's names are refused (`weak-password`).
        """

        return self._run(
            operations.change_password(
                current_password=current_password,
                new_password=new_password,
            )
        )

    def list_my_sessions(
        self,
        *,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> Sessions:
        """List where the caller is logged in.

        Args:
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return self._run(
            operations.list_my_sessions(
                if_none_match=if_none_match,
            )
        )

    def end_my_session(
        self,
        id: int,
    ) -> None:
        """Log out one session."""

        return self._run(
            operations.end_my_session(
                id,
            )
        )

    def list_my_keys(
        self,
        *,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> Keys:
        """List the caller's keys.

        Args:
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return self._run(
            operations.list_my_keys(
                if_none_match=if_none_match,
            )
        )

    def create_key(
        self,
        *,
        name: str,
        scopes: list[KeyScope],
        expires_at: int | None | Unset = UNSET,
        current_password: str | Unset = UNSET,
    ) -> CreatedKey:
        """Create a key for a program.

        Args:
            name: What the key is for.
            scopes: What the key may be used for, as far as its account may. A `write` contains its
                `read`.
            expires_at: When the key stops working, in milliseconds since 1970-01-01T00:00Z. Null if it
                does not.
            current_password: The account's password, which confirms the change.
        """

        return self._run(
            operations.create_key(
                name=name,
                scopes=scopes,
                expires_at=expires_at,
                current_password=current_password,
            )
        )

    def delete_key(
        self,
        id: int,
    ) -> None:
        """Delete a key."""

        return self._run(
            operations.delete_key(
                id,
            )
        )

    def create_totp(
        self,
        *,
        current_password: str | Unset = UNSET,
        code: str | Unset = UNSET,
    ) -> CreatedTotp:
        """Begin to set up an authenticator app.

        Args:
            current_password: The account's password, which confirms the change. Required of an account that
                has one; another one needs a login of the last five minutes.
            code: Replaces an app that is set up: one of its codes, or a recovery code.
        """

        return self._run(
            operations.create_totp(
                current_password=current_password,
                code=code,
            )
        )

    def delete_totp(
        self,
        *,
        code: str,
        current_password: str | Unset = UNSET,
    ) -> None:
        """Remove the authenticator app.

        Args:
            code: A code of the authenticator app, or a recovery code. Spaces, hyphens and case do
                not matter. Each counts once.
            current_password: The account's password, which confirms the change. Required of an account that
                has one; another one needs a login of the last five minutes.
        """

        return self._run(
            operations.delete_totp(
                code=code,
                current_password=current_password,
            )
        )

    def confirm_totp(
        self,
        *,
        code: str,
    ) -> ConfirmedTotp:
        """Confirm the authenticator app.

        Args:
            code: A code of the authenticator app, or a recovery code. Spaces, hyphens and case do
                not matter. Each counts once.
        """

        return self._run(
            operations.confirm_totp(
                code=code,
            )
        )

    def begin_passkey(
        self,
        *,
        current_password: str | Unset = UNSET,
    ) -> PasskeyCreationOptions:
        """Begin to add a passkey.

        Args:
            current_password: The account's password. It may be left out within five minutes of the login, or
                of the proof of a second factor.
        """

        return self._run(
            operations.begin_passkey(
                current_password=current_password,
            )
        )

    def list_my_passkeys(
        self,
        *,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> Passkeys:
        """List the caller's passkeys.

        Args:
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return self._run(
            operations.list_my_passkeys(
                if_none_match=if_none_match,
            )
        )

    def create_passkey(
        self,
        *,
        name: str,
        id: str,
        raw_id: str,
        type_: Literal["public-key"],
        response_: Mapping[str, Any],
    ) -> Passkey:
        """Add a passkey.

        Args:
            name: What the key is for.
            id: The credential's id, in base64url.
            raw_id: The same, in base64url.
            type_: The kind of credential.
            response_: What the authenticator made.
        """

        return self._run(
            operations.create_passkey(
                name=name,
                id=id,
                raw_id=raw_id,
                type_=type_,
                response_=response_,
            )
        )

    def delete_passkey(
        self,
        id: int,
    ) -> None:
        """Remove a passkey."""

        return self._run(
            operations.delete_passkey(
                id,
            )
        )

    def add_favorite(
        self,
        ad_id: int,
    ) -> None:
        """Keep an ad as a favorite."""

        return self._run(
            operations.add_favorite(
                ad_id,
            )
        )

    def remove_favorite(
        self,
        ad_id: int,
    ) -> None:
        """Remove a favorite."""

        return self._run(
            operations.remove_favorite(
                ad_id,
            )
        )

    def list_my_favorites(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        ad: list[int] | Unset = UNSET,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> Favorites:
        """List the caller's favorites.

        Args:
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return self._run(
            operations.list_my_favorites(
                limit=limit,
                cursor=cursor,
                ad=ad,
                if_none_match=if_none_match,
            )
        )

    def my_favorites(
        self,
        *,
        limit: int | Unset = UNSET,
        ad: list[int] | Unset = UNSET,
    ) -> Iterator[Favorite]:
        """List the caller's favorites.

        Goes through all pages, of `limit` each, from the first on."""

        cursor: str | Unset = UNSET
        while True:
            page = self.list_my_favorites(limit=limit, ad=ad, cursor=cursor)
            for item in page.results:
                yield item
            if not page.next_ or page.next_ == cursor:
                return
            cursor = page.next_

    def list_my_notifications(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        unread: bool | Unset = UNSET,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> Notifications:
        """List the caller's notifications.

        Args:
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return self._run(
            operations.list_my_notifications(
                limit=limit,
                cursor=cursor,
                unread=unread,
                if_none_match=if_none_match,
            )
        )

    def my_notifications(
        self,
        *,
        limit: int | Unset = UNSET,
        unread: bool | Unset = UNSET,
    ) -> Iterator[Notification]:
        """List the caller's notifications.

        Goes through all pages, of `limit` each, from the first on."""

        cursor: str | Unset = UNSET
        while True:
            page = self.list_my_notifications(limit=limit, unread=unread, cursor=cursor)
            for item in page.results:
                yield item
            if not page.next_ or page.next_ == cursor:
                return
            cursor = page.next_

    def read_notifications(
        self,
        *,
        up_to: int,
    ) -> None:
        """Mark notifications as read.

        Args:
            up_to: The id of the newest one that was read. All that are older count as read.
        """

        return self._run(
            operations.read_notifications(
                up_to=up_to,
            )
        )

    def get_my_preferences(
        self,
        *,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> Preferences:
        """Get the caller's preferences.

        Args:
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return self._run(
            operations.get_my_preferences(
                if_none_match=if_none_match,
            )
        )

    def update_my_preferences(
        self,
        *,
        search_matched: Mapping[str, Any] | Unset = UNSET,
        price_dropped: Mapping[str, Any] | Unset = UNSET,
        favorite_reserved: Mapping[str, Any] | Unset = UNSET,
        favorite_sold: Mapping[str, Any] | Unset = UNSET,
        favorite_back: Mapping[str, Any] | Unset = UNSET,
        favorite_ending: Mapping[str, Any] | Unset = UNSET,
        message: UpdateMessageWays | Unset | Mapping[str, Any] = UNSET,
        offer: Mapping[str, Any] | Unset = UNSET,
        decision: Mapping[str, Any] | Unset = UNSET,
        comment: Mapping[str, Any] | Unset = UNSET,
        ad_ending: Mapping[str, Any] | Unset = UNSET,
        ad_ended: Mapping[str, Any] | Unset = UNSET,
        rating: Mapping[str, Any] | Unset = UNSET,
        rating_reminder: Mapping[str, Any] | Unset = UNSET,
    ) -> Preferences:
        """Change the caller's preferences.

        Args:
            search_matched: Changes of the ways for a type.
            price_dropped: Changes of the ways for a type.
            favorite_reserved: Changes of the ways for a type.
            favorite_sold: Changes of the ways for a type.
            favorite_back: Changes of the ways for a type.
            favorite_ending: Changes of the ways for a type.
            message: Changes of the ways for messages.
            offer: Changes of the ways for a type.
            decision: Changes of the ways for a type.
            comment: Changes of the ways for a type.
            ad_ending: Changes of the ways for a type.
            ad_ended: Changes of the ways for a type.
            rating: Changes of the ways for a type.
            rating_reminder: Changes of the ways for a type.
        """

        return self._run(
            operations.update_my_preferences(
                search_matched=search_matched,
                price_dropped=price_dropped,
                favorite_reserved=favorite_reserved,
                favorite_sold=favorite_sold,
                favorite_back=favorite_back,
                favorite_ending=favorite_ending,
                message=message,
                offer=offer,
                decision=decision,
                comment=comment,
                ad_ending=ad_ending,
                ad_ended=ad_ended,
                rating=rating,
                rating_reminder=rating_reminder,
            )
        )

    def list_my_push(
        self,
        *,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> PushBrowsers:
        """List the browsers that get the caller's notifications.

        Args:
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return self._run(
            operations.list_my_push(
                if_none_match=if_none_match,
            )
        )

    def subscribe_to_push(
        self,
        *,
        endpoint: str,
        keys: PushKeys | Mapping[str, Any],
        expiration_time: float | None | Unset = UNSET,
    ) -> None:
        """Send notifications to a browser.

        Args:
            endpoint: Where the browser's push service takes messages: `https://`, and public
                addresses only.
            keys: The keys of a browser's subscription, in base64url.
            expiration_time: When it ends, in milliseconds since 1970-01-01T00:00Z, or null. It is not used:
                a subscription that has ended is forgotten.
        """

        return self._run(
            operations.subscribe_to_push(
                endpoint=endpoint,
                keys=keys,
                expiration_time=expiration_time,
            )
        )

    def unsubscribe_from_push(
        self,
        *,
        endpoint: str,
    ) -> None:
        """Send no more notifications to a browser.

        Args:
            endpoint: Where the browser's push service takes messages: `https://`, and public
                addresses only.
        """

        return self._run(
            operations.unsubscribe_from_push(
                endpoint=endpoint,
            )
        )

    def delete_push(
        self,
        id: int,
    ) -> None:
        """Remove a browser."""

        return self._run(
            operations.delete_push(
                id,
            )
        )

    def list_ads(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        q: str | Unset = UNSET,
        min_price: int | Unset = UNSET,
        max_price: int | Unset = UNSET,
        author: int | Unset = UNSET,
        created_after: int | Unset = UNSET,
        created_before: int | Unset = UNSET,
        category: str | Unset = UNSET,
        attr: list[str] | Unset = UNSET,
        price_type: PriceType | Unset = UNSET,
        near: str | Unset = UNSET,
        radius: int | Unset = UNSET,
        bbox: str | Unset = UNSET,
        sort: Sort | Unset = UNSET,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> Ads:
        """List or search ads.

        Args:
            price_type: What the price of an ad means.
            sort: The order of a list of ads: by creation, price, relevance or distance; `-` is
                descending.
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return self._run(
            operations.list_ads(
                limit=limit,
                cursor=cursor,
                q=q,
                min_price=min_price,
                max_price=max_price,
                author=author,
                created_after=created_after,
                created_before=created_before,
                category=category,
                attr=attr,
                price_type=price_type,
                near=near,
                radius=radius,
                bbox=bbox,
                sort=sort,
                if_none_match=if_none_match,
            )
        )

    def ads(
        self,
        *,
        limit: int | Unset = UNSET,
        q: str | Unset = UNSET,
        min_price: int | Unset = UNSET,
        max_price: int | Unset = UNSET,
        author: int | Unset = UNSET,
        created_after: int | Unset = UNSET,
        created_before: int | Unset = UNSET,
        category: str | Unset = UNSET,
        attr: list[str] | Unset = UNSET,
        price_type: PriceType | Unset = UNSET,
        near: str | Unset = UNSET,
        radius: int | Unset = UNSET,
        bbox: str | Unset = UNSET,
        sort: Sort | Unset = UNSET,
    ) -> Iterator[Ad]:
        """List or search ads.

        Goes through all pages, of `limit` each, from the first on.

        Args:
            price_type: What the price of an ad means.
            sort: The order of a list of ads: by creation, price, relevance or distance; `-` is
                descending.
        """

        cursor: str | Unset = UNSET
        while True:
            page = self.list_ads(
                limit=limit,
                q=q,
                min_price=min_price,
                max_price=max_price,
                author=author,
                created_after=created_after,
                created_before=created_before,
                category=category,
                attr=attr,
                price_type=price_type,
                near=near,
                radius=radius,
                bbox=bbox,
                sort=sort,
                cursor=cursor,
            )
            for item in page.results:
                yield item
            if not page.next_ or page.next_ == cursor:
                return
            cursor = page.next_

    def create_ad(
        self,
        *,
        title: str,
        description: str,
        images: Sequence[Upload] | Upload,
        price: int | Unset = UNSET,
        category: None | str | Unset = UNSET,
        attributes: Mapping[str, Any] | Unset = UNSET,
        price_type: PriceType | Unset = UNSET,
        place: None | str | Unset = UNSET,
        place_id: int | None | Unset = UNSET,
        location: Location | None | Unset = UNSET,
        external_id: None | str | Unset = UNSET,
        status: CreateAdStatus | Unset = UNSET,
        idempotency_key: str | Unset = UNSET,
    ) -> Ad:
        """Post an ad with pictures.

        Args:
            title: Headline of the ad.
            description: Text of the ad. Line breaks are kept.
            images: The pictures in their order, each in a part of its own.
            price: Price in the smallest unit of the site (`priceDecimals` of `GET /site`). A
                string of digits is accepted too, as forms send it.
            category: The slug of a category. Null means no category, which some sites refuse.
            attributes: Attributes by name, as `GET /categories/{slug}/schema` describes them. Only with
                a category.
            price_type: What the price of an ad means.
            place: Where the thing is, in words. Null means not given.
            place_id: The id of a place of `GET /places`. Its name becomes `place` unless that is sent
                too. Without a `location` the ad is found at the place's centre. Null means not
                given.
            location: The exact point. Others see it rounded to about a kilometre. Null means not
                given.
            external_id: The ad's id in its author's own system, unique for the account. Null means not
                given.
            status: `active` (the default) shows the ad to everyone. Only the author and
                administrators see a `draft`, until it is published.
            idempotency_key: One is made for each call where it is left out.
        """

        return self._run(
            operations.create_ad(
                title=title,
                description=description,
                images=images,
                price=price,
                category=category,
                attributes=attributes,
                price_type=price_type,
                place=place,
                place_id=place_id,
                location=location,
                external_id=external_id,
                status=status,
                idempotency_key=idempotency_key,
            )
        )

    def validate_create_ad(
        self,
        *,
        title: str,
        description: str,
        images: Sequence[Upload] | Upload,
        price: int | Unset = UNSET,
        category: None | str | Unset = UNSET,
        attributes: Mapping[str, Any] | Unset = UNSET,
        price_type: PriceType | Unset = UNSET,
        place: None | str | Unset = UNSET,
        place_id: int | None | Unset = UNSET,
        location: Location | None | Unset = UNSET,
        external_id: None | str | Unset = UNSET,
        status: CreateAdStatus | Unset = UNSET,
    ) -> None:
        """Judge what would be sent, and change nothing: Post an ad with pictures.

        Args:
            title: Headline of the ad.
            description: Text of the ad. Line breaks are kept.
            images: The pictures in their order, each in a part of its own.
            price: Price in the smallest unit of the site (`priceDecimals` of `GET /site`). A
                string of digits is accepted too, as forms send it.
            category: The slug of a category. Null means no category, which some sites refuse.
            attributes: Attributes by name, as `GET /categories/{slug}/schema` describes them. Only with
                a category.
            price_type: What the price of an ad means.
            place: Where the thing is, in words. Null means not given.
            place_id: The id of a place of `GET /places`. Its name becomes `place` unless that is sent
                too. Without a `location` the ad is found at the place's centre. Null means not
                given.
            location: The exact point. Others see it rounded to about a kilometre. Null means not
                given.
            external_id: The ad's id in its author's own system, unique for the account. Null means not
                given.
            status: `active` (the default) shows the ad to everyone. Only the author and
                administrators see a `draft`, until it is published.
        """

        return self._run(
            operations.validate_create_ad(
                title=title,
                description=description,
                images=images,
                price=price,
                category=category,
                attributes=attributes,
                price_type=price_type,
                place=place,
                place_id=place_id,
                location=location,
                external_id=external_id,
                status=status,
            )
        )

    def count_ads(
        self,
        *,
        q: str | Unset = UNSET,
        min_price: int | Unset = UNSET,
        max_price: int | Unset = UNSET,
        author: int | Unset = UNSET,
        created_after: int | Unset = UNSET,
        created_before: int | Unset = UNSET,
        category: str | Unset = UNSET,
        attr: list[str] | Unset = UNSET,
        price_type: PriceType | Unset = UNSET,
        near: str | Unset = UNSET,
        radius: int | Unset = UNSET,
        bbox: str | Unset = UNSET,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> AdFacets:
        """Count ads by filter.

        Args:
            price_type: What the price of an ad means.
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return self._run(
            operations.count_ads(
                q=q,
                min_price=min_price,
                max_price=max_price,
                author=author,
                created_after=created_after,
                created_before=created_before,
                category=category,
                attr=attr,
                price_type=price_type,
                near=near,
                radius=radius,
                bbox=bbox,
                if_none_match=if_none_match,
            )
        )

    def map_ads(
        self,
        *,
        bbox: str,
        q: str | Unset = UNSET,
        min_price: int | Unset = UNSET,
        max_price: int | Unset = UNSET,
        author: int | Unset = UNSET,
        created_after: int | Unset = UNSET,
        created_before: int | Unset = UNSET,
        category: str | Unset = UNSET,
        attr: list[str] | Unset = UNSET,
        price_type: PriceType | Unset = UNSET,
        near: str | Unset = UNSET,
        radius: int | Unset = UNSET,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> AdMap:
        """Count ads by cells of a map.

        Args:
            price_type: What the price of an ad means.
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return self._run(
            operations.map_ads(
                bbox=bbox,
                q=q,
                min_price=min_price,
                max_price=max_price,
                author=author,
                created_after=created_after,
                created_before=created_before,
                category=category,
                attr=attr,
                price_type=price_type,
                near=near,
                radius=radius,
                if_none_match=if_none_match,
            )
        )

    def suggest_searches(
        self,
        *,
        q: str | Unset = UNSET,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> Suggestions:
        """Suggest what to search for.

        Args:
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return self._run(
            operations.suggest_searches(
                q=q,
                if_none_match=if_none_match,
            )
        )

    def put_ad(
        self,
        external_id: str,
        *,
        title: str,
        description: str,
        price: int | Unset = UNSET,
        category: None | str | Unset = UNSET,
        attributes: Mapping[str, Any] | Unset = UNSET,
        price_type: PriceType | Unset = UNSET,
        place: None | str | Unset = UNSET,
        place_id: int | None | Unset = UNSET,
        location: Location | None | Unset = UNSET,
        status: CreateAdStatus | Unset = UNSET,
        images: Sequence[Upload] | Upload | Unset = UNSET,
    ) -> Ad:
        """Create or change the ad with an external id.

        Args:
            title: Headline of the ad.
            description: Text of the ad. Line breaks are kept.
            price: Price in the smallest unit of the site (`priceDecimals` of `GET /site`). A
                string of digits is accepted too, as forms send it.
            category: The slug of a category. Null means no category, which some sites refuse.
            attributes: Attributes by name, as `GET /categories/{slug}/schema` describes them. Only with
                a category.
            price_type: What the price of an ad means.
            place: Where the thing is, in words. Null means not given.
            place_id: The id of a place of `GET /places`. Its name becomes `place` unless that is sent
                too. Without a `location` the ad is found at the place's centre. Null means not
                given.
            location: The exact point. Others see it rounded to about a kilometre. Null means not
                given.
            status: `active` (the default) shows the ad to everyone. Only the author and
                administrators see a `draft`, until it is published.
            images: The pictures in their order, each in a part of its own.
        """

        return self._run(
            operations.put_ad(
                external_id,
                title=title,
                description=description,
                price=price,
                category=category,
                attributes=attributes,
                price_type=price_type,
                place=place,
                place_id=place_id,
                location=location,
                status=status,
                images=images,
            )
        )

    def create_draft(
        self,
        *,
        title: str,
        price: int | Unset = UNSET,
        description: str | Unset = UNSET,
        category: None | str | Unset = UNSET,
        attributes: Mapping[str, Any] | Unset = UNSET,
        price_type: PriceType | Unset = UNSET,
        place: None | str | Unset = UNSET,
        place_id: int | None | Unset = UNSET,
        location: Location | None | Unset = UNSET,
        external_id: None | str | Unset = UNSET,
        idempotency_key: str | Unset = UNSET,
    ) -> Ad:
        """Begin an ad.

        Args:
            title: Headline of the ad; it may be too short to be published.
            price: Price in the smallest unit of the site (`priceDecimals` of `GET /site`). A
                string of digits is accepted too, as forms send it.
            description: Text of the ad; it may be too short to be published.
            category: The slug of a category; the ad's attributes must fit it. Null removes the
                category and all attributes.
            attributes: Attributes to change, by name, as `GET /categories/{slug}/schema` describes
                them. Null removes an attribute; attributes that are left out stay.
            price_type: What the price of an ad means.
            place: Where the thing is, in words. Null removes it.
            place_id: The id of a place of `GET /places`. Its name becomes `place` unless that is sent
                too. Without a `location` the ad is found at the place's centre. Null removes
                it.
            location: The exact point. Others see it rounded to about a kilometre. Null removes it.
            external_id: The ad's id in its author's own system, unique for the account. Null removes it.
            idempotency_key: One is made for each call where it is left out.
        """

        return self._run(
            operations.create_draft(
                title=title,
                price=price,
                description=description,
                category=category,
                attributes=attributes,
                price_type=price_type,
                place=place,
                place_id=place_id,
                location=location,
                external_id=external_id,
                idempotency_key=idempotency_key,
            )
        )

    def list_my_ads(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        status: list[AdStatus] | Unset = UNSET,
        external_id: str | Unset = UNSET,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> OwnAds:
        """List the caller's ads.

        Args:
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return self._run(
            operations.list_my_ads(
                limit=limit,
                cursor=cursor,
                status=status,
                external_id=external_id,
                if_none_match=if_none_match,
            )
        )

    def my_ads(
        self,
        *,
        limit: int | Unset = UNSET,
        status: list[AdStatus] | Unset = UNSET,
        external_id: str | Unset = UNSET,
    ) -> Iterator[Ad]:
        """List the caller's ads.

        Goes through all pages, of `limit` each, from the first on."""

        cursor: str | Unset = UNSET
        while True:
            page = self.list_my_ads(
                limit=limit, status=status, external_id=external_id, cursor=cursor
            )
            for item in page.results:
                yield item
            if not page.next_ or page.next_ == cursor:
                return
            cursor = page.next_

    def get_ad(
        self,
        id: int,
        *,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> ExtendedAd:
        """Get an ad with its author's contact details.

        Args:
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return self._run(
            operations.get_ad(
                id,
                if_none_match=if_none_match,
            )
        )

    def delete_ad(
        self,
        id: int,
        *,
        if_match: IfMatch | Unset = UNSET,
    ) -> None:
        """Delete an ad.

        Args:
            if_match: What was read, or its tag.
        """

        return self._run(
            operations.delete_ad(
                id,
                if_match=if_match,
            )
        )

    def update_ad(
        self,
        id: int,
        *,
        title: str | Unset = UNSET,
        price: int | Unset = UNSET,
        description: str | Unset = UNSET,
        category: None | str | Unset = UNSET,
        attributes: Mapping[str, Any] | Unset = UNSET,
        price_type: PriceType | Unset = UNSET,
        place: None | str | Unset = UNSET,
        place_id: int | None | Unset = UNSET,
        location: Location | None | Unset = UNSET,
        external_id: None | str | Unset = UNSET,
        if_match: IfMatch | Unset = UNSET,
    ) -> Ad:
        """Change an ad.

        Args:
            title: Headline of the ad. That of a draft may be shorter.
            price: Price in the smallest unit of the site (`priceDecimals` of `GET /site`). A
                string of digits is accepted too, as forms send it.
            description: Text of the ad. Line breaks are kept. That of a draft may be shorter.
            category: The slug of a category; the ad's attributes must fit it. Null removes the
                category and all attributes.
            attributes: Attributes to change, by name, as `GET /categories/{slug}/schema` describes
                them. Null removes an attribute; attributes that are left out stay.
            price_type: What the price of an ad means.
            place: Where the thing is, in words. Null removes it.
            place_id: The id of a place of `GET /places`. Its name becomes `place` unless that is sent
                too. Without a `location` the ad is found at the place's centre. Null removes
                it.
            location: The exact point. Others see it rounded to about a kilometre. Null removes it.
            external_id: The ad's id in its author's own system, unique for the account. Null removes it.
            if_match: What was read, or its tag.
        """

        return self._run(
            operations.update_ad(
                id,
                title=title,
                price=price,
                description=description,
                category=category,
                attributes=attributes,
                price_type=price_type,
                place=place,
                place_id=place_id,
                location=location,
                external_id=external_id,
                if_match=if_match,
            )
        )

    def validate_update_ad(
        self,
        id: int,
        *,
        title: str | Unset = UNSET,
        price: int | Unset = UNSET,
        description: str | Unset = UNSET,
        category: None | str | Unset = UNSET,
        attributes: Mapping[str, Any] | Unset = UNSET,
        price_type: PriceType | Unset = UNSET,
        place: None | str | Unset = UNSET,
        place_id: int | None | Unset = UNSET,
        location: Location | None | Unset = UNSET,
        external_id: None | str | Unset = UNSET,
        if_match: IfMatch | Unset = UNSET,
    ) -> None:
        """Judge what would be sent, and change nothing: Change an ad.

        Args:
            title: Headline of the ad. That of a draft may be shorter.
            price: Price in the smallest unit of the site (`priceDecimals` of `GET /site`). A
                string of digits is accepted too, as forms send it.
            description: Text of the ad. Line breaks are kept. That of a draft may be shorter.
            category: The slug of a category; the ad's attributes must fit it. Null removes the
                category and all attributes.
            attributes: Attributes to change, by name, as `GET /categories/{slug}/schema` describes
                them. Null removes an attribute; attributes that are left out stay.
            price_type: What the price of an ad means.
            place: Where the thing is, in words. Null removes it.
            place_id: The id of a place of `GET /places`. Its name becomes `place` unless that is sent
                too. Without a `location` the ad is found at the place's centre. Null removes
                it.
            location: The exact point. Others see it rounded to about a kilometre. Null removes it.
            external_id: The ad's id in its author's own system, unique for the account. Null removes it.
            if_match: What was read, or its tag.
        """

        return self._run(
            operations.validate_update_ad(
                id,
                title=title,
                price=price,
                description=description,
                category=category,
                attributes=attributes,
                price_type=price_type,
                place=place,
                place_id=place_id,
                location=location,
                external_id=external_id,
                if_match=if_match,
            )
        )

    def get_ad_details(
        self,
        id: int,
        *,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> AdDetails:
        """Get an ad without contact details.

        Args:
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return self._run(
            operations.get_ad_details(
                id,
                if_none_match=if_none_match,
            )
        )

    def get_ad_stats(
        self,
        id: int,
        *,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> AdStats:
        """Get how successful an ad is.

        Args:
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return self._run(
            operations.get_ad_stats(
                id,
                if_none_match=if_none_match,
            )
        )

    def list_similar_ads(
        self,
        id: int,
        *,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> SimilarAds:
        """List ads that are like an ad.

        Args:
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return self._run(
            operations.list_similar_ads(
                id,
                if_none_match=if_none_match,
            )
        )

    def publish_ad(
        self,
        id: int,
        *,
        if_match: IfMatch | Unset = UNSET,
        idempotency_key: str | Unset = UNSET,
    ) -> Ad:
        """Publish an ad.

        Args:
            if_match: What was read, or its tag.
            idempotency_key: One is made for each call where it is left out.
        """

        return self._run(
            operations.publish_ad(
                id,
                if_match=if_match,
                idempotency_key=idempotency_key,
            )
        )

    def reserve_ad(
        self,
        id: int,
        *,
        if_match: IfMatch | Unset = UNSET,
        idempotency_key: str | Unset = UNSET,
    ) -> Ad:
        """Reserve an ad.

        Args:
            if_match: What was read, or its tag.
            idempotency_key: One is made for each call where it is left out.
        """

        return self._run(
            operations.reserve_ad(
                id,
                if_match=if_match,
                idempotency_key=idempotency_key,
            )
        )

    def release_ad(
        self,
        id: int,
        *,
        if_match: IfMatch | Unset = UNSET,
        idempotency_key: str | Unset = UNSET,
    ) -> Ad:
        """End the reservation of an ad.

        Args:
            if_match: What was read, or its tag.
            idempotency_key: One is made for each call where it is left out.
        """

        return self._run(
            operations.release_ad(
                id,
                if_match=if_match,
                idempotency_key=idempotency_key,
            )
        )

    def sell_ad(
        self,
        id: int,
        *,
        price: int | Unset = UNSET,
        buyer: int | Unset = UNSET,
        if_match: IfMatch | Unset = UNSET,
        idempotency_key: str | Unset = UNSET,
    ) -> Ad:
        """Mark an ad as sold.

        Args:
            price: What was paid, in the smallest unit of the site. It becomes the ad's price,
                which stays as it is if this is left out. A string of digits is accepted too, as
                forms send it.
            buyer: The id of the account that has bought it: one that has talked about this ad. It
                gets a notice in the conversation.
            if_match: What was read, or its tag.
            idempotency_key: One is made for each call where it is left out.
        """

        return self._run(
            operations.sell_ad(
                id,
                price=price,
                buyer=buyer,
                if_match=if_match,
                idempotency_key=idempotency_key,
            )
        )

    def withdraw_ad(
        self,
        id: int,
        *,
        if_match: IfMatch | Unset = UNSET,
        idempotency_key: str | Unset = UNSET,
    ) -> Ad:
        """Withdraw an ad.

        Args:
            if_match: What was read, or its tag.
            idempotency_key: One is made for each call where it is left out.
        """

        return self._run(
            operations.withdraw_ad(
                id,
                if_match=if_match,
                idempotency_key=idempotency_key,
            )
        )

    def renew_ad(
        self,
        id: int,
        *,
        if_match: IfMatch | Unset = UNSET,
        idempotency_key: str | Unset = UNSET,
    ) -> Ad:
        """Renew an ad.

        Args:
            if_match: What was read, or its tag.
            idempotency_key: One is made for each call where it is left out.
        """

        return self._run(
            operations.renew_ad(
                id,
                if_match=if_match,
                idempotency_key=idempotency_key,
            )
        )

    def replace_ad_image(
        self,
        id: int,
        *,
        image: Upload,
        if_match: IfMatch | Unset = UNSET,
    ) -> bytes:
        """Replace an ad's first picture.

        Args:
            image: A JPEG, PNG or WebP file. Its content decides, not its name or type.
            if_match: What was read, or its tag.
        """

        return self._run(
            operations.replace_ad_image(
                id,
                image=image,
                if_match=if_match,
            )
        )

    def add_ad_images(
        self,
        id: int,
        *,
        images: Sequence[Upload] | Upload,
        if_match: IfMatch | Unset = UNSET,
        idempotency_key: str | Unset = UNSET,
    ) -> Images:
        """Add pictures to an ad.

        Args:
            images: The pictures in their order, each in a part of its own.
            if_match: What was read, or its tag.
            idempotency_key: One is made for each call where it is left out.
        """

        return self._run(
            operations.add_ad_images(
                id,
                images=images,
                if_match=if_match,
                idempotency_key=idempotency_key,
            )
        )

    def order_ad_images(
        self,
        id: int,
        *,
        order: list[int],
        if_match: IfMatch | Unset = UNSET,
    ) -> Images:
        """Reorder the pictures of an ad.

        Args:
            order: The ids of all pictures of the ad, each exactly once.
            if_match: What was read, or its tag.
        """

        return self._run(
            operations.order_ad_images(
                id,
                order=order,
                if_match=if_match,
            )
        )

    def delete_ad_image(
        self,
        id: int,
        image_id: int,
        *,
        if_match: IfMatch | Unset = UNSET,
    ) -> None:
        """Delete a picture of an ad.

        Args:
            if_match: What was read, or its tag.
        """

        return self._run(
            operations.delete_ad_image(
                id,
                image_id,
                if_match=if_match,
            )
        )

    def list_categories(
        self,
        *,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> Categories:
        """List all categories.

        Args:
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return self._run(
            operations.list_categories(
                if_none_match=if_none_match,
            )
        )

    def get_category(
        self,
        slug: str,
        *,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> Category:
        """Get a category.

        Args:
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return self._run(
            operations.get_category(
                slug,
                if_none_match=if_none_match,
            )
        )

    def put_category(
        self,
        slug: str,
        *,
        name: str,
        parent: None | str | Unset = UNSET,
        names: Mapping[str, Any] | Unset = UNSET,
        synonyms: Mapping[str, Any] | Unset = UNSET,
        position: int | Unset = UNSET,
        icon: None | str | Unset = UNSET,
        color: None | str | Unset = UNSET,
        attributes: list[Attribute] | Unset = UNSET,
        if_match: IfMatch | Unset = UNSET,
    ) -> Category:
        """Create or replace a category.

        Args:
            name: Its name in the language of the site.
            parent: The slug of the category above. Null for a root of the tree.
            names: Translations of the name, by language tag (BCP 47).
            synonyms: Other words for it, by language tag (BCP 47). Like its names, a search finds its
                ads by them. At most 100 in all.
            position: Its place among its siblings, the lowest first; then by name.
            icon: Its icon on the home page, of the set that comes with the storefront. Null for a
                tag.
            color: The colour of its icon. Null for the accent of the site.
            attributes: The attributes that it defines itself. Those marked as `inherited` are ignored,
                so that a category that was read can be sent back.
            if_match: What was read, or its tag.
        """

        return self._run(
            operations.put_category(
                slug,
                name=name,
                parent=parent,
                names=names,
                synonyms=synonyms,
                position=position,
                icon=icon,
                color=color,
                attributes=attributes,
                if_match=if_match,
            )
        )

    def delete_category(
        self,
        slug: str,
        *,
        if_match: IfMatch | Unset = UNSET,
    ) -> None:
        """Delete a category.

        Args:
            if_match: What was read, or its tag.
        """

        return self._run(
            operations.delete_category(
                slug,
                if_match=if_match,
            )
        )

    def get_category_schema(
        self,
        slug: str,
        *,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> dict[str, Any]:
        """Get the JSON Schema of a category's attributes.

        Args:
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return self._run(
            operations.get_category_schema(
                slug,
                if_none_match=if_none_match,
            )
        )

    def move_category_ads(
        self,
        slug: str,
        *,
        to: str,
        dry_run: bool | Unset = UNSET,
    ) -> MovedAds:
        """Move the ads of a category to another one.

        Args:
            to: The slug of another category.
            dry_run: Whether only to count them. Nothing is changed then.
        """

        return self._run(
            operations.move_category_ads(
                slug,
                to=to,
                dry_run=dry_run,
            )
        )

    def list_comments(
        self,
        id: int,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> Comments:
        """List an ad's comments.

        Args:
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return self._run(
            operations.list_comments(
                id,
                limit=limit,
                cursor=cursor,
                if_none_match=if_none_match,
            )
        )

    def comments(
        self,
        id: int,
        *,
        limit: int | Unset = UNSET,
    ) -> Iterator[Comment]:
        """List an ad's comments.

        Goes through all pages, of `limit` each, from the first on."""

        cursor: str | Unset = UNSET
        while True:
            page = self.list_comments(id, limit=limit, cursor=cursor)
            for item in page.results:
                yield item
            if not page.next_ or page.next_ == cursor:
                return
            cursor = page.next_

    def create_comment(
        self,
        id: int,
        *,
        text: str,
        idempotency_key: str | Unset = UNSET,
    ) -> Comment:
        """Comment on an ad.

        Args:
            text: Text of the comment. Line breaks are kept.
            idempotency_key: One is made for each call where it is left out.
        """

        return self._run(
            operations.create_comment(
                id,
                text=text,
                idempotency_key=idempotency_key,
            )
        )

    def validate_create_comment(
        self,
        id: int,
        *,
        text: str,
    ) -> None:
        """Judge what would be sent, and change nothing: Comment on an ad.

        Args:
            text: Text of the comment. Line breaks are kept.
        """

        return self._run(
            operations.validate_create_comment(
                id,
                text=text,
            )
        )

    def get_comment(
        self,
        id: int,
        comment_id: int,
        *,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> Comment:
        """Get a comment.

        Args:
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return self._run(
            operations.get_comment(
                id,
                comment_id,
                if_none_match=if_none_match,
            )
        )

    def delete_comment(
        self,
        id: int,
        comment_id: int,
        *,
        if_match: IfMatch | Unset = UNSET,
    ) -> None:
        """Delete a comment.

        Args:
            if_match: What was read, or its tag.
        """

        return self._run(
            operations.delete_comment(
                id,
                comment_id,
                if_match=if_match,
            )
        )

    def update_comment(
        self,
        id: int,
        comment_id: int,
        *,
        text: str,
        if_match: IfMatch | Unset = UNSET,
    ) -> Comment:
        """Change a comment.

        Args:
            text: Text of the comment. Line breaks are kept.
            if_match: What was read, or its tag.
        """

        return self._run(
            operations.update_comment(
                id,
                comment_id,
                text=text,
                if_match=if_match,
            )
        )

    def validate_update_comment(
        self,
        id: int,
        comment_id: int,
        *,
        text: str,
        if_match: IfMatch | Unset = UNSET,
    ) -> None:
        """Judge what would be sent, and change nothing: Change a comment.

        Args:
            text: Text of the comment. Line breaks are kept.
            if_match: What was read, or its tag.
        """

        return self._run(
            operations.validate_update_comment(
                id,
                comment_id,
                text=text,
                if_match=if_match,
            )
        )

    def get_image(
        self,
        name: str,
        *,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> bytes:
        """Get a picture.

        Args:
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return self._run(
            operations.get_image(
                name,
                if_none_match=if_none_match,
            )
        )

    def list_conversations(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        unread: bool | Unset = UNSET,
        ad: int | Unset = UNSET,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> Conversations:
        """List the caller's conversations.

        Args:
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return self._run(
            operations.list_conversations(
                limit=limit,
                cursor=cursor,
                unread=unread,
                ad=ad,
                if_none_match=if_none_match,
            )
        )

    def conversations(
        self,
        *,
        limit: int | Unset = UNSET,
        unread: bool | Unset = UNSET,
        ad: int | Unset = UNSET,
    ) -> Iterator[Conversation]:
        """List the caller's conversations.

        Goes through all pages, of `limit` each, from the first on."""

        cursor: str | Unset = UNSET
        while True:
            page = self.list_conversations(limit=limit, unread=unread, ad=ad, cursor=cursor)
            for item in page.results:
                yield item
            if not page.next_ or page.next_ == cursor:
                return
            cursor = page.next_

    def get_conversation(
        self,
        id: int,
        *,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> Conversation:
        """Get a conversation.

        Args:
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return self._run(
            operations.get_conversation(
                id,
                if_none_match=if_none_match,
            )
        )

    def list_messages(
        self,
        id: int,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> Messages:
        """List the messages of a conversation.

        Args:
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return self._run(
            operations.list_messages(
                id,
                limit=limit,
                cursor=cursor,
                if_none_match=if_none_match,
            )
        )

    def messages(
        self,
        id: int,
        *,
        limit: int | Unset = UNSET,
    ) -> Iterator[Message]:
        """List the messages of a conversation.

        Goes through all pages, of `limit` each, from the first on."""

        cursor: str | Unset = UNSET
        while True:
            page = self.list_messages(id, limit=limit, cursor=cursor)
            for item in page.results:
                yield item
            if not page.next_ or page.next_ == cursor:
                return
            cursor = page.next_

    def send_message(
        self,
        id: int,
        *,
        text: str,
        idempotency_key: str | Unset = UNSET,
    ) -> Message:
        """Write to the other party.

        Args:
            text: Text of the message. Line breaks are kept.
            idempotency_key: One is made for each call where it is left out.
        """

        return self._run(
            operations.send_message(
                id,
                text=text,
                idempotency_key=idempotency_key,
            )
        )

    def make_offer(
        self,
        id: int,
        *,
        price: int,
        idempotency_key: str | Unset = UNSET,
    ) -> Offer:
        """Make an offer.

        Args:
            price: What the caller would pay, or take, in the smallest unit of the site (`GET
                /site`). A string of digits is accepted too, as forms send it.
            idempotency_key: One is made for each call where it is left out.
        """

        return self._run(
            operations.make_offer(
                id,
                price=price,
                idempotency_key=idempotency_key,
            )
        )

    def read_messages(
        self,
        id: int,
        *,
        up_to: int,
    ) -> None:
        """Mark messages as read.

        Args:
            up_to: The id of the last message that was read. An earlier one than before changes
                nothing.
        """

        return self._run(
            operations.read_messages(
                id,
                up_to=up_to,
            )
        )

    def hide_conversation(
        self,
        id: int,
    ) -> None:
        """Hide a conversation."""

        return self._run(
            operations.hide_conversation(
                id,
            )
        )

    def block_user(
        self,
        user_id: int,
    ) -> None:
        """Block an account."""

        return self._run(
            operations.block_user(
                user_id,
            )
        )

    def unblock_user(
        self,
        user_id: int,
    ) -> None:
        """Unblock an account."""

        return self._run(
            operations.unblock_user(
                user_id,
            )
        )

    def list_my_blocks(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> Blocks:
        """List the accounts that the caller has blocked.

        Args:
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return self._run(
            operations.list_my_blocks(
                limit=limit,
                cursor=cursor,
                if_none_match=if_none_match,
            )
        )

    def my_blocks(
        self,
        *,
        limit: int | Unset = UNSET,
    ) -> Iterator[Block]:
        """List the accounts that the caller has blocked.

        Goes through all pages, of `limit` each, from the first on."""

        cursor: str | Unset = UNSET
        while True:
            page = self.list_my_blocks(limit=limit, cursor=cursor)
            for item in page.results:
                yield item
            if not page.next_ or page.next_ == cursor:
                return
            cursor = page.next_

    def list_my_deals(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        ad: int | Unset = UNSET,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> Deals:
        """List the caller's deals.

        Args:
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return self._run(
            operations.list_my_deals(
                limit=limit,
                cursor=cursor,
                ad=ad,
                if_none_match=if_none_match,
            )
        )

    def my_deals(
        self,
        *,
        limit: int | Unset = UNSET,
        ad: int | Unset = UNSET,
    ) -> Iterator[Deal]:
        """List the caller's deals.

        Goes through all pages, of `limit` each, from the first on."""

        cursor: str | Unset = UNSET
        while True:
            page = self.list_my_deals(limit=limit, ad=ad, cursor=cursor)
            for item in page.results:
                yield item
            if not page.next_ or page.next_ == cursor:
                return
            cursor = page.next_

    def rate_deal(
        self,
        deal_id: int,
        *,
        stars: int,
        text: str | Unset = UNSET,
        idempotency_key: str | Unset = UNSET,
    ) -> Rating:
        """Rate the other party of a deal.

        Args:
            stars: From 1 (bad) to 5 (very good).
            text: In words. Line breaks are kept.
            idempotency_key: One is made for each call where it is left out.
        """

        return self._run(
            operations.rate_deal(
                deal_id,
                stars=stars,
                text=text,
                idempotency_key=idempotency_key,
            )
        )

    def answer_rating(
        self,
        id: int,
        *,
        text: str,
    ) -> Rating:
        """Answer a rating.

        Args:
            text: Text of the answer. Line breaks are kept.
        """

        return self._run(
            operations.answer_rating(
                id,
                text=text,
            )
        )

    def list_ratings(
        self,
        id: int,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> Ratings:
        """List the ratings of a seller.

        Args:
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return self._run(
            operations.list_ratings(
                id,
                limit=limit,
                cursor=cursor,
                if_none_match=if_none_match,
            )
        )

    def ratings(
        self,
        id: int,
        *,
        limit: int | Unset = UNSET,
    ) -> Iterator[Rating]:
        """List the ratings of a seller.

        Goes through all pages, of `limit` each, from the first on."""

        cursor: str | Unset = UNSET
        while True:
            page = self.list_ratings(id, limit=limit, cursor=cursor)
            for item in page.results:
                yield item
            if not page.next_ or page.next_ == cursor:
                return
            cursor = page.next_

    def report_ad(
        self,
        id: int,
        *,
        reason: ReportReason,
        text: str | Unset = UNSET,
    ) -> Report:
        """Report an ad.

        Args:
            reason: What is wrong with a reported ad or comment.
            text: What is wrong, in the reporter's words. Moderators read it; the person reported
                does not.
        """

        return self._run(
            operations.report_ad(
                id,
                reason=reason,
                text=text,
            )
        )

    def report_comment(
        self,
        id: int,
        comment_id: int,
        *,
        reason: ReportReason,
        text: str | Unset = UNSET,
    ) -> Report:
        """Report a comment.

        Args:
            reason: What is wrong with a reported ad or comment.
            text: What is wrong, in the reporter's words. Moderators read it; the person reported
                does not.
        """

        return self._run(
            operations.report_comment(
                id,
                comment_id,
                reason=reason,
                text=text,
            )
        )

    def report_message(
        self,
        id: int,
        message_id: int,
        *,
        reason: ReportReason,
        text: str | Unset = UNSET,
    ) -> Report:
        """Report a message.

        Args:
            reason: What is wrong with a reported ad or comment.
            text: What is wrong, in the reporter's words. Moderators read it; the person reported
                does not.
        """

        return self._run(
            operations.report_message(
                id,
                message_id,
                reason=reason,
                text=text,
            )
        )

    def report_rating(
        self,
        id: int,
        *,
        reason: ReportReason,
        text: str | Unset = UNSET,
    ) -> Report:
        """Report a rating.

        Args:
            reason: What is wrong with a reported ad or comment.
            text: What is wrong, in the reporter's words. Moderators read it; the person reported
                does not.
        """

        return self._run(
            operations.report_rating(
                id,
                reason=reason,
                text=text,
            )
        )

    def list_cases(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        status: CaseStatus | Unset = UNSET,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> Cases:
        """List the cases of reported ads and comments.

        Args:
            status: Where a case stands: `open` (reported), `decided`, or `appealed` (decided, with
                an appeal that waits for another decision).
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return self._run(
            operations.list_cases(
                limit=limit,
                cursor=cursor,
                status=status,
                if_none_match=if_none_match,
            )
        )

    def cases(
        self,
        *,
        limit: int | Unset = UNSET,
        status: CaseStatus | Unset = UNSET,
    ) -> Iterator[CaseSummary]:
        """List the cases of reported ads and comments.

        Goes through all pages, of `limit` each, from the first on.

        Args:
            status: Where a case stands: `open` (reported), `decided`, or `appealed` (decided, with
                an appeal that waits for another decision).
        """

        cursor: str | Unset = UNSET
        while True:
            page = self.list_cases(limit=limit, status=status, cursor=cursor)
            for item in page.results:
                yield item
            if not page.next_ or page.next_ == cursor:
                return
            cursor = page.next_

    def get_case(
        self,
        id: int,
        *,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> Case:
        """Get a case.

        Args:
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return self._run(
            operations.get_case(
                id,
                if_none_match=if_none_match,
            )
        )

    def decide_case(
        self,
        id: int,
        *,
        action: MakeDecisionAction,
        ground: DecisionGround | Unset = UNSET,
        explanation: str | Unset = UNSET,
        reference: str | Unset = UNSET,
        days: int | Unset = UNSET,
        if_match: IfMatch | Unset = UNSET,
        idempotency_key: str | Unset = UNSET,
    ) -> MadeDecision:
        """Decide a case.

        Args:
            action: `dismiss`: nothing is done, and a hidden ad is shown again. `suspendAd`: the ad
                is hidden; a change by its author opens the case again. `removeAd`,
                `removeComment`: it is removed. `removeMessage`: its receiver no longer sees
                what it says. `removeRating`: only its author sees it, and it no longer counts.
                `suspendAccount`: the author's account is suspended.
            ground: What a decision rests on: the law, or the terms of the site.
            explanation: The reasons. The person concerned receives them.
            reference: The paragraph of the law or of the terms that was broken.
            days: Only with `suspendAccount`: for how many days. Without it, until the decision is
                undone.
            if_match: What was read, or its tag.
            idempotency_key: One is made for each call where it is left out.
        """

        return self._run(
            operations.decide_case(
                id,
                action=action,
                ground=ground,
                explanation=explanation,
                reference=reference,
                days=days,
                if_match=if_match,
                idempotency_key=idempotency_key,
            )
        )

    def undo_decision(
        self,
        id: int,
        *,
        idempotency_key: str | Unset = UNSET,
    ) -> MadeDecision:
        """Undo a decision.

        Args:
            idempotency_key: One is made for each call where it is left out.
        """

        return self._run(
            operations.undo_decision(
                id,
                idempotency_key=idempotency_key,
            )
        )

    def list_my_decisions(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> Decisions:
        """List the decisions about the caller.

        Args:
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return self._run(
            operations.list_my_decisions(
                limit=limit,
                cursor=cursor,
                if_none_match=if_none_match,
            )
        )

    def my_decisions(
        self,
        *,
        limit: int | Unset = UNSET,
    ) -> Iterator[Decision]:
        """List the decisions about the caller.

        Goes through all pages, of `limit` each, from the first on."""

        cursor: str | Unset = UNSET
        while True:
            page = self.list_my_decisions(limit=limit, cursor=cursor)
            for item in page.results:
                yield item
            if not page.next_ or page.next_ == cursor:
                return
            cursor = page.next_

    def appeal_decision(
        self,
        id: int,
        *,
        text: str,
    ) -> Decision:
        """Appeal against a decision.

        Args:
            text: Why the decision is wrong.
        """

        return self._run(
            operations.appeal_decision(
                id,
                text=text,
            )
        )

    def read_decision(
        self,
        *,
        token: str,
    ) -> Decision:
        """Read a decision by its token.

        Args:
            token: The part of the mailed link after `#token=`, or `appealToken` of the problem
                `suspended`. It is for one decision, and good for as long as that exists.
        """

        return self._run(
            operations.read_decision(
                token=token,
            )
        )

    def appeal_by_token(
        self,
        *,
        token: str,
        text: str,
    ) -> Decision:
        """Appeal against a decision by its token.

        Args:
            token: The part of the mailed link after `#token=`, or `appealToken` of the problem
                `suspended`. It is for one decision, and good for as long as that exists.
            text: Why the decision is wrong.
        """

        return self._run(
            operations.appeal_by_token(
                token=token,
                text=text,
            )
        )

    def begin_passkey_login(
        self,
    ) -> PasskeyRequestOptions:
        """Begin a login by a passkey."""

        return self._run(operations.begin_passkey_login())

    def log_in_by_passkey(
        self,
        *,
        id: str,
        raw_id: str,
        type_: Literal["public-key"],
        response_: PasskeyAssertion | Mapping[str, Any],
    ) -> TokenPair:
        """Log in by a passkey.

        Args:
            id: The credential's id, in base64url.
            raw_id: The same, in base64url.
            type_: The kind of credential.
            response_: What the authenticator signed.
        """

        return self._run(
            operations.log_in_by_passkey(
                id=id,
                raw_id=raw_id,
                type_=type_,
                response_=response_,
            )
        )

    def list_users(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        q: str | Unset = UNSET,
        status: AccountStatus | Unset = UNSET,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> Accounts:
        """List accounts.

        Args:
            status: Whether an account may log in.
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return self._run(
            operations.list_users(
                limit=limit,
                cursor=cursor,
                q=q,
                status=status,
                if_none_match=if_none_match,
            )
        )

    def users(
        self,
        *,
        limit: int | Unset = UNSET,
        q: str | Unset = UNSET,
        status: AccountStatus | Unset = UNSET,
    ) -> Iterator[AccountSummary]:
        """List accounts.

        Goes through all pages, of `limit` each, from the first on.

        Args:
            status: Whether an account may log in.
        """

        cursor: str | Unset = UNSET
        while True:
            page = self.list_users(limit=limit, q=q, status=status, cursor=cursor)
            for item in page.results:
                yield item
            if not page.next_ or page.next_ == cursor:
                return
            cursor = page.next_

    def get_user(
        self,
        id: int,
        *,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> Account:
        """Get an account.

        Args:
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return self._run(
            operations.get_user(
                id,
                if_none_match=if_none_match,
            )
        )

    def delete_user(
        self,
        id: int,
        *,
        current_password: str | Unset = UNSET,
    ) -> None:
        """Delete an account.

        Args:
            current_password: The account's password, which confirms the change. Required of an account that
                has one; another one needs a login of the last five minutes.
        """

        return self._run(
            operations.delete_user(
                id,
                current_password=current_password,
            )
        )

    def update_user(
        self,
        id: int,
        *,
        role: Role | Unset = UNSET,
        plan: str | Unset = UNSET,
        current_password: str | Unset = UNSET,
    ) -> Account:
        """Change an account's role or plan.

        Args:
            role: What an account may do: `USER` manages its own things, `MODERATOR` also decides
                cases, `ADMIN` may do everything.
            plan: One of the plans of `GET /site`.
            current_password: The account's password, which confirms the change.
        """

        return self._run(
            operations.update_user(
                id,
                role=role,
                plan=plan,
                current_password=current_password,
            )
        )

    def list_user_mails(
        self,
        id: int,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> MailAttempts:
        """List the mails to an account.

        Args:
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return self._run(
            operations.list_user_mails(
                id,
                limit=limit,
                cursor=cursor,
                if_none_match=if_none_match,
            )
        )

    def user_mails(
        self,
        id: int,
        *,
        limit: int | Unset = UNSET,
    ) -> Iterator[MailAttempt]:
        """List the mails to an account.

        Goes through all pages, of `limit` each, from the first on."""

        cursor: str | Unset = UNSET
        while True:
            page = self.list_user_mails(id, limit=limit, cursor=cursor)
            for item in page.results:
                yield item
            if not page.next_ or page.next_ == cursor:
                return
            cursor = page.next_

    def suspend_user(
        self,
        id: int,
        *,
        ground: DecisionGround,
        explanation: str,
        reference: str | Unset = UNSET,
        days: int | Unset = UNSET,
        idempotency_key: str | Unset = UNSET,
    ) -> Account:
        """Suspend an account.

        Args:
            ground: What a decision rests on: the law, or the terms of the site.
            explanation: The reasons. The person concerned receives them.
            reference: The paragraph of the law or of the terms that was broken.
            days: For how many days the account is suspended. Without it, until it is restored.
            idempotency_key: One is made for each call where it is left out.
        """

        return self._run(
            operations.suspend_user(
                id,
                ground=ground,
                explanation=explanation,
                reference=reference,
                days=days,
                idempotency_key=idempotency_key,
            )
        )

    def expel_user(
        self,
        id: int,
        *,
        ground: DecisionGround,
        explanation: str,
        reference: str | Unset = UNSET,
        dry_run: bool | Unset = UNSET,
        idempotency_key: str | Unset = UNSET,
    ) -> ExpelledContent:
        """Suspend an account and remove all that it has published.

        Args:
            ground: What a decision rests on: the law, or the terms of the site.
            explanation: The reasons. The person concerned receives them.
            reference: The paragraph of the law or of the terms that was broken.
            dry_run: Whether only to return what would be removed. Nothing is changed then.
            idempotency_key: One is made for each call where it is left out.
        """

        return self._run(
            operations.expel_user(
                id,
                ground=ground,
                explanation=explanation,
                reference=reference,
                dry_run=dry_run,
                idempotency_key=idempotency_key,
            )
        )

    def restore_user(
        self,
        id: int,
        *,
        idempotency_key: str | Unset = UNSET,
    ) -> Account:
        """End the suspension of an account.

        Args:
            idempotency_key: One is made for each call where it is left out.
        """

        return self._run(
            operations.restore_user(
                id,
                idempotency_key=idempotency_key,
            )
        )

    def list_events(
        self,
        *,
        type_: list[EventType] | Unset = UNSET,
        after: str | Unset = UNSET,
        limit: int | Unset = UNSET,
        wait: int | Unset = UNSET,
    ) -> Events:
        """Read the log of events."""

        return self._run(
            operations.list_events(
                type_=type_,
                after=after,
                limit=limit,
                wait=wait,
            )
        )

    def list_search_ads(
        self,
        id: int,
        *,
        after: str | Unset = UNSET,
        limit: int | Unset = UNSET,
    ) -> SearchAds:
        """Read the matches of a saved search."""

        return self._run(
            operations.list_search_ads(
                id,
                after=after,
                limit=limit,
            )
        )

    def list_my_searches(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> SavedSearches:
        """List the caller's saved searches.

        Args:
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return self._run(
            operations.list_my_searches(
                limit=limit,
                cursor=cursor,
                if_none_match=if_none_match,
            )
        )

    def my_searches(
        self,
        *,
        limit: int | Unset = UNSET,
    ) -> Iterator[SavedSearch]:
        """List the caller's saved searches.

        Goes through all pages, of `limit` each, from the first on."""

        cursor: str | Unset = UNSET
        while True:
            page = self.list_my_searches(limit=limit, cursor=cursor)
            for item in page.results:
                yield item
            if not page.next_ or page.next_ == cursor:
                return
            cursor = page.next_

    def save_search(
        self,
        *,
        query: str,
        name: str,
        notify: CreateSearchNotify | Unset = UNSET,
    ) -> SavedSearch:
        """Save a search.

        Args:
            query: The query of `GET /ads`, without `?`. `limit`, `cursor` and `sort` do not count.
            name: What the account calls it.
            notify: When new matches are notified of: at once (but at most once in 15 minutes), once
                a day, once a week, or never.
        """

        return self._run(
            operations.save_search(
                query=query,
                name=name,
                notify=notify,
            )
        )

    def delete_search(
        self,
        id: int,
    ) -> None:
        """Delete a saved search."""

        return self._run(
            operations.delete_search(
                id,
            )
        )

    def update_search(
        self,
        id: int,
        *,
        name: str | Unset = UNSET,
        notify: UpdateSearchNotify | Unset = UNSET,
    ) -> SavedSearch:
        """Change a saved search.

        Args:
            name: What the account calls it.
            notify: When new matches are notified of: at once (but at most once in 15 minutes), once
                a day, once a week, or never.
        """

        return self._run(
            operations.update_search(
                id,
                name=name,
                notify=notify,
            )
        )

    def mark_search_seen(
        self,
        id: int,
    ) -> None:
        """Mark a search's matches as seen."""

        return self._run(
            operations.mark_search_seen(
                id,
            )
        )

    def list_imports(
        self,
        *,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> Imports:
        """List the caller's imports.

        Args:
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return self._run(
            operations.list_imports(
                if_none_match=if_none_match,
            )
        )

    def create_import(
        self,
        content: Text,
        *,
        mode: CreateImportMode | Unset = UNSET,
        dry_run: bool | Unset = UNSET,
        idempotency_key: str | Unset = UNSET,
    ) -> Import:
        """Import a feed of ads.

        Args:
            content: The text, or a path, an open file or an iterator of pieces with it.
            idempotency_key: One is made for each call where it is left out.
        """

        return self._run(
            operations.create_import(
                content,
                mode=mode,
                dry_run=dry_run,
                idempotency_key=idempotency_key,
            )
        )

    def get_import(
        self,
        id: int,
        *,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> Import:
        """Get an import.

        Args:
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return self._run(
            operations.get_import(
                id,
                if_none_match=if_none_match,
            )
        )

    def list_import_rows(
        self,
        id: int,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        status: ListImportRowsStatus | Unset = UNSET,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> ImportedRows:
        """List what an import changes.

        Args:
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return self._run(
            operations.list_import_rows(
                id,
                limit=limit,
                cursor=cursor,
                status=status,
                if_none_match=if_none_match,
            )
        )

    def import_rows(
        self,
        id: int,
        *,
        limit: int | Unset = UNSET,
        status: ListImportRowsStatus | Unset = UNSET,
    ) -> Iterator[ImportedRow]:
        """List what an import changes.

        Goes through all pages, of `limit` each, from the first on."""

        cursor: str | Unset = UNSET
        while True:
            page = self.list_import_rows(id, limit=limit, status=status, cursor=cursor)
            for item in page.results:
                yield item
            if not page.next_ or page.next_ == cursor:
                return
            cursor = page.next_

    def confirm_import(
        self,
        id: int,
    ) -> Import:
        """Confirm an import."""

        return self._run(
            operations.confirm_import(
                id,
            )
        )

    def list_webhooks(
        self,
        *,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> Webhooks:
        """List the webhooks.

        Args:
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return self._run(
            operations.list_webhooks(
                if_none_match=if_none_match,
            )
        )

    def create_webhook(
        self,
        *,
        url: str,
        types: list[EventType],
        description: str | Unset = UNSET,
    ) -> CreatedWebhook:
        """Create a webhook.

        Args:
            url: Where events are sent: `https://`, and public addresses only. The operator may
                have allowed other networks, where `http://` works too.
            types: The types of events that are sent. To an account: those of its own ads, and
                those of conversations in which the other party has written. `searchMatched`: an
                ad has come to match a saved search. Only accounts are sent it.
            description: What the webhook is for.
        """

        return self._run(
            operations.create_webhook(
                url=url,
                types=types,
                description=description,
            )
        )

    def get_webhook(
        self,
        id: int,
        *,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> Webhook:
        """Get a webhook.

        Args:
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return self._run(
            operations.get_webhook(
                id,
                if_none_match=if_none_match,
            )
        )

    def delete_webhook(
        self,
        id: int,
    ) -> None:
        """Delete a webhook."""

        return self._run(
            operations.delete_webhook(
                id,
            )
        )

    def update_webhook(
        self,
        id: int,
        *,
        url: str | Unset = UNSET,
        types: list[EventType] | Unset = UNSET,
        description: str | Unset = UNSET,
        enabled: bool | Unset = UNSET,
    ) -> Webhook:
        """Change a webhook.

        Args:
            url: Where events are sent: `https://`, and public addresses only. The operator may
                have allowed other networks, where `http://` works too.
            types: The types of events that are sent. To an account: those of its own ads, and
                those of conversations in which the other party has written. `searchMatched`: an
                ad has come to match a saved search. Only accounts are sent it.
            description: What the webhook is for.
            enabled: Whether events are sent.
        """

        return self._run(
            operations.update_webhook(
                id,
                url=url,
                types=types,
                description=description,
                enabled=enabled,
            )
        )

    def rotate_webhook(
        self,
        id: int,
    ) -> CreatedWebhook:
        """Give a webhook another secret."""

        return self._run(
            operations.rotate_webhook(
                id,
            )
        )

    def test_webhook(
        self,
        id: int,
    ) -> None:
        """Send a test to a webhook."""

        return self._run(
            operations.test_webhook(
                id,
            )
        )

    def list_deliveries(
        self,
        id: int,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        status: DeliveryStatus | Unset = UNSET,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> Deliveries:
        """List the deliveries to a webhook.

        Args:
            status: What has become of a delivery to a webhook.
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return self._run(
            operations.list_deliveries(
                id,
                limit=limit,
                cursor=cursor,
                status=status,
                if_none_match=if_none_match,
            )
        )

    def deliveries(
        self,
        id: int,
        *,
        limit: int | Unset = UNSET,
        status: DeliveryStatus | Unset = UNSET,
    ) -> Iterator[Delivery]:
        """List the deliveries to a webhook.

        Goes through all pages, of `limit` each, from the first on.

        Args:
            status: What has become of a delivery to a webhook.
        """

        cursor: str | Unset = UNSET
        while True:
            page = self.list_deliveries(id, limit=limit, status=status, cursor=cursor)
            for item in page.results:
                yield item
            if not page.next_ or page.next_ == cursor:
                return
            cursor = page.next_

    def retry_delivery(
        self,
        id: int,
        delivery_id: int,
    ) -> None:
        """Send a delivery again."""

        return self._run(
            operations.retry_delivery(
                id,
                delivery_id,
            )
        )

    def replay_deliveries(
        self,
        id: int,
        *,
        since: int,
    ) -> None:
        """Send failed deliveries again.

        Args:
            since: Those that were queued since then, in milliseconds since 1970-01-01T00:00Z.
        """

        return self._run(
            operations.replay_deliveries(
                id,
                since=since,
            )
        )

    def list_my_webhooks(
        self,
        *,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> Webhooks:
        """List the webhooks.

        Args:
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return self._run(
            operations.list_my_webhooks(
                if_none_match=if_none_match,
            )
        )

    def create_my_webhook(
        self,
        *,
        url: str,
        types: list[EventType],
        description: str | Unset = UNSET,
    ) -> CreatedWebhook:
        """Create a webhook.

        Args:
            url: Where events are sent: `https://`, and public addresses only. The operator may
                have allowed other networks, where `http://` works too.
            types: The types of events that are sent. To an account: those of its own ads, and
                those of conversations in which the other party has written. `searchMatched`: an
                ad has come to match a saved search. Only accounts are sent it.
            description: What the webhook is for.
        """

        return self._run(
            operations.create_my_webhook(
                url=url,
                types=types,
                description=description,
            )
        )

    def get_my_webhook(
        self,
        id: int,
        *,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> Webhook:
        """Get a webhook.

        Args:
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return self._run(
            operations.get_my_webhook(
                id,
                if_none_match=if_none_match,
            )
        )

    def delete_my_webhook(
        self,
        id: int,
    ) -> None:
        """Delete a webhook."""

        return self._run(
            operations.delete_my_webhook(
                id,
            )
        )

    def update_my_webhook(
        self,
        id: int,
        *,
        url: str | Unset = UNSET,
        types: list[EventType] | Unset = UNSET,
        description: str | Unset = UNSET,
        enabled: bool | Unset = UNSET,
    ) -> Webhook:
        """Change a webhook.

        Args:
            url: Where events are sent: `https://`, and public addresses only. The operator may
                have allowed other networks, where `http://` works too.
            types: The types of events that are sent. To an account: those of its own ads, and
                those of conversations in which the other party has written. `searchMatched`: an
                ad has come to match a saved search. Only accounts are sent it.
            description: What the webhook is for.
            enabled: Whether events are sent.
        """

        return self._run(
            operations.update_my_webhook(
                id,
                url=url,
                types=types,
                description=description,
                enabled=enabled,
            )
        )

    def rotate_my_webhook(
        self,
        id: int,
    ) -> CreatedWebhook:
        """Give a webhook another secret."""

        return self._run(
            operations.rotate_my_webhook(
                id,
            )
        )

    def test_my_webhook(
        self,
        id: int,
    ) -> None:
        """Send a test to a webhook."""

        return self._run(
            operations.test_my_webhook(
                id,
            )
        )

    def list_my_deliveries(
        self,
        id: int,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        status: DeliveryStatus | Unset = UNSET,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> Deliveries:
        """List the deliveries to a webhook.

        Args:
            status: What has become of a delivery to a webhook.
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return self._run(
            operations.list_my_deliveries(
                id,
                limit=limit,
                cursor=cursor,
                status=status,
                if_none_match=if_none_match,
            )
        )

    def my_deliveries(
        self,
        id: int,
        *,
        limit: int | Unset = UNSET,
        status: DeliveryStatus | Unset = UNSET,
    ) -> Iterator[Delivery]:
        """List the deliveries to a webhook.

        Goes through all pages, of `limit` each, from the first on.

        Args:
            status: What has become of a delivery to a webhook.
        """

        cursor: str | Unset = UNSET
        while True:
            page = self.list_my_deliveries(id, limit=limit, status=status, cursor=cursor)
            for item in page.results:
                yield item
            if not page.next_ or page.next_ == cursor:
                return
            cursor = page.next_

    def retry_my_delivery(
        self,
        id: int,
        delivery_id: int,
    ) -> None:
        """Send a delivery again."""

        return self._run(
            operations.retry_my_delivery(
                id,
                delivery_id,
            )
        )

    def replay_my_deliveries(
        self,
        id: int,
        *,
        since: int,
    ) -> None:
        """Send failed deliveries again.

        Args:
            since: Those that were queued since then, in milliseconds since 1970-01-01T00:00Z.
        """

        return self._run(
            operations.replay_my_deliveries(
                id,
                since=since,
            )
        )

    def get_overview(
        self,
        *,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> Overview:
        """Get what waits and what grows.

        Args:
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return self._run(
            operations.get_overview(
                if_none_match=if_none_match,
            )
        )

    def list_all_ads(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        q: str | Unset = UNSET,
        status: AdStatus | Unset = UNSET,
        author: int | Unset = UNSET,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> AdministeredAds:
        """List ads of every status.

        Args:
            status: Where an ad is in its life. Everyone sees `active` and `reserved` ads. A `draft`
                is not published yet. The author marked it `sold` or `withdrawn`; it `expired`;
                or moderators `suspended` or `removed` it.
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return self._run(
            operations.list_all_ads(
                limit=limit,
                cursor=cursor,
                q=q,
                status=status,
                author=author,
                if_none_match=if_none_match,
            )
        )

    def all_ads(
        self,
        *,
        limit: int | Unset = UNSET,
        q: str | Unset = UNSET,
        status: AdStatus | Unset = UNSET,
        author: int | Unset = UNSET,
    ) -> Iterator[Ad]:
        """List ads of every status.

        Goes through all pages, of `limit` each, from the first on.

        Args:
            status: Where an ad is in its life. Everyone sees `active` and `reserved` ads. A `draft`
                is not published yet. The author marked it `sold` or `withdrawn`; it `expired`;
                or moderators `suspended` or `removed` it.
        """

        cursor: str | Unset = UNSET
        while True:
            page = self.list_all_ads(limit=limit, q=q, status=status, author=author, cursor=cursor)
            for item in page.results:
                yield item
            if not page.next_ or page.next_ == cursor:
                return
            cursor = page.next_

    def decide_ads(
        self,
        *,
        action: DecideAdsAction,
        ads: list[int],
        ground: DecisionGround | Unset = UNSET,
        explanation: str | Unset = UNSET,
        reference: str | Unset = UNSET,
        dry_run: bool | Unset = UNSET,
        idempotency_key: str | Unset = UNSET,
    ) -> DecidedAds:
        """Hide many ads, or show them again.

        Args:
            action: `suspendAd`: the ads are hidden. `restore`: the decisions that hide them are
                undone, and they are shown again.
            ads: The ids of the ads.
            ground: What a decision rests on: the law, or the terms of the site.
            explanation: The reasons. The person concerned receives them.
            reference: The paragraph of the law or of the terms that was broken.
            dry_run: Whether only to return what would happen. Nothing is changed then.
            idempotency_key: One is made for each call where it is left out.
        """

        return self._run(
            operations.decide_ads(
                action=action,
                ads=ads,
                ground=ground,
                explanation=explanation,
                reference=reference,
                dry_run=dry_run,
                idempotency_key=idempotency_key,
            )
        )

    def list_audit_events(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        actor: str | Unset = UNSET,
        kind: AuditKind | Unset = UNSET,
        ad: int | Unset = UNSET,
        user: int | Unset = UNSET,
        before: int | Unset = UNSET,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> AuditEvents:
        """List the audit trail.

        Args:
            kind: What an event of the audit trail is about.
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return self._run(
            operations.list_audit_events(
                limit=limit,
                cursor=cursor,
                actor=actor,
                kind=kind,
                ad=ad,
                user=user,
                before=before,
                if_none_match=if_none_match,
            )
        )

    def audit_events(
        self,
        *,
        limit: int | Unset = UNSET,
        actor: str | Unset = UNSET,
        kind: AuditKind | Unset = UNSET,
        ad: int | Unset = UNSET,
        user: int | Unset = UNSET,
        before: int | Unset = UNSET,
    ) -> Iterator[AuditEvent]:
        """List the audit trail.

        Goes through all pages, of `limit` each, from the first on.

        Args:
            kind: What an event of the audit trail is about.
        """

        cursor: str | Unset = UNSET
        while True:
            page = self.list_audit_events(
                limit=limit, actor=actor, kind=kind, ad=ad, user=user, before=before, cursor=cursor
            )
            for item in page.results:
                yield item
            if not page.next_ or page.next_ == cursor:
                return
            cursor = page.next_

    def list_settings(
        self,
        *,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> SettingList:
        """List the settings in force.

        Args:
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return self._run(
            operations.list_settings(
                if_none_match=if_none_match,
            )
        )

    def get_maintenance(
        self,
        *,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> Maintenance:
        """Get whether there is maintenance.

        Args:
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return self._run(
            operations.get_maintenance(
                if_none_match=if_none_match,
            )
        )

    def change_maintenance(
        self,
        *,
        mode: ChangeMaintenanceMode,
        text: str | Unset = UNSET,
        retry_after: int | Unset = UNSET,
    ) -> None:
        """Close the site, or all changes.

        Args:
            mode: `off`: the site is open. `read-only`: changes are refused with 503
                `maintenance`. `on`: so is all else. Administrators, logins and health checks
                get through.
            text: What users read. Empty for a text of the service.
            retry_after: After so many seconds clients may try again.
        """

        return self._run(
            operations.change_maintenance(
                mode=mode,
                text=text,
                retry_after=retry_after,
            )
        )

    def list_access_rules(
        self,
        *,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> AccessRuleList:
        """List the access rules.

        Args:
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return self._run(
            operations.list_access_rules(
                if_none_match=if_none_match,
            )
        )

    def change_access_rule(
        self,
        *,
        subject: str,
        factor: int,
        days: int | Unset = UNSET,
        note: str | Unset = UNSET,
    ) -> None:
        """Refuse a network, or raise its rate limits or an account's.

        Args:
            subject: An address, a network, or `user:` and the id of an account.
            factor: What multiplies the rate limits of the network or the account. 0 refuses all
                requests from the network: 403 `network-refused`. Probes get through. 1 removes
                the rule.
            days: For how many days.
            note: Why; only administrators read it.
        """

        return self._run(
            operations.change_access_rule(
                subject=subject,
                factor=factor,
                days=days,
                note=note,
            )
        )

    def list_jobs(
        self,
        *,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> JobList:
        """List the regular jobs.

        Args:
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return self._run(
            operations.list_jobs(
                if_none_match=if_none_match,
            )
        )

    def run_job(
        self,
        name: RunJobName,
    ) -> None:
        """Run a job now."""

        return self._run(
            operations.run_job(
                name,
            )
        )

    def list_outbox(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        status: ListOutboxStatus | Unset = UNSET,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> OutboxEntries:
        """List the outbox.

        Args:
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return self._run(
            operations.list_outbox(
                limit=limit,
                cursor=cursor,
                status=status,
                if_none_match=if_none_match,
            )
        )

    def outbox(
        self,
        *,
        limit: int | Unset = UNSET,
        status: ListOutboxStatus | Unset = UNSET,
    ) -> Iterator[OutboxEntry]:
        """List the outbox.

        Goes through all pages, of `limit` each, from the first on."""

        cursor: str | Unset = UNSET
        while True:
            page = self.list_outbox(limit=limit, status=status, cursor=cursor)
            for item in page.results:
                yield item
            if not page.next_ or page.next_ == cursor:
                return
            cursor = page.next_

    def retry_outbox_entry(
        self,
        id: int,
    ) -> None:
        """Try a dead letter again."""

        return self._run(
            operations.retry_outbox_entry(
                id,
            )
        )

    def delete_outbox_entry(
        self,
        id: int,
    ) -> None:
        """Delete an entry of the outbox."""

        return self._run(
            operations.delete_outbox_entry(
                id,
            )
        )

    def list_deletions(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> Deletions:
        """List deletions that can be undone.

        Args:
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return self._run(
            operations.list_deletions(
                limit=limit,
                cursor=cursor,
                if_none_match=if_none_match,
            )
        )

    def deletions(
        self,
        *,
        limit: int | Unset = UNSET,
    ) -> Iterator[Deletion]:
        """List deletions that can be undone.

        Goes through all pages, of `limit` each, from the first on."""

        cursor: str | Unset = UNSET
        while True:
            page = self.list_deletions(limit=limit, cursor=cursor)
            for item in page.results:
                yield item
            if not page.next_ or page.next_ == cursor:
                return
            cursor = page.next_

    def undo_deletion(
        self,
        id: int,
    ) -> None:
        """Undo a deletion."""

        return self._run(
            operations.undo_deletion(
                id,
            )
        )

    def purge_deletion(
        self,
        id: int,
    ) -> None:
        """Make a deletion final."""

        return self._run(
            operations.purge_deletion(
                id,
            )
        )

    def list_mails(
        self,
        *,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> MailTextsList:
        """List the texts of mails.

        Args:
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return self._run(
            operations.list_mails(
                if_none_match=if_none_match,
            )
        )

    def get_mail(
        self,
        kind: GetMailKind,
        *,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> MailTexts:
        """Get the texts of a mail.

        Args:
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return self._run(
            operations.get_mail(
                kind,
                if_none_match=if_none_match,
            )
        )

    def write_mail(
        self,
        kind: WriteMailKind,
        *,
        subject: Mapping[str, Any] | Unset = UNSET,
        intro: Mapping[str, Any] | Unset = UNSET,
    ) -> MailTexts:
        """Write the texts of a mail.

        Args:
            subject: The subject.
            intro: The beginning, in place of the first paragraph.
        """

        return self._run(
            operations.write_mail(
                kind,
                subject=subject,
                intro=intro,
            )
        )

    def test_mail(
        self,
        kind: TestMailKind,
    ) -> None:
        """Send a sample of a mail."""

        return self._run(
            operations.test_mail(
                kind,
            )
        )

    def get_administered_site(
        self,
        *,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> AdministeredSite:
        """Get what can be set of the site.

        Args:
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return self._run(
            operations.get_administered_site(
                if_none_match=if_none_match,
            )
        )

    def update_site(
        self,
        *,
        name: None | str | Unset = UNSET,
        currency: None | str | Unset = UNSET,
        price_decimals: int | None | Unset = UNSET,
        country: None | str | Unset = UNSET,
        languages: list[str] | None | Unset = UNSET,
        contact: UpdateSiteContact | Unset = UNSET,
        registration: UpdateSiteRegistration | Unset = UNSET,
        headline: None | Unset | UpdateSiteHeadlineType0 = UNSET,
        welcome: None | Unset | UpdateSiteWelcomeType0 = UNSET,
        banner: None | Unset | UpdateSiteBannerType0 = UNSET,
        sections: list[UpdateSection] | None | Unset = UNSET,
        colors: None | Unset | UpdateColors = UNSET,
        css: None | str | Unset = UNSET,
        analytics: Analytics | None | Unset = UNSET,
        embed_origins: list[str] | None | Unset = UNSET,
        terms_page: None | str | Unset = UNSET,
        features: None | Unset | UpdateSiteFeaturesType0 = UNSET,
        if_match: IfMatch | Unset = UNSET,
    ) -> AdministeredSite:
        """Change the site.

        Args:
            name: The site's name.
            currency: The currency of all prices (ISO 4217). Prices are not converted.
            price_decimals: How many digits of a price are behind the decimal mark: 0, 2 or 3. Refused while
                there are ads.
            country: The country of phone numbers without a country code (ISO 3166-1).
            languages: The languages of the site, the default first. The service has texts in `en`,
                `de` and `ru`.
            contact: `open`: `GET /ads/{id}` has the contact of the ad's author. `hidden`: for other
                accounts it is empty; they write a message, or read the phone number by `POST
                /ads/{id}/phone`.
            registration: `open`: anyone may register. `invitation`: those with an invitation. `closed`:
                no one, by `POST /register`.
            headline: The line at the top of the home page; null removes a language.
            welcome: A text below the headline.
            banner: An announcement on every page.
            sections: The sections of the home page, in their order.
            colors: Other colours.
            css: Style rules for every page of the storefront. They load nothing from elsewhere.
            analytics: Scripts of others, which every page loads. Null for none.
            embed_origins: The origins whose pages may have `GET /embed`, a list of ads, in a frame.
            terms_page: The slug of a page that accounts have to accept: new ones when they are made,
                others before their next change, and again after each `POST
                /admin/pages/{slug}/publish`.
            features: What the site offers; others stay as they are.
            if_match: What was read, or its tag.
        """

        return self._run(
            operations.update_site(
                name=name,
                currency=currency,
                price_decimals=price_decimals,
                country=country,
                languages=languages,
                contact=contact,
                registration=registration,
                headline=headline,
                welcome=welcome,
                banner=banner,
                sections=sections,
                colors=colors,
                css=css,
                analytics=analytics,
                embed_origins=embed_origins,
                terms_page=terms_page,
                features=features,
                if_match=if_match,
            )
        )

    def replace_site_logo(
        self,
        *,
        image: Upload,
        if_match: IfMatch | Unset = UNSET,
    ) -> AdministeredSite:
        """Replace the site's logo.

        Args:
            image: A JPEG, PNG or WebP file. Its content decides, not its name or type.
            if_match: What was read, or its tag.
        """

        return self._run(
            operations.replace_site_logo(
                image=image,
                if_match=if_match,
            )
        )

    def remove_site_logo(
        self,
        *,
        if_match: IfMatch | Unset = UNSET,
    ) -> AdministeredSite:
        """Remove the site's logo.

        Args:
            if_match: What was read, or its tag.
        """

        return self._run(
            operations.remove_site_logo(
                if_match=if_match,
            )
        )

    def replace_site_icon(
        self,
        *,
        image: Upload,
        if_match: IfMatch | Unset = UNSET,
    ) -> AdministeredSite:
        """Replace the site's icon.

        Args:
            image: A JPEG, PNG or WebP file. Its content decides, not its name or type.
            if_match: What was read, or its tag.
        """

        return self._run(
            operations.replace_site_icon(
                image=image,
                if_match=if_match,
            )
        )

    def remove_site_icon(
        self,
        *,
        if_match: IfMatch | Unset = UNSET,
    ) -> AdministeredSite:
        """Remove the site's icon.

        Args:
            if_match: What was read, or its tag.
        """

        return self._run(
            operations.remove_site_icon(
                if_match=if_match,
            )
        )

    def list_site_changes(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> SiteChanges:
        """List the changes of the site.

        Args:
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return self._run(
            operations.list_site_changes(
                limit=limit,
                cursor=cursor,
                if_none_match=if_none_match,
            )
        )

    def site_changes(
        self,
        *,
        limit: int | Unset = UNSET,
    ) -> Iterator[SiteChange]:
        """List the changes of the site.

        Goes through all pages, of `limit` each, from the first on."""

        cursor: str | Unset = UNSET
        while True:
            page = self.list_site_changes(limit=limit, cursor=cursor)
            for item in page.results:
                yield item
            if not page.next_ or page.next_ == cursor:
                return
            cursor = page.next_

    def restore_site(
        self,
        id: int,
    ) -> AdministeredSite:
        """Undo a change of the site."""

        return self._run(
            operations.restore_site(
                id,
            )
        )

    def list_site_pages(
        self,
        *,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> SitePages:
        """List the pages of the site.

        Args:
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return self._run(
            operations.list_site_pages(
                if_none_match=if_none_match,
            )
        )

    def get_site_page(
        self,
        slug: str,
        *,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> SitePage:
        """Get a page of the site.

        Args:
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return self._run(
            operations.get_site_page(
                slug,
                if_none_match=if_none_match,
            )
        )

    def save_site_page(
        self,
        slug: str,
        *,
        title: Mapping[str, Any],
        text: Mapping[str, Any],
        place: SavePagePlace | Unset = UNSET,
        position: int | Unset = UNSET,
        if_match: IfMatch | Unset = UNSET,
    ) -> SitePage:
        """Create or replace a page of the site.

        Args:
            title: Its title, by language: at least one.
            text: Its text in Markdown, in the same languages.
            place: Where its links are: at the foot of every page, in the menu, or on no page.
            position: Its place among the pages: lower ones come first.
            if_match: What was read, or its tag.
        """

        return self._run(
            operations.save_site_page(
                slug,
                title=title,
                text=text,
                place=place,
                position=position,
                if_match=if_match,
            )
        )

    def delete_site_page(
        self,
        slug: str,
        *,
        if_match: IfMatch | Unset = UNSET,
    ) -> None:
        """Delete a page of the site.

        Args:
            if_match: What was read, or its tag.
        """

        return self._run(
            operations.delete_site_page(
                slug,
                if_match=if_match,
            )
        )

    def publish_site_page(
        self,
        slug: str,
        *,
        if_match: IfMatch | Unset = UNSET,
    ) -> SitePage:
        """Publish a new version of a page.

        Args:
            if_match: What was read, or its tag.
        """

        return self._run(
            operations.publish_site_page(
                slug,
                if_match=if_match,
            )
        )

    def list_invitations(
        self,
        *,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> SiteInvitations:
        """List the invitations to register.

        Args:
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return self._run(
            operations.list_invitations(
                if_none_match=if_none_match,
            )
        )

    def create_invitation(
        self,
        *,
        uses: int | Unset = UNSET,
        expires_at: int | None | Unset = UNSET,
    ) -> CreatedInvitation:
        """Create an invitation to register.

        Args:
            uses: How many accounts it is good for.
            expires_at: When it ends, in milliseconds since 1970-01-01T00:00Z. Null if it does not.
        """

        return self._run(
            operations.create_invitation(
                uses=uses,
                expires_at=expires_at,
            )
        )

    def delete_invitation(
        self,
        id: int,
    ) -> None:
        """Delete an invitation."""

        return self._run(
            operations.delete_invitation(
                id,
            )
        )

    def log_in_by_provider(
        self,
        *,
        code: str,
        invitation: str | Unset = UNSET,
        accepted_terms: int | None | Unset = UNSET,
    ) -> TokenPair:
        """Log in by the code of a provider's login.

        Args:
            code: The part of the address after `#code=`. It counts once, within ten minutes, in
                the browser that began the login.
            invitation: The code of an invitation, where `registration` of `GET /site` is `invitation`.
            accepted_terms: The `version` of `terms` of `GET /site`, where there are any and the person
                accepts them.
        """

        return self._run(
            operations.log_in_by_provider(
                code=code,
                invitation=invitation,
                accepted_terms=accepted_terms,
            )
        )

    def link_identity(
        self,
        *,
        challenge: str | Unset = UNSET,
        current_password: str | Unset = UNSET,
        token: str | Unset = UNSET,
        code: str | Unset = UNSET,
    ) -> TokenPair:
        """Confirm that a provider's person may use an account.

        Args:
            challenge: That of the refused login. It counts once, within an hour, in the browser that
                began the login.
            current_password: The account's password.
            token: The part of the mailed link after `#token=`. It works once, for a limited time.
            code: Required of an account with an authenticator app: a code of it, or a recovery
                code.
        """

        return self._run(
            operations.link_identity(
                challenge=challenge,
                current_password=current_password,
                token=token,
                code=code,
            )
        )

    def list_my_identities(
        self,
        *,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> Identities:
        """List what the caller signs in with at providers.

        Args:
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return self._run(
            operations.list_my_identities(
                if_none_match=if_none_match,
            )
        )

    def add_identity(
        self,
        *,
        code: str,
        current_password: str | Unset = UNSET,
    ) -> None:
        """Add what the caller signs in with at a provider.

        Args:
            code: The part of the address after `#code=`. It counts once, within ten minutes, in
                the browser that began the login.
            current_password: The account's password, which confirms the change. Required of an account that
                has one; another one needs a login of the last five minutes.
        """

        return self._run(
            operations.add_identity(
                code=code,
                current_password=current_password,
            )
        )

    def delete_identity(
        self,
        id: int,
    ) -> None:
        """Remove what the caller signs in with at a provider."""

        return self._run(
            operations.delete_identity(
                id,
            )
        )

    def list_providers(
        self,
        *,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> IdentityProviders:
        """List the OpenID providers.

        Args:
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return self._run(
            operations.list_providers(
                if_none_match=if_none_match,
            )
        )

    def get_provider(
        self,
        id: str,
        *,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> IdentityProvider:
        """Get an OpenID provider.

        Args:
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return self._run(
            operations.get_provider(
                id,
                if_none_match=if_none_match,
            )
        )

    def put_provider(
        self,
        id: str,
        *,
        name: str,
        issuer: str,
        client_id: str,
        client_secret: str | Unset = UNSET,
    ) -> IdentityProvider:
        """Add or replace an OpenID provider.

        Args:
            name: The provider's name, for the button.
            issuer: Its issuer, exactly as its metadata have it (OpenID Connect Discovery 1.0).
            client_id: The site's id at the provider.
            client_secret: The site's secret at the provider. It is stored encrypted and never returned.
                Left out, the one before stays.
        """

        return self._run(
            operations.put_provider(
                id,
                name=name,
                issuer=issuer,
                client_id=client_id,
                client_secret=client_secret,
            )
        )

    def delete_provider(
        self,
        id: str,
    ) -> None:
        """Delete an OpenID provider."""

        return self._run(
            operations.delete_provider(
                id,
            )
        )

    def get_seller(
        self,
        id: int,
        *,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> Seller:
        """Get what everyone sees of an account.

        Args:
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return self._run(
            operations.get_seller(
                id,
                if_none_match=if_none_match,
            )
        )

    def get_moderated_image(
        self,
        name: str,
    ) -> bytes:
        """Get a picture that may be hidden."""

        return self._run(
            operations.get_moderated_image(
                name,
            )
        )

    def request_mail_verification(
        self,
    ) -> None:
        """Send the confirmation link again."""

        return self._run(operations.request_mail_verification())

    def verify_mail(
        self,
        *,
        token: str,
    ) -> None:
        """Confirm a mail address.

        Args:
            token: The part of the mailed link after `#token=`. It works once, for a limited time.
        """

        return self._run(
            operations.verify_mail(
                token=token,
            )
        )

    def report_login(
        self,
        *,
        token: str,
        end_keys: bool | Unset = UNSET,
    ) -> None:
        """Report a login as somebody else's.

        Args:
            token: The part of the mailed link after `#token=`. It works once, for a limited time.
            end_keys: Whether all keys of the account are deleted, too, and its webhooks disabled.
                They outlive its sessions and passwords.
        """

        return self._run(
            operations.report_login(
                token=token,
                end_keys=end_keys,
            )
        )

    def forgot_password(
        self,
        *,
        username: str,
    ) -> None:
        """Request a link to replace a forgotten password.

        Args:
            username: The account's user name, in upper or lower case. Spaces and invisible characters
                around it do not count.
        """

        return self._run(
            operations.forgot_password(
                username=username,
            )
        )

    def reset_password(
        self,
        *,
        token: str,
        new_password: str,
        end_keys: bool | Unset = UNSET,
        code: str | Unset = UNSET,
    ) -> None:
        """Replace a forgotten password.

        Args:
            token: The part of the mailed link after `#token=`. It works once, for a limited time.
            new_password: The new password. Frequent passwords, sequences and passwords made of the
                account's names are refused (`weak-password`).
            end_keys: Whether all keys of the account are deleted, too, and its webhooks disabled.
                They outlive its sessions and passwords.
            code: Required of an account with an authenticator app: a code of it, or a recovery
                code.
        """

        return self._run(
            operations.reset_password(
                token=token,
                new_password=new_password,
                end_keys=end_keys,
                code=code,
            )
        )

    def unsubscribe(
        self,
        *,
        token: str,
    ) -> None:
        """End mails of one kind."""

        return self._run(
            operations.unsubscribe(
                token=token,
            )
        )

    def write_about_ad(
        self,
        id: int,
        *,
        text: str,
        idempotency_key: str | Unset = UNSET,
    ) -> Message:
        """Write to the author of an ad.

        Args:
            text: Text of the message. Line breaks are kept.
            idempotency_key: One is made for each call where it is left out.
        """

        return self._run(
            operations.write_about_ad(
                id,
                text=text,
                idempotency_key=idempotency_key,
            )
        )

    def read_phone(
        self,
        id: int,
    ) -> PhoneNumber:
        """Read the phone number of an ad's author."""

        return self._run(
            operations.read_phone(
                id,
            )
        )

    def accept_offer(
        self,
        id: int,
        *,
        idempotency_key: str | Unset = UNSET,
    ) -> Offer:
        """Accept an offer.

        Args:
            idempotency_key: One is made for each call where it is left out.
        """

        return self._run(
            operations.accept_offer(
                id,
                idempotency_key=idempotency_key,
            )
        )

    def decline_offer(
        self,
        id: int,
        *,
        idempotency_key: str | Unset = UNSET,
    ) -> Offer:
        """Decline an offer.

        Args:
            idempotency_key: One is made for each call where it is left out.
        """

        return self._run(
            operations.decline_offer(
                id,
                idempotency_key=idempotency_key,
            )
        )

    def withdraw_offer(
        self,
        id: int,
        *,
        idempotency_key: str | Unset = UNSET,
    ) -> Offer:
        """Withdraw an offer.

        Args:
            idempotency_key: One is made for each call where it is left out.
        """

        return self._run(
            operations.withdraw_offer(
                id,
                idempotency_key=idempotency_key,
            )
        )

    def finish_offer(
        self,
        id: int,
        *,
        idempotency_key: str | Unset = UNSET,
    ) -> Offer:
        """Mark a deal as done.

        Args:
            idempotency_key: One is made for each call where it is left out.
        """

        return self._run(
            operations.finish_offer(
                id,
                idempotency_key=idempotency_key,
            )
        )

    def find_places(
        self,
        *,
        q: str,
        near: str | Unset = UNSET,
        country: str | Unset = UNSET,
        limit: int | Unset = UNSET,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> Places:
        """Find places by name or postcode.

        Args:
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return self._run(
            operations.find_places(
                q=q,
                near=near,
                country=country,
                limit=limit,
                if_none_match=if_none_match,
            )
        )

    def nearest_place(
        self,
        *,
        near: str,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> Place:
        """Get the place nearest to a point.

        Args:
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return self._run(
            operations.nearest_place(
                near=near,
                if_none_match=if_none_match,
            )
        )

    def get_site(
        self,
        *,
        if_none_match: IfMatch | Unset = UNSET,
    ) -> Site:
        """Get the site's name, currency, languages and limits.

        Args:
            if_none_match: What was read before, which is returned if it is still the same; or its tag,
                which then ends in `NotModifiedError`.
        """

        return self._run(
            operations.get_site(
                if_none_match=if_none_match,
            )
        )

    def is_alive(
        self,
    ) -> Health:
        """Check whether the process runs."""

        return self._run(operations.is_alive())

    def is_ready(
        self,
        *,
        require: list[ReadinessPart] | Unset = UNSET,
    ) -> Ready:
        """Check whether the process can serve."""

        return self._run(
            operations.is_ready(
                require=require,
            )
        )
