"""The enumerations and lock numbers of the database: each is defined here and nowhere else.

Tables, records of the interface, services and settings use them. Migrations keep the values of
their time, and the clients have them from `openapi.json`; tests compare both with these.
"""

from enum import IntEnum, StrEnum

# The plan of accounts that were given none.
STANDARD = "standard"


class Role(StrEnum):
    USER = "USER"
    # Decides about reports. In all else it has the rights of USER.
    MODERATOR = "MODERATOR"
    ADMIN = "ADMIN"


class AccountStatus(StrEnum):
    ACTIVE = "active"
    SUSPENDED = "suspended"


class KeyScope(StrEnum):
    """What an API key may be used for; `write` contains its `read`."""

    ADS_READ = "ads:read"
    # Ads with their pictures, steps, comments and reports.
    ADS_WRITE = "ads:write"
    ACCOUNT_READ = "account:read"
    # The profile, and appeals against decisions.
    ACCOUNT_WRITE = "account:write"
    MESSAGES_READ = "messages:read"
    MESSAGES_WRITE = "messages:write"
    MODERATION = "moderation"
    EVENTS_READ = "events:read"
    # Accounts, categories, webhooks.
    ADMIN = "admin"

    @property
    def contained(self) -> "KeyScope":
        """What it contains: the `read` of a `write`, otherwise itself alone."""
        return KeyScope(self.value.replace(":write", ":read"))


class TokenPurpose(StrEnum):
    VERIFY = "verify"
    RESET = "reset"
    # "This was not me", of a login.
    REPORT = "report"
    # Lets an OpenID provider's person use the account.
    LINK = "link"


class AdStatus(StrEnum):
    DRAFT = "draft"
    ACTIVE = "active"
    RESERVED = "reserved"
    SOLD = "sold"
    WITHDRAWN = "withdrawn"
    EXPIRED = "expired"
    # By a decision about it or its author, or by many reports until a decision.
    SUSPENDED = "suspended"
    # By a decision. It is deleted when that can no longer be undone.
    REMOVED = "removed"


class AdStep(StrEnum):
    """The changes of status that an author makes; the operations have the same names."""

    PUBLISH = "publish"
    RESERVE = "reserve"
    RELEASE = "release"
    SELL = "sell"
    WITHDRAW = "withdraw"
    RENEW = "renew"


class PriceType(StrEnum):
    FIXED = "fixed"
    NEGOTIABLE = "negotiable"
    FREE = "free"
    ON_REQUEST = "onRequest"


class AttributeType(StrEnum):
    STRING = "string"
    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"
    ENUM = "enum"
    DATE = "date"

    @property
    def is_number(self) -> bool:
        return self in {AttributeType.INTEGER, AttributeType.NUMBER}


class CaseKind(StrEnum):
    AD = "ad"
    COMMENT = "comment"
    MESSAGE = "message"
    RATING = "rating"


class CaseStatus(StrEnum):
    OPEN = "open"
    DECIDED = "decided"
    APPEALED = "appealed"


class ReportReason(StrEnum):
    SCAM = "scam"
    PROHIBITED = "prohibited"
    DUPLICATE = "duplicate"
    CATEGORY = "category"
    OFFENSIVE = "offensive"
    PERSONAL_DATA = "personalData"
    OTHER = "other"


class DecisionAction(StrEnum):
    DISMISS = "dismiss"
    SUSPEND_AD = "suspendAd"
    REMOVE_AD = "removeAd"
    REMOVE_COMMENT = "removeComment"
    REMOVE_MESSAGE = "removeMessage"
    REMOVE_RATING = "removeRating"
    SUSPEND_ACCOUNT = "suspendAccount"
    # Undoes one of the others.
    RESTORE = "restore"


class AdSkip(StrEnum):
    """Why an administrator's decision about many ads leaves one of them as it is."""

    MISSING = "missing"
    OWN = "own"
    STATUS = "status"
    # Its case has an appeal, which needs a decision of its own.
    APPEALED = "appealed"
    # It is hidden, but by no decision about it.
    UNDECIDED = "undecided"
    # Another moderator has to undo what the administrator decided.
    OWN_DECISION = "ownDecision"


