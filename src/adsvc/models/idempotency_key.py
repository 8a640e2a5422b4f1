from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, ForeignKey, LargeBinary, SmallInteger, Text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from adsvc.models.base import MOMENT, Base
from adsvc.models.user import User


class IdempotencyKey(Base):
    """A request that is to happen once: claimed by one who carries it out, and then its answer.

    Neither the key nor what was sent can be told from it.
    """

    __tablename__ = "idempotency_keys"

    # A keyed digest of whose key it is, and of the key.
    id: Mapped[bytes] = mapped_column(LargeBinary, primary_key=True)
    # Null while an account is being registered.
    user_id: Mapped[int | None] = mapped_column(
        BigInteger, ForeignKey(User.id, ondelete="CASCADE"), index=True
    )
    # A keyed digest of the request.
    fingerprint: Mapped[bytes] = mapped_column(LargeBinary)
    # Random: whose claim it is.
    claim: Mapped[bytes] = mapped_column(LargeBinary)
    # When a claim, or the answer, counts no longer.
    expires_at: Mapped[datetime] = mapped_column(MOMENT, index=True)
    # The answer; null until there is one.
    status: Mapped[int | None] = mapped_column(SmallInteger)
    headers: Mapped[dict[str, Any] | None] = mapped_column(JSONB)
    body: Mapped[str | None] = mapped_column(Text)
