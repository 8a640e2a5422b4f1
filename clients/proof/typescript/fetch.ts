// Arguments: the service's address, a picture, a user name.
import assert from "node:assert/strict";
import { openAsBlob } from "node:fs";
import { AdsApi, AuthApi, Configuration, ResponseError, Sort, UserFromJSON, UsersApi } from "./target/generated-sources/fetch";

const password = "correct horse battery";

async function walk(basePath: string, picture: string, username: string): Promise<void> {
  const auth = new AuthApi(new Configuration({ basePath }));
  await auth.register({ register: { username, password } });
  const { accessToken } = await auth.login({ login: { username, password } });
  const configuration = new Configuration({ basePath, accessToken });
  const ads = new AdsApi(configuration);

  const oak = { title: "Oak table, seats six", price: 150, description: "Solid oak, oiled." };
  const ad = await ads.createAd({ properties: oak, image: [await openAsBlob(picture, { type: "image/jpeg" })] });
  assert(ad);
  const dearest = await ads.listAds({ sort: Sort.DEAREST });
  assert(dearest.results.some(({ pk }) => pk === ad.pk));
  assert.equal((await ads.getAd({ id: ad.pk })).title, oak.title);
  const changed = await ads.updateAd({ id: ad.pk, createOrUpdateAd: { title: "Oak table, oiled" } });
  assert.equal(changed?.title, "Oak table, oiled");
  await ads.deleteAd({ id: ad.pk });
  await assert.rejects(ads.getAd({ id: ad.pk }), (error) => error instanceof ResponseError && error.response.status === 404);

  // A value that a later version may answer.
  const me = await new UsersApi(configuration).getMe();
  assert.equal(UserFromJSON({ ...me, role: "AUDITOR" }).role, "AUDITOR");
  console.log("walked");
}

const [address, picture, username] = process.argv.slice(2);
assert(address && picture && username);
void walk(address, picture, username);
