"""The SQL of requests: a class for each table or purpose. None of them decides anything.

Most take a session and return rows. Those that matter for speed take the reader or the writer, and
may return plain values or finished JSON.
"""

from adsvc.repositories.accounts.callers import CallerRepository
from adsvc.repositories.accounts.idempotency_keys import IdempotencyKeyRepository
from adsvc.repositories.accounts.rate_limits import RateLimitRepository
from adsvc.repositories.accounts.sessions import SessionRepository
from adsvc.repositories.accounts.users import UserRepository
from adsvc.repositories.ad_images import AdImageRepository
from adsvc.repositories.ads.criteria import AdFilter, Sort
from adsvc.repositories.ads.lifecycle import LifecycleRepository
from adsvc.repositories.ads.listing import Listing, ListingRepository
from adsvc.repositories.ads.search.repository import SearchRepository
from adsvc.repositories.ads.writes import AdChangeRepository, AdDeletionRepository, AdRepository
from adsvc.repositories.audit_events import AuditEventRepository
from adsvc.repositories.bulk import BulkRepository
from adsvc.repositories.categories import CategoryReadRepository, CategoryRepository
from adsvc.repositories.comments import (
    CommentChangeRepository,
    CommentPageRepository,
    CommentRepository,
    Missing,
)
from adsvc.repositories.operation.jobs import JobRepository
from adsvc.repositories.operation.server import InstallationRepository, SchemaRepository
from adsvc.repositories.outbox import OutboxRepository
from adsvc.repositories.pictures import ImageRepository, PictureDeletionRepository

__all__ = [
    "AdChangeRepository",
    "AdDeletionRepository",
    "AdFilter",
    "AdImageRepository",
    "AdRepository",
    "AuditEventRepository",
    "BulkRepository",
    "CallerRepository",
    "CategoryReadRepository",
    "CategoryRepository",
    "CommentChangeRepository",
    "CommentPageRepository",
    "CommentRepository",
    "IdempotencyKeyRepository",
    "ImageRepository",
    "InstallationRepository",
    "JobRepository",
    "LifecycleRepository",
    "Listing",
    "ListingRepository",
    "Missing",
    "OutboxRepository",
    "PictureDeletionRepository",
    "RateLimitRepository",
    "SchemaRepository",
    "SearchRepository",
    "SessionRepository",
    "Sort",
    "UserRepository",
]
