// Arguments: the service's address, a picture, a user name.
import assert from "node:assert/strict";
import { openAsBlob } from "node:fs";
import { isAxiosError } from "axios";
import { AdsApi, AuthApi, Configuration, Sort, UsersApi, type User } from "./target/generated-sources/axios";

const password = "correct horse battery";

async function walk(basePath: string, picture: string, username: string): Promise<void> {
  const auth = new AuthApi(new Configuration({ basePath }));
  await auth.register({ username, password });
  const { data: tokens } = await auth.login({ username, password });
  const configuration = new Configuration({ basePath, accessToken: tokens.access_token });
  const ads = new AdsApi(configuration);

  const oak = { title: "Oak table, seats six", price: 150, description: "Solid oak, oiled." };
  const photo = new File([await openAsBlob(picture)], "photo.jpg", { type: "image/jpeg" });
  const { data: ad } = await ads.createAd(oak, [photo]);
  const none = undefined;
  const { data: dearest } = await ads.listAds(
    ...[none, none, none, none, none, none, none, none, none, none, none, none, none, none] as const,
    Sort.DEAREST,
  );
  assert(dearest.results.some(({ pk }) => pk === ad.pk));
  assert.equal((await ads.getAd(ad.pk)).data.title, oak.title);
  const { data: changed } = await ads.updateAd(ad.pk, { title: "Oak table, oiled" });
  assert.equal(changed.title, "Oak table, oiled");
  await ads.deleteAd(ad.pk);
  await assert.rejects(ads.getAd(ad.pk), (error) => isAxiosError(error) && error.response?.status === 404);

  // A value that a later version may answer.
  const { data: me } = await new UsersApi(configuration).getMe();
  const later: User = { ...me, role: "AUDITOR" };
  assert.equal(later.role, "AUDITOR");
  console.log("walked");
}

const [address, picture, username] = process.argv.slice(2);
assert(address && picture && username);
void walk(address, picture, username);
