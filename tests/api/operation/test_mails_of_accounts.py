"""Why an account got no mail: what was sent, when, and what the server answered."""

from contextlib import suppress
from functools import partial

from adsvc.errors import DeliveryError
from adsvc.kit.mail import SmtpTransport
from adsvc.kit.settings.validators import smtp_server
from adsvc.repositories import outbox as outbox_rows
from adsvc.services.mail.delivery import MailDeliveries
from support.mail.received import verified
from support.mail.server import HOST, Mailbox, receiving
from support.scene.api import Api


async def attempt(api: Api, mailbox: Mailbox) -> None:
    state = api.state
    server = smtp_server(f"smtp://{HOST}:{mailbox.port}?tls=off")
    transport = SmtpTransport(server, sender="noreply@ads.example.com", seconds=5)
    deliveries = MailDeliveries(state.database, state.settings, transport)
    claim = partial(outbox_rows.claim, state.database.writer, deliveries.kinds, 100, seconds=0)
    for entry in await claim():
        with suppress(DeliveryError):
            await deliveries.deliver(entry)
            await outbox_rows.delete_claimed(state.database.writer, [entry.id])
    await transport.close()


async def test_administrators_see_the_attempts_at_mails_to_an_account(api: Api) -> None:
    admin = await api.admin()
    person, address = await verified(api)
    async with receiving() as mailbox:
        await attempt(api, mailbox)
        forgotten = {"username": person.username}
        assert (await api.client.post("/password/forgot", json=forgotten)).status_code == 202
        mailbox.refuses_recipient = f"450 4.2.0 <{address}>: later"
        await attempt(api, mailbox)
        mailbox.refuses_recipient = None
        await attempt(api, mailbox)
        await api.sql("UPDATE users SET mail = NULL WHERE id = :id", id=person.id)
        await api.client.post("/password/forgot", json=forgotten)
        await attempt(api, mailbox)
    answer = await admin.get(f"/users/{person.id}/mails", params={"limit": 2})
    omitted, sent = answer.json()["results"]
    [refused] = (await admin.get(answer.links["next"]["url"])).json()["results"]
    assert (omitted["outcome"], omitted["answer"]) == ("omitted", "it has no address")
    assert (sent["outcome"], sent["answer"], sent["attempt"]) == ("sent", "OK", 2)
    assert (refused["outcome"], refused["answer"]) == ("refused", "450 4.2.0 <…>: later")
    assert {each["letter"] for each in (omitted, sent, refused)} == {"reset-password"}
    assert sent["messageId"] == refused["messageId"] != omitted["messageId"]
    assert sent["messageId"] in str(mailbox.messages[-1]["Message-ID"])
    assert (await person.get(f"/users/{person.id}/mails")).status_code == 403
