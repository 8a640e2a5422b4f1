"""The tables, as SQLAlchemy classes. (`schemas` are the records of the interface.)"""

from adsvc.models.ads.ad import Ad, AdStatus, PriceType
from adsvc.models.ads.ad_event import AdEvent
from adsvc.models.ads.ad_image import AdImage
from adsvc.models.ads.category import Category, CategoryAdTotal
from adsvc.models.ads.comment import Comment
from adsvc.models.ads.counts import AdCommentTotal, AdTotal, AuthorAdTotal
from adsvc.models.audit_event import AuditEvent
from adsvc.models.background.job import Job
from adsvc.models.background.outbox_entry import OutboxEntry
from adsvc.models.base import Base
from adsvc.models.idempotency_key import IdempotencyKey
from adsvc.models.installation import Installation
from adsvc.models.mail_token import MailToken, TokenPurpose
from adsvc.models.moderation.case import Case, CaseKind, CaseStatus, Report, ReportReason
from adsvc.models.moderation.decision import (
    Decision,
    DecisionAction,
    DecisionGround,
    RemovedComment,
)
from adsvc.models.picture import Image, ImageTotal, PictureDeletion
from adsvc.models.rate_limit import RateLimit
from adsvc.models.session import Session
from adsvc.models.text_total import TextTotal
from adsvc.models.user import AccountStatus, Role, User

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
    "Comment",
    "Decision",
    "DecisionAction",
    "DecisionGround",
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
]