class DecisionGround(StrEnum):
    LAW = "law"
    TERMS = "terms"


class EventType(StrEnum):
    AD_CREATED = "ad.created"
    AD_PUBLISHED = "ad.published"
    AD_UPDATED = "ad.updated"
    AD_PRICE_CHANGED = "ad.priceChanged"
    AD_RESERVED = "ad.reserved"
    AD_RELEASED = "ad.released"
    AD_SOLD = "ad.sold"
    AD_WITHDRAWN = "ad.withdrawn"
    AD_EXPIRED = "ad.expired"
    AD_RENEWED = "ad.renewed"
    AD_HIDDEN = "ad.hidden"
    AD_SHOWN = "ad.shown"
    AD_DELETED = "ad.deleted"
    COMMENT_CREATED = "comment.created"
    COMMENT_DELETED = "comment.deleted"
    USER_REGISTERED = "user.registered"
    USER_VERIFIED = "user.verified"
    USER_SUSPENDED = "user.suspended"
    USER_RESTORED = "user.restored"
    USER_DELETED = "user.deleted"
    REPORT_CREATED = "report.created"
    DECISION_MADE = "decision.made"
    MESSAGE_SENT = "message.sent"
    OFFER_MADE = "offer.made"
    OFFER_ACCEPTED = "offer.accepted"
    RATING_CREATED = "rating.created"
    RATING_SHOWN = "rating.shown"
    # Of webhooks of accounts alone: an ad came to match a saved search. The log has none.
    SEARCH_MATCHED = "searchMatched"


class ContactVisibility(StrEnum):
    """Whether other accounts see the mail address and phone number of an ad's author."""

    OPEN = "open"
    HIDDEN = "hidden"


class Party(StrEnum):
    """The two sides of a conversation."""

    BUYER = "buyer"
    SELLER = "seller"


class MessageKind(StrEnum):
    TEXT = "text"
    OFFER = "offer"
    # Written by the service: its text is a `Notice`.
    NOTICE = "notice"


class Notice(StrEnum):
    """What happened in a conversation, as the text of a message."""

    ACCEPTED = "accepted"
    DECLINED = "declined"
    WITHDRAWN = "withdrawn"
    # The ad was sold to the buyer of this conversation.
    SOLD = "sold"


class OfferStatus(StrEnum):
    OPEN = "open"
    ACCEPTED = "accepted"
    DECLINED = "declined"
    WITHDRAWN = "withdrawn"
    EXPIRED = "expired"
    # It was accepted, and the ad was sold for it.
    DONE = "done"


class Hint(StrEnum):
    """What a message has that a reader should be careful with."""

    LINK = "link"
    MAIL = "mail"
    PHONE = "phone"
    IBAN = "iban"
    MESSENGER = "messenger"
    PREPAYMENT = "prepayment"


class NotificationType(StrEnum):
    # New ads match a saved search.
    SEARCH_MATCHED = "searchMatched"
    PRICE_DROPPED = "priceDropped"
    FAVORITE_RESERVED = "favoriteReserved"
    FAVORITE_SOLD = "favoriteSold"
    # Released, published or renewed again.
    FAVORITE_BACK = "favoriteBack"
    # It expires within a day.
    FAVORITE_ENDING = "favoriteEnding"
    MESSAGE = "message"
    OFFER = "offer"
    DECISION = "decision"
    # Of the account's own ad: someone else has written a comment, it ends within three days, it has
    # ended.
    COMMENT = "comment"
    AD_ENDING = "adEnding"
    AD_ENDED = "adEnded"
    # Of a deal of the account: the other party's rating is shown; its own is still possible.
    RATING = "rating"
    RATING_REMINDER = "ratingReminder"


class AccountMail(StrEnum):
    """Mails about an account itself, whose texts administrators may write, besides notices."""

    VERIFY = "verify"
    RESET = "reset"
    # A login from a network or a device that is new.
    LOGIN = "login"


class Notify(StrEnum):
    """When a saved search alerts its account."""

    NEVER = "never"
    INSTANT = "instant"
    DAILY = "daily"
    WEEKLY = "weekly"


class ImportMode(StrEnum):
    FULL = "full"
    PARTIAL = "partial"


