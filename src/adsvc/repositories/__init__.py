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
from adsvc.repositories.ads.filter import AdFilter
from adsvc.repositories.ads.listing import Listing, ListingRepository
from adsvc.repositories.ads.order import Sort
from adsvc.repositories.ads.search.repository import SearchRepository
from adsvc.repositories.ads.writes.changes import AdChangeRepository
from adsvc.repositories.ads.writes.deletion import AdDeletionRepository
from adsvc.repositories.ads.writes.lifecycle import LifecycleRepository
from adsvc.repositories.ads.writes.rows import AdRepository
from adsvc.repositories.audit_events import AuditEventRepository
from adsvc.repositories.bulk import BulkRepository
from adsvc.repositories.categories import CategoryReadRepository, CategoryRepository
from adsvc.repositories.comments.changes import CommentChangeRepository
from adsvc.repositories.comments.pages import CommentPageRepository
from adsvc.repositories.comments.rows import CommentRepository, Missing
from adsvc.repositories.operation.backups import BackupRepository
from adsvc.repositories.operation.installation import InstallationRepository
from adsvc.repositories.operation.jobs import JobRepository
from adsvc.repositories.operation.schema import SchemaRepository
from adsvc.repositories.outbox.entries import OutboxRepository
from adsvc.repositories.pictures import ImageRepository, PictureDeletionRepository

__all__ = [
    "AdChangeRepository",
    "AdDeletionRepository",
    "AdFilter",
    "AdImageRepository",
    "AdRepository",
    "AuditEventRepository",
    "BackupRepository",
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
