import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { after, before, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import {
  AdsvcClient,
  ForbiddenError,
  GoneError,
  IllegalTransitionError,
  InvalidRequestError,
  memoryTokens,
  PreconditionFailedError,
  SecondFactorRequiredError,
  UnauthenticatedError,
  WrongCredentialsError,
  type Ad,
} from "../../src/index.js";
import { PHOTO } from "../support/photo.js";
import { Proxy } from "../support/proxy.js";
import { serve, type Service } from "../support/service.js";

const PASSWORD = "correct horse battery";
const ANNA = { username: "anna@example.com", password: PASSWORD, firstName: "Anna" };
const BEN = { username: "ben@example.com", password: PASSWORD, firstName: "Ben" };
const OAK = { title: "Oak table, seats six", price: 150, description: "Solid oak, oiled, 180 by 90 cm." };
const TOKEN_SECONDS = 2;

const picture = new File([PHOTO], "photo.jpg", { type: "image/jpeg" });
const tokens = memoryTokens();
let service: Service;
let proxy: Proxy;
let seller: AdsvcClient;
let buyer: AdsvcClient;
let ad: Ad;

before(async () => {
  service = await serve({ ADSVC_ACCESS_TOKEN_SECONDS: String(TOKEN_SECONDS) });
  proxy = new Proxy(service.url);
  await proxy.start();
  seller = new AdsvcClient({ baseUrl: proxy.url, tokens });
  buyer = new AdsvcClient({ baseUrl: proxy.url });
});

after(async () => {
  proxy.stop();
  await service.stop();
});

test("the seller registers, though the answer is lost", async () => {
  proxy.faults.set("POST /register", "lost");
  const user = await seller.register(ANNA);
  assert.equal(user.email, ANNA.username);
  assert.equal(proxy.faults.size, 0);
});

test("nothing is for nobody, nor for a wrong password", async () => {
  await assert.rejects(seller.getMe(), UnauthenticatedError);
  await assert.rejects(seller.login({ ...ANNA, password: "another horse" }), WrongCredentialsError);
  await seller.login(ANNA);
  assert.equal((await seller.getMe()).firstName, "Anna");
});

test("an ad is judged whole, and not stored", async () => {
  const bad = { ...OAK, title: undefined as unknown as string, price: -1 };
  const calls = [() => seller.createAd(bad, [picture]), () => seller.createAd(bad, [picture], { validate: true })];
  for (const call of calls) {
    const error = await call().catch((error: unknown) => error);
    assert.ok(error instanceof InvalidRequestError);
    assert.deepEqual(
      error.errors.map(({ pointer, code }) => `${pointer ?? ""} ${code}`),
      ["/title missing", "/price out-of-range"],
    );
  }
  await seller.createAd(OAK, [picture], { validate: true });
  assert.equal((await seller.listMyAds()).count, 0);
});

test("an ad is posted once, though the answer is lost", async () => {
  proxy.faults.set("POST /ads", "lost");
  ad = await seller.createAd(OAK, [picture, picture]);
  assert.equal(ad.imageCount, 2);
  assert.equal((await seller.listMyAds()).count, 1);
  assert.equal(proxy.faults.size, 0);
});

test("a session goes on when its token has expired", async () => {
  const kept = await tokens.get();
  assert.ok(kept !== null);
  // A clock that stands still notices nothing: the service has to say it.
  await tokens.set({ ...kept, renewAt: Number.MAX_SAFE_INTEGER });
  const headers = { authorization: `Bearer ${kept.accessToken}` };
  while ((await fetch(`${service.url}/users/me`, { headers })).ok) {
    await wait(100);
  }
  const mine = await Promise.all([seller.getMe(), seller.listMyAds(), seller.getAd(ad.pk)]);
  assert.equal(mine[0].firstName, "Anna");
  assert.notEqual((await tokens.get())?.refreshToken, kept.refreshToken);
});

test("the buyer finds it page by page, with a 503 in the middle", async () => {
  await seller.createAd({ ...OAK, title: "Oak chair", price: 40 }, picture);
  await seller.createAd({ ...OAK, title: "Oak bench", price: 60 }, picture);
  await buyer.register(BEN);
  await buyer.login(BEN);
  const titles = [];
  for await (const { title } of buyer.ads({ q: "oak", sort: "price", limit: 1 })) {
    if (titles.push(title) === 1) {
      const { next } = await buyer.listAds({ q: "oak", sort: "price", limit: 1 });
      proxy.faults.set(`GET /ads?q=oak&sort=price&limit=1&cursor=${encodeURIComponent(next ?? "")}`, "unavailable");
    }
  }
  assert.deepEqual(titles, ["Oak chair", "Oak bench", "Oak table, seats six"]);
  assert.equal(proxy.faults.size, 0);
  assert.equal((await buyer.getAd(ad.pk)).email, ANNA.username);
});

test("a comment stands once, though the service was not there and then the answer was lost", async () => {
  proxy.faults.set(`POST /ads/${String(ad.pk)}/comments`, "unavailable");
  await buyer.createComment(ad.pk, { text: "Is it still there?" });
  proxy.faults.set(`POST /ads/${String(ad.pk)}/comments`, "lost");
  await seller.createComment(ad.pk, { text: "It is." });
  const texts = [];
  for await (const { text } of buyer.comments(ad.pk, { limit: 1 })) {
    texts.push(text);
  }
  assert.deepEqual(texts, ["It is.", "Is it still there?"]);
});

test("of two changes to one reading the second is refused", async () => {
  const read = await seller.getAd(ad.pk);
  await seller.updateAd(ad.pk, { price: 140 }, { ifMatch: read });
  await assert.rejects(seller.updateAd(ad.pk, { price: 130 }, { ifMatch: read }), PreconditionFailedError);
  const changed = await seller.updateAd(ad.pk, { price: 120 }, { ifMatch: await seller.getAd(ad.pk) });
  assert.equal((await seller.updateAd(ad.pk, { price: 110 }, { ifMatch: changed })).price, 110);
  await assert.rejects(buyer.updateAd(ad.pk, { price: 1 }), ForbiddenError);
});

test("pictures are added once, ordered, replaced and deleted", async () => {
  proxy.faults.set(`POST /ads/${String(ad.pk)}/images`, "lost");
  const { results } = await seller.addAdImages(ad.pk, [picture]);
  assert.equal(results.length, 3);
  const order = results.map(({ id }) => id).reverse();
  assert.deepEqual(
    (await seller.orderAdImages(ad.pk, { order })).results.map(({ id }) => id),
    order,
  );
  const stored = await seller.replaceAdImage(ad.pk, picture);
  assert.equal(stored.type, "image/jpeg");
  await seller.deleteAdImage(ad.pk, order[2] ?? 0);
  const { images } = await seller.getAd(ad.pk);
  assert.equal(images.length, 2);
  assert.ok((await fetch(seller.url(images[0]?.image ?? ""))).ok);
});

test("the buyer keeps it, saves a search, and talks about it", async () => {
  await buyer.addFavorite(ad.pk);
  const kept = [];
  for await (const favorite of buyer.myFavorites({ limit: 1 })) kept.push(favorite.pk);
  assert.deepEqual(kept, [ad.pk]);
  await buyer.removeFavorite(ad.pk);
  const search = await buyer.saveSearch({ query: "q=oak", name: "Oak", notify: "daily" });
  assert.deepEqual(
    (await buyer.listMySearches()).results.map(({ name }) => name),
    ["Oak"],
  );
  await buyer.markSearchSeen(search.id);
  await buyer.deleteSearch(search.id);

  const first = await buyer.writeAboutAd(ad.pk, { text: "Is it still there?" });
  const inbox = [];
  for await (const { id, role } of seller.conversations({ unread: true })) inbox.push({ id, role });
  assert.deepEqual(inbox, [{ id: first.conversation, role: "seller" }]);
  await seller.readMessages(first.conversation, { upTo: first.id });
  proxy.faults.set(`POST /conversations/${String(first.conversation)}/messages`, "lost");
  const answer = await seller.sendMessage(first.conversation, { text: "Yes" });
  const read = [];
  for await (const { id, mine, removed } of buyer.messages(first.conversation, { limit: 1 })) {
    read.push({ id, mine, removed });
  }
  assert.deepEqual(read, [
    { id: answer.id, mine: false, removed: false },
    { id: first.id, mine: true, removed: false },
  ]);
});

test("it is reserved and sold, once, though the answer is lost", async () => {
  assert.equal((await seller.reserveAd(ad.pk)).status, "reserved");
  proxy.faults.set(`POST /ads/${String(ad.pk)}/sell`, "lost");
  assert.equal((await seller.sellAd(ad.pk, { price: 100 })).status, "sold");
  const error = await seller.reserveAd(ad.pk).catch((error: unknown) => error);
  assert.ok(error instanceof IllegalTransitionError);
  assert.equal(error.problem.from, "sold");
  await assert.rejects(buyer.getAd(ad.pk), GoneError);
});

test("it is deleted, though the answer is lost, and the seller leaves", async () => {
  proxy.faults.set(`DELETE /ads/${String(ad.pk)}`, "lost");
  await seller.deleteAd(ad.pk);
  assert.equal((await seller.listMyAds()).count, 2);
  await buyer.logout();
  await assert.rejects(buyer.getMe(), UnauthenticatedError);
  await seller.deleteMe({ currentPassword: PASSWORD });
  await assert.rejects(seller.login(ANNA), WrongCredentialsError);
});

/** RFC 6238, as an authenticator app has it; `secret` in base 32. */
function totp(secret: string, step: number): string {
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  const bits = Array.from(secret, (letter) => letters.indexOf(letter).toString(2).padStart(5, "0"));
  const key = Buffer.from((bits.join("").match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = createHmac("sha1", key).update(counter).digest();
  const at = digest.readUInt8(19) & 15;
  return String((digest.readUInt32BE(at) & 0x7fffffff) % 1_000_000).padStart(6, "0");
}

test("a login is completed by a code of an app, or by a recovery code", async () => {
  const careful = { ...BEN, username: "careful@example.com" };
  const client = new AdsvcClient({ baseUrl: service.url });
  await client.register(careful);
  await client.login(careful);
  const { secret } = await client.createTotp({ currentPassword: PASSWORD });
  const step = Math.floor(Date.now() / 30_000);
  const { recoveryCodes } = await client.confirmTotp({ code: totp(secret, step - 1) });
  const other = new AdsvcClient({ baseUrl: service.url });
  for (const code of [totp(secret, step), recoveryCodes[0] ?? ""]) {
    const refusal = await other.login(careful).catch((error: unknown) => error);
    assert(refusal instanceof SecondFactorRequiredError);
    await assert.rejects(other.getMe(), UnauthenticatedError);
    await other.completeLogin({ challenge: refusal.problem.challenge ?? "", code });
    assert.equal((await other.getMe()).totp, true);
    await other.logout();
  }
});
