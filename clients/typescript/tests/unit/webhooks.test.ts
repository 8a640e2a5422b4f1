import assert from "node:assert/strict";
import { test } from "node:test";
import { Webhook } from "standardwebhooks";
import { verifyWebhook, WebhookVerificationError } from "../../src/index.js";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=";
const OTHER = "whsec_" + btoa("another secret of 32 characters.");
const EVENT = { id: 7, type: "ad.sold", at: 1796039999120, ad: 42, user: 7, data: { note: "Grün" } };
const BODY = JSON.stringify(EVENT);

/** Signed by the reference library. */
function sent(body = BODY, at = new Date(), secrets = [SECRET]): Record<string, string> {
  const signatures = secrets.map((secret) => new Webhook(secret).sign("msg_1", at, body));
  return {
    "webhook-id": "msg_1",
    "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
    "webhook-signature": signatures.join(" "),
  };
}

test("what the reference library signs is verified", async () => {
  const headers = sent();
  assert.deepEqual(await verifyWebhook(BODY, headers, SECRET), EVENT);
  assert.deepEqual(await verifyWebhook(new TextEncoder().encode(BODY), new Headers(headers), SECRET), EVENT);
  const node = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]));
  assert.deepEqual(await verifyWebhook(BODY, node, [OTHER, SECRET]), EVENT);
  assert.deepEqual(await verifyWebhook(BODY, sent(BODY, new Date(), [OTHER, SECRET]), SECRET), EVENT);
});

test("nothing else is", async () => {
  const headers = sent();
  const minutes = (number: number) => new Date(Date.now() + number * 60_000);
  const refused: [string, Record<string, string>, string][] = [
    [`${BODY} `, headers, SECRET],
    [BODY, headers, OTHER],
    [BODY, { ...headers, "webhook-id": "msg_2" }, SECRET],
    [BODY, { ...headers, "webhook-timestamp": String(Number(headers["webhook-timestamp"]) - 1) }, SECRET],
    [BODY, { ...headers, "webhook-timestamp": "" }, SECRET],
    [BODY, { ...headers, "webhook-timestamp": "NaN" }, SECRET],
    [BODY, { ...headers, "webhook-signature": "" }, SECRET],
    [BODY, { ...headers, "webhook-signature": "v1,%%%" }, SECRET],
    [BODY, { ...headers, "webhook-signature": headers["webhook-signature"]?.replace("v1", "v2") ?? "" }, SECRET],
    [BODY, {}, SECRET],
    [BODY, sent(BODY, minutes(-6)), SECRET],
    [BODY, sent(BODY, minutes(6)), SECRET],
  ];
  for (const [body, with_, secret] of refused) {
    await assert.rejects(verifyWebhook(body, with_, secret), WebhookVerificationError, JSON.stringify(with_));
  }
  await assert.rejects(verifyWebhook(BODY, headers, ""), TypeError);
});