class ImportStatus(StrEnum):
    RUNNING = "running"
    # For its confirmation.
    WAITING = "waiting"
    DONE = "done"
    # By another one, while it waited.
    REPLACED = "replaced"


class ImportRowStatus(StrEnum):
    PENDING = "pending"
    CREATED = "created"
    UPDATED = "updated"
    WITHDRAWN = "withdrawn"
    FAILED = "failed"


class DeliveryStatus(StrEnum):
    PENDING = "pending"
    DELIVERED = "delivered"
    # Given up.
    FAILED = "failed"


class DisabledReason(StrEnum):
    """Why nothing is sent to a webhook."""

    # By `PATCH`.
    REQUESTED = "requested"
    # The receiver has answered 410.
    GONE = "gone"
    # Every attempt of five days has failed.
    FAILING = "failing"


class AdvisoryLock(IntEnum):
    """Keys of PostgreSQL's advisory locks, which all processes of a site share."""

    # Migrations of one database run one after another.
    MIGRATION = 5_348_024_557
    # Deletions of accounts too: they would lock each other's ads in different orders.
    ACCOUNT_DELETION = 5_348_024_558
    # One process at a time marks expired ads.
    EXPIRY = 5_348_024_559
    # Held by the session of the one process that is the sequencer of the log of events.
    SEQUENCER = 5_348_024_560
    # Webhooks are counted and created by one transaction after another.
    WEBHOOKS = 5_348_024_561
    # Shared by deletions of pictures, held alone by a backup that copies pictures.
    PICTURE_DELETION = 7_206_114_318
    # The first of two 32-bit keys; the second is the hash of the job's name.
    JOB = 534_802_455
    # As that; the second is the remainder of the account's id. What an account begins, and the
    # texts that a young one repeats, are counted one after another.
    CONVERSATIONS = 534_802_456
    # As that, of the account that is written to: conversations that strangers begin with it. It is
    # taken after the one above.
    RECEIVERS = 534_802_457


class LocationKind(StrEnum):
    """Where the `location` of an ad comes from."""

    # The author gave a point.
    EXACT = "exact"
    # It is the centre of the ad's place.
    PLACE = "place"


class JobName(StrEnum):
    """The regular jobs of the workers."""

    EXPIRIES = "expiries"
    SUSPENSIONS = "suspensions"
    ENDINGS = "endings"
    MESSAGE_MAILS = "message-mails"
    PICTURE_DELETIONS = "picture-deletions"
    SEARCH_KEYS = "search-keys"
    CATEGORY_WORDS = "category-words"
    SEARCH_PHRASES = "search-phrases"
    ANSWER_FIGURES = "answer-figures"
    PLACES = "places"
    CLEANING = "cleaning"


class EntryStatus(StrEnum):
    """Whether an entry of the outbox is still tried."""

    WAITING = "waiting"
    DEAD = "dead"


class DeletionKind(StrEnum):
    AD = "ad"
    ACCOUNT = "account"


class MailOutcome(StrEnum):
    """What became of an attempt to send a mail."""

    SENT = "sent"
    # Or the server did not answer. There may be another attempt.
    REFUSED = "refused"
    # Nothing was sent: it is not wanted any more, or must not be sent.
    OMITTED = "omitted"


class SitePicture(StrEnum):
    """Members of the site that are pictures."""

    LOGO = "logo"
    ICON = "icon"


class PagePlace(StrEnum):
    """Where the links to a page of the site are."""

    FOOTER = "footer"
    MENU = "menu"
    NONE = "none"


class SettingSource(StrEnum):
    """Where the value of a setting comes from."""

    DEFAULT = "default"
    ENVIRONMENT = "environment"
    # `.env`.
    FILE = "file"
    # An option of the command, or what the command has made, such as the embedded database.
    COMMAND = "command"


class MaintenanceMode(StrEnum):
    OFF = "off"
    # Changes are refused.
    READ_ONLY = "read-only"
    # The site is closed.
    ON = "on"


class Feature(StrEnum):
    """What a site can do without."""

    COMMENTS = "comments"
    OFFERS = "offers"
    CONVERSATIONS = "conversations"
    PHONE = "phone"
    MAP = "map"
    PUSH = "push"
    SEARCHES = "searches"


