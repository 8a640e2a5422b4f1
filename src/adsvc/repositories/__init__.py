"""The SQL of requests and jobs: a class for each table or purpose.

Statements on one table with plain conditions are SQLAlchemy's expressions, in the session of the
request's transaction. A statement that does several things at once (CTEs, searches, rows as JSON)
or that is on a hot path is text with `$n`, which `Statements` sends alone or in a transaction.
SQLAlchemy's `text()` with parameters by name is not used.
"""

from adsvc.repositories.accounts.callers import CallerRepository
from adsvc.repositories.accounts.factors import FactorRepository
from adsvc.repositories.accounts.idempotency_keys import IdempotencyKeyRepository
from adsvc.repositories.accounts.keys import KeyRepository
from adsvc.repositories.accounts.rate_limits import RateLimitRepository
from adsvc.repositories.accounts.sessions import SessionRepository
from adsvc.repositories.accounts.users import UserRepository
from adsvc.repositories.ads.criteria import AdFilter, Sort
from adsvc.repositories.ads.lifecycle import LifecycleRepository
from adsvc.repositories.ads.listing import Listing, ListingRepository
from adsvc.repositories.ads.search.repository import SearchRepository
from adsvc.repositories.ads.writes import AdChangeRepository, AdDeletionRepository, AdRepository
from adsvc.repositories.audit_events import AuditEventRepository
from adsvc.repositories.categories import CategoryReadRepository, CategoryRepository
from adsvc.repositories.comments import (
    CommentChangeRepository,
    CommentPageRepository,
    CommentRepository,
    Missing,
)
from adsvc.repositories.images import (
    AdImageRepository,
    HiddenPictureRepository,
    ImageRepository,
    PictureDeletionRepository,
)
from adsvc.repositories.operation.jobs import JobRepository
from adsvc.repositories.operation.server import InstallationRepository, SchemaRepository
from adsvc.repositories.outbox import OutboxRepository

__all__ = [
    "AdChangeRepository",
    "AdDeletionRepository",
    "AdFilter",
    "AdImageRepository",
    "AdRepository",
    "AuditEventRepository",
    "CallerRepository",
    "CategoryReadRepository",
    "CategoryRepository",
    "CommentChangeRepository",
    "CommentPageRepository",
    "CommentRepository",
    "FactorRepository",
    "HiddenPictureRepository",
    "IdempotencyKeyRepository",
    "ImageRepository",
    "InstallationRepository",
    "JobRepository",
    "KeyRepository",
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
