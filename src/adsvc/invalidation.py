"""What changes in the database, by kind, and what notices say of a changed ad."""

from dataclasses import dataclass
from enum import StrEnum

from adsvc.kit.invalidation import KEY, OUTBOX, SESSION, USER, Invalidation, InvalidationBus


class InvalidationKind(StrEnum):
    AD = "ad"
    USER = USER
    SESSION = SESSION
    # An API key.
    KEY = KEY
    IMAGE = "image"
    # Always the whole tree.
    CATEGORY = "category"
    # There is an entry in the outbox.
    OUTBOX = OUTBOX
    # An administrator has requested a run of a job.
    JOB = "job"
    # A webhook has begun.
    WEBHOOK = "webhook"
    # An account has a new notification, or has read some.
    NOTIFICATION = "notification"
    # An account has another number of unread messages, or another last message, in a conversation.
    MESSAGE = "message"


# What a change of the rows of a table invalidates. Triggers announce it to every process, and the
# service that makes the change to its own.
OF_TABLES = {
    "ad_images": {InvalidationKind.AD},
    "ads": {InvalidationKind.AD, InvalidationKind.IMAGE},
    "categories": {InvalidationKind.CATEGORY},
    "conversations": {InvalidationKind.MESSAGE},
    "hidden_pictures": {InvalidationKind.IMAGE},
    "keys": {InvalidationKind.KEY},
    "notifications": {InvalidationKind.NOTIFICATION},
    "outbox": {InvalidationKind.OUTBOX},
    "picture_deletions": {InvalidationKind.IMAGE},
    "push_messages": {InvalidationKind.OUTBOX},
    "ratings": {InvalidationKind.USER},
    "sessions": {InvalidationKind.SESSION},
    "users": {InvalidationKind.USER, InvalidationKind.IMAGE},
}

# No ad has this id: it invalidates only listings.
NO_AD = 0


class AdAspect(StrEnum):
    """What a notice says has changed of an ad, beside what only shows where the ad is shown."""

    # Its status or its times: the ad may have appeared or disappeared.
    STATUS = "s"
    WORDS = "w"
    PRICE = "p"
    # Its category or attributes.
    CLASSIFICATION = "a"
    # Its public location.
    LOCATION = "l"


@dataclass(frozen=True, slots=True)
class AdChange:
    """What is known of a changed ad. Its author never changes."""

    id: int
    author_id: int
    # Its categories after and before the change; 0 for none.
    category_id: int
    category_before: int
    # Nothing if no one but its author sees the ad, neither after the change nor before it.
    aspects: frozenset[AdAspect]

    @classmethod
    def presentation_only(cls, ad_id: int) -> "AdChange":
        """A change that shows only where the ad does, such as one of its pictures."""
        return cls(ad_id, 0, 0, 0, frozenset())

    @property
    def invalidation(self) -> Invalidation:
        return Invalidation(InvalidationKind.AD, str(self.id), self)

    @property
    def is_counted(self) -> bool:
        """Whether it may change the number of ads that are shown of a category or an author."""
        return AdAspect.STATUS in self.aspects or (
            self.category_id != self.category_before and AdAspect.CLASSIFICATION in self.aspects
        )


# An ad, its author, its category and the one before: what a notice of an ad names by ids.
AD_IDS = 4


def parse(notice: str) -> Invalidation:
    """From `KIND:ID`, or `ad:ID:AUTHOR:CATEGORY:CATEGORY BEFORE:ASPECTS`."""
    match notice.split(":"):
        case [InvalidationKind.AD, *ids, aspects] if len(ids) == AD_IDS:
            ad, author, after, before = map(int, ids)
            what = frozenset(map(AdAspect, aspects))
            return AdChange(ad, author, after, before, what).invalidation
        case [kind, identifier, *_]:
            return Invalidation(InvalidationKind(kind), identifier)
    return Invalidation(InvalidationKind(notice))


def new_bus() -> InvalidationBus:
    return InvalidationBus(InvalidationKind, parse)
