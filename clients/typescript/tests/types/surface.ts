// What the compiler refuses. Nothing of this runs: an error that is expected and does not come is one itself.
import { AdsvcClient, type Ad, type CallOptions } from "../../src/index.js";

export async function surface(client: AdsvcClient, options: CallOptions): Promise<void> {
  const OAK = { title: "Oak table", price: 150, description: "Solid oak, oiled." };
  const ad: Ad = await client.createAd(OAK, ["photo.jpg"], { onProgress: ({ loaded }) => loaded });

  // @ts-expect-error a title is needed
  await client.createAd({ price: 150, description: "Solid oak, oiled." }, ["photo.jpg"]);
  // @ts-expect-error pictures are needed
  await client.createAd(OAK);
  // @ts-expect-error a picture is a path, a File or a Blob
  await client.createAd(OAK, [7]);
  // @ts-expect-error no such member
  await client.createAd({ ...OAK, colour: "teal" }, []);
  // @ts-expect-error what was only judged is no ad
  const judged: Ad = await client.createAd(OAK, ["photo.jpg"], { validate: true });
  // @ts-expect-error an ad has an id
  await client.updateAd({ price: 150 });
  // @ts-expect-error no such order
  await client.listAds({ sort: "newest" });
  // @ts-expect-error no such parameter
  client.ads({ colour: "teal" });
  // @ts-expect-error a listing has no files
  await client.listAds({}, { onProgress: () => undefined });
  // @ts-expect-error a password is needed
  await client.register({ username: "anna@example.com" });

  await client.updateAd(ad.pk, { price: 150 }, { ...options, signal: undefined });
  const status: "draft" | "active" | "reserved" | "sold" | "withdrawn" | "expired" | "suspended" | "removed" =
    ad.status;
  const titles: string[] = [status, judged.title];
  for await (const { title } of client.ads({ sort: "-price", limit: 20 })) {
    titles.push(title);
  }
  for await (const page of client.ads().pages()) {
    titles.push(...page.results.map(({ title }) => title));
  }
  for await (const event of client.myEvents()) {
    if (event.type === "notification") {
      const isUpdate: true | undefined = event.data.update;
      // @ts-expect-error a new one has no member for it
      event.data.update satisfies false;
      titles.push(isUpdate === true ? "update" : "new");
    }
  }
  const picture: Blob = await client.replaceAdImage(ad.pk, new Blob());
  titles.push(picture.type);
  await client.deleteAd(ad.pk);
}