class StarterTree(StrEnum):
    """The trees of categories that come with adsvc."""

    GENERAL = "general"
    VEHICLES = "vehicles"
    PROPERTY = "property"
    JOBS = "jobs"
    ANIMALS = "animals"
    EMPTY = "empty"


class SectionKind(StrEnum):
    """What a section of the home page shows."""

    CATEGORIES = "categories"
    NEAR = "near"
    NEWEST = "newest"
    COLLECTION = "collection"
    TEXT = "text"


class RegistrationMode(StrEnum):
    """Who may register: anyone, those with an invitation, or no one."""

    OPEN = "open"
    INVITATION = "invitation"
    CLOSED = "closed"


class AuditKind(StrEnum):
    """What an event of the audit trail is about."""

    SESSION_BEGAN = "session_began"
    SESSION_ENDED = "session_ended"
    KEY_CREATED = "key_created"
    KEY_DELETED = "key_deleted"
    BASIC_LOGIN = "basic_login"
    LOGIN_FAILED = "login_failed"
    RATE_LIMITED = "rate_limited"
    ROLE_CHANGED = "role_changed"
    PLAN_CHANGED = "plan_changed"
    TOKEN_REUSED = "token_reused"  # noqa: S105 - an event, not a token
    PASSWORD_CHANGED = "password_changed"  # noqa: S105 - an event, not a password
    # By "this was not me" in a mail about it.
    LOGIN_REPORTED = "login_reported"
    MAIL_CHANGED = "mail_changed"
    MAIL_VERIFIED = "mail_verified"
    TOTP_SET = "totp_set"
    TOTP_REMOVED = "totp_removed"
    RECOVERY_CODE_USED = "recovery_code_used"
    PASSKEY_ADDED = "passkey_added"
    PASSKEY_REMOVED = "passkey_removed"
    FACTORS_RESET = "factors_reset"
    # What an account signs in with at an OpenID provider.
    IDENTITY_ADDED = "identity_added"
    IDENTITY_REMOVED = "identity_removed"
    ACCOUNT_DELETED = "account_deleted"
    # By a command.
    ACCOUNT_EXPORTED = "account_exported"
    CATEGORY_CHANGED = "category_changed"
    CATEGORY_DELETED = "category_deleted"
    DECIDED = "decided"
    DECISION_UNDONE = "decision_undone"
    # What a decision does to an account or ad, and its end.
    SUSPENDED = "suspended"
    RESTORED = "restored"
    # A moderator has read what was reported of a conversation.
    MESSAGES_READ = "messages_read"
    # An account has read the phone number of an ad's author.
    CONTACT_READ = "contactRead"
    WEBHOOK_CREATED = "webhook_created"
    WEBHOOK_CHANGED = "webhook_changed"
    WEBHOOK_DELETED = "webhook_deleted"
    WEBHOOK_SECRET_ROTATED = "webhook_secret_rotated"  # noqa: S105 - an event, not a secret
    SECRET_ROTATED = "secret_rotated"  # noqa: S105 - an event, not a secret
    MAINTENANCE_CHANGED = "maintenance_changed"
    ACCESS_RULE_CHANGED = "access_rule_changed"
    DELETION_UNDONE = "deletion_undone"
    DELETION_ENDED = "deletion_ended"
    SITE_CHANGED = "site_changed"
    PROVIDER_CHANGED = "provider_changed"
    PROVIDER_DELETED = "provider_deleted"
    INVITATION_CREATED = "invitation_created"
    INVITATION_DELETED = "invitation_deleted"
    # By an administrator, in the console.
    JOB_REQUESTED = "job_requested"
    OUTBOX_RETRIED = "outbox_retried"
    OUTBOX_DELETED = "outbox_deleted"
    FOREIGN_AD_CHANGED = "foreign_ad_changed"
    FOREIGN_AD_DELETED = "foreign_ad_deleted"
    FOREIGN_PICTURE_REPLACED = "foreign_picture_replaced"
    FOREIGN_PICTURES_CHANGED = "foreign_pictures_changed"
    FOREIGN_COMMENT_CHANGED = "foreign_comment_changed"
    FOREIGN_COMMENT_DELETED = "foreign_comment_deleted"
