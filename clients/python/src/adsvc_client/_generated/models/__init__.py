"""Contains all the data models used in inputs/outputs"""

from .accept_terms import AcceptTerms
from .access_rule import AccessRule
from .access_rule_list import AccessRuleList
from .account import Account
from .account_export import AccountExport
from .account_limits import AccountLimits
from .account_status import AccountStatus
from .account_summary import AccountSummary
from .accounts import Accounts
from .ad import Ad
from .ad_attributes import AdAttributes
from .ad_author import AdAuthor
from .ad_decision import AdDecision
from .ad_decision_skipped import AdDecisionSkipped
from .ad_details import AdDetails
from .ad_details_attributes import AdDetailsAttributes
from .ad_details_location_kind import AdDetailsLocationKind
from .ad_event import AdEvent
from .ad_event_by import AdEventBy
from .ad_facets import AdFacets
from .ad_facets_attributes import AdFacetsAttributes
from .ad_location_kind import AdLocationKind
from .ad_map import AdMap
from .ad_stats import AdStats
from .ad_status import AdStatus
from .add_identity import AddIdentity
from .administered_ads import AdministeredAds
from .administered_site import AdministeredSite
from .administered_site_banner import AdministeredSiteBanner
from .administered_site_contact import AdministeredSiteContact
from .administered_site_headline import AdministeredSiteHeadline
from .administered_site_registration import AdministeredSiteRegistration
from .administered_site_welcome import AdministeredSiteWelcome
from .ads import Ads
from .analytics import Analytics
from .answer_rating import AnswerRating
from .appeal import Appeal
from .appeal_by_token import AppealByToken
from .attribute import Attribute
from .attribute_count import AttributeCount
from .attribute_labels import AttributeLabels
from .attribute_option import AttributeOption
from .attribute_option_labels import AttributeOptionLabels
from .attribute_type import AttributeType
from .audit_event import AuditEvent
from .audit_events import AuditEvents
from .audit_kind import AuditKind
from .authenticator_selection import AuthenticatorSelection
from .begin_passkey import BeginPasskey
from .block import Block
from .blocks import Blocks
from .case import Case
from .case_author import CaseAuthor
from .case_kind import CaseKind
from .case_report import CaseReport
from .case_status import CaseStatus
from .case_summary import CaseSummary
from .cases import Cases
from .categories import Categories
from .category import Category
from .category_attribute import CategoryAttribute
from .category_attribute_labels import CategoryAttributeLabels
from .category_count import CategoryCount
from .category_definition import CategoryDefinition
from .category_definition_names import CategoryDefinitionNames
from .category_definition_synonyms import CategoryDefinitionSynonyms
from .category_names import CategoryNames
from .category_schema import CategorySchema
from .category_synonyms import CategorySynonyms
from .change_access_rule import ChangeAccessRule
from .change_maintenance import ChangeMaintenance
from .change_maintenance_mode import ChangeMaintenanceMode
from .change_role import ChangeRole
from .colors import Colors
from .comment import Comment
from .comments import Comments
from .confirm_totp import ConfirmTotp
from .confirmed_totp import ConfirmedTotp
from .conversation import Conversation
from .conversations import Conversations
from .create_ad import CreateAd
from .create_ad_attributes import CreateAdAttributes
from .create_ad_status import CreateAdStatus
from .create_appeal import CreateAppeal
from .create_draft import CreateDraft
from .create_draft_attributes import CreateDraftAttributes
from .create_import_mode import CreateImportMode
from .create_invitation import CreateInvitation
from .create_key import CreateKey
from .create_message import CreateMessage
from .create_offer import CreateOffer
from .create_or_update_ad import CreateOrUpdateAd
from .create_or_update_ad_attributes import CreateOrUpdateAdAttributes
from .create_or_update_comment import CreateOrUpdateComment
from .create_passkey import CreatePasskey
from .create_rating import CreateRating
from .create_report import CreateReport
from .create_search import CreateSearch
from .create_search_notify import CreateSearchNotify
from .create_totp import CreateTotp
from .create_webhook import CreateWebhook
from .created_invitation import CreatedInvitation
from .created_key import CreatedKey
from .created_totp import CreatedTotp
from .created_webhook import CreatedWebhook
from .current_thing import CurrentThing
from .current_thing_attributes_type_0 import CurrentThingAttributesType0
from .day_of_site import DayOfSite
from .deal import Deal
from .deal_party import DealParty
from .deals import Deals
from .decide_ads import DecideAds
from .decide_ads_action import DecideAdsAction
from .decided_ads import DecidedAds
from .decision import Decision
from .decision_action import DecisionAction
from .decision_ground import DecisionGround
from .decision_kind import DecisionKind
from .decision_redress_item import DecisionRedressItem
from .decisions import Decisions
from .delete_totp import DeleteTotp
from .delete_user import DeleteUser
from .deletion import Deletion
from .deletion_kind import DeletionKind
from .deletions import Deletions
from .deliveries import Deliveries
from .delivery import Delivery
from .delivery_status import DeliveryStatus
from .disabled_reason import DisabledReason
from .disk import Disk
from .event import Event
from .event_data import EventData
from .event_type import EventType
from .events import Events
from .expelled_content import ExpelledContent
from .exported_block import ExportedBlock
from .exported_comment import ExportedComment
from .exported_comment_status import ExportedCommentStatus
from .exported_contact import ExportedContact
from .exported_conversation import ExportedConversation
from .exported_favorite import ExportedFavorite
from .exported_life import ExportedLife
from .exported_life_attributes import ExportedLifeAttributes
from .exported_life_location_kind import ExportedLifeLocationKind
from .exported_message import ExportedMessage
from .exported_push import ExportedPush
from .exported_report import ExportedReport
from .exported_session import ExportedSession
from .exported_sign_in import ExportedSignIn
from .exported_terms import ExportedTerms
from .exported_user import ExportedUser
from .expulsion import Expulsion
from .extended_ad import ExtendedAd
from .extended_ad_attributes import ExtendedAdAttributes
from .extended_ad_location_kind import ExtendedAdLocationKind
from .fault_code import FaultCode
from .fault_detail import FaultDetail
from .fault_detail_type import FaultDetailType
from .favorite import Favorite
from .favorites import Favorites
from .forget_push import ForgetPush
from .forgot_password import ForgotPassword
from .get_mail_kind import GetMailKind
from .growth import Growth
from .health import Health
from .hint import Hint
from .identities import Identities
from .identity import Identity
from .identity_provider import IdentityProvider
from .identity_providers import IdentityProviders
from .image import Image
from .image_order import ImageOrder
from .images import Images
from .import_ import Import
from .import_mode import ImportMode
from .import_status import ImportStatus
from .imported_row import ImportedRow
from .imported_row_status import ImportedRowStatus
from .imported_rows import ImportedRows
from .imports import Imports
from .job import Job
from .job_list import JobList
from .job_name import JobName
from .key import Key
from .key_scope import KeyScope
from .keys import Keys
from .known_passkey import KnownPasskey
from .limit_left import LimitLeft
from .limit_left_name import LimitLeftName
from .link_identity import LinkIdentity
from .list_import_rows_status import ListImportRowsStatus
from .list_outbox_status import ListOutboxStatus
from .location import Location
from .login import Login
from .made_decision import MadeDecision
from .made_decision_kind import MadeDecisionKind
from .made_decision_redress_item import MadeDecisionRedressItem
from .mail_attempt import MailAttempt
from .mail_attempt_outcome import MailAttemptOutcome
from .mail_attempts import MailAttempts
from .mail_texts import MailTexts
from .mail_texts_intro import MailTextsIntro
from .mail_texts_kind import MailTextsKind
from .mail_texts_list import MailTextsList
from .mail_texts_subject import MailTextsSubject
from .maintenance import Maintenance
from .maintenance_mode import MaintenanceMode
from .make_decision import MakeDecision
from .make_decision_action import MakeDecisionAction
from .map_cell import MapCell
from .message import Message
from .message_kind import MessageKind
from .message_ways import MessageWays
from .messages import Messages
from .month import Month
from .move_ads import MoveAds
from .moved_ads import MovedAds
from .named_search import NamedSearch
from .new_password import NewPassword
from .notification import Notification
from .notification_type import NotificationType
from .notifications import Notifications
from .offer import Offer
from .offer_status import OfferStatus
from .other_party import OtherParty
from .outbox_entries import OutboxEntries
from .outbox_entry import OutboxEntry
from .outbox_entry_status import OutboxEntryStatus
from .outbox_figures import OutboxFigures
from .overview import Overview
from .overview_failing_jobs_item import OverviewFailingJobsItem
from .own_ads import OwnAds
from .own_ads_counts import OwnAdsCounts
from .page_link import PageLink
from .page_link_place import PageLinkPlace
from .page_link_title import PageLinkTitle
from .party import Party
from .passkey import Passkey
from .passkey_algorithm import PasskeyAlgorithm
from .passkey_assertion import PasskeyAssertion
from .passkey_attestation import PasskeyAttestation
from .passkey_creation_options import PasskeyCreationOptions
from .passkey_login import PasskeyLogin
from .passkey_request_options import PasskeyRequestOptions
from .passkey_user import PasskeyUser
from .passkeys import Passkeys
from .phone_number import PhoneNumber
from .place import Place
from .places import Places
from .preferences import Preferences
from .price_band import PriceBand
from .price_change import PriceChange
from .price_type import PriceType
from .problem import Problem
from .provider_login import ProviderLogin
from .push_browser import PushBrowser
from .push_browsers import PushBrowsers
from .push_keys import PushKeys
from .push_subscription import PushSubscription
from .put_provider import PutProvider
from .rating import Rating
from .rating_answer import RatingAnswer
from .rating_summary import RatingSummary
from .ratings import Ratings
from .read_decision import ReadDecision
from .read_messages import ReadMessages
from .read_notifications import ReadNotifications
from .readiness_part import ReadinessPart
from .ready import Ready
from .register import Register
from .relaxed import Relaxed
from .relaxed_kind import RelaxedKind
from .relying_party import RelyingParty
from .replay_deliveries import ReplayDeliveries
from .report import Report
from .report_login import ReportLogin
from .report_reason import ReportReason
from .reported_message import ReportedMessage
from .reported_picture import ReportedPicture
from .reset_password import ResetPassword
from .role import Role
from .run_job_name import RunJobName
from .sale import Sale
from .save_page import SavePage
from .save_page_place import SavePagePlace
from .save_page_text import SavePageText
from .save_page_title import SavePageTitle
from .saved_search import SavedSearch
from .saved_search_notify import SavedSearchNotify
from .saved_searches import SavedSearches
from .search_ads import SearchAds
from .second_factor import SecondFactor
from .seller import Seller
from .session import Session
from .session_record import SessionRecord
from .sessions import Sessions
from .set_up import SetUp
from .set_up_categories import SetUpCategories
from .setting import Setting
from .setting_list import SettingList
from .setting_source import SettingSource
from .similar_ads import SimilarAds
from .similar_price import SimilarPrice
from .site import Site
from .site_banner import SiteBanner
from .site_change import SiteChange
from .site_change_after import SiteChangeAfter
from .site_change_before import SiteChangeBefore
from .site_changes import SiteChanges
from .site_contact import SiteContact
from .site_features import SiteFeatures
from .site_headline import SiteHeadline
from .site_invitation import SiteInvitation
from .site_invitations import SiteInvitations
from .site_limits import SiteLimits
from .site_page import SitePage
from .site_page_place import SitePagePlace
from .site_page_text import SitePageText
from .site_page_title import SitePageTitle
from .site_pages import SitePages
from .site_plan import SitePlan
from .site_plans import SitePlans
from .site_provider import SiteProvider
from .site_registration import SiteRegistration
from .site_section import SiteSection
from .site_section_kind import SiteSectionKind
from .site_section_text import SiteSectionText
from .site_section_title import SiteSectionTitle
from .site_terms import SiteTerms
from .site_welcome import SiteWelcome
from .snapshot import Snapshot
from .snapshot_attributes_type_0 import SnapshotAttributesType0
from .sort import Sort
from .statement import Statement
from .suggestion import Suggestion
from .suggestion_kind import SuggestionKind
from .suggestions import Suggestions
from .test_mail_kind import TestMailKind
from .token_error import TokenError
from .token_error_error import TokenErrorError
from .token_form_grant_type import TokenFormGrantType
from .token_pair import TokenPair
from .update_colors import UpdateColors
from .update_mail import UpdateMail
from .update_mail_intro import UpdateMailIntro
from .update_mail_subject import UpdateMailSubject
from .update_message_ways import UpdateMessageWays
from .update_preferences import UpdatePreferences
from .update_search import UpdateSearch
from .update_search_notify import UpdateSearchNotify
from .update_section import UpdateSection
from .update_section_kind import UpdateSectionKind
from .update_section_text import UpdateSectionText
from .update_section_title import UpdateSectionTitle
from .update_site import UpdateSite
from .update_site_banner_type_0 import UpdateSiteBannerType0
from .update_site_contact import UpdateSiteContact
from .update_site_features_type_0 import UpdateSiteFeaturesType0
from .update_site_headline_type_0 import UpdateSiteHeadlineType0
from .update_site_registration import UpdateSiteRegistration
from .update_site_welcome_type_0 import UpdateSiteWelcomeType0
from .update_user import UpdateUser
from .update_ways import UpdateWays
from .update_webhook import UpdateWebhook
from .user import User
from .variant import Variant
from .variants import Variants
from .verify_mail import VerifyMail
from .versions import Versions
from .views_of_day import ViewsOfDay
from .waiting_cases import WaitingCases
from .ways import Ways
from .webhook import Webhook
from .webhooks import Webhooks
from .write_mail_kind import WriteMailKind

