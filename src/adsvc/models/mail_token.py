from datetime import datetime
from enum import StrEnum

from sqlalchemy import BigInteger, ForeignKey, LargeBinary, Text
from sqlalchemy.orm import Mapped, mapped_column

from adsvc.models.base import MOMENT, Base
from adsvc.models.user import User


class TokenPurpose(StrEnum):
    VERIFY = "verify"
    RESET = "reset"


class MailToken(Base):
    """What a link in a mail proves, once: that its bearer reads the mail of that address.

    The token itself is in the mail alone. A change of the account's password or address deletes
    all of its tokens.
    """

    __tablename__ = "mail_tokens"

    hash: Mapped[bytes] = mapped_column(LargeBinary, primary_key=True)
    user_id: Mapped[int] = mapped_column(
        BigInteger, ForeignKey(User.id, ondelete="CASCADE"), index=True
    )
    # A `TokenPurpose`.
    purpose: Mapped[str] = mapped_column(Text)
    # To which it was sent.
    address: Mapped[str] = mapped_column(Text)
    expires_at: Mapped[datetime] = mapped_column(MOMENT, index=True)
