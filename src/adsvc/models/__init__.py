"""The tables, as SQLAlchemy classes. (`schemas` are the records of the interface.)"""

from adsvc.enums import (
    AccountStatus,
    AdStatus,
    CaseKind,
    CaseStatus,
    DecisionAction,
    DecisionGround,
    DeliveryStatus,
    PriceType,
    ReportReason,
    Role,
    TokenPurpose,
)
from adsvc.models.accounts import IdempotencyKey, MailToken, RateLimit, Session, TextTotal, User
from adsvc.models.ads import (
    Ad,
    AdCommentTotal,
    AdEvent,
    AdImage,
    AdTotal,
    AuthorAdTotal,
    Category,
    CategoryAdTotal,
    Comment,
)
from adsvc.models.base import Base
from adsvc.models.events import ChangeEntry, Event, EventBatch, EventLog
from adsvc.models.images import Image, ImageTotal, PictureDeletion
from adsvc.models.moderation import Case, Decision, RemovedComment, Report
from adsvc.models.operation import AuditEvent, Installation, Job, OutboxEntry
from adsvc.models.webhooks import Webhook, WebhookDelivery

__all__ = [
    "AccountStatus",
    "Ad",
    "AdCommentTotal",
    "AdEvent",
    "AdImage",
    "AdStatus",
    "AdTotal",
    "AuditEvent",
    "AuthorAdTotal",
    "Base",
    "Case",
    "CaseKind",
    "CaseStatus",
    "Category",
    "CategoryAdTotal",
    "ChangeEntry",
    "Comment",
    "Decision",
    "DecisionAction",
    "DecisionGround",
    "DeliveryStatus",
    "Event",
    "EventBatch",
    "EventLog",
    "IdempotencyKey",
    "Image",
    "ImageTotal",
    "Installation",
    "Job",
    "MailToken",
    "OutboxEntry",
    "PictureDeletion",
    "PriceType",
    "RateLimit",
    "RemovedComment",
    "Report",
    "ReportReason",
    "Role",
    "Session",
    "TextTotal",
    "TokenPurpose",
    "User",
    "Webhook",
    "WebhookDelivery",
]
