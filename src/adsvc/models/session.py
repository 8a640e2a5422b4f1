from datetime import datetime

from sqlalchemy import BigInteger, ForeignKey, LargeBinary, Text, func
from sqlalchemy.orm import Mapped, mapped_column

from adsvc.models.base import MOMENT, Base, BigId
from adsvc.models.user import User


class Session(Base):
    """One login, from its first token to its end; only hashes of its refresh token are kept.

    The token's first half names the session for as long as it lasts, its second half changes with
    every use. So a known first half with another second half is a token that was used before.
    """

    __tablename__ = "sessions"

    id: Mapped[BigId]
    user_id: Mapped[int] = mapped_column(
        BigInteger, ForeignKey(User.id, ondelete="CASCADE"), index=True
    )
    handle_hash: Mapped[bytes] = mapped_column(LargeBinary, unique=True)
    secret_hash: Mapped[bytes] = mapped_column(LargeBinary)
    client: Mapped[str] = mapped_column(Text)
    # By which the network is known again that it was last used from; null in the oldest sessions.
    network_hash: Mapped[bytes | None] = mapped_column(LargeBinary)
    began_at: Mapped[datetime] = mapped_column(MOMENT, server_default=func.now())
    last_used_at: Mapped[datetime] = mapped_column(MOMENT, server_default=func.now())
    expires_at: Mapped[datetime] = mapped_column(MOMENT)
