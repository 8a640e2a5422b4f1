"""Goes through all that comes before a mail, and sends none."""

from contextlib import suppress
from enum import StrEnum
from ssl import SSLError

from aiosmtplib import SMTP, SMTPException

from adsvc.errors import AdsvcError
from adsvc.services.mail.transports import told_by
from adsvc.settings.mail_addresses import SmtpServer


class Step(StrEnum):
    CONNECT = "connect"
    ENCRYPT = "encrypt"
    LOGIN = "login"
    SENDER = "sender"


class ProbeError(AdsvcError):
    """The step that failed, and what was said."""

    def __init__(self, step: Step, told: str) -> None:
        super().__init__(told)
        self.step = step


async def probe(server: SmtpServer, sender: str, *, seconds: float) -> None:
    """Raises `ProbeError`. Each step may take so long."""
    client = SMTP(
        hostname=server.host, port=server.port, use_tls=server.tls, start_tls=False, timeout=seconds
    )
    step = Step.CONNECT
    try:
        await client.connect()
        step = Step.ENCRYPT
        if server.starttls:
            await client.starttls()
        step = Step.LOGIN
        if server.user is not None and server.password is not None:
            await client.login(server.user, server.password)
        step = Step.SENDER
        await client.mail(sender)
        await client.rset()
    except (SMTPException, OSError) as error:
        if isinstance(error.__cause__, SSLError):
            # Where TLS begins at once, it is part of the connection.
            step = Step.ENCRYPT
        raise ProbeError(step, told_by(error)) from error
    finally:
        with suppress(SMTPException, OSError):
            await client.quit()
        client.close()
