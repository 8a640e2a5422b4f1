"""Each operation as what is sent and how its answer is read; nothing here sends anything."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, cast
from urllib.parse import quote

import httpx2

from ..operation import IfMatch, Operation
from ..uploads import Text, Upload, several
from .models.accept_terms import AcceptTerms
from .models.access_rule_list import AccessRuleList
from .models.account import Account
from .models.account_export import AccountExport
from .models.account_limits import AccountLimits
from .models.account_status import AccountStatus
from .models.accounts import Accounts
from .models.ad import Ad
from .models.ad_details import AdDetails
from .models.ad_facets import AdFacets
from .models.ad_map import AdMap
from .models.ad_stats import AdStats
from .models.ad_status import AdStatus
from .models.add_identity import AddIdentity
from .models.administered_ads import AdministeredAds
from .models.administered_site import AdministeredSite
from .models.ads import Ads
from .models.analytics import Analytics
from .models.answer_rating import AnswerRating
from .models.appeal_by_token import AppealByToken
from .models.attribute import Attribute
from .models.audit_events import AuditEvents
from .models.audit_kind import AuditKind
from .models.begin_passkey import BeginPasskey
from .models.blocks import Blocks
from .models.case import Case
from .models.case_status import CaseStatus
from .models.cases import Cases
from .models.categories import Categories
from .models.category import Category
from .models.category_definition import CategoryDefinition
from .models.category_definition_names import CategoryDefinitionNames
from .models.category_definition_synonyms import CategoryDefinitionSynonyms
from .models.change_access_rule import ChangeAccessRule
from .models.change_maintenance import ChangeMaintenance
from .models.change_maintenance_mode import ChangeMaintenanceMode
from .models.change_role import ChangeRole
from .models.comment import Comment
from .models.comments import Comments
from .models.confirm_totp import ConfirmTotp
from .models.confirmed_totp import ConfirmedTotp
from .models.conversation import Conversation
from .models.conversations import Conversations
from .models.create_ad import CreateAd
from .models.create_ad_attributes import CreateAdAttributes
from .models.create_ad_status import CreateAdStatus
from .models.create_appeal import CreateAppeal
from .models.create_draft import CreateDraft
from .models.create_draft_attributes import CreateDraftAttributes
from .models.create_import_mode import CreateImportMode
from .models.create_invitation import CreateInvitation
from .models.create_key import CreateKey
from .models.create_message import CreateMessage
from .models.create_offer import CreateOffer
from .models.create_or_update_ad import CreateOrUpdateAd
from .models.create_or_update_ad_attributes import CreateOrUpdateAdAttributes
from .models.create_or_update_comment import CreateOrUpdateComment
from .models.create_passkey import CreatePasskey
from .models.create_rating import CreateRating
from .models.create_report import CreateReport
from .models.create_search import CreateSearch
from .models.create_search_notify import CreateSearchNotify
from .models.create_totp import CreateTotp
from .models.create_webhook import CreateWebhook
from .models.created_invitation import CreatedInvitation
from .models.created_key import CreatedKey
from .models.created_totp import CreatedTotp
from .models.created_webhook import CreatedWebhook
from .models.deals import Deals
from .models.decide_ads import DecideAds
from .models.decide_ads_action import DecideAdsAction
from .models.decided_ads import DecidedAds
from .models.decision import Decision
from .models.decision_ground import DecisionGround
from .models.decisions import Decisions
from .models.delete_totp import DeleteTotp
from .models.delete_user import DeleteUser
from .models.deletions import Deletions
from .models.deliveries import Deliveries
from .models.delivery_status import DeliveryStatus
from .models.event_type import EventType
from .models.events import Events
from .models.expelled_content import ExpelledContent
from .models.expulsion import Expulsion
from .models.extended_ad import ExtendedAd
from .models.favorites import Favorites
from .models.forget_push import ForgetPush
from .models.forgot_password import ForgotPassword
from .models.get_mail_kind import GetMailKind
from .models.health import Health
from .models.identities import Identities
from .models.identity_provider import IdentityProvider
from .models.identity_providers import IdentityProviders
from .models.image_order import ImageOrder
from .models.images import Images
from .models.import_ import Import
from .models.imported_rows import ImportedRows
from .models.imports import Imports
from .models.job_list import JobList
from .models.key_scope import KeyScope
from .models.keys import Keys
from .models.link_identity import LinkIdentity
from .models.list_import_rows_status import ListImportRowsStatus
from .models.list_outbox_status import ListOutboxStatus
from .models.location import Location
from .models.login import Login
from .models.made_decision import MadeDecision
from .models.mail_attempts import MailAttempts
from .models.mail_texts import MailTexts
from .models.mail_texts_list import MailTextsList
from .models.maintenance import Maintenance
from .models.make_decision import MakeDecision
from .models.make_decision_action import MakeDecisionAction
from .models.message import Message
from .models.messages import Messages
from .models.move_ads import MoveAds
from .models.moved_ads import MovedAds
from .models.new_password import NewPassword
from .models.notifications import Notifications
from .models.offer import Offer
from .models.outbox_entries import OutboxEntries
from .models.overview import Overview
from .models.own_ads import OwnAds
from .models.passkey import Passkey
from .models.passkey_assertion import PasskeyAssertion
from .models.passkey_attestation import PasskeyAttestation
from .models.passkey_creation_options import PasskeyCreationOptions
from .models.passkey_login import PasskeyLogin
from .models.passkey_request_options import PasskeyRequestOptions
from .models.passkeys import Passkeys
from .models.phone_number import PhoneNumber
from .models.place import Place
from .models.places import Places
from .models.preferences import Preferences
from .models.price_type import PriceType
from .models.provider_login import ProviderLogin
from .models.push_browsers import PushBrowsers
from .models.push_keys import PushKeys
from .models.push_subscription import PushSubscription
from .models.put_provider import PutProvider
from .models.rating import Rating
from .models.ratings import Ratings
from .models.read_decision import ReadDecision
from .models.read_messages import ReadMessages
from .models.read_notifications import ReadNotifications
from .models.readiness_part import ReadinessPart
from .models.ready import Ready
from .models.register import Register
from .models.replay_deliveries import ReplayDeliveries
from .models.report import Report
from .models.report_login import ReportLogin
from .models.report_reason import ReportReason
from .models.reset_password import ResetPassword
from .models.role import Role
from .models.run_job_name import RunJobName
from .models.sale import Sale
from .models.save_page import SavePage
from .models.save_page_place import SavePagePlace
from .models.save_page_text import SavePageText
from .models.save_page_title import SavePageTitle
from .models.saved_search import SavedSearch
from .models.saved_searches import SavedSearches
from .models.search_ads import SearchAds
from .models.second_factor import SecondFactor
from .models.seller import Seller
from .models.sessions import Sessions
from .models.set_up import SetUp
from .models.set_up_categories import SetUpCategories
from .models.setting_list import SettingList
from .models.similar_ads import SimilarAds
from .models.site import Site
from .models.site_changes import SiteChanges
from .models.site_invitations import SiteInvitations
from .models.site_page import SitePage
from .models.site_pages import SitePages
from .models.sort import Sort
from .models.statement import Statement
from .models.suggestions import Suggestions
from .models.test_mail_kind import TestMailKind
from .models.token_form_grant_type import TokenFormGrantType
from .models.token_pair import TokenPair
from .models.update_colors import UpdateColors
from .models.update_mail import UpdateMail
from .models.update_mail_intro import UpdateMailIntro
from .models.update_mail_subject import UpdateMailSubject
from .models.update_message_ways import UpdateMessageWays
from .models.update_preferences import UpdatePreferences
from .models.update_search import UpdateSearch
from .models.update_search_notify import UpdateSearchNotify
from .models.update_section import UpdateSection
from .models.update_site import UpdateSite
from .models.update_site_banner_type_0 import UpdateSiteBannerType0
from .models.update_site_contact import UpdateSiteContact
from .models.update_site_features_type_0 import UpdateSiteFeaturesType0
from .models.update_site_headline_type_0 import UpdateSiteHeadlineType0
from .models.update_site_registration import UpdateSiteRegistration
from .models.update_site_welcome_type_0 import UpdateSiteWelcomeType0
from .models.update_user import UpdateUser
from .models.update_ways import UpdateWays
from .models.update_webhook import UpdateWebhook
from .models.user import User
from .models.verify_mail import VerifyMail
from .models.webhook import Webhook
from .models.webhooks import Webhooks
from .models.write_mail_kind import WriteMailKind
from .types import UNSET, Unset


def _read_login(response: httpx2.Response) -> TokenPair:
    return TokenPair.from_dict(response.json())


def login(
    *,
    username: str,
    password: str,
) -> Operation[TokenPair]:
    return Operation(
        name="login",
        method="POST",
        path="/login",
        read=_read_login,
        secured=False,
        json=Login(
            username=username,
            password=password,
        ).to_dict(),
    )


def _read_complete_login(response: httpx2.Response) -> TokenPair:
    return TokenPair.from_dict(response.json())


def complete_login(
    *,
    challenge: str,
    code: str,
) -> Operation[TokenPair]:
    return Operation(
        name="complete_login",
        method="POST",
        path="/login/second-factor",
        read=_read_complete_login,
        secured=False,
        json=SecondFactor(
            challenge=challenge,
            code=code,
        ).to_dict(),
    )


def _read_register(response: httpx2.Response) -> User:
    return User.from_dict(response.json())


def register(
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
) -> Operation[User]:
    return Operation(
        name="register",
        method="POST",
        path="/register",
        read=_read_register,
        secured=False,
        json=Register(
            username=username,
            password=password,
            invitation=invitation,
            accepted_terms=accepted_terms,
            first_name=first_name,
            last_name=last_name,
            phone=phone,
            role=role,
        ).to_dict(),
        keyed=True,
        idempotency_key=idempotency_key,
    )


def _read_validate_register(_: httpx2.Response) -> None:
    return None


def validate_register(
    *,
    username: str,
    password: str,
    invitation: str | Unset = UNSET,
    accepted_terms: int | None | Unset = UNSET,
    first_name: str | Unset = UNSET,
    last_name: str | Unset = UNSET,
    phone: str | Unset = UNSET,
    role: Literal["USER"] | Unset = UNSET,
) -> Operation[None]:
    return Operation(
        name="validate_register",
        method="POST",
        path="/register",
        read=_read_validate_register,
        secured=False,
        query={
            "validate": "true",
        },
        json=Register(
            username=username,
            password=password,
            invitation=invitation,
            accepted_terms=accepted_terms,
            first_name=first_name,
            last_name=last_name,
            phone=phone,
            role=role,
        ).to_dict(),
    )


def _read_set_up(response: httpx2.Response) -> User:
    return User.from_dict(response.json())


def set_up(
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
) -> Operation[User]:
    return Operation(
        name="set_up",
        method="POST",
        path="/setup",
        read=_read_set_up,
        secured=False,
        json=SetUp(
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
        ).to_dict(),
    )


def _read_issue_token(response: httpx2.Response) -> TokenPair:
    return TokenPair.from_dict(response.json())


def issue_token(
    *,
    grant_type: TokenFormGrantType,
    username: str | Unset = UNSET,
    password: str | Unset = UNSET,
    refresh_token: str | Unset = UNSET,
) -> Operation[TokenPair]:
    return Operation(
        name="issue_token",
        method="POST",
        path="/token",
        read=_read_issue_token,
        secured=False,
        form={
            "grant_type": grant_type,
            "username": username,
            "password": password,
            "refresh_token": refresh_token,
        },
    )


def _read_revoke_token(_: httpx2.Response) -> None:
    return None


def revoke_token(
    *,
    token: str,
    token_type_hint: str | Unset = UNSET,
) -> Operation[None]:
    return Operation(
        name="revoke_token",
        method="POST",
        path="/revoke",
        read=_read_revoke_token,
        secured=False,
        form={
            "token": token,
            "token_type_hint": token_type_hint,
        },
    )


def _read_get_me(response: httpx2.Response) -> User:
    return User.from_dict(response.json())


def get_me(
    *,
    if_none_match: IfMatch | Unset = UNSET,
) -> Operation[User]:
    return Operation(
        name="get_me",
        method="GET",
        path="/users/me",
        read=_read_get_me,
        secured=True,
        if_none_match=if_none_match,
    )


def _read_delete_me(_: httpx2.Response) -> None:
    return None


def delete_me(
    *,
    current_password: str | Unset = UNSET,
    if_match: IfMatch | Unset = UNSET,
) -> Operation[None]:
    return Operation(
        name="delete_me",
        method="DELETE",
        path="/users/me",
        read=_read_delete_me,
        secured=True,
        json=DeleteUser(
            current_password=current_password,
        ).to_dict(),
        if_match=if_match,
    )


def _read_update_me(response: httpx2.Response) -> User:
    return User.from_dict(response.json())


def update_me(
    *,
    first_name: str | Unset = UNSET,
    last_name: str | Unset = UNSET,
    phone: str | Unset = UNSET,
    mail: str | Unset = UNSET,
    current_password: str | Unset = UNSET,
    if_match: IfMatch | Unset = UNSET,
) -> Operation[User]:
    return Operation(
        name="update_me",
        method="PATCH",
        path="/users/me",
        read=_read_update_me,
        secured=True,
        json=UpdateUser(
            first_name=first_name,
            last_name=last_name,
            phone=phone,
            mail=mail,
            current_password=current_password,
        ).to_dict(),
        if_match=if_match,
    )


def _read_validate_update_me(_: httpx2.Response) -> None:
    return None


def validate_update_me(
    *,
    first_name: str | Unset = UNSET,
    last_name: str | Unset = UNSET,
    phone: str | Unset = UNSET,
    mail: str | Unset = UNSET,
    current_password: str | Unset = UNSET,
    if_match: IfMatch | Unset = UNSET,
) -> Operation[None]:
    return Operation(
        name="validate_update_me",
        method="PATCH",
        path="/users/me",
        read=_read_validate_update_me,
        secured=True,
        query={
            "validate": "true",
        },
        json=UpdateUser(
            first_name=first_name,
            last_name=last_name,
            phone=phone,
            mail=mail,
            current_password=current_password,
        ).to_dict(),
        if_match=if_match,
    )


def _read_get_my_limits(response: httpx2.Response) -> AccountLimits:
    return AccountLimits.from_dict(response.json())


def get_my_limits(
    *,
    if_none_match: IfMatch | Unset = UNSET,
) -> Operation[AccountLimits]:
    return Operation(
        name="get_my_limits",
        method="GET",
        path="/users/me/limits",
        read=_read_get_my_limits,
        secured=True,
        if_none_match=if_none_match,
    )


def _read_accept_terms(_: httpx2.Response) -> None:
    return None


def accept_terms(
    *,
    version: int,
) -> Operation[None]:
    return Operation(
        name="accept_terms",
        method="POST",
        path="/users/me/terms",
        read=_read_accept_terms,
        secured=True,
        json=AcceptTerms(
            version=version,
        ).to_dict(),
    )


def _read_replace_my_image(response: httpx2.Response) -> User:
    return User.from_dict(response.json())


def replace_my_image(
    *,
    image: Upload,
    if_match: IfMatch | Unset = UNSET,
) -> Operation[User]:
    return Operation(
        name="replace_my_image",
        method="PATCH",
        path="/users/me/image",
        read=_read_replace_my_image,
        secured=True,
        files={
            "image": [image],
        },
        if_match=if_match,
    )


def _read_export_me(response: httpx2.Response) -> AccountExport:
    return AccountExport.from_dict(response.json())


def export_me() -> Operation[AccountExport]:
    return Operation(
        name="export_me",
        method="GET",
        path="/users/me/export",
        read=_read_export_me,
        secured=True,
    )


def _read_export_user(response: httpx2.Response) -> AccountExport:
    return AccountExport.from_dict(response.json())


def export_user(
    id: int,
) -> Operation[AccountExport]:
    return Operation(
        name="export_user",
        method="GET",
        path="/users/{id}/export".format(
            id=quote(str(id), safe=""),
        ),
        read=_read_export_user,
        secured=True,
    )


def _read_export_my_ads(_: httpx2.Response) -> None:
    return None


def export_my_ads() -> Operation[None]:
    return Operation(
        name="export_my_ads",
        method="GET",
        path="/users/me/export/ads",
        read=_read_export_my_ads,
        secured=True,
    )


def _read_set_password(response: httpx2.Response) -> TokenPair:
    return TokenPair.from_dict(response.json())


def set_password(
    *,
    current_password: str,
    new_password: str,
) -> Operation[TokenPair]:
    return Operation(
        name="set_password",
        method="POST",
        path="/users/set_password",
        read=_read_set_password,
        secured=True,
        json=NewPassword(
            current_password=current_password,
            new_password=new_password,
        ).to_dict(),
    )


def _read_change_password(response: httpx2.Response) -> TokenPair:
    return TokenPair.from_dict(response.json())


def change_password(
    *,
    current_password: str,
    new_password: str,
) -> Operation[TokenPair]:
    return Operation(
        name="change_password",
        method="PATCH",
        path="/users/set_password",
        read=_read_change_password,
        secured=True,
        json=NewPassword(
            current_password=current_password,
            new_password=new_password,
        ).to_dict(),
    )


def _read_list_my_sessions(response: httpx2.Response) -> Sessions:
    return Sessions.from_dict(response.json())


def list_my_sessions(
    *,
    if_none_match: IfMatch | Unset = UNSET,
) -> Operation[Sessions]:
    return Operation(
        name="list_my_sessions",
        method="GET",
        path="/users/me/sessions",
        read=_read_list_my_sessions,
        secured=True,
        if_none_match=if_none_match,
    )


def _read_end_my_session(_: httpx2.Response) -> None:
    return None


def end_my_session(
    id: int,
) -> Operation[None]:
    return Operation(
        name="end_my_session",
        method="DELETE",
        path="/users/me/sessions/{id}".format(
            id=quote(str(id), safe=""),
        ),
        read=_read_end_my_session,
        secured=True,
    )


def _read_list_my_keys(response: httpx2.Response) -> Keys:
    return Keys.from_dict(response.json())


def list_my_keys(
    *,
    if_none_match: IfMatch | Unset = UNSET,
) -> Operation[Keys]:
    return Operation(
        name="list_my_keys",
        method="GET",
        path="/users/me/keys",
        read=_read_list_my_keys,
        secured=True,
        if_none_match=if_none_match,
    )


def _read_create_key(response: httpx2.Response) -> CreatedKey:
    return CreatedKey.from_dict(response.json())


def create_key(
    *,
    name: str,
    scopes: list[KeyScope],
    expires_at: int | None | Unset = UNSET,
    current_password: str | Unset = UNSET,
) -> Operation[CreatedKey]:
    return Operation(
        name="create_key",
        method="POST",
        path="/users/me/keys",
        read=_read_create_key,
        secured=True,
        json=CreateKey(
            name=name,
            scopes=scopes,
            expires_at=expires_at,
            current_password=current_password,
        ).to_dict(),
    )


def _read_delete_key(_: httpx2.Response) -> None:
    return None


def delete_key(
    id: int,
) -> Operation[None]:
    return Operation(
        name="delete_key",
        method="DELETE",
        path="/users/me/keys/{id}".format(
            id=quote(str(id), safe=""),
        ),
        read=_read_delete_key,
        secured=True,
    )


def _read_create_totp(response: httpx2.Response) -> CreatedTotp:
    return CreatedTotp.from_dict(response.json())


def create_totp(
    *,
    current_password: str | Unset = UNSET,
    code: str | Unset = UNSET,
) -> Operation[CreatedTotp]:
    return Operation(
        name="create_totp",
        method="POST",
        path="/users/me/totp",
        read=_read_create_totp,
        secured=True,
        json=CreateTotp(
            current_password=current_password,
            code=code,
        ).to_dict(),
    )


def _read_delete_totp(_: httpx2.Response) -> None:
    return None


def delete_totp(
    *,
    code: str,
    current_password: str | Unset = UNSET,
) -> Operation[None]:
    return Operation(
        name="delete_totp",
        method="DELETE",
        path="/users/me/totp",
        read=_read_delete_totp,
        secured=True,
        json=DeleteTotp(
            code=code,
            current_password=current_password,
        ).to_dict(),
    )


def _read_confirm_totp(response: httpx2.Response) -> ConfirmedTotp:
    return ConfirmedTotp.from_dict(response.json())


def confirm_totp(
    *,
    code: str,
) -> Operation[ConfirmedTotp]:
    return Operation(
        name="confirm_totp",
        method="POST",
        path="/users/me/totp/confirm",
        read=_read_confirm_totp,
        secured=True,
        json=ConfirmTotp(
            code=code,
        ).to_dict(),
    )


def _read_begin_passkey(response: httpx2.Response) -> PasskeyCreationOptions:
    return PasskeyCreationOptions.from_dict(response.json())


def begin_passkey(
    *,
    current_password: str | Unset = UNSET,
) -> Operation[PasskeyCreationOptions]:
    return Operation(
        name="begin_passkey",
        method="POST",
        path="/users/me/passkeys/options",
        read=_read_begin_passkey,
        secured=True,
        json=BeginPasskey(
            current_password=current_password,
        ).to_dict()
        or None,
    )


def _read_list_my_passkeys(response: httpx2.Response) -> Passkeys:
    return Passkeys.from_dict(response.json())


def list_my_passkeys(
    *,
    if_none_match: IfMatch | Unset = UNSET,
) -> Operation[Passkeys]:
    return Operation(
        name="list_my_passkeys",
        method="GET",
        path="/users/me/passkeys",
        read=_read_list_my_passkeys,
        secured=True,
        if_none_match=if_none_match,
    )


def _read_create_passkey(response: httpx2.Response) -> Passkey:
    return Passkey.from_dict(response.json())


def create_passkey(
    *,
    name: str,
    id: str,
    raw_id: str,
    type_: Literal["public-key"],
    response_: Mapping[str, Any],
) -> Operation[Passkey]:
    return Operation(
        name="create_passkey",
        method="POST",
        path="/users/me/passkeys",
        read=_read_create_passkey,
        secured=True,
        json=CreatePasskey(
            name=name,
            id=id,
            raw_id=raw_id,
            type_=type_,
            response_=PasskeyAttestation.from_dict(response_),
        ).to_dict(),
    )


def _read_delete_passkey(_: httpx2.Response) -> None:
    return None


def delete_passkey(
    id: int,
) -> Operation[None]:
    return Operation(
        name="delete_passkey",
        method="DELETE",
        path="/users/me/passkeys/{id}".format(
            id=quote(str(id), safe=""),
        ),
        read=_read_delete_passkey,
        secured=True,
    )


def _read_add_favorite(_: httpx2.Response) -> None:
    return None


def add_favorite(
    ad_id: int,
) -> Operation[None]:
    return Operation(
        name="add_favorite",
        method="PUT",
        path="/users/me/favorites/{ad_id}".format(
            ad_id=quote(str(ad_id), safe=""),
        ),
        read=_read_add_favorite,
        secured=True,
    )


def _read_remove_favorite(_: httpx2.Response) -> None:
    return None


def remove_favorite(
    ad_id: int,
) -> Operation[None]:
    return Operation(
        name="remove_favorite",
        method="DELETE",
        path="/users/me/favorites/{ad_id}".format(
            ad_id=quote(str(ad_id), safe=""),
        ),
        read=_read_remove_favorite,
        secured=True,
    )


def _read_list_my_favorites(response: httpx2.Response) -> Favorites:
    return Favorites.from_dict(response.json())


def list_my_favorites(
    *,
    limit: int | Unset = UNSET,
    cursor: str | Unset = UNSET,
    ad: list[int] | Unset = UNSET,
    if_none_match: IfMatch | Unset = UNSET,
) -> Operation[Favorites]:
    return Operation(
        name="list_my_favorites",
        method="GET",
        path="/users/me/favorites",
        read=_read_list_my_favorites,
        secured=True,
        query={
            "limit": limit,
            "cursor": cursor,
            "ad": ad,
        },
        if_none_match=if_none_match,
    )


def _read_list_my_notifications(response: httpx2.Response) -> Notifications:
    return Notifications.from_dict(response.json())


def list_my_notifications(
    *,
    limit: int | Unset = UNSET,
    cursor: str | Unset = UNSET,
    unread: bool | Unset = UNSET,
    if_none_match: IfMatch | Unset = UNSET,
) -> Operation[Notifications]:
    return Operation(
        name="list_my_notifications",
        method="GET",
        path="/users/me/notifications",
        read=_read_list_my_notifications,
        secured=True,
        query={
            "limit": limit,
            "cursor": cursor,
            "unread": unread,
        },
        if_none_match=if_none_match,
    )


def _read_read_notifications(_: httpx2.Response) -> None:
    return None


def read_notifications(
    *,
    up_to: int,
) -> Operation[None]:
    return Operation(
        name="read_notifications",
        method="POST",
        path="/users/me/notifications/read",
        read=_read_read_notifications,
        secured=True,
        json=ReadNotifications(
            up_to=up_to,
        ).to_dict(),
    )


def _read_get_my_preferences(response: httpx2.Response) -> Preferences:
    return Preferences.from_dict(response.json())


def get_my_preferences(
    *,
    if_none_match: IfMatch | Unset = UNSET,
) -> Operation[Preferences]:
    return Operation(
        name="get_my_preferences",
        method="GET",
        path="/users/me/preferences",
        read=_read_get_my_preferences,
        secured=True,
        if_none_match=if_none_match,
    )


def _read_update_my_preferences(response: httpx2.Response) -> Preferences:
    return Preferences.from_dict(response.json())


def update_my_preferences(
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
) -> Operation[Preferences]:
    return Operation(
        name="update_my_preferences",
        method="PATCH",
        path="/users/me/preferences",
        read=_read_update_my_preferences,
        secured=True,
        json=UpdatePreferences(
            search_matched=search_matched
            if isinstance(search_matched, Unset)
            else UpdateWays.from_dict(search_matched),
            price_dropped=price_dropped
            if isinstance(price_dropped, Unset)
            else UpdateWays.from_dict(price_dropped),
            favorite_reserved=favorite_reserved
            if isinstance(favorite_reserved, Unset)
            else UpdateWays.from_dict(favorite_reserved),
            favorite_sold=favorite_sold
            if isinstance(favorite_sold, Unset)
            else UpdateWays.from_dict(favorite_sold),
            favorite_back=favorite_back
            if isinstance(favorite_back, Unset)
            else UpdateWays.from_dict(favorite_back),
            favorite_ending=favorite_ending
            if isinstance(favorite_ending, Unset)
            else UpdateWays.from_dict(favorite_ending),
            message=message
            if isinstance(message, (UpdateMessageWays, Unset))
            else UpdateMessageWays.from_dict(message),
            offer=offer if isinstance(offer, Unset) else UpdateWays.from_dict(offer),
            decision=decision if isinstance(decision, Unset) else UpdateWays.from_dict(decision),
            comment=comment if isinstance(comment, Unset) else UpdateWays.from_dict(comment),
            ad_ending=ad_ending
            if isinstance(ad_ending, Unset)
            else UpdateWays.from_dict(ad_ending),
            ad_ended=ad_ended if isinstance(ad_ended, Unset) else UpdateWays.from_dict(ad_ended),
            rating=rating if isinstance(rating, Unset) else UpdateWays.from_dict(rating),
            rating_reminder=rating_reminder
            if isinstance(rating_reminder, Unset)
            else UpdateWays.from_dict(rating_reminder),
        ).to_dict(),
    )


def _read_list_my_push(response: httpx2.Response) -> PushBrowsers:
    return PushBrowsers.from_dict(response.json())


def list_my_push(
    *,
    if_none_match: IfMatch | Unset = UNSET,
) -> Operation[PushBrowsers]:
    return Operation(
        name="list_my_push",
        method="GET",
        path="/users/me/push",
        read=_read_list_my_push,
        secured=True,
        if_none_match=if_none_match,
    )


def _read_subscribe_to_push(_: httpx2.Response) -> None:
    return None


def subscribe_to_push(
    *,
    endpoint: str,
    keys: PushKeys | Mapping[str, Any],
    expiration_time: float | None | Unset = UNSET,
) -> Operation[None]:
    return Operation(
        name="subscribe_to_push",
        method="PUT",
        path="/users/me/push",
        read=_read_subscribe_to_push,
        secured=True,
        json=PushSubscription(
            endpoint=endpoint,
            keys=keys if isinstance(keys, PushKeys) else PushKeys.from_dict(keys),
            expiration_time=expiration_time,
        ).to_dict(),
    )


def _read_unsubscribe_from_push(_: httpx2.Response) -> None:
    return None


def unsubscribe_from_push(
    *,
    endpoint: str,
) -> Operation[None]:
    return Operation(
        name="unsubscribe_from_push",
        method="DELETE",
        path="/users/me/push",
        read=_read_unsubscribe_from_push,
        secured=True,
        json=ForgetPush(
            endpoint=endpoint,
        ).to_dict(),
    )


def _read_delete_push(_: httpx2.Response) -> None:
    return None


def delete_push(
    id: int,
) -> Operation[None]:
    return Operation(
        name="delete_push",
        method="DELETE",
        path="/users/me/push/{id}".format(
            id=quote(str(id), safe=""),
        ),
        read=_read_delete_push,
        secured=True,
    )


def _read_list_ads(response: httpx2.Response) -> Ads:
    return Ads.from_dict(response.json())


def list_ads(
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
) -> Operation[Ads]:
    return Operation(
        name="list_ads",
        method="GET",
        path="/ads",
        read=_read_list_ads,
        secured=False,
        query={
            "limit": limit,
            "cursor": cursor,
            "q": q,
            "minPrice": min_price,
            "maxPrice": max_price,
            "author": author,
            "createdAfter": created_after,
            "createdBefore": created_before,
            "category": category,
            "attr": attr,
            "priceType": price_type,
            "near": near,
            "radius": radius,
            "bbox": bbox,
            "sort": sort,
        },
        if_none_match=if_none_match,
    )


def _read_create_ad(response: httpx2.Response) -> Ad:
    return Ad.from_dict(response.json())


def create_ad(
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
) -> Operation[Ad]:
    return Operation(
        name="create_ad",
        method="POST",
        path="/ads",
        read=_read_create_ad,
        secured=True,
        parts={
            "properties": CreateAd(
                title=title,
                description=description,
                price=price,
                category=category,
                attributes=attributes
                if isinstance(attributes, Unset)
                else CreateAdAttributes.from_dict(attributes),
                price_type=price_type,
                place=place,
                place_id=place_id,
                location=location,
                external_id=external_id,
                status=status,
            ).to_dict(),
        },
        files={
            "image": several(images),
        },
        keyed=True,
        idempotency_key=idempotency_key,
    )


def _read_validate_create_ad(_: httpx2.Response) -> None:
    return None


def validate_create_ad(
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
) -> Operation[None]:
    return Operation(
        name="validate_create_ad",
        method="POST",
        path="/ads",
        read=_read_validate_create_ad,
        secured=True,
        query={
            "validate": "true",
        },
        parts={
            "properties": CreateAd(
                title=title,
                description=description,
                price=price,
                category=category,
                attributes=attributes
                if isinstance(attributes, Unset)
                else CreateAdAttributes.from_dict(attributes),
                price_type=price_type,
                place=place,
                place_id=place_id,
                location=location,
                external_id=external_id,
                status=status,
            ).to_dict(),
        },
        files={
            "image": several(images),
        },
    )


def _read_count_ads(response: httpx2.Response) -> AdFacets:
    return AdFacets.from_dict(response.json())


def count_ads(
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
) -> Operation[AdFacets]:
    return Operation(
        name="count_ads",
        method="GET",
        path="/ads/facets",
        read=_read_count_ads,
        secured=False,
        query={
            "q": q,
            "minPrice": min_price,
            "maxPrice": max_price,
            "author": author,
            "createdAfter": created_after,
            "createdBefore": created_before,
            "category": category,
            "attr": attr,
            "priceType": price_type,
            "near": near,
            "radius": radius,
            "bbox": bbox,
        },
        if_none_match=if_none_match,
    )


def _read_map_ads(response: httpx2.Response) -> AdMap:
    return AdMap.from_dict(response.json())


def map_ads(
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
) -> Operation[AdMap]:
    return Operation(
        name="map_ads",
        method="GET",
        path="/ads/map",
        read=_read_map_ads,
        secured=False,
        query={
            "q": q,
            "minPrice": min_price,
            "maxPrice": max_price,
            "author": author,
            "createdAfter": created_after,
            "createdBefore": created_before,
            "category": category,
            "attr": attr,
            "priceType": price_type,
            "near": near,
            "radius": radius,
            "bbox": bbox,
        },
        if_none_match=if_none_match,
    )


def _read_suggest_searches(response: httpx2.Response) -> Suggestions:
    return Suggestions.from_dict(response.json())


def suggest_searches(
    *,
    q: str | Unset = UNSET,
    if_none_match: IfMatch | Unset = UNSET,
) -> Operation[Suggestions]:
    return Operation(
        name="suggest_searches",
        method="GET",
        path="/ads/suggest",
        read=_read_suggest_searches,
        secured=False,
        query={
            "q": q,
        },
        if_none_match=if_none_match,
    )


def _read_put_ad(response: httpx2.Response) -> Ad:
    return Ad.from_dict(response.json())


def put_ad(
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
) -> Operation[Ad]:
    return Operation(
        name="put_ad",
        method="PUT",
        path="/ads/by-external-id/{external_id}".format(
            external_id=quote(str(external_id), safe=""),
        ),
        read=_read_put_ad,
        secured=True,
        takes_json=True,
        parts={
            "properties": CreateAd(
                title=title,
                description=description,
                price=price,
                category=category,
                attributes=attributes
                if isinstance(attributes, Unset)
                else CreateAdAttributes.from_dict(attributes),
                price_type=price_type,
                place=place,
                place_id=place_id,
                location=location,
                status=status,
            ).to_dict(),
        },
        files={
            "image": several(images),
        },
    )


def _read_create_draft(response: httpx2.Response) -> Ad:
    return Ad.from_dict(response.json())


def create_draft(
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
) -> Operation[Ad]:
    return Operation(
        name="create_draft",
        method="POST",
        path="/ads/drafts",
        read=_read_create_draft,
        secured=True,
        json=CreateDraft(
            title=title,
            price=price,
            description=description,
            category=category,
            attributes=attributes
            if isinstance(attributes, Unset)
            else CreateDraftAttributes.from_dict(attributes),
            price_type=price_type,
            place=place,
            place_id=place_id,
            location=location,
            external_id=external_id,
        ).to_dict(),
        keyed=True,
        idempotency_key=idempotency_key,
    )


def _read_list_my_ads(response: httpx2.Response) -> OwnAds:
    return OwnAds.from_dict(response.json())


def list_my_ads(
    *,
    limit: int | Unset = UNSET,
    cursor: str | Unset = UNSET,
    status: list[AdStatus] | Unset = UNSET,
    external_id: str | Unset = UNSET,
    if_none_match: IfMatch | Unset = UNSET,
) -> Operation[OwnAds]:
    return Operation(
        name="list_my_ads",
        method="GET",
        path="/ads/me",
        read=_read_list_my_ads,
        secured=True,
        query={
            "limit": limit,
            "cursor": cursor,
            "status": status,
            "externalId": external_id,
        },
        if_none_match=if_none_match,
    )


def _read_get_ad(response: httpx2.Response) -> ExtendedAd:
    return ExtendedAd.from_dict(response.json())


def get_ad(
    id: int,
    *,
    if_none_match: IfMatch | Unset = UNSET,
) -> Operation[ExtendedAd]:
    return Operation(
        name="get_ad",
        method="GET",
        path="/ads/{id}".format(
            id=quote(str(id), safe=""),
        ),
        read=_read_get_ad,
        secured=True,
        if_none_match=if_none_match,
    )


def _read_delete_ad(_: httpx2.Response) -> None:
    return None


def delete_ad(
    id: int,
    *,
    if_match: IfMatch | Unset = UNSET,
) -> Operation[None]:
    return Operation(
        name="delete_ad",
        method="DELETE",
        path="/ads/{id}".format(
            id=quote(str(id), safe=""),
        ),
        read=_read_delete_ad,
        secured=True,
        if_match=if_match,
    )


def _read_update_ad(response: httpx2.Response) -> Ad:
    return Ad.from_dict(response.json())


def update_ad(
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
) -> Operation[Ad]:
    return Operation(
        name="update_ad",
        method="PATCH",
        path="/ads/{id}".format(
            id=quote(str(id), safe=""),
        ),
        read=_read_update_ad,
        secured=True,
        json=CreateOrUpdateAd(
            title=title,
            price=price,
            description=description,
            category=category,
            attributes=attributes
            if isinstance(attributes, Unset)
            else CreateOrUpdateAdAttributes.from_dict(attributes),
            price_type=price_type,
            place=place,
            place_id=place_id,
            location=location,
            external_id=external_id,
        ).to_dict(),
        if_match=if_match,
    )


def _read_validate_update_ad(_: httpx2.Response) -> None:
    return None


def validate_update_ad(
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
) -> Operation[None]:
    return Operation(
        name="validate_update_ad",
        method="PATCH",
        path="/ads/{id}".format(
            id=quote(str(id), safe=""),
        ),
        read=_read_validate_update_ad,
        secured=True,
        query={
            "validate": "true",
        },
        json=CreateOrUpdateAd(
            title=title,
            price=price,
            description=description,
            category=category,
            attributes=attributes
            if isinstance(attributes, Unset)
            else CreateOrUpdateAdAttributes.from_dict(attributes),
            price_type=price_type,
            place=place,
            place_id=place_id,
            location=location,
            external_id=external_id,
        ).to_dict(),
        if_match=if_match,
    )


def _read_get_ad_details(response: httpx2.Response) -> AdDetails:
    return AdDetails.from_dict(response.json())


def get_ad_details(
    id: int,
    *,
    if_none_match: IfMatch | Unset = UNSET,
) -> Operation[AdDetails]:
    return Operation(
        name="get_ad_details",
        method="GET",
        path="/ads/{id}/details".format(
            id=quote(str(id), safe=""),
        ),
        read=_read_get_ad_details,
        secured=False,
        if_none_match=if_none_match,
    )


def _read_get_ad_stats(response: httpx2.Response) -> AdStats:
    return AdStats.from_dict(response.json())


def get_ad_stats(
    id: int,
    *,
    if_none_match: IfMatch | Unset = UNSET,
) -> Operation[AdStats]:
    return Operation(
        name="get_ad_stats",
        method="GET",
        path="/ads/{id}/stats".format(
            id=quote(str(id), safe=""),
        ),
        read=_read_get_ad_stats,
        secured=True,
        if_none_match=if_none_match,
    )


def _read_list_similar_ads(response: httpx2.Response) -> SimilarAds:
    return SimilarAds.from_dict(response.json())


def list_similar_ads(
    id: int,
    *,
    if_none_match: IfMatch | Unset = UNSET,
) -> Operation[SimilarAds]:
    return Operation(
        name="list_similar_ads",
        method="GET",
        path="/ads/{id}/similar".format(
            id=quote(str(id), safe=""),
        ),
        read=_read_list_similar_ads,
        secured=False,
        if_none_match=if_none_match,
    )


def _read_publish_ad(response: httpx2.Response) -> Ad:
    return Ad.from_dict(response.json())


def publish_ad(
    id: int,
    *,
    if_match: IfMatch | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,
) -> Operation[Ad]:
    return Operation(
        name="publish_ad",
        method="POST",
        path="/ads/{id}/publish".format(
            id=quote(str(id), safe=""),
        ),
        read=_read_publish_ad,
        secured=True,
        if_match=if_match,
        keyed=True,
        idempotency_key=idempotency_key,
    )


def _read_reserve_ad(response: httpx2.Response) -> Ad:
    return Ad.from_dict(response.json())


def reserve_ad(
    id: int,
    *,
    if_match: IfMatch | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,
) -> Operation[Ad]:
    return Operation(
        name="reserve_ad",
        method="POST",
        path="/ads/{id}/reserve".format(
            id=quote(str(id), safe=""),
        ),
        read=_read_reserve_ad,
        secured=True,
        if_match=if_match,
        keyed=True,
        idempotency_key=idempotency_key,
    )


def _read_release_ad(response: httpx2.Response) -> Ad:
    return Ad.from_dict(response.json())


def release_ad(
    id: int,
    *,
    if_match: IfMatch | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,
) -> Operation[Ad]:
    return Operation(
        name="release_ad",
        method="POST",
        path="/ads/{id}/release".format(
            id=quote(str(id), safe=""),
        ),
        read=_read_release_ad,
        secured=True,
        if_match=if_match,
        keyed=True,
        idempotency_key=idempotency_key,
    )


def _read_sell_ad(response: httpx2.Response) -> Ad:
    return Ad.from_dict(response.json())


def sell_ad(
    id: int,
    *,
    price: int | Unset = UNSET,
    buyer: int | Unset = UNSET,
    if_match: IfMatch | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,
) -> Operation[Ad]:
    return Operation(
        name="sell_ad",
        method="POST",
        path="/ads/{id}/sell".format(
            id=quote(str(id), safe=""),
        ),
        read=_read_sell_ad,
        secured=True,
        json=Sale(
            price=price,
            buyer=buyer,
        ).to_dict()
        or None,
        if_match=if_match,
        keyed=True,
        idempotency_key=idempotency_key,
    )


def _read_withdraw_ad(response: httpx2.Response) -> Ad:
    return Ad.from_dict(response.json())


def withdraw_ad(
    id: int,
    *,
    if_match: IfMatch | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,
) -> Operation[Ad]:
    return Operation(
        name="withdraw_ad",
        method="POST",
        path="/ads/{id}/withdraw".format(
            id=quote(str(id), safe=""),
        ),
        read=_read_withdraw_ad,
        secured=True,
        if_match=if_match,
        keyed=True,
        idempotency_key=idempotency_key,
    )


def _read_renew_ad(response: httpx2.Response) -> Ad:
    return Ad.from_dict(response.json())


def renew_ad(
    id: int,
    *,
    if_match: IfMatch | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,
) -> Operation[Ad]:
    return Operation(
        name="renew_ad",
        method="POST",
        path="/ads/{id}/renew".format(
            id=quote(str(id), safe=""),
        ),
        read=_read_renew_ad,
        secured=True,
        if_match=if_match,
        keyed=True,
        idempotency_key=idempotency_key,
    )


def _read_replace_ad_image(response: httpx2.Response) -> bytes:
    return response.content


def replace_ad_image(
    id: int,
    *,
    image: Upload,
    if_match: IfMatch | Unset = UNSET,
) -> Operation[bytes]:
    return Operation(
        name="replace_ad_image",
        method="PATCH",
        path="/ads/{id}/image".format(
            id=quote(str(id), safe=""),
        ),
        read=_read_replace_ad_image,
        secured=True,
        files={
            "image": [image],
        },
        if_match=if_match,
    )


def _read_add_ad_images(response: httpx2.Response) -> Images:
    return Images.from_dict(response.json())


def add_ad_images(
    id: int,
    *,
    images: Sequence[Upload] | Upload,
    if_match: IfMatch | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,
) -> Operation[Images]:
    return Operation(
        name="add_ad_images",
        method="POST",
        path="/ads/{id}/images".format(
            id=quote(str(id), safe=""),
        ),
        read=_read_add_ad_images,
        secured=True,
        files={
            "image": several(images),
        },
        if_match=if_match,
        keyed=True,
        idempotency_key=idempotency_key,
    )


def _read_order_ad_images(response: httpx2.Response) -> Images:
    return Images.from_dict(response.json())


def order_ad_images(
    id: int,
    *,
    order: list[int],
    if_match: IfMatch | Unset = UNSET,
) -> Operation[Images]:
    return Operation(
        name="order_ad_images",
        method="PATCH",
        path="/ads/{id}/images".format(
            id=quote(str(id), safe=""),
        ),
        read=_read_order_ad_images,
        secured=True,
        json=ImageOrder(
            order=order,
        ).to_dict(),
        if_match=if_match,
    )


def _read_delete_ad_image(_: httpx2.Response) -> None:
    return None


def delete_ad_image(
    id: int,
    image_id: int,
    *,
    if_match: IfMatch | Unset = UNSET,
) -> Operation[None]:
    return Operation(
        name="delete_ad_image",
        method="DELETE",
        path="/ads/{id}/images/{image_id}".format(
            id=quote(str(id), safe=""),
            image_id=quote(str(image_id), safe=""),
        ),
        read=_read_delete_ad_image,
        secured=True,
        if_match=if_match,
    )


def _read_list_categories(response: httpx2.Response) -> Categories:
    return Categories.from_dict(response.json())


def list_categories(
    *,
    if_none_match: IfMatch | Unset = UNSET,
) -> Operation[Categories]:
    return Operation(
        name="list_categories",
        method="GET",
        path="/categories",
        read=_read_list_categories,
        secured=False,
        if_none_match=if_none_match,
    )


def _read_get_category(response: httpx2.Response) -> Category:
    return Category.from_dict(response.json())


def get_category(
    slug: str,
    *,
    if_none_match: IfMatch | Unset = UNSET,
) -> Operation[Category]:
    return Operation(
        name="get_category",
        method="GET",
        path="/categories/{slug}".format(
            slug=quote(str(slug), safe=""),
        ),
        read=_read_get_category,
        secured=False,
        if_none_match=if_none_match,
    )


def _read_put_category(response: httpx2.Response) -> Category:
    return Category.from_dict(response.json())


def put_category(
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
) -> Operation[Category]:
    return Operation(
        name="put_category",
        method="PUT",
        path="/categories/{slug}".format(
            slug=quote(str(slug), safe=""),
        ),
        read=_read_put_category,
        secured=True,
        json=CategoryDefinition(
            name=name,
            parent=parent,
            names=names if isinstance(names, Unset) else CategoryDefinitionNames.from_dict(names),
            synonyms=synonyms
            if isinstance(synonyms, Unset)
            else CategoryDefinitionSynonyms.from_dict(synonyms),
            position=position,
            icon=icon,
            color=color,
            attributes=attributes,
        ).to_dict(),
        if_match=if_match,
    )


def _read_delete_category(_: httpx2.Response) -> None:
    return None


def delete_category(
    slug: str,
    *,
    if_match: IfMatch | Unset = UNSET,
) -> Operation[None]:
    return Operation(
        name="delete_category",
        method="DELETE",
        path="/categories/{slug}".format(
            slug=quote(str(slug), safe=""),
        ),
        read=_read_delete_category,
        secured=True,
        if_match=if_match,
    )


def _read_get_category_schema(response: httpx2.Response) -> dict[str, Any]:
    return cast(dict[str, Any], response.json())


def get_category_schema(
    slug: str,
    *,
    if_none_match: IfMatch | Unset = UNSET,
) -> Operation[dict[str, Any]]:
    return Operation(
        name="get_category_schema",
        method="GET",
        path="/categories/{slug}/schema".format(
            slug=quote(str(slug), safe=""),
        ),
        read=_read_get_category_schema,
        secured=False,
        if_none_match=if_none_match,
    )


def _read_move_category_ads(response: httpx2.Response) -> MovedAds:
    return MovedAds.from_dict(response.json())


def move_category_ads(
    slug: str,
    *,
    to: str,
    dry_run: bool | Unset = UNSET,
) -> Operation[MovedAds]:
    return Operation(
        name="move_category_ads",
        method="POST",
        path="/categories/{slug}/move".format(
            slug=quote(str(slug), safe=""),
        ),
        read=_read_move_category_ads,
        secured=True,
        json=MoveAds(
            to=to,
            dry_run=dry_run,
        ).to_dict(),
    )


def _read_list_comments(response: httpx2.Response) -> Comments:
    return Comments.from_dict(response.json())


def list_comments(
    id: int,
    *,
    limit: int | Unset = UNSET,
    cursor: str | Unset = UNSET,
    if_none_match: IfMatch | Unset = UNSET,
) -> Operation[Comments]:
    return Operation(
        name="list_comments",
        method="GET",
        path="/ads/{id}/comments".format(
            id=quote(str(id), safe=""),
        ),
        read=_read_list_comments,
        secured=True,
        query={
            "limit": limit,
            "cursor": cursor,
        },
        if_none_match=if_none_match,
    )


def _read_create_comment(response: httpx2.Response) -> Comment:
    return Comment.from_dict(response.json())


def create_comment(
    id: int,
    *,
    text: str,
    idempotency_key: str | Unset = UNSET,
) -> Operation[Comment]:
    return Operation(
        name="create_comment",
        method="POST",
        path="/ads/{id}/comments".format(
            id=quote(str(id), safe=""),
        ),
        read=_read_create_comment,
        secured=True,
        json=CreateOrUpdateComment(
            text=text,
        ).to_dict(),
        keyed=True,
        idempotency_key=idempotency_key,
    )


def _read_validate_create_comment(_: httpx2.Response) -> None:
    return None


def validate_create_comment(
    id: int,
    *,
    text: str,
) -> Operation[None]:
    return Operation(
        name="validate_create_comment",
        method="POST",
        path="/ads/{id}/comments".format(
            id=quote(str(id), safe=""),
        ),
        read=_read_validate_create_comment,
        secured=True,
        query={
            "validate": "true",
        },
        json=CreateOrUpdateComment(
            text=text,
        ).to_dict(),
    )


def _read_get_comment(response: httpx2.Response) -> Comment:
    return Comment.from_dict(response.json())


def get_comment(
    id: int,
    comment_id: int,
    *,
    if_none_match: IfMatch | Unset = UNSET,
) -> Operation[Comment]:
    return Operation(
        name="get_comment",
        method="GET",
        path="/ads/{id}/comments/{comment_id}".format(
            id=quote(str(id), safe=""),
            comment_id=quote(str(comment_id), safe=""),
        ),
        read=_read_get_comment,
        secured=True,
        if_none_match=if_none_match,
    )


def _read_delete_comment(_: httpx2.Response) -> None:
    return None


def delete_comment(
    id: int,
    comment_id: int,
    *,
    if_match: IfMatch | Unset = UNSET,
) -> Operation[None]:
    return Operation(
        name="delete_comment",
        method="DELETE",
        path="/ads/{id}/comments/{comment_id}".format(
            id=quote(str(id), safe=""),
            comment_id=quote(str(comment_id), safe=""),
        ),
        read=_read_delete_comment,
        secured=True,
        if_match=if_match,
    )


def _read_update_comment(response: httpx2.Response) -> Comment:
    return Comment.from_dict(response.json())


def update_comment(
    id: int,
    comment_id: int,
    *,
    text: str,
    if_match: IfMatch | Unset = UNSET,
) -> Operation[Comment]:
    return Operation(
        name="update_comment",
        method="PATCH",
        path="/ads/{id}/comments/{comment_id}".format(
            id=quote(str(id), safe=""),
            comment_id=quote(str(comment_id), safe=""),
        ),
        read=_read_update_comment,
        secured=True,
        json=CreateOrUpdateComment(
            text=text,
        ).to_dict(),
        if_match=if_match,
    )


def _read_validate_update_comment(_: httpx2.Response) -> None:
    return None


def validate_update_comment(
    id: int,
    comment_id: int,
    *,
    text: str,
    if_match: IfMatch | Unset = UNSET,
) -> Operation[None]:
    return Operation(
        name="validate_update_comment",
        method="PATCH",
        path="/ads/{id}/comments/{comment_id}".format(
            id=quote(str(id), safe=""),
            comment_id=quote(str(comment_id), safe=""),
        ),
        read=_read_validate_update_comment,
        secured=True,
        query={
            "validate": "true",
        },
        json=CreateOrUpdateComment(
            text=text,
        ).to_dict(),
        if_match=if_match,
    )


def _read_get_image(response: httpx2.Response) -> bytes:
    return response.content


def get_image(
    name: str,
    *,
    if_none_match: IfMatch | Unset = UNSET,
) -> Operation[bytes]:
    return Operation(
        name="get_image",
        method="GET",
        path="/images/{name}".format(
            name=quote(str(name.rpartition("/")[2]), safe=""),
        ),
        read=_read_get_image,
        secured=False,
        if_none_match=if_none_match,
    )


def _read_list_conversations(response: httpx2.Response) -> Conversations:
    return Conversations.from_dict(response.json())


def list_conversations(
    *,
    limit: int | Unset = UNSET,
    cursor: str | Unset = UNSET,
    unread: bool | Unset = UNSET,
    ad: int | Unset = UNSET,
    if_none_match: IfMatch | Unset = UNSET,
) -> Operation[Conversations]:
    return Operation(
        name="list_conversations",
        method="GET",
        path="/conversations",
        read=_read_list_conversations,
        secured=True,
        query={
            "limit": limit,
            "cursor": cursor,
            "unread": unread,
            "ad": ad,
        },
        if_none_match=if_none_match,
    )


def _read_get_conversation(response: httpx2.Response) -> Conversation:
    return Conversation.from_dict(response.json())


def get_conversation(
    id: int,
    *,
    if_none_match: IfMatch | Unset = UNSET,
) -> Operation[Conversation]:
    return Operation(
        name="get_conversation",
        method="GET",
        path="/conversations/{id}".format(
            id=quote(str(id), safe=""),
        ),
        read=_read_get_conversation,
        secured=True,
        if_none_match=if_none_match,
    )


def _read_list_messages(response: httpx2.Response) -> Messages:
    return Messages.from_dict(response.json())


def list_messages(
    id: int,
    *,
    limit: int | Unset = UNSET,
    cursor: str | Unset = UNSET,
    if_none_match: IfMatch | Unset = UNSET,
) -> Operation[Messages]:
    return Operation(
        name="list_messages",
        method="GET",
        path="/conversations/{id}/messages".format(
            id=quote(str(id), safe=""),
        ),
        read=_read_list_messages,
        secured=True,
        query={
            "limit": limit,
            "cursor": cursor,
        },
        if_none_match=if_none_match,
    )


def _read_send_message(response: httpx2.Response) -> Message:
    return Message.from_dict(response.json())


def send_message(
    id: int,
    *,
    text: str,
    idempotency_key: str | Unset = UNSET,
) -> Operation[Message]:
    return Operation(
        name="send_message",
        method="POST",
        path="/conversations/{id}/messages".format(
            id=quote(str(id), safe=""),
        ),
        read=_read_send_message,
        secured=True,
        json=CreateMessage(
            text=text,
        ).to_dict(),
        keyed=True,
        idempotency_key=idempotency_key,
    )


def _read_make_offer(response: httpx2.Response) -> Offer:
    return Offer.from_dict(response.json())


def make_offer(
    id: int,
    *,
    price: int,
    idempotency_key: str | Unset = UNSET,
) -> Operation[Offer]:
    return Operation(
        name="make_offer",
        method="POST",
        path="/conversations/{id}/offers".format(
            id=quote(str(id), safe=""),
        ),
        read=_read_make_offer,
        secured=True,
        json=CreateOffer(
            price=price,
        ).to_dict(),
        keyed=True,
        idempotency_key=idempotency_key,
    )


def _read_read_messages(_: httpx2.Response) -> None:
    return None


def read_messages(
    id: int,
    *,
    up_to: int,
) -> Operation[None]:
    return Operation(
        name="read_messages",
        method="POST",
        path="/conversations/{id}/read".format(
            id=quote(str(id), safe=""),
        ),
        read=_read_read_messages,
        secured=True,
        json=ReadMessages(
            up_to=up_to,
        ).to_dict(),
    )


def _read_hide_conversation(_: httpx2.Response) -> None:
    return None


def hide_conversation(
    id: int,
) -> Operation[None]:
    return Operation(
        name="hide_conversation",
        method="POST",
        path="/conversations/{id}/hide".format(
            id=quote(str(id), safe=""),
        ),
        read=_read_hide_conversation,
        secured=True,
    )


def _read_block_user(_: httpx2.Response) -> None:
    return None


def block_user(
    user_id: int,
) -> Operation[None]:
    return Operation(
        name="block_user",
        method="PUT",
        path="/users/me/blocks/{user_id}".format(
            user_id=quote(str(user_id), safe=""),
        ),
        read=_read_block_user,
        secured=True,
    )


def _read_unblock_user(_: httpx2.Response) -> None:
    return None


def unblock_user(
    user_id: int,
) -> Operation[None]:
    return Operation(
        name="unblock_user",
        method="DELETE",
        path="/users/me/blocks/{user_id}".format(
            user_id=quote(str(user_id), safe=""),
        ),
        read=_read_unblock_user,
        secured=True,
    )


def _read_list_my_blocks(response: httpx2.Response) -> Blocks:
    return Blocks.from_dict(response.json())


def list_my_blocks(
    *,
    limit: int | Unset = UNSET,
    cursor: str | Unset = UNSET,
    if_none_match: IfMatch | Unset = UNSET,
) -> Operation[Blocks]:
    return Operation(
        name="list_my_blocks",
        method="GET",
        path="/users/me/blocks",
        read=_read_list_my_blocks,
        secured=True,
        query={
            "limit": limit,
            "cursor": cursor,
        },
        if_none_match=if_none_match,
    )


def _read_list_my_deals(response: httpx2.Response) -> Deals:
    return Deals.from_dict(response.json())


def list_my_deals(
    *,
    limit: int | Unset = UNSET,
    cursor: str | Unset = UNSET,
    ad: int | Unset = UNSET,
    if_none_match: IfMatch | Unset = UNSET,
) -> Operation[Deals]:
    return Operation(
        name="list_my_deals",
        method="GET",
        path="/users/me/deals",
        read=_read_list_my_deals,
        secured=True,
        query={
            "limit": limit,
            "cursor": cursor,
            "ad": ad,
        },
        if_none_match=if_none_match,
    )


def _read_rate_deal(response: httpx2.Response) -> Rating:
    return Rating.from_dict(response.json())


def rate_deal(
    deal_id: int,
    *,
    stars: int,
    text: str | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,
) -> Operation[Rating]:
    return Operation(
        name="rate_deal",
        method="POST",
        path="/deals/{deal_id}/ratings".format(
            deal_id=quote(str(deal_id), safe=""),
        ),
        read=_read_rate_deal,
        secured=True,
        json=CreateRating(
            stars=stars,
            text=text,
        ).to_dict(),
        keyed=True,
        idempotency_key=idempotency_key,
    )


def _read_answer_rating(response: httpx2.Response) -> Rating:
    return Rating.from_dict(response.json())


def answer_rating(
    id: int,
    *,
    text: str,
) -> Operation[Rating]:
    return Operation(
        name="answer_rating",
        method="POST",
        path="/ratings/{id}/answer".format(
            id=quote(str(id), safe=""),
        ),
        read=_read_answer_rating,
        secured=True,
        json=AnswerRating(
            text=text,
        ).to_dict(),
    )


def _read_list_ratings(response: httpx2.Response) -> Ratings:
    return Ratings.from_dict(response.json())


def list_ratings(
    id: int,
    *,
    limit: int | Unset = UNSET,
    cursor: str | Unset = UNSET,
    if_none_match: IfMatch | Unset = UNSET,
) -> Operation[Ratings]:
    return Operation(
        name="list_ratings",
        method="GET",
        path="/sellers/{id}/ratings".format(
            id=quote(str(id), safe=""),
        ),
        read=_read_list_ratings,
        secured=False,
        query={
            "limit": limit,
            "cursor": cursor,
        },
        if_none_match=if_none_match,
    )


def _read_report_ad(response: httpx2.Response) -> Report:
    return Report.from_dict(response.json())


def report_ad(
    id: int,
    *,
    reason: ReportReason,
    text: str | Unset = UNSET,
) -> Operation[Report]:
    return Operation(
        name="report_ad",
        method="POST",
        path="/ads/{id}/reports".format(
            id=quote(str(id), safe=""),
        ),
        read=_read_report_ad,
        secured=True,
        json=CreateReport(
            reason=reason,
            text=text,
        ).to_dict(),
    )


def _read_report_comment(response: httpx2.Response) -> Report:
    return Report.from_dict(response.json())


def report_comment(
    id: int,
    comment_id: int,
    *,
    reason: ReportReason,
    text: str | Unset = UNSET,
) -> Operation[Report]:
    return Operation(
        name="report_comment",
        method="POST",
        path="/ads/{id}/comments/{comment_id}/reports".format(
            id=quote(str(id), safe=""),
            comment_id=quote(str(comment_id), safe=""),
        ),
        read=_read_report_comment,
        secured=True,
        json=CreateReport(
            reason=reason,
            text=text,
        ).to_dict(),
    )


def _read_report_message(response: httpx2.Response) -> Report:
    return Report.from_dict(response.json())


def report_message(
    id: int,
    message_id: int,
    *,
    reason: ReportReason,
    text: str | Unset = UNSET,
) -> Operation[Report]:
    return Operation(
        name="report_message",
        method="POST",
        path="/conversations/{id}/messages/{message_id}/reports".format(
            id=quote(str(id), safe=""),
            message_id=quote(str(message_id), safe=""),
        ),
        read=_read_report_message,
        secured=True,
        json=CreateReport(
            reason=reason,
            text=text,
        ).to_dict(),
    )


def _read_report_rating(response: httpx2.Response) -> Report:
    return Report.from_dict(response.json())


def report_rating(
    id: int,
    *,
    reason: ReportReason,
    text: str | Unset = UNSET,
) -> Operation[Report]:
    return Operation(
        name="report_rating",
        method="POST",
        path="/ratings/{id}/reports".format(
            id=quote(str(id), safe=""),
        ),
        read=_read_report_rating,
        secured=True,
        json=CreateReport(
            reason=reason,
            text=text,
        ).to_dict(),
    )


def _read_list_cases(response: httpx2.Response) -> Cases:
    return Cases.from_dict(response.json())


def list_cases(
    *,
    limit: int | Unset = UNSET,
    cursor: str | Unset = UNSET,
    status: CaseStatus | Unset = UNSET,
    if_none_match: IfMatch | Unset = UNSET,
) -> Operation[Cases]:
    return Operation(
        name="list_cases",
        method="GET",
        path="/moderation/cases",
        read=_read_list_cases,
        secured=True,
        query={
            "limit": limit,
            "cursor": cursor,
            "status": status,
        },
        if_none_match=if_none_match,
    )


def _read_get_case(response: httpx2.Response) -> Case:
    return Case.from_dict(response.json())


def get_case(
    id: int,
    *,
    if_none_match: IfMatch | Unset = UNSET,
) -> Operation[Case]:
    return Operation(
        name="get_case",
        method="GET",
        path="/moderation/cases/{id}".format(
            id=quote(str(id), safe=""),
        ),
        read=_read_get_case,
        secured=True,
        if_none_match=if_none_match,
    )


def _read_decide_case(response: httpx2.Response) -> MadeDecision:
    return MadeDecision.from_dict(response.json())


def decide_case(
    id: int,
    *,
    action: MakeDecisionAction,
    ground: DecisionGround | Unset = UNSET,
    explanation: str | Unset = UNSET,
    reference: str | Unset = UNSET,
    days: int | Unset = UNSET,
    if_match: IfMatch | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,
) -> Operation[MadeDecision]:
    return Operation(
        name="decide_case",
        method="POST",
        path="/moderation/cases/{id}/decisions".format(
            id=quote(str(id), safe=""),
        ),
        read=_read_decide_case,
        secured=True,
        json=MakeDecision(
            action=action,
            ground=ground,
            explanation=explanation,
            reference=reference,
            days=days,
        ).to_dict(),
        if_match=if_match,
        keyed=True,
        idempotency_key=idempotency_key,
    )


def _read_undo_decision(response: httpx2.Response) -> MadeDecision:
    return MadeDecision.from_dict(response.json())


def undo_decision(
    id: int,
    *,
    idempotency_key: str | Unset = UNSET,
) -> Operation[MadeDecision]:
    return Operation(
        name="undo_decision",
        method="POST",
        path="/moderation/decisions/{id}/undo".format(
            id=quote(str(id), safe=""),
        ),
        read=_read_undo_decision,
        secured=True,
        keyed=True,
        idempotency_key=idempotency_key,
    )


def _read_list_my_decisions(response: httpx2.Response) -> Decisions:
    return Decisions.from_dict(response.json())


def list_my_decisions(
    *,
    limit: int | Unset = UNSET,
    cursor: str | Unset = UNSET,
    if_none_match: IfMatch | Unset = UNSET,
) -> Operation[Decisions]:
    return Operation(
        name="list_my_decisions",
        method="GET",
        path="/users/me/decisions",
        read=_read_list_my_decisions,
        secured=True,
        query={
            "limit": limit,
            "cursor": cursor,
        },
        if_none_match=if_none_match,
    )


def _read_appeal_decision(response: httpx2.Response) -> Decision:
    return Decision.from_dict(response.json())


def appeal_decision(
    id: int,
    *,
    text: str,
) -> Operation[Decision]:
    return Operation(
        name="appeal_decision",
        method="POST",
        path="/users/me/decisions/{id}/appeal".format(
            id=quote(str(id), safe=""),
        ),
        read=_read_appeal_decision,
        secured=True,
        json=CreateAppeal(
            text=text,
        ).to_dict(),
    )


def _read_read_decision(response: httpx2.Response) -> Decision:
    return Decision.from_dict(response.json())


def read_decision(
    *,
    token: str,
) -> Operation[Decision]:
    return Operation(
        name="read_decision",
        method="POST",
        path="/decisions/read",
        read=_read_read_decision,
        secured=False,
        json=ReadDecision(
            token=token,
        ).to_dict(),
    )


def _read_appeal_by_token(response: httpx2.Response) -> Decision:
    return Decision.from_dict(response.json())


def appeal_by_token(
    *,
    token: str,
    text: str,
) -> Operation[Decision]:
    return Operation(
        name="appeal_by_token",
        method="POST",
        path="/decisions/appeal",
        read=_read_appeal_by_token,
        secured=False,
        json=AppealByToken(
            token=token,
            text=text,
        ).to_dict(),
    )


def _read_begin_passkey_login(response: httpx2.Response) -> PasskeyRequestOptions:
    return PasskeyRequestOptions.from_dict(response.json())


def begin_passkey_login() -> Operation[PasskeyRequestOptions]:
    return Operation(
        name="begin_passkey_login",
        method="POST",
        path="/login/passkey/options",
        read=_read_begin_passkey_login,
        secured=False,
    )


def _read_log_in_by_passkey(response: httpx2.Response) -> TokenPair:
    return TokenPair.from_dict(response.json())


def log_in_by_passkey(
    *,
    id: str,
    raw_id: str,
    type_: Literal["public-key"],
    response_: PasskeyAssertion | Mapping[str, Any],
) -> Operation[TokenPair]:
    return Operation(
        name="log_in_by_passkey",
        method="POST",
        path="/login/passkey",
        read=_read_log_in_by_passkey,
        secured=False,
        json=PasskeyLogin(
            id=id,
            raw_id=raw_id,
            type_=type_,
            response_=response_
            if isinstance(response_, PasskeyAssertion)
            else PasskeyAssertion.from_dict(response_),
        ).to_dict(),
    )


def _read_list_users(response: httpx2.Response) -> Accounts:
    return Accounts.from_dict(response.json())


def list_users(
    *,
    limit: int | Unset = UNSET,
    cursor: str | Unset = UNSET,
    q: str | Unset = UNSET,
    status: AccountStatus | Unset = UNSET,
    if_none_match: IfMatch | Unset = UNSET,
) -> Operation[Accounts]:
    return Operation(
        name="list_users",
        method="GET",
        path="/users",
        read=_read_list_users,
        secured=True,
        query={
            "limit": limit,
            "cursor": cursor,
            "q": q,
            "status": status,
        },
        if_none_match=if_none_match,
    )


def _read_get_user(response: httpx2.Response) -> Account:
    return Account.from_dict(response.json())


def get_user(
    id: int,
    *,
    if_none_match: IfMatch | Unset = UNSET,
) -> Operation[Account]:
    return Operation(
        name="get_user",
        method="GET",
        path="/users/{id}".format(
            id=quote(str(id), safe=""),
        ),
        read=_read_get_user,
        secured=True,
        if_none_match=if_none_match,
    )


def _read_delete_user(_: httpx2.Response) -> None:
    return None


def delete_user(
    id: int,
    *,
    current_password: str | Unset = UNSET,
) -> Operation[None]:
    return Operation(
        name="delete_user",
        method="DELETE",
        path="/users/{id}".format(
            id=quote(str(id), safe=""),
        ),
        read=_read_delete_user,
        secured=True,
        json=DeleteUser(
            current_password=current_password,
        ).to_dict(),
    )


def _read_update_user(response: httpx2.Response) -> Account:
    return Account.from_dict(response.json())


def update_user(
    id: int,
    *,
    role: Role | Unset = UNSET,
    plan: str | Unset = UNSET,
    current_password: str | Unset = UNSET,
) -> Operation[Account]:
    return Operation(
        name="update_user",
        method="PATCH",
        path="/users/{id}".format(
            id=quote(str(id), safe=""),
        ),
        read=_read_update_user,
        secured=True,
        json=ChangeRole(
            role=role,
            plan=plan,
            current_password=current_password,
        ).to_dict(),
    )


def _read_list_user_mails(response: httpx2.Response) -> MailAttempts:
    return MailAttempts.from_dict(response.json())


def list_user_mails(
    id: int,
    *,
    limit: int | Unset = UNSET,
    cursor: str | Unset = UNSET,
    if_none_match: IfMatch | Unset = UNSET,
) -> Operation[MailAttempts]:
    return Operation(
        name="list_user_mails",
        method="GET",
        path="/users/{id}/mails".format(
            id=quote(str(id), safe=""),
        ),
        read=_read_list_user_mails,
        secured=True,
        query={
            "limit": limit,
            "cursor": cursor,
        },
        if_none_match=if_none_match,
    )


def _read_suspend_user(response: httpx2.Response) -> Account:
    return Account.from_dict(response.json())


def suspend_user(
    id: int,
    *,
    ground: DecisionGround,
    explanation: str,
    reference: str | Unset = UNSET,
    days: int | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,
) -> Operation[Account]:
    return Operation(
        name="suspend_user",
        method="POST",
        path="/users/{id}/suspend".format(
            id=quote(str(id), safe=""),
        ),
        read=_read_suspend_user,
        secured=True,
        json=Statement(
            ground=ground,
            explanation=explanation,
            reference=reference,
            days=days,
        ).to_dict(),
        keyed=True,
        idempotency_key=idempotency_key,
    )


def _read_expel_user(response: httpx2.Response) -> ExpelledContent:
    return ExpelledContent.from_dict(response.json())


def expel_user(
    id: int,
    *,
    ground: DecisionGround,
    explanation: str,
    reference: str | Unset = UNSET,
    dry_run: bool | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,
) -> Operation[ExpelledContent]:
    return Operation(
        name="expel_user",
        method="POST",
        path="/users/{id}/expel".format(
            id=quote(str(id), safe=""),
        ),
        read=_read_expel_user,
        secured=True,
        json=Expulsion(
            ground=ground,
            explanation=explanation,
            reference=reference,
            dry_run=dry_run,
        ).to_dict(),
        keyed=True,
        idempotency_key=idempotency_key,
    )


def _read_restore_user(response: httpx2.Response) -> Account:
    return Account.from_dict(response.json())


def restore_user(
    id: int,
    *,
    idempotency_key: str | Unset = UNSET,
) -> Operation[Account]:
    return Operation(
        name="restore_user",
        method="POST",
        path="/users/{id}/restore".format(
            id=quote(str(id), safe=""),
        ),
        read=_read_restore_user,
        secured=True,
        keyed=True,
        idempotency_key=idempotency_key,
    )


def _read_list_events(response: httpx2.Response) -> Events:
    return Events.from_dict(response.json())


def list_events(
    *,
    type_: list[EventType] | Unset = UNSET,
    after: str | Unset = UNSET,
    limit: int | Unset = UNSET,
    wait: int | Unset = UNSET,
) -> Operation[Events]:
    return Operation(
        name="list_events",
        method="GET",
        path="/events",
        read=_read_list_events,
        secured=True,
        query={
            "type": type_,
            "after": after,
            "limit": limit,
            "wait": wait,
        },
    )


def _read_stream_events(response: httpx2.Response) -> httpx2.Response:
    return response


def stream_events(
    *,
    type_: list[EventType] | Unset = UNSET,
    after: str | Unset = UNSET,
) -> Operation[httpx2.Response]:
    return Operation(
        name="stream_events",
        method="GET",
        path="/events/stream",
        read=_read_stream_events,
        secured=True,
        streamed=True,
        query={
            "type": type_,
            "after": after,
        },
    )


def _read_stream_my_events(response: httpx2.Response) -> httpx2.Response:
    return response


def stream_my_events(
    *,
    after: str | Unset = UNSET,
) -> Operation[httpx2.Response]:
    return Operation(
        name="stream_my_events",
        method="GET",
        path="/users/me/stream",
        read=_read_stream_my_events,
        secured=True,
        streamed=True,
        query={
            "after": after,
        },
    )


def _read_list_search_ads(response: httpx2.Response) -> SearchAds:
    return SearchAds.from_dict(response.json())


def list_search_ads(
    id: int,
    *,
    after: str | Unset = UNSET,
    limit: int | Unset = UNSET,
) -> Operation[SearchAds]:
    return Operation(
        name="list_search_ads",
        method="GET",
        path="/users/me/searches/{id}/ads".format(
            id=quote(str(id), safe=""),
        ),
        read=_read_list_search_ads,
        secured=True,
        query={
            "after": after,
            "limit": limit,
        },
    )


def _read_stream_search_ads(response: httpx2.Response) -> httpx2.Response:
    return response


def stream_search_ads(
    id: int,
    *,
    after: str | Unset = UNSET,
) -> Operation[httpx2.Response]:
    return Operation(
        name="stream_search_ads",
        method="GET",
        path="/users/me/searches/{id}/ads/stream".format(
            id=quote(str(id), safe=""),
        ),
        read=_read_stream_search_ads,
        secured=True,
        streamed=True,
        query={
            "after": after,
        },
    )


def _read_list_my_searches(response: httpx2.Response) -> SavedSearches:
    return SavedSearches.from_dict(response.json())


def list_my_searches(
    *,
    limit: int | Unset = UNSET,
    cursor: str | Unset = UNSET,
    if_none_match: IfMatch | Unset = UNSET,
) -> Operation[SavedSearches]:
    return Operation(
        name="list_my_searches",
        method="GET",
        path="/users/me/searches",
        read=_read_list_my_searches,
        secured=True,
        query={
            "limit": limit,
            "cursor": cursor,
        },
        if_none_match=if_none_match,
    )


def _read_save_search(response: httpx2.Response) -> SavedSearch:
    return SavedSearch.from_dict(response.json())


def save_search(
    *,
    query: str,
    name: str,
    notify: CreateSearchNotify | Unset = UNSET,
) -> Operation[SavedSearch]:
    return Operation(
        name="save_search",
        method="POST",
        path="/users/me/searches",
        read=_read_save_search,
        secured=True,
        json=CreateSearch(
            query=query,
            name=name,
            notify=notify,
        ).to_dict(),
    )


def _read_delete_search(_: httpx2.Response) -> None:
    return None


def delete_search(
    id: int,
) -> Operation[None]:
    return Operation(
        name="delete_search",
        method="DELETE",
        path="/users/me/searches/{id}".format(
            id=quote(str(id), safe=""),
        ),
        read=_read_delete_search,
        secured=True,
    )


def _read_update_search(response: httpx2.Response) -> SavedSearch:
    return SavedSearch.from_dict(response.json())


def update_search(
    id: int,
    *,
    name: str | Unset = UNSET,
    notify: UpdateSearchNotify | Unset = UNSET,
) -> Operation[SavedSearch]:
    return Operation(
        name="update_search",
        method="PATCH",
        path="/users/me/searches/{id}".format(
            id=quote(str(id), safe=""),
        ),
        read=_read_update_search,
        secured=True,
        json=UpdateSearch(
            name=name,
            notify=notify,
        ).to_dict(),
    )


def _read_mark_search_seen(_: httpx2.Response) -> None:
    return None


def mark_search_seen(
    id: int,
) -> Operation[None]:
    return Operation(
        name="mark_search_seen",
        method="POST",
        path="/users/me/searches/{id}/seen".format(
            id=quote(str(id), safe=""),
        ),
        read=_read_mark_search_seen,
        secured=True,
    )


def _read_list_imports(response: httpx2.Response) -> Imports:
    return Imports.from_dict(response.json())


def list_imports(
    *,
    if_none_match: IfMatch | Unset = UNSET,
) -> Operation[Imports]:
    return Operation(
        name="list_imports",
        method="GET",
        path="/imports",
        read=_read_list_imports,
        secured=True,
        if_none_match=if_none_match,
    )


def _read_create_import(response: httpx2.Response) -> Import:
    return Import.from_dict(response.json())


def create_import(
    content: Text,
    *,
    mode: CreateImportMode | Unset = UNSET,
    dry_run: bool | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,
) -> Operation[Import]:
    return Operation(
        name="create_import",
        method="POST",
        path="/imports",
        read=_read_create_import,
        secured=True,
        query={
            "mode": mode,
            "dryRun": dry_run,
        },
        text=content,
        keyed=True,
        idempotency_key=idempotency_key,
    )


def _read_get_import(response: httpx2.Response) -> Import:
    return Import.from_dict(response.json())


def get_import(
    id: int,
    *,
    if_none_match: IfMatch | Unset = UNSET,
) -> Operation[Import]:
    return Operation(
        name="get_import",
        method="GET",
        path="/imports/{id}".format(
            id=quote(str(id), safe=""),
        ),
        read=_read_get_import,
        secured=True,
        if_none_match=if_none_match,
    )


def _read_list_import_rows(response: httpx2.Response) -> ImportedRows:
    return ImportedRows.from_dict(response.json())


def list_import_rows(
    id: int,
    *,
    limit: int | Unset = UNSET,
    cursor: str | Unset = UNSET,
    status: ListImportRowsStatus | Unset = UNSET,
    if_none_match: IfMatch | Unset = UNSET,
) -> Operation[ImportedRows]:
    return Operation(
        name="list_import_rows",
        method="GET",
        path="/imports/{id}/rows".format(
            id=quote(str(id), safe=""),
        ),
        read=_read_list_import_rows,
        secured=True,
        query={
            "limit": limit,
            "cursor": cursor,
            "status": status,
        },
        if_none_match=if_none_match,
    )


def _read_confirm_import(response: httpx2.Response) -> Import:
    return Import.from_dict(response.json())


def confirm_import(
    id: int,
) -> Operation[Import]:
    return Operation(
        name="confirm_import",
        method="POST",
        path="/imports/{id}/confirm".format(
            id=quote(str(id), safe=""),
        ),
        read=_read_confirm_import,
        secured=True,
    )


def _read_list_webhooks(response: httpx2.Response) -> Webhooks:
    return Webhooks.from_dict(response.json())


def list_webhooks(
    *,
    if_none_match: IfMatch | Unset = UNSET,
) -> Operation[Webhooks]:
    return Operation(
        name="list_webhooks",
        method="GET",
        path="/webhooks",
        read=_read_list_webhooks,
        secured=True,
        if_none_match=if_none_match,
    )


def _read_create_webhook(response: httpx2.Response) -> CreatedWebhook:
    return CreatedWebhook.from_dict(response.json())


def create_webhook(
    *,
    url: str,
    types: list[EventType],
    description: str | Unset = UNSET,
) -> Operation[CreatedWebhook]:
    return Operation(
        name="create_webhook",
        method="POST",
        path="/webhooks",
        read=_read_create_webhook,
        secured=True,
        json=CreateWebhook(
            url=url,
            types=types,
            description=description,
        ).to_dict(),
    )


def _read_get_webhook(response: httpx2.Response) -> Webhook:
    return Webhook.from_dict(response.json())


def get_webhook(
    id: int,
    *,
    if_none_match: IfMatch | Unset = UNSET,
) -> Operation[Webhook]:
    return Operation(
        name="get_webhook",
        method="GET",
        path="/webhooks/{id}".format(
            id=quote(str(id), safe=""),
        ),
        read=_read_get_webhook,
        secured=True,
        if_none_match=if_none_match,
    )


def _read_delete_webhook(_: httpx2.Response) -> None:
    return None


def delete_webhook(
    id: int,
) -> Operation[None]:
    return Operation(
        name="delete_webhook",
        method="DELETE",
        path="/webhooks/{id}".format(
            id=quote(str(id), safe=""),
        ),
        read=_read_delete_webhook,
        secured=True,
    )


def _read_update_webhook(response: httpx2.Response) -> Webhook:
    return Webhook.from_dict(response.json())


def update_webhook(
    id: int,
    *,
    url: str | Unset = UNSET,
    types: list[EventType] | Unset = UNSET,
    description: str | Unset = UNSET,
    enabled: bool | Unset = UNSET,
) -> Operation[Webhook]:
    return Operation(
        name="update_webhook",
        method="PATCH",
        path="/webhooks/{id}".format(
            id=quote(str(id), safe=""),
        ),
        read=_read_update_webhook,
        secured=True,
        json=UpdateWebhook(
            url=url,
            types=types,
            description=description,
            enabled=enabled,
        ).to_dict(),
    )


def _read_rotate_webhook(response: httpx2.Response) -> CreatedWebhook:
    return CreatedWebhook.from_dict(response.json())


def rotate_webhook(
    id: int,
) -> Operation[CreatedWebhook]:
    return Operation(
        name="rotate_webhook",
        method="POST",
        path="/webhooks/{id}/rotate".format(
            id=quote(str(id), safe=""),
        ),
        read=_read_rotate_webhook,
        secured=True,
    )


def _read_test_webhook(_: httpx2.Response) -> None:
    return None


def test_webhook(
    id: int,
) -> Operation[None]:
    return Operation(
        name="test_webhook",
        method="POST",
        path="/webhooks/{id}/test".format(
            id=quote(str(id), safe=""),
        ),
        read=_read_test_webhook,
        secured=True,
    )


def _read_list_deliveries(response: httpx2.Response) -> Deliveries:
    return Deliveries.from_dict(response.json())


def list_deliveries(
    id: int,
    *,
    limit: int | Unset = UNSET,
    cursor: str | Unset = UNSET,
    status: DeliveryStatus | Unset = UNSET,
    if_none_match: IfMatch | Unset = UNSET,
) -> Operation[Deliveries]:
    return Operation(
        name="list_deliveries",
        method="GET",
        path="/webhooks/{id}/deliveries".format(
            id=quote(str(id), safe=""),
        ),
        read=_read_list_deliveries,
        secured=True,
        query={
            "limit": limit,
            "cursor": cursor,
            "status": status,
        },
        if_none_match=if_none_match,
    )


def _read_retry_delivery(_: httpx2.Response) -> None:
    return None


def retry_delivery(
    id: int,
    delivery_id: int,
) -> Operation[None]:
    return Operation(
        name="retry_delivery",
        method="POST",
        path="/webhooks/{id}/deliveries/{delivery_id}/retry".format(
            id=quote(str(id), safe=""),
            delivery_id=quote(str(delivery_id), safe=""),
        ),
        read=_read_retry_delivery,
        secured=True,
    )


def _read_replay_deliveries(_: httpx2.Response) -> None:
    return None


def replay_deliveries(
    id: int,
    *,
    since: int,
) -> Operation[None]:
    return Operation(
        name="replay_deliveries",
        method="POST",
        path="/webhooks/{id}/replay".format(
            id=quote(str(id), safe=""),
        ),
        read=_read_replay_deliveries,
        secured=True,
        json=ReplayDeliveries(
            since=since,
        ).to_dict(),
    )


def _read_list_my_webhooks(response: httpx2.Response) -> Webhooks:
    return Webhooks.from_dict(response.json())


def list_my_webhooks(
    *,
    if_none_match: IfMatch | Unset = UNSET,
) -> Operation[Webhooks]:
    return Operation(
        name="list_my_webhooks",
        method="GET",
        path="/users/me/webhooks",
        read=_read_list_my_webhooks,
        secured=True,
        if_none_match=if_none_match,
    )


def _read_create_my_webhook(response: httpx2.Response) -> CreatedWebhook:
    return CreatedWebhook.from_dict(response.json())


def create_my_webhook(
    *,
    url: str,
    types: list[EventType],
    description: str | Unset = UNSET,
) -> Operation[CreatedWebhook]:
    return Operation(
        name="create_my_webhook",
        method="POST",
        path="/users/me/webhooks",
        read=_read_create_my_webhook,
        secured=True,
        json=CreateWebhook(
            url=url,
            types=types,
            description=description,
        ).to_dict(),
    )


def _read_get_my_webhook(response: httpx2.Response) -> Webhook:
    return Webhook.from_dict(response.json())


def get_my_webhook(
    id: int,
    *,
    if_none_match: IfMatch | Unset = UNSET,
) -> Operation[Webhook]:
    return Operation(
        name="get_my_webhook",
        method="GET",
        path="/users/me/webhooks/{id}".format(
            id=quote(str(id), safe=""),
        ),
        read=_read_get_my_webhook,
        secured=True,
        if_none_match=if_none_match,
    )


def _read_delete_my_webhook(_: httpx2.Response) -> None:
    return None


def delete_my_webhook(
    id: int,
) -> Operation[None]:
    return Operation(
        name="delete_my_webhook",
        method="DELETE",
        path="/users/me/webhooks/{id}".format(
            id=quote(str(id), safe=""),
        ),
        read=_read_delete_my_webhook,
        secured=True,
    )


def _read_update_my_webhook(response: httpx2.Response) -> Webhook:
    return Webhook.from_dict(response.json())


def update_my_webhook(
    id: int,
    *,
    url: str | Unset = UNSET,
    types: list[EventType] | Unset = UNSET,
    description: str | Unset = UNSET,
    enabled: bool | Unset = UNSET,
) -> Operation[Webhook]:
    return Operation(
        name="update_my_webhook",
        method="PATCH",
        path="/users/me/webhooks/{id}".format(
            id=quote(str(id), safe=""),
        ),
        read=_read_update_my_webhook,
        secured=True,
        json=UpdateWebhook(
            url=url,
            types=types,
            description=description,
            enabled=enabled,
        ).to_dict(),
    )


def _read_rotate_my_webhook(response: httpx2.Response) -> CreatedWebhook:
    return CreatedWebhook.from_dict(response.json())


def rotate_my_webhook(
    id: int,
) -> Operation[CreatedWebhook]:
    return Operation(
        name="rotate_my_webhook",
        method="POST",
        path="/users/me/webhooks/{id}/rotate".format(
            id=quote(str(id), safe=""),
        ),
        read=_read_rotate_my_webhook,
        secured=True,
    )


def _read_test_my_webhook(_: httpx2.Response) -> None:
    return None


def test_my_webhook(
    id: int,
) -> Operation[None]:
    return Operation(
        name="test_my_webhook",
        method="POST",
        path="/users/me/webhooks/{id}/test".format(
            id=quote(str(id), safe=""),
        ),
        read=_read_test_my_webhook,
        secured=True,
    )


def _read_list_my_deliveries(response: httpx2.Response) -> Deliveries:
    return Deliveries.from_dict(response.json())


def list_my_deliveries(
    id: int,
    *,
    limit: int | Unset = UNSET,
    cursor: str | Unset = UNSET,
    status: DeliveryStatus | Unset = UNSET,
    if_none_match: IfMatch | Unset = UNSET,
) -> Operation[Deliveries]:
    return Operation(
        name="list_my_deliveries",
        method="GET",
        path="/users/me/webhooks/{id}/deliveries".format(
            id=quote(str(id), safe=""),
        ),
        read=_read_list_my_deliveries,
        secured=True,
        query={
            "limit": limit,
            "cursor": cursor,
            "status": status,
        },
        if_none_match=if_none_match,
    )


def _read_retry_my_delivery(_: httpx2.Response) -> None:
    return None


def retry_my_delivery(
    id: int,
    delivery_id: int,
) -> Operation[None]:
    return Operation(
        name="retry_my_delivery",
        method="POST",
        path="/users/me/webhooks/{id}/deliveries/{delivery_id}/retry".format(
            id=quote(str(id), safe=""),
            delivery_id=quote(str(delivery_id), safe=""),
        ),
        read=_read_retry_my_delivery,
        secured=True,
    )


def _read_replay_my_deliveries(_: httpx2.Response) -> None:
    return None


def replay_my_deliveries(
    id: int,
    *,
    since: int,
) -> Operation[None]:
    return Operation(
        name="replay_my_deliveries",
        method="POST",
        path="/users/me/webhooks/{id}/replay".format(
            id=quote(str(id), safe=""),
        ),
        read=_read_replay_my_deliveries,
        secured=True,
        json=ReplayDeliveries(
            since=since,
        ).to_dict(),
    )


def _read_get_overview(response: httpx2.Response) -> Overview:
    return Overview.from_dict(response.json())


def get_overview(
    *,
    if_none_match: IfMatch | Unset = UNSET,
) -> Operation[Overview]:
    return Operation(
        name="get_overview",
        method="GET",
        path="/admin/overview",
        read=_read_get_overview,
        secured=True,
        if_none_match=if_none_match,
    )


def _read_list_all_ads(response: httpx2.Response) -> AdministeredAds:
    return AdministeredAds.from_dict(response.json())


def list_all_ads(
    *,
    limit: int | Unset = UNSET,
    cursor: str | Unset = UNSET,
    q: str | Unset = UNSET,
    status: AdStatus | Unset = UNSET,
    author: int | Unset = UNSET,
    if_none_match: IfMatch | Unset = UNSET,
) -> Operation[AdministeredAds]:
    return Operation(
        name="list_all_ads",
        method="GET",
        path="/admin/ads",
        read=_read_list_all_ads,
        secured=True,
        query={
            "limit": limit,
            "cursor": cursor,
            "q": q,
            "status": status,
            "author": author,
        },
        if_none_match=if_none_match,
    )


def _read_decide_ads(response: httpx2.Response) -> DecidedAds:
    return DecidedAds.from_dict(response.json())


def decide_ads(
    *,
    action: DecideAdsAction,
    ads: list[int],
    ground: DecisionGround | Unset = UNSET,
    explanation: str | Unset = UNSET,
    reference: str | Unset = UNSET,
    dry_run: bool | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,
) -> Operation[DecidedAds]:
    return Operation(
        name="decide_ads",
        method="POST",
        path="/admin/ads/decisions",
        read=_read_decide_ads,
        secured=True,
        json=DecideAds(
            action=action,
            ads=ads,
            ground=ground,
            explanation=explanation,
            reference=reference,
            dry_run=dry_run,
        ).to_dict(),
        keyed=True,
        idempotency_key=idempotency_key,
    )


def _read_list_audit_events(response: httpx2.Response) -> AuditEvents:
    return AuditEvents.from_dict(response.json())


def list_audit_events(
    *,
    limit: int | Unset = UNSET,
    cursor: str | Unset = UNSET,
    actor: str | Unset = UNSET,
    kind: AuditKind | Unset = UNSET,
    ad: int | Unset = UNSET,
    user: int | Unset = UNSET,
    before: int | Unset = UNSET,
    if_none_match: IfMatch | Unset = UNSET,
) -> Operation[AuditEvents]:
    return Operation(
        name="list_audit_events",
        method="GET",
        path="/admin/audit",
        read=_read_list_audit_events,
        secured=True,
        query={
            "limit": limit,
            "cursor": cursor,
            "actor": actor,
            "kind": kind,
            "ad": ad,
            "user": user,
            "before": before,
        },
        if_none_match=if_none_match,
    )


def _read_list_settings(response: httpx2.Response) -> SettingList:
    return SettingList.from_dict(response.json())


def list_settings(
    *,
    if_none_match: IfMatch | Unset = UNSET,
) -> Operation[SettingList]:
    return Operation(
        name="list_settings",
        method="GET",
        path="/admin/settings",
        read=_read_list_settings,
        secured=True,
        if_none_match=if_none_match,
    )


def _read_get_maintenance(response: httpx2.Response) -> Maintenance:
    return Maintenance.from_dict(response.json())


def get_maintenance(
    *,
    if_none_match: IfMatch | Unset = UNSET,
) -> Operation[Maintenance]:
    return Operation(
        name="get_maintenance",
        method="GET",
        path="/admin/maintenance",
        read=_read_get_maintenance,
        secured=True,
        if_none_match=if_none_match,
    )


def _read_change_maintenance(_: httpx2.Response) -> None:
    return None


def change_maintenance(
    *,
    mode: ChangeMaintenanceMode,
    text: str | Unset = UNSET,
    retry_after: int | Unset = UNSET,
) -> Operation[None]:
    return Operation(
        name="change_maintenance",
        method="PUT",
        path="/admin/maintenance",
        read=_read_change_maintenance,
        secured=True,
        json=ChangeMaintenance(
            mode=mode,
            text=text,
            retry_after=retry_after,
        ).to_dict(),
    )


def _read_list_access_rules(response: httpx2.Response) -> AccessRuleList:
    return AccessRuleList.from_dict(response.json())


def list_access_rules(
    *,
    if_none_match: IfMatch | Unset = UNSET,
) -> Operation[AccessRuleList]:
    return Operation(
        name="list_access_rules",
        method="GET",
        path="/admin/access-rules",
        read=_read_list_access_rules,
        secured=True,
        if_none_match=if_none_match,
    )


def _read_change_access_rule(_: httpx2.Response) -> None:
    return None


def change_access_rule(
    *,
    subject: str,
    factor: int,
    days: int | Unset = UNSET,
    note: str | Unset = UNSET,
) -> Operation[None]:
    return Operation(
        name="change_access_rule",
        method="PUT",
        path="/admin/access-rules",
        read=_read_change_access_rule,
        secured=True,
        json=ChangeAccessRule(
            subject=subject,
            factor=factor,
            days=days,
            note=note,
        ).to_dict(),
    )


def _read_list_jobs(response: httpx2.Response) -> JobList:
    return JobList.from_dict(response.json())


def list_jobs(
    *,
    if_none_match: IfMatch | Unset = UNSET,
) -> Operation[JobList]:
    return Operation(
        name="list_jobs",
        method="GET",
        path="/admin/jobs",
        read=_read_list_jobs,
        secured=True,
        if_none_match=if_none_match,
    )


def _read_run_job(_: httpx2.Response) -> None:
    return None


def run_job(
    name: RunJobName,
) -> Operation[None]:
    return Operation(
        name="run_job",
        method="POST",
        path="/admin/jobs/{name}/run".format(
            name=quote(str(name), safe=""),
        ),
        read=_read_run_job,
        secured=True,
    )


def _read_list_outbox(response: httpx2.Response) -> OutboxEntries:
    return OutboxEntries.from_dict(response.json())


def list_outbox(
    *,
    limit: int | Unset = UNSET,
    cursor: str | Unset = UNSET,
    status: ListOutboxStatus | Unset = UNSET,
    if_none_match: IfMatch | Unset = UNSET,
) -> Operation[OutboxEntries]:
    return Operation(
        name="list_outbox",
        method="GET",
        path="/admin/outbox",
        read=_read_list_outbox,
        secured=True,
        query={
            "limit": limit,
            "cursor": cursor,
            "status": status,
        },
        if_none_match=if_none_match,
    )


def _read_retry_outbox_entry(_: httpx2.Response) -> None:
    return None


def retry_outbox_entry(
    id: int,
) -> Operation[None]:
    return Operation(
        name="retry_outbox_entry",
        method="POST",
        path="/admin/outbox/{id}/retry".format(
            id=quote(str(id), safe=""),
        ),
        read=_read_retry_outbox_entry,
        secured=True,
    )


def _read_delete_outbox_entry(_: httpx2.Response) -> None:
    return None


def delete_outbox_entry(
    id: int,
) -> Operation[None]:
    return Operation(
        name="delete_outbox_entry",
        method="DELETE",
        path="/admin/outbox/{id}".format(
            id=quote(str(id), safe=""),
        ),
        read=_read_delete_outbox_entry,
        secured=True,
    )


def _read_list_deletions(response: httpx2.Response) -> Deletions:
    return Deletions.from_dict(response.json())


def list_deletions(
    *,
    limit: int | Unset = UNSET,
    cursor: str | Unset = UNSET,
    if_none_match: IfMatch | Unset = UNSET,
) -> Operation[Deletions]:
    return Operation(
        name="list_deletions",
        method="GET",
        path="/admin/deletions",
        read=_read_list_deletions,
        secured=True,
        query={
            "limit": limit,
            "cursor": cursor,
        },
        if_none_match=if_none_match,
    )


def _read_undo_deletion(_: httpx2.Response) -> None:
    return None


def undo_deletion(
    id: int,
) -> Operation[None]:
    return Operation(
        name="undo_deletion",
        method="POST",
        path="/admin/deletions/{id}/undo".format(
            id=quote(str(id), safe=""),
        ),
        read=_read_undo_deletion,
        secured=True,
    )


def _read_purge_deletion(_: httpx2.Response) -> None:
    return None


def purge_deletion(
    id: int,
) -> Operation[None]:
    return Operation(
        name="purge_deletion",
        method="DELETE",
        path="/admin/deletions/{id}".format(
            id=quote(str(id), safe=""),
        ),
        read=_read_purge_deletion,
        secured=True,
    )


def _read_list_mails(response: httpx2.Response) -> MailTextsList:
    return MailTextsList.from_dict(response.json())


def list_mails(
    *,
    if_none_match: IfMatch | Unset = UNSET,
) -> Operation[MailTextsList]:
    return Operation(
        name="list_mails",
        method="GET",
        path="/admin/mails",
        read=_read_list_mails,
        secured=True,
        if_none_match=if_none_match,
    )


def _read_get_mail(response: httpx2.Response) -> MailTexts:
    return MailTexts.from_dict(response.json())


def get_mail(
    kind: GetMailKind,
    *,
    if_none_match: IfMatch | Unset = UNSET,
) -> Operation[MailTexts]:
    return Operation(
        name="get_mail",
        method="GET",
        path="/admin/mails/{kind}".format(
            kind=quote(str(kind), safe=""),
        ),
        read=_read_get_mail,
        secured=True,
        if_none_match=if_none_match,
    )


def _read_write_mail(response: httpx2.Response) -> MailTexts:
    return MailTexts.from_dict(response.json())


def write_mail(
    kind: WriteMailKind,
    *,
    subject: Mapping[str, Any] | Unset = UNSET,
    intro: Mapping[str, Any] | Unset = UNSET,
) -> Operation[MailTexts]:
    return Operation(
        name="write_mail",
        method="PUT",
        path="/admin/mails/{kind}".format(
            kind=quote(str(kind), safe=""),
        ),
        read=_read_write_mail,
        secured=True,
        json=UpdateMail(
            subject=subject if isinstance(subject, Unset) else UpdateMailSubject.from_dict(subject),
            intro=intro if isinstance(intro, Unset) else UpdateMailIntro.from_dict(intro),
        ).to_dict(),
    )


def _read_test_mail(_: httpx2.Response) -> None:
    return None


def test_mail(
    kind: TestMailKind,
) -> Operation[None]:
    return Operation(
        name="test_mail",
        method="POST",
        path="/admin/mails/{kind}/test".format(
            kind=quote(str(kind), safe=""),
        ),
        read=_read_test_mail,
        secured=True,
    )


def _read_get_administered_site(response: httpx2.Response) -> AdministeredSite:
    return AdministeredSite.from_dict(response.json())


def get_administered_site(
    *,
    if_none_match: IfMatch | Unset = UNSET,
) -> Operation[AdministeredSite]:
    return Operation(
        name="get_administered_site",
        method="GET",
        path="/admin/site",
        read=_read_get_administered_site,
        secured=True,
        if_none_match=if_none_match,
    )


def _read_update_site(response: httpx2.Response) -> AdministeredSite:
    return AdministeredSite.from_dict(response.json())


def update_site(
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
) -> Operation[AdministeredSite]:
    return Operation(
        name="update_site",
        method="PATCH",
        path="/admin/site",
        read=_read_update_site,
        secured=True,
        json=UpdateSite(
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
        ).to_dict(),
        if_match=if_match,
    )


def _read_replace_site_logo(response: httpx2.Response) -> AdministeredSite:
    return AdministeredSite.from_dict(response.json())


def replace_site_logo(
    *,
    image: Upload,
    if_match: IfMatch | Unset = UNSET,
) -> Operation[AdministeredSite]:
    return Operation(
        name="replace_site_logo",
        method="PUT",
        path="/admin/site/logo",
        read=_read_replace_site_logo,
        secured=True,
        files={
            "image": [image],
        },
        if_match=if_match,
    )


def _read_remove_site_logo(response: httpx2.Response) -> AdministeredSite:
    return AdministeredSite.from_dict(response.json())


def remove_site_logo(
    *,
    if_match: IfMatch | Unset = UNSET,
) -> Operation[AdministeredSite]:
    return Operation(
        name="remove_site_logo",
        method="DELETE",
        path="/admin/site/logo",
        read=_read_remove_site_logo,
        secured=True,
        if_match=if_match,
    )


def _read_replace_site_icon(response: httpx2.Response) -> AdministeredSite:
    return AdministeredSite.from_dict(response.json())


def replace_site_icon(
    *,
    image: Upload,
    if_match: IfMatch | Unset = UNSET,
) -> Operation[AdministeredSite]:
    return Operation(
        name="replace_site_icon",
        method="PUT",
        path="/admin/site/icon",
        read=_read_replace_site_icon,
        secured=True,
        files={
            "image": [image],
        },
        if_match=if_match,
    )


def _read_remove_site_icon(response: httpx2.Response) -> AdministeredSite:
    return AdministeredSite.from_dict(response.json())


def remove_site_icon(
    *,
    if_match: IfMatch | Unset = UNSET,
) -> Operation[AdministeredSite]:
    return Operation(
        name="remove_site_icon",
        method="DELETE",
        path="/admin/site/icon",
        read=_read_remove_site_icon,
        secured=True,
        if_match=if_match,
    )


def _read_list_site_changes(response: httpx2.Response) -> SiteChanges:
    return SiteChanges.from_dict(response.json())


def list_site_changes(
    *,
    limit: int | Unset = UNSET,
    cursor: str | Unset = UNSET,
    if_none_match: IfMatch | Unset = UNSET,
) -> Operation[SiteChanges]:
    return Operation(
        name="list_site_changes",
        method="GET",
        path="/admin/site/history",
        read=_read_list_site_changes,
        secured=True,
        query={
            "limit": limit,
            "cursor": cursor,
        },
        if_none_match=if_none_match,
    )


def _read_restore_site(response: httpx2.Response) -> AdministeredSite:
    return AdministeredSite.from_dict(response.json())


def restore_site(
    id: int,
) -> Operation[AdministeredSite]:
    return Operation(
        name="restore_site",
        method="POST",
        path="/admin/site/history/{id}/restore".format(
            id=quote(str(id), safe=""),
        ),
        read=_read_restore_site,
        secured=True,
    )


def _read_list_site_pages(response: httpx2.Response) -> SitePages:
    return SitePages.from_dict(response.json())


def list_site_pages(
    *,
    if_none_match: IfMatch | Unset = UNSET,
) -> Operation[SitePages]:
    return Operation(
        name="list_site_pages",
        method="GET",
        path="/admin/pages",
        read=_read_list_site_pages,
        secured=True,
        if_none_match=if_none_match,
    )


def _read_get_site_page(response: httpx2.Response) -> SitePage:
    return SitePage.from_dict(response.json())


def get_site_page(
    slug: str,
    *,
    if_none_match: IfMatch | Unset = UNSET,
) -> Operation[SitePage]:
    return Operation(
        name="get_site_page",
        method="GET",
        path="/admin/pages/{slug}".format(
            slug=quote(str(slug), safe=""),
        ),
        read=_read_get_site_page,
        secured=True,
        if_none_match=if_none_match,
    )


def _read_save_site_page(response: httpx2.Response) -> SitePage:
    return SitePage.from_dict(response.json())


def save_site_page(
    slug: str,
    *,
    title: Mapping[str, Any],
    text: Mapping[str, Any],
    place: SavePagePlace | Unset = UNSET,
    position: int | Unset = UNSET,
    if_match: IfMatch | Unset = UNSET,
) -> Operation[SitePage]:
    return Operation(
        name="save_site_page",
        method="PUT",
        path="/admin/pages/{slug}".format(
            slug=quote(str(slug), safe=""),
        ),
        read=_read_save_site_page,
        secured=True,
        json=SavePage(
            title=SavePageTitle.from_dict(title),
            text=SavePageText.from_dict(text),
            place=place,
            position=position,
        ).to_dict(),
        if_match=if_match,
    )


def _read_delete_site_page(_: httpx2.Response) -> None:
    return None


def delete_site_page(
    slug: str,
    *,
    if_match: IfMatch | Unset = UNSET,
) -> Operation[None]:
    return Operation(
        name="delete_site_page",
        method="DELETE",
        path="/admin/pages/{slug}".format(
            slug=quote(str(slug), safe=""),
        ),
        read=_read_delete_site_page,
        secured=True,
        if_match=if_match,
    )


def _read_publish_site_page(response: httpx2.Response) -> SitePage:
    return SitePage.from_dict(response.json())


def publish_site_page(
    slug: str,
    *,
    if_match: IfMatch | Unset = UNSET,
) -> Operation[SitePage]:
    return Operation(
        name="publish_site_page",
        method="POST",
        path="/admin/pages/{slug}/publish".format(
            slug=quote(str(slug), safe=""),
        ),
        read=_read_publish_site_page,
        secured=True,
        if_match=if_match,
    )


def _read_list_invitations(response: httpx2.Response) -> SiteInvitations:
    return SiteInvitations.from_dict(response.json())


def list_invitations(
    *,
    if_none_match: IfMatch | Unset = UNSET,
) -> Operation[SiteInvitations]:
    return Operation(
        name="list_invitations",
        method="GET",
        path="/admin/invitations",
        read=_read_list_invitations,
        secured=True,
        if_none_match=if_none_match,
    )


def _read_create_invitation(response: httpx2.Response) -> CreatedInvitation:
    return CreatedInvitation.from_dict(response.json())


def create_invitation(
    *,
    uses: int | Unset = UNSET,
    expires_at: int | None | Unset = UNSET,
) -> Operation[CreatedInvitation]:
    return Operation(
        name="create_invitation",
        method="POST",
        path="/admin/invitations",
        read=_read_create_invitation,
        secured=True,
        json=CreateInvitation(
            uses=uses,
            expires_at=expires_at,
        ).to_dict(),
    )


def _read_delete_invitation(_: httpx2.Response) -> None:
    return None


def delete_invitation(
    id: int,
) -> Operation[None]:
    return Operation(
        name="delete_invitation",
        method="DELETE",
        path="/admin/invitations/{id}".format(
            id=quote(str(id), safe=""),
        ),
        read=_read_delete_invitation,
        secured=True,
    )


def _read_log_in_by_provider(response: httpx2.Response) -> TokenPair:
    return TokenPair.from_dict(response.json())


def log_in_by_provider(
    *,
    code: str,
    invitation: str | Unset = UNSET,
    accepted_terms: int | None | Unset = UNSET,
) -> Operation[TokenPair]:
    return Operation(
        name="log_in_by_provider",
        method="POST",
        path="/login/oidc",
        read=_read_log_in_by_provider,
        secured=False,
        json=ProviderLogin(
            code=code,
            invitation=invitation,
            accepted_terms=accepted_terms,
        ).to_dict(),
    )


def _read_link_identity(response: httpx2.Response) -> TokenPair:
    return TokenPair.from_dict(response.json())


def link_identity(
    *,
    challenge: str | Unset = UNSET,
    current_password: str | Unset = UNSET,
    token: str | Unset = UNSET,
    code: str | Unset = UNSET,
) -> Operation[TokenPair]:
    return Operation(
        name="link_identity",
        method="POST",
        path="/login/oidc/link",
        read=_read_link_identity,
        secured=False,
        json=LinkIdentity(
            challenge=challenge,
            current_password=current_password,
            token=token,
            code=code,
        ).to_dict(),
    )


def _read_list_my_identities(response: httpx2.Response) -> Identities:
    return Identities.from_dict(response.json())


def list_my_identities(
    *,
    if_none_match: IfMatch | Unset = UNSET,
) -> Operation[Identities]:
    return Operation(
        name="list_my_identities",
        method="GET",
        path="/users/me/identities",
        read=_read_list_my_identities,
        secured=True,
        if_none_match=if_none_match,
    )


def _read_add_identity(_: httpx2.Response) -> None:
    return None


def add_identity(
    *,
    code: str,
    current_password: str | Unset = UNSET,
) -> Operation[None]:
    return Operation(
        name="add_identity",
        method="POST",
        path="/users/me/identities",
        read=_read_add_identity,
        secured=True,
        json=AddIdentity(
            code=code,
            current_password=current_password,
        ).to_dict(),
    )


def _read_delete_identity(_: httpx2.Response) -> None:
    return None


def delete_identity(
    id: int,
) -> Operation[None]:
    return Operation(
        name="delete_identity",
        method="DELETE",
        path="/users/me/identities/{id}".format(
            id=quote(str(id), safe=""),
        ),
        read=_read_delete_identity,
        secured=True,
    )


def _read_list_providers(response: httpx2.Response) -> IdentityProviders:
    return IdentityProviders.from_dict(response.json())


def list_providers(
    *,
    if_none_match: IfMatch | Unset = UNSET,
) -> Operation[IdentityProviders]:
    return Operation(
        name="list_providers",
        method="GET",
        path="/admin/providers",
        read=_read_list_providers,
        secured=True,
        if_none_match=if_none_match,
    )


def _read_get_provider(response: httpx2.Response) -> IdentityProvider:
    return IdentityProvider.from_dict(response.json())


def get_provider(
    id: str,
    *,
    if_none_match: IfMatch | Unset = UNSET,
) -> Operation[IdentityProvider]:
    return Operation(
        name="get_provider",
        method="GET",
        path="/admin/providers/{id}".format(
            id=quote(str(id), safe=""),
        ),
        read=_read_get_provider,
        secured=True,
        if_none_match=if_none_match,
    )


def _read_put_provider(response: httpx2.Response) -> IdentityProvider:
    return IdentityProvider.from_dict(response.json())


def put_provider(
    id: str,
    *,
    name: str,
    issuer: str,
    client_id: str,
    client_secret: str | Unset = UNSET,
) -> Operation[IdentityProvider]:
    return Operation(
        name="put_provider",
        method="PUT",
        path="/admin/providers/{id}".format(
            id=quote(str(id), safe=""),
        ),
        read=_read_put_provider,
        secured=True,
        json=PutProvider(
            name=name,
            issuer=issuer,
            client_id=client_id,
            client_secret=client_secret,
        ).to_dict(),
    )


def _read_delete_provider(_: httpx2.Response) -> None:
    return None


def delete_provider(
    id: str,
) -> Operation[None]:
    return Operation(
        name="delete_provider",
        method="DELETE",
        path="/admin/providers/{id}".format(
            id=quote(str(id), safe=""),
        ),
        read=_read_delete_provider,
        secured=True,
    )


def _read_get_seller(response: httpx2.Response) -> Seller:
    return Seller.from_dict(response.json())


def get_seller(
    id: int,
    *,
    if_none_match: IfMatch | Unset = UNSET,
) -> Operation[Seller]:
    return Operation(
        name="get_seller",
        method="GET",
        path="/sellers/{id}".format(
            id=quote(str(id), safe=""),
        ),
        read=_read_get_seller,
        secured=False,
        if_none_match=if_none_match,
    )


def _read_get_moderated_image(response: httpx2.Response) -> bytes:
    return response.content


def get_moderated_image(
    name: str,
) -> Operation[bytes]:
    return Operation(
        name="get_moderated_image",
        method="GET",
        path="/moderation/images/{name}".format(
            name=quote(str(name.rpartition("/")[2]), safe=""),
        ),
        read=_read_get_moderated_image,
        secured=True,
    )


def _read_request_mail_verification(_: httpx2.Response) -> None:
    return None


def request_mail_verification() -> Operation[None]:
    return Operation(
        name="request_mail_verification",
        method="POST",
        path="/users/me/mail/verification",
        read=_read_request_mail_verification,
        secured=True,
    )


def _read_verify_mail(_: httpx2.Response) -> None:
    return None


def verify_mail(
    *,
    token: str,
) -> Operation[None]:
    return Operation(
        name="verify_mail",
        method="POST",
        path="/mail/verify",
        read=_read_verify_mail,
        secured=False,
        json=VerifyMail(
            token=token,
        ).to_dict(),
    )


def _read_report_login(_: httpx2.Response) -> None:
    return None


def report_login(
    *,
    token: str,
    end_keys: bool | Unset = UNSET,
) -> Operation[None]:
    return Operation(
        name="report_login",
        method="POST",
        path="/login/report",
        read=_read_report_login,
        secured=False,
        json=ReportLogin(
            token=token,
            end_keys=end_keys,
        ).to_dict(),
    )


def _read_forgot_password(_: httpx2.Response) -> None:
    return None


def forgot_password(
    *,
    username: str,
) -> Operation[None]:
    return Operation(
        name="forgot_password",
        method="POST",
        path="/password/forgot",
        read=_read_forgot_password,
        secured=False,
        json=ForgotPassword(
            username=username,
        ).to_dict(),
    )


def _read_reset_password(_: httpx2.Response) -> None:
    return None


def reset_password(
    *,
    token: str,
    new_password: str,
    end_keys: bool | Unset = UNSET,
    code: str | Unset = UNSET,
) -> Operation[None]:
    return Operation(
        name="reset_password",
        method="POST",
        path="/password/reset",
        read=_read_reset_password,
        secured=False,
        json=ResetPassword(
            token=token,
            new_password=new_password,
            end_keys=end_keys,
            code=code,
        ).to_dict(),
    )


def _read_unsubscribe(_: httpx2.Response) -> None:
    return None


def unsubscribe(
    *,
    token: str,
) -> Operation[None]:
    return Operation(
        name="unsubscribe",
        method="POST",
        path="/unsubscribe",
        read=_read_unsubscribe,
        secured=False,
        query={
            "token": token,
        },
    )


def _read_write_about_ad(response: httpx2.Response) -> Message:
    return Message.from_dict(response.json())


def write_about_ad(
    id: int,
    *,
    text: str,
    idempotency_key: str | Unset = UNSET,
) -> Operation[Message]:
    return Operation(
        name="write_about_ad",
        method="POST",
        path="/ads/{id}/messages".format(
            id=quote(str(id), safe=""),
        ),
        read=_read_write_about_ad,
        secured=True,
        json=CreateMessage(
            text=text,
        ).to_dict(),
        keyed=True,
        idempotency_key=idempotency_key,
    )


def _read_read_phone(response: httpx2.Response) -> PhoneNumber:
    return PhoneNumber.from_dict(response.json())


def read_phone(
    id: int,
) -> Operation[PhoneNumber]:
    return Operation(
        name="read_phone",
        method="POST",
        path="/ads/{id}/phone".format(
            id=quote(str(id), safe=""),
        ),
        read=_read_read_phone,
        secured=True,
    )


def _read_accept_offer(response: httpx2.Response) -> Offer:
    return Offer.from_dict(response.json())


def accept_offer(
    id: int,
    *,
    idempotency_key: str | Unset = UNSET,
) -> Operation[Offer]:
    return Operation(
        name="accept_offer",
        method="POST",
        path="/offers/{id}/accept".format(
            id=quote(str(id), safe=""),
        ),
        read=_read_accept_offer,
        secured=True,
        keyed=True,
        idempotency_key=idempotency_key,
    )


def _read_decline_offer(response: httpx2.Response) -> Offer:
    return Offer.from_dict(response.json())


def decline_offer(
    id: int,
    *,
    idempotency_key: str | Unset = UNSET,
) -> Operation[Offer]:
    return Operation(
        name="decline_offer",
        method="POST",
        path="/offers/{id}/decline".format(
            id=quote(str(id), safe=""),
        ),
        read=_read_decline_offer,
        secured=True,
        keyed=True,
        idempotency_key=idempotency_key,
    )


def _read_withdraw_offer(response: httpx2.Response) -> Offer:
    return Offer.from_dict(response.json())


def withdraw_offer(
    id: int,
    *,
    idempotency_key: str | Unset = UNSET,
) -> Operation[Offer]:
    return Operation(
        name="withdraw_offer",
        method="POST",
        path="/offers/{id}/withdraw".format(
            id=quote(str(id), safe=""),
        ),
        read=_read_withdraw_offer,
        secured=True,
        keyed=True,
        idempotency_key=idempotency_key,
    )


def _read_finish_offer(response: httpx2.Response) -> Offer:
    return Offer.from_dict(response.json())


def finish_offer(
    id: int,
    *,
    idempotency_key: str | Unset = UNSET,
) -> Operation[Offer]:
    return Operation(
        name="finish_offer",
        method="POST",
        path="/offers/{id}/done".format(
            id=quote(str(id), safe=""),
        ),
        read=_read_finish_offer,
        secured=True,
        keyed=True,
        idempotency_key=idempotency_key,
    )


def _read_find_places(response: httpx2.Response) -> Places:
    return Places.from_dict(response.json())


def find_places(
    *,
    q: str,
    near: str | Unset = UNSET,
    country: str | Unset = UNSET,
    limit: int | Unset = UNSET,
    if_none_match: IfMatch | Unset = UNSET,
) -> Operation[Places]:
    return Operation(
        name="find_places",
        method="GET",
        path="/places",
        read=_read_find_places,
        secured=False,
        query={
            "q": q,
            "near": near,
            "country": country,
            "limit": limit,
        },
        if_none_match=if_none_match,
    )


def _read_nearest_place(response: httpx2.Response) -> Place:
    return Place.from_dict(response.json())


def nearest_place(
    *,
    near: str,
    if_none_match: IfMatch | Unset = UNSET,
) -> Operation[Place]:
    return Operation(
        name="nearest_place",
        method="GET",
        path="/places/nearest",
        read=_read_nearest_place,
        secured=False,
        query={
            "near": near,
        },
        if_none_match=if_none_match,
    )


def _read_get_site(response: httpx2.Response) -> Site:
    return Site.from_dict(response.json())


def get_site(
    *,
    if_none_match: IfMatch | Unset = UNSET,
) -> Operation[Site]:
    return Operation(
        name="get_site",
        method="GET",
        path="/site",
        read=_read_get_site,
        secured=False,
        if_none_match=if_none_match,
    )


def _read_is_alive(response: httpx2.Response) -> Health:
    return Health.from_dict(response.json())


def is_alive() -> Operation[Health]:
    return Operation(
        name="is_alive",
        method="GET",
        path="/livez",
        read=_read_is_alive,
        secured=False,
    )


def _read_is_ready(response: httpx2.Response) -> Ready:
    return Ready.from_dict(response.json())


def is_ready(
    *,
    require: list[ReadinessPart] | Unset = UNSET,
) -> Operation[Ready]:
    return Operation(
        name="is_ready",
        method="GET",
        path="/readyz",
        read=_read_is_ready,
        secured=False,
        query={
            "require": require,
        },
    )
