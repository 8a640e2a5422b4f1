"""The tables, as SQLAlchemy classes. (`schemas` are the records of the interface.)"""

from adsvc.models.ad import Ad
from adsvc.models.base import Base
from adsvc.models.counts import AdTotal, AuthorAdTotal
from adsvc.models.rate_limit import RateLimit
from adsvc.models.user import Role, User

__all__ = ["Ad", "AdTotal", "AuthorAdTotal", "Base", "RateLimit", "Role", "User"]