__all__ = (
    "AcceptTerms",
    "AccessRule",
    "AccessRuleList",
    "Account",
    "AccountExport",
    "AccountLimits",
    "Accounts",
    "AccountStatus",
    "AccountSummary",
    "Ad",
    "AdAttributes",
    "AdAuthor",
    "AdDecision",
    "AdDecisionSkipped",
    "AdDetails",
    "AdDetailsAttributes",
    "AdDetailsLocationKind",
    "AddIdentity",
    "AdEvent",
    "AdEventBy",
    "AdFacets",
    "AdFacetsAttributes",
    "AdLocationKind",
    "AdMap",
    "AdministeredAds",
    "AdministeredSite",
    "AdministeredSiteBanner",
    "AdministeredSiteContact",
    "AdministeredSiteHeadline",
    "AdministeredSiteRegistration",
    "AdministeredSiteWelcome",
    "Ads",
    "AdStats",
    "AdStatus",
    "Analytics",
    "AnswerRating",
    "Appeal",
    "AppealByToken",
    "Attribute",
    "AttributeCount",
    "AttributeLabels",
    "AttributeOption",
    "AttributeOptionLabels",
    "AttributeType",
    "AuditEvent",
    "AuditEvents",
    "AuditKind",
    "AuthenticatorSelection",
    "BeginPasskey",
    "Block",
    "Blocks",
    "Case",
    "CaseAuthor",
    "CaseKind",
    "CaseReport",
    "Cases",
    "CaseStatus",
    "CaseSummary",
    "Categories",
    "Category",
    "CategoryAttribute",
    "CategoryAttributeLabels",
    "CategoryCount",
    "CategoryDefinition",
    "CategoryDefinitionNames",
    "CategoryDefinitionSynonyms",
    "CategoryNames",
    "CategorySchema",
    "CategorySynonyms",
    "ChangeAccessRule",
    "ChangeMaintenance",
    "ChangeMaintenanceMode",
    "ChangeRole",
    "Colors",
    "Comment",
    "Comments",
    "ConfirmedTotp",
    "ConfirmTotp",
    "Conversation",
    "Conversations",
    "CreateAd",
    "CreateAdAttributes",
    "CreateAdStatus",
    "CreateAppeal",
    "CreatedInvitation",
    "CreatedKey",
    "CreateDraft",
    "CreateDraftAttributes",
    "CreatedTotp",
    "CreatedWebhook",
    "CreateImportMode",
    "CreateInvitation",
    "CreateKey",
    "CreateMessage",
    "CreateOffer",
    "CreateOrUpdateAd",
    "CreateOrUpdateAdAttributes",
    "CreateOrUpdateComment",
    "CreatePasskey",
    "CreateRating",
    "CreateReport",
    "CreateSearch",
    "CreateSearchNotify",
    "CreateTotp",
    "CreateWebhook",
    "CurrentThing",
    "CurrentThingAttributesType0",
    "DayOfSite",
    "Deal",
    "DealParty",
    "Deals",
    "DecideAds",
    "DecideAdsAction",
    "DecidedAds",
    "Decision",
    "DecisionAction",
    "DecisionGround",
    "DecisionKind",
    "DecisionRedressItem",
    "Decisions",
    "DeleteTotp",
    "DeleteUser",
    "Deletion",
    "DeletionKind",
    "Deletions",
    "Deliveries",
    "Delivery",
    "DeliveryStatus",
    "DisabledReason",
    "Disk",
    "Event",
    "EventData",
    "Events",
    "EventType",
    "ExpelledContent",
    "ExportedBlock",
    "ExportedComment",
    "ExportedCommentStatus",
    "ExportedContact",
    "ExportedConversation",
    "ExportedFavorite",
    "ExportedLife",
    "ExportedLifeAttributes",
    "ExportedLifeLocationKind",
    "ExportedMessage",
    "ExportedPush",
    "ExportedReport",
    "ExportedSession",
    "ExportedSignIn",
    "ExportedTerms",
    "ExportedUser",
    "Expulsion",
    "ExtendedAd",
    "ExtendedAdAttributes",
    "ExtendedAdLocationKind",
    "FaultCode",
    "FaultDetail",
    "FaultDetailType",
    "Favorite",
    "Favorites",
    "ForgetPush",
    "ForgotPassword",
    "GetMailKind",
    "Growth",
    "Health",
    "Hint",
    "Identities",
    "Identity",
    "IdentityProvider",
    "IdentityProviders",
    "Image",
    "ImageOrder",
    "Images",
    "Import",
    "ImportedRow",
    "ImportedRows",
    "ImportedRowStatus",
    "ImportMode",
    "Imports",
    "ImportStatus",
    "Job",
    "JobList",
    "JobName",
    "Key",
    "Keys",
    "KeyScope",
    "KnownPasskey",
    "LimitLeft",
    "LimitLeftName",
    "LinkIdentity",
    "ListImportRowsStatus",
    "ListOutboxStatus",
    "Location",
    "Login",
    "MadeDecision",
    "MadeDecisionKind",
    "MadeDecisionRedressItem",
    "MailAttempt",
    "MailAttemptOutcome",
    "MailAttempts",
    "MailTexts",
    "MailTextsIntro",
    "MailTextsKind",
    "MailTextsList",
    "MailTextsSubject",
    "Maintenance",
    "MaintenanceMode",
    "MakeDecision",
    "MakeDecisionAction",
    "MapCell",
    "Message",
    "MessageKind",
    "Messages",
    "MessageWays",
    "Month",
    "MoveAds",
    "MovedAds",
    "NamedSearch",
    "NewPassword",
    "Notification",
    "Notifications",
    "NotificationType",
    "Offer",
    "OfferStatus",
    "OtherParty",
    "OutboxEntries",
    "OutboxEntry",
    "OutboxEntryStatus",
    "OutboxFigures",
    "Overview",
    "OverviewFailingJobsItem",
    "OwnAds",
    "OwnAdsCounts",
    "PageLink",
    "PageLinkPlace",
    "PageLinkTitle",
    "Party",
    "Passkey",
    "PasskeyAlgorithm",
    "PasskeyAssertion",
    "PasskeyAttestation",
    "PasskeyCreationOptions",
    "PasskeyLogin",
    "PasskeyRequestOptions",
    "Passkeys",
    "PasskeyUser",
    "PhoneNumber",
    "Place",
    "Places",
    "Preferences",
    "PriceBand",
    "PriceChange",
    "PriceType",
    "Problem",
    "ProviderLogin",
    "PushBrowser",
    "PushBrowsers",
    "PushKeys",
    "PushSubscription",
    "PutProvider",
    "Rating",
    "RatingAnswer",
    "Ratings",
    "RatingSummary",
    "ReadDecision",
    "ReadinessPart",
    "ReadMessages",
    "ReadNotifications",
    "Ready",
    "Register",
    "Relaxed",
    "RelaxedKind",
    "RelyingParty",
    "ReplayDeliveries",
    "Report",
    "ReportedMessage",
    "ReportedPicture",
    "ReportLogin",
    "ReportReason",
    "ResetPassword",
    "Role",
    "RunJobName",
    "Sale",
    "SavedSearch",
    "SavedSearches",
    "SavedSearchNotify",
    "SavePage",
    "SavePagePlace",
    "SavePageText",
    "SavePageTitle",
    "SearchAds",
    "SecondFactor",
    "Seller",
    "Session",
    "SessionRecord",
    "Sessions",
    "Setting",
    "SettingList",
    "SettingSource",
    "SetUp",
    "SetUpCategories",
    "SimilarAds",
    "SimilarPrice",
    "Site",
    "SiteBanner",
    "SiteChange",
    "SiteChangeAfter",
    "SiteChangeBefore",
    "SiteChanges",
    "SiteContact",
    "SiteFeatures",
    "SiteHeadline",
    "SiteInvitation",
    "SiteInvitations",
    "SiteLimits",
    "SitePage",
    "SitePagePlace",
    "SitePages",
    "SitePageText",
    "SitePageTitle",
    "SitePlan",
    "SitePlans",
    "SiteProvider",
    "SiteRegistration",
    "SiteSection",
    "SiteSectionKind",
    "SiteSectionText",
    "SiteSectionTitle",
    "SiteTerms",
    "SiteWelcome",
    "Snapshot",
    "SnapshotAttributesType0",
    "Sort",
    "Statement",
    "Suggestion",
    "SuggestionKind",
    "Suggestions",
    "TestMailKind",
    "TokenError",
    "TokenErrorError",
    "TokenFormGrantType",
    "TokenPair",
    "UpdateColors",
    "UpdateMail",
    "UpdateMailIntro",
    "UpdateMailSubject",
    "UpdateMessageWays",
    "UpdatePreferences",
    "UpdateSearch",
    "UpdateSearchNotify",
    "UpdateSection",
    "UpdateSectionKind",
    "UpdateSectionText",
    "UpdateSectionTitle",
    "UpdateSite",
    "UpdateSiteBannerType0",
    "UpdateSiteContact",
    "UpdateSiteFeaturesType0",
    "UpdateSiteHeadlineType0",
    "UpdateSiteRegistration",
    "UpdateSiteWelcomeType0",
    "UpdateUser",
    "UpdateWays",
    "UpdateWebhook",
    "User",
    "Variant",
    "Variants",
    "VerifyMail",
    "Versions",
    "ViewsOfDay",
    "WaitingCases",
    "Ways",
    "Webhook",
    "Webhooks",
    "WriteMailKind",
)
